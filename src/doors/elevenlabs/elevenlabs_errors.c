/*
 * elevenlabs_errors.c: errors of HTTP answers in ElevenLabs' shape (see elevenlabs.h).
 */
#include "doors/elevenlabs/elevenlabs.h"

#include <string.h>

/* ElevenLabs' library raises its authentication error only for status 401; ElevenLabs reports
 * exhausted credit with 401 too. */
static const struct error_row elevenlabs_errors_rows[] = {
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
	{WIRE_ERROR_BAD_AUDIO, 400, "invalid_audio"},
	{WIRE_ERROR_FILE_TOO_LARGE, 413, "file_too_large"},
	{WIRE_ERROR_AUDIO_TOO_LONG, 413, "audio_too_long"},
	{WIRE_ERROR_ENGINE_IS_FIXED, 403, "missing_permissions"},
	{WIRE_ERROR_ENGINE_NOT_FOUND, 404, "speech_engine_not_found"},
	{WIRE_ERROR_WEBSOCKET_ONLY, 404, "websocket_only"},
	{WIRE_ERROR_SIGNING_KEY_ENDED, 409, "signing_key_ended"},
	{WIRE_ERROR_DICTIONARY_NOT_FOUND, 404, "pronunciation_dictionary_not_found"},
	{WIRE_ERROR_NO_ROUTE, 404, "not_found"},
	{WIRE_ERROR_METHOD, 405, "method_not_allowed"},
	{WIRE_ERROR_UNAVAILABLE, 503, "system_busy"},
	{WIRE_ERROR_NO_HEARING, 503, "system_busy"},
	{WIRE_ERROR_NO_KEYS, 503, "system_busy"},
	{WIRE_ERROR_NO_LEDGER, 503, "system_busy"},
	{WIRE_ERROR_NO_DICTIONARIES, 503, "system_busy"},
	{WIRE_ERROR_CREDIT_LEASED, 503, "system_busy"},
	{WIRE_ERROR_NONE, 0, NULL},
};

/* The name of an error that is not in the table. */
static const char *elevenlabs_errors_name(enum wire_error_id id)
{
	int status = wire_error_get(id)->number;

	if (status == 404)
		return "not_found";
	if (status == 429)
		return "rate_limit_exceeded";
	return status < 500 ? "invalid_request" : "internal_error";
}

static int elevenlabs_errors_status(enum wire_error_id id)
{
	return error_shape_status(elevenlabs_errors_rows, id);
}

static int elevenlabs_errors_write(struct buf *out, const struct wire_notice *notice)
{
	const struct error_row *row = error_shape_find(elevenlabs_errors_rows, notice->id);
	struct json_write json;

	json_write_open(&json, out);
	json_write_object(&json, "detail");
	json_write_text(&json, "status", row ? row->name : elevenlabs_errors_name(notice->id));
	error_shape_write_message(&json, notice);
	if (notice->request_id)
		json_write_text(&json, "request_id", notice->request_id);
	json_write_object_end(&json);
	return json_write_close(&json);
}

const struct error_shape elevenlabs_errors = {elevenlabs_errors_status, elevenlabs_errors_write};
