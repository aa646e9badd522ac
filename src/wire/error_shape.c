/*
 * error_shape.c: how an error looks in the body of an HTTP answer (see
 * error_shape.h).
 */
#include "wire/error_shape.h"

#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "wire/json_write.h"
#include "wire/reply.h"

#define MESSAGE_SIZE 384 /* longer ones are cut */

/* An error as another vendor has it. */
struct shaped_error {
	enum wire_error_id id;
	int status;
	const char *name; /* NULL: none */
};

/* Libraries of both raise their error for a wrong key on 401 alone; credit that is
 * used up is 401 at the one and 429 at the other. */
static const struct shaped_error elevenlabs_errors[] = {
	{WIRE_ERROR_MISSING_KEY, 401, "needs_authorization"},
	{WIRE_ERROR_WRONG_KEY, 401, "invalid_api_key"},
	{WIRE_ERROR_KEY_ENDED, 401, "invalid_api_key"},
	{WIRE_ERROR_NO_CREDIT, 401, "quota_exceeded"},
	{WIRE_ERROR_RATE_LIMITED, 429, "rate_limit_exceeded"},
	{WIRE_ERROR_FORBIDDEN, 403, "missing_permissions"},
	{WIRE_ERROR_VOICE_IS_FIXED, 403, "missing_permissions"},
	{WIRE_ERROR_INVALID_REQUEST, 422, "invalid_request"},
	{WIRE_ERROR_MISSING_VOICE, 400, "voice_not_found"},
	{WIRE_ERROR_VOICE_NOT_FOUND, 404, "voice_not_found"},
	{WIRE_ERROR_TEXT_TOO_LONG, 400, "max_character_limit_exceeded"},
	{WIRE_ERROR_DICTIONARY_NOT_FOUND, 404, "pronunciation_dictionary_not_found"},
	{WIRE_ERROR_NO_ROUTE, 404, "not_found"},
	{WIRE_ERROR_METHOD, 405, "method_not_allowed"},
	{WIRE_ERROR_UNAVAILABLE, 503, "system_busy"},
	{WIRE_ERROR_NO_KEYS, 503, "system_busy"},
	{WIRE_ERROR_NO_LEDGER, 503, "system_busy"},
	{WIRE_ERROR_NO_DICTIONARIES, 503, "system_busy"},
	{WIRE_ERROR_CREDIT_LEASED, 503, "system_busy"},
};

static const struct shaped_error openai_errors[] = {
	{WIRE_ERROR_MISSING_KEY, 401, "invalid_api_key"},
	{WIRE_ERROR_WRONG_KEY, 401, "invalid_api_key"},
	{WIRE_ERROR_KEY_ENDED, 401, "invalid_api_key"},
	{WIRE_ERROR_NO_CREDIT, 429, "insufficient_quota"},
	{WIRE_ERROR_RATE_LIMITED, 429, "rate_limit_exceeded"},
	{WIRE_ERROR_TEXT_TOO_LONG, 400, "string_above_max_length"},
	/* A voice is a value there, and a wrong one like any other. */
	{WIRE_ERROR_VOICE_NOT_FOUND, 400, "voice_not_found"},
	{WIRE_ERROR_NO_ROUTE, 404, "unknown_url"},
	{WIRE_ERROR_MODEL_NOT_FOUND, 404, "model_not_found"},
	{WIRE_ERROR_METHOD, 405, "method_not_supported"},
};

static const struct shaped_error *find(const struct shaped_error *errors, size_t count,
				       enum wire_error_id id)
{
	for (size_t i = 0; i < count; ++i) {
		if (errors[i].id == id)
			return &errors[i];
	}
	return NULL;
}

static void write_message(struct json_write *json, const struct wire_notice *notice)
{
	bool has_detail = notice->detail && notice->detail[0];
	char text[MESSAGE_SIZE];

	snprintf(text, sizeof(text), "%s%s%s", wire_error_get(notice->id)->text,
		 has_detail ? ": " : "", has_detail ? notice->detail : "");
	json_write_string(json, "message", text, strlen(text));
}

static void write_name(struct json_write *json, const char *key, const char *name)
{
	if (name)
		json_write_string(json, key, name, strlen(name));
	else
		json_write_null(json, key);
}

static int native_status(enum wire_error_id id)
{
	return wire_error_get(id)->number;
}

static int native_write(struct buf *out, const struct wire_notice *notice)
{
	return reply_error(out, NULL, notice);
}

/* Of those that the table does not name. */
static const char *elevenlabs_name(enum wire_error_id id)
{
	int status = native_status(id);

	if (status == 404)
		return "not_found";
	if (status == 429)
		return "rate_limit_exceeded";
	return status < 500 ? "invalid_request" : "internal_error";
}

static int elevenlabs_status(enum wire_error_id id)
{
	const struct shaped_error *error = find(elevenlabs_errors, COUNT(elevenlabs_errors), id);

	return error ? error->status : native_status(id);
}

static int elevenlabs_write(struct buf *out, const struct wire_notice *notice)
{
	const struct shaped_error *error =
		find(elevenlabs_errors, COUNT(elevenlabs_errors), notice->id);
	struct json_write json;

	json_write_open(&json, out);
	json_write_object(&json, "detail");
	write_name(&json, "status", error ? error->name : elevenlabs_name(notice->id));
	write_message(&json, notice);
	if (notice->request_id)
		json_write_string(&json, "request_id", notice->request_id,
				  strlen(notice->request_id));
	json_write_object_end(&json);
	return json_write_close(&json);
}

static int openai_status(enum wire_error_id id)
{
	const struct shaped_error *error = find(openai_errors, COUNT(openai_errors), id);

	return error ? error->status : native_status(id);
}

static const char *openai_type(enum wire_error_id id)
{
	int status = openai_status(id);

	if (id == WIRE_ERROR_NO_CREDIT)
		return "insufficient_quota";
	if (status == 429)
		return "rate_limit_error";
	return status >= 500 ? "server_error" : "invalid_request_error";
}

/* Their clients read the request's id, and when to try again, in headers. */
static int openai_write(struct buf *out, const struct wire_notice *notice)
{
	const struct shaped_error *error = find(openai_errors, COUNT(openai_errors), notice->id);
	struct json_write json;

	json_write_open(&json, out);
	json_write_object(&json, "error");
	write_message(&json, notice);
	write_name(&json, "type", openai_type(notice->id));
	write_name(&json, "param", notice->field);
	write_name(&json, "code", error ? error->name : NULL);
	json_write_object_end(&json);
	return json_write_close(&json);
}

const struct error_shape error_shape_native = {native_status, native_write};
const struct error_shape error_shape_elevenlabs = {elevenlabs_status, elevenlabs_write};
const struct error_shape error_shape_openai = {openai_status, openai_write};

static const struct {
	const char *prefix;
	const struct error_shape *shape;
	enum error_client client; /* whose; ERROR_CLIENT_ANY: everyone's */
} doors[] = {
	{"/11labs/", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/text-to-speech", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/text-to-dialogue", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/text-to-voice", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/single-use-token", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/pronunciation-dictionaries", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/usage/character-stats", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/shared-voices", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/similar-voices", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/sound-generation", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/speech-to-speech", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/speech-to-text", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/speech-engine", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/audio-isolation", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/audio-native", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/forced-alignment", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/dubbing", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/music", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/studio", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/convai", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	{"/v1/workspace", &error_shape_elevenlabs, ERROR_CLIENT_ANY},
	/* These are native, whatever header has the key.  A request with ElevenLabs' header for
	 * any other path is taken to be one of its API, even if the path does not exist. */
	{"/v1/tts/", &error_shape_native, ERROR_CLIENT_ANY},
	{"/predict", &error_shape_native, ERROR_CLIENT_ANY},
	{"/vapi/", &error_shape_native, ERROR_CLIENT_ANY},
	{"/ws/", &error_shape_native, ERROR_CLIENT_ANY},
	{"/v1/dictionaries", &error_shape_native, ERROR_CLIENT_ANY},
	{"/v1/normalize", &error_shape_native, ERROR_CLIENT_ANY},
	{"/v1/agents", &error_shape_native, ERROR_CLIENT_ANY},
	{"/v1/usage", &error_shape_native, ERROR_CLIENT_ANY},
	{"/v1/tokens", &error_shape_native, ERROR_CLIENT_ANY},
	{"/v1/admin/", &error_shape_native, ERROR_CLIENT_ANY},
	{"/", &error_shape_elevenlabs, ERROR_CLIENT_ELEVENLABS},
	/* KugelAudio's SDKs transcribe and enhance on paths below OpenAI's. */
	{"/v1/audio/transcriptions", &error_shape_native, ERROR_CLIENT_KUGELAUDIO},
	{"/v1/audio/enhance", &error_shape_native, ERROR_CLIENT_KUGELAUDIO},
	{"/v1/audio", &error_shape_openai, ERROR_CLIENT_ANY},
	{"/v1/models", &error_shape_native, ERROR_CLIENT_KUGELAUDIO},
	{"/v1/models", &error_shape_openai, ERROR_CLIENT_ANY},
	/* What else OpenAI's library calls, so that it can say what is missing; and the same when
	 * its base URL lacks the /v1. */
	{"/v1/chat/", &error_shape_openai, ERROR_CLIENT_ANY},
	{"/v1/completions", &error_shape_openai, ERROR_CLIENT_ANY},
	{"/v1/embeddings", &error_shape_openai, ERROR_CLIENT_ANY},
	{"/v1/responses", &error_shape_openai, ERROR_CLIENT_ANY},
	{"/audio/", &error_shape_openai, ERROR_CLIENT_ANY},
	{"/chat/", &error_shape_openai, ERROR_CLIENT_ANY},
	{"/models", &error_shape_openai, ERROR_CLIENT_ANY},
	{"/responses", &error_shape_openai, ERROR_CLIENT_ANY},
};

const struct error_shape *error_shape_of(const char *path, enum error_client client)
{
	for (size_t i = 0; i < COUNT(doors); ++i) {
		if (strncmp(path, doors[i].prefix, strlen(doors[i].prefix)) == 0 &&
		    (doors[i].client == client || doors[i].client == ERROR_CLIENT_ANY))
			return doors[i].shape;
	}
	return &error_shape_native;
}
