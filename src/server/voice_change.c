/*
 * voice_change.c: POST, PATCH and DELETE of /v1/voices: derived voices.
 *
 *   loop:   the body, the base, what its engine can ┐           ┌ the catalogue, the answer
 *   thread:                                         └ the store ┘
 *
 * A change is answered when turns that begin then will know of it.  What would
 * need a voice to be copied from recordings is answered 501.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "server/server_private.h"
#include "server/voice_sample.h"
#include "server/voice_view.h"
#include "store/voice_row.h"
#include "wire/voice_message.h"

/* Fields that change how a voice sounds, or what its sample says. */
#define HEARD                                                                                      \
	(STORE_VOICE_BASE | STORE_VOICE_PITCH | STORE_VOICE_RATE | STORE_VOICE_VARIANT |           \
	 STORE_VOICE_SAMPLE_TEXT | STORE_VOICE_LANGUAGES)

_Static_assert((int)STORE_VOICE_NAME == (int)VOICE_MESSAGE_NAME &&
		       (int)STORE_VOICE_PUBLIC == (int)VOICE_MESSAGE_PUBLIC,
	       "the fields of a message are those of a row");

struct errand {
	struct route_call call; /* holds its request, whose body has the strings */
	account_work_h *work;
	int64_t project_id, account_id; /* whose voice, and who asks */
	int64_t id;
	struct voice_message message;
	struct store_voice row;
	unsigned fields;
	int status; /* of the answer */
	bool is_of_settings; /* the answer is ElevenLabs' to a change of settings */
};

static void errand_destroy(void *object)
{
	struct errand *errand = object;

	mem_deref(errand->call.request);
}

static struct errand *errand_alloc(const struct route_call *call, account_work_h *work)
{
	struct errand *errand = mem_zalloc(sizeof(*errand), errand_destroy);

	if (!errand)
		return NULL;
	errand->call = *call;
	errand->call.member = NULL;
	errand->call.key = NULL;
	mem_ref(call->request);
	errand->work = work;
	errand->project_id = call->key->project_id;
	errand->account_id = call->key->account_id;
	errand->status = 200;
	return errand;
}

static void answer_store_error(const struct errand *errand, int err)
{
	char detail[64];

	switch (err) {
	case ENOENT:
		answer_error(&errand->call, WIRE_ERROR_VOICE_NOT_FOUND, NULL);
		break;
	case EDQUOT:
		snprintf(detail, sizeof(detail), "a project may have %d voices", STORE_VOICES_MAX);
		answer_error(&errand->call, WIRE_ERROR_INVALID_REQUEST, detail);
		break;
	default:
		answer_error(&errand->call, WIRE_ERROR_NO_VOICES, NULL);
		break;
	}
}

/* The change is durable whatever happened to the memory, which is tried again. */
static void on_refreshed(int err, void *arg)
{
	static const char changed[] = "{\"status\":\"ok\"}";
	struct errand *errand = arg;
	struct server *server = errand->call.server;
	const struct voice *voice = err ? NULL : voices_find(server->services.voices, errand->id);

	if (errand->status == 204)
		answer_empty(&errand->call);
	else if (!voice)
		answer_error(&errand->call, WIRE_ERROR_NO_VOICES, NULL);
	else if (errand->is_of_settings)
		answer_json(&errand->call, 200, changed, strlen(changed));
	else
		voice_view_answer(&errand->call, errand->status, voice);
	mem_deref(errand);
}

static void on_done(int err, void *arg)
{
	struct errand *errand = arg;

	if (!err && derived_voices_refresh(errand->call.server->derived, on_refreshed, errand) == 0)
		return;
	answer_store_error(errand, err ? err : ENOMEM);
	mem_deref(errand);
}

static void run(struct errand *errand)
{
	if (account_ask_for(errand->call.server->account, ACCOUNT_QUESTIONS, errand->account_id,
			    errand->work, on_done, errand) == 0)
		return;
	answer_error(&errand->call, WIRE_ERROR_INTERNAL, NULL);
	mem_deref(errand);
}

/* On the store's thread. */

static int add(struct store *store, void *arg)
{
	struct errand *errand = arg;

	return store->ops->voice_add(store, &errand->id, &errand->row);
}

static int change(struct store *store, void *arg)
{
	struct errand *errand = arg;
	int err = store->ops->voice_change(store, errand->project_id, errand->id, errand->fields,
					   &errand->row);

	if (!err && errand->fields & STORE_VOICE_SAMPLED)
		voice_sample_remove(errand->call.server, errand->id);
	return err;
}

static int remove_it(struct store *store, void *arg)
{
	struct errand *errand = arg;
	int err = store->ops->voice_remove(store, errand->project_id, errand->id);

	if (!err)
		voice_sample_remove(errand->call.server, errand->id);
	return err;
}

/* On the loop. */

static bool knows_engine(const char *names, const char *engine)
{
	return strstr(names, engine) != NULL;
}

/* "espeak, flite": engines whose voices have a feature. */
static void list_engines(char *out, size_t size, const struct voices *voices, unsigned feature)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < voices_count(voices); ++i) {
		const struct voice *voice = voices_at(voices, i);

		if (!(voice->features & feature) || knows_engine(out, voice->engine) ||
		    len + strlen(voice->engine) + 3 > size)
			continue;
		len += (size_t)snprintf(out + len, size - len, "%s%s", len ? ", " : "",
					voice->engine);
	}
}

static int refuse_feature(struct stream_fault *fault, const struct voices *voices,
			  const struct voice *base, const char *what, unsigned feature)
{
	char engines[64];

	list_engines(engines, sizeof(engines), voices, feature);
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			 "%s cannot be changed for voice %lld, which %s speaks; it can for voices "
			 "of: %s",
			 what, (long long)base->id, base->engine, engines[0] ? engines : "none");
}

/* Whether the base's engine can do what the row says; one that is not there cannot
 * be asked. */
static int check_sound(const struct errand *errand, struct stream_fault *fault,
		       const struct store_voice *row)
{
	const struct voices *voices = errand->call.server->services.voices;
	const struct voice *base = voices_find_for(voices, errand->project_id, row->base_id);

	if (row->variant && !voice_has_variant(row->variant))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "variant must be a known one, f1 to f5 or m1 to m8 for example");
	if (!base || !base->engine[0])
		return 0;
	if (base->status == VOICE_LOADING && !base->features && !voices_are_complete(voices))
		return fault_set(fault, WIRE_ERROR_UNAVAILABLE, "the engine %s is loading",
				 base->engine);
	if ((row->pitch < 0 || row->pitch > 0) && !(base->features & VOICE_HAS_PITCH))
		return refuse_feature(fault, voices, base, "pitch", VOICE_HAS_PITCH);
	if (row->variant && !(base->features & VOICE_HAS_VARIANTS))
		return refuse_feature(fault, voices, base, "variant", VOICE_HAS_VARIANTS);
	return 0;
}

/* A voice of the catalogue: what is derived from a derived one would change with it. */
static int find_base(struct errand *errand, struct stream_fault *fault)
{
	const struct voices *voices = errand->call.server->services.voices;
	struct voice_message *message = &errand->message;
	const char *handle = message->base_handle;
	const struct voice *base =
		handle ? voices_find_named(voices, errand->project_id, handle, strlen(handle))
		       : voices_find_for(voices, errand->project_id, message->base_id);

	if (!base)
		return fault_set(fault, services_unknown_voice(&errand->call.server->services),
				 "base_voice_id");
	if (base->base_id)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "base_voice_id must be a voice of the catalogue");
	message->base_id = base->id;
	return 0;
}

static void fill_row(struct errand *errand)
{
	const struct voice_message *message = &errand->message;

	errand->fields = message->fields;
	errand->row = (struct store_voice){
		.project_id = errand->project_id,
		.base_id = message->base_id,
		.name = message->name,
		.pitch = message->pitch,
		.rate = message->rate,
		.variant = message->variant,
		.description = message->description,
		.generative_description = message->generative_description,
		.sample_text = message->sample_text,
		.sex = message->sex,
		.age = message->age,
		.category = message->category,
		.quality = message->quality,
		.languages = message->languages[0] ? message->languages : NULL,
		.is_public = message->is_public,
		.created_ms = clock_wall_ms(),
		.updated_ms = clock_wall_ms(),
	};
}

static int read_message(struct errand *errand, struct stream_fault *fault, bool is_new)
{
	struct http_request *request = errand->call.request;
	int err = voice_message_parse(&errand->message, fault, request->body, request->body_len,
				      is_new);

	if (!err && errand->message.fields & VOICE_MESSAGE_BASE)
		err = find_base(errand, fault);
	if (!err)
		fill_row(errand);
	return err;
}

/* What comes with recordings. */
static bool is_multipart(const struct http_request *request)
{
	static const char multipart[] = "multipart/";
	const char *type = http_header(request, "content-type");

	return type && strncasecmp(type, multipart, strlen(multipart)) == 0;
}

void voice_change_add(const struct route_call *call)
{
	struct stream_fault fault = {0};
	struct errand *errand;
	int err;

	if (is_multipart(call->request)) {
		voice_change_not_available(call);
		return;
	}
	errand = errand_alloc(call, add);
	if (!errand)
		return; /* unanswered: the HTTP server says 500 */
	errand->status = 201;
	err = read_message(errand, &fault, true);
	if (!err)
		err = check_sound(errand, &fault, &errand->row);
	if (err) {
		answer_error(call, fault.id, fault.detail);
		mem_deref(errand);
		return;
	}
	run(errand);
}

/* The project's own voice that the path names; else the request is answered. */
static struct errand *errand_for_own(const struct route_call *call, account_work_h *work)
{
	const struct voice *voice = voice_view_to_change(call);
	struct errand *errand;

	if (!voice_view_is_own(call, voice))
		return NULL;
	errand = errand_alloc(call, work);
	if (errand)
		errand->id = voice->id;
	return errand;
}

void voice_change_patch(const struct route_call *call)
{
	struct errand *errand = errand_for_own(call, change);
	struct stream_fault fault = {0};
	struct store_voice merged;
	int err;

	if (!errand)
		return;
	err = read_message(errand, &fault, false);
	if (!err) {
		merged = *derived_voices_find(call->server->derived, errand->id);
		voice_row_merge(&merged, errand->fields, &errand->row);
		err = errand->fields & HEARD ? check_sound(errand, &fault, &merged) : 0;
	}
	if (err) {
		answer_error(call, fault.id, fault.detail);
		mem_deref(errand);
		return;
	}
	if (errand->fields & HEARD)
		errand->fields |= STORE_VOICE_SAMPLED; /* its sample is of another sound */
	run(errand);
}

/* The speed of ElevenLabs' settings is the rate; the others have no effect. */
void voice_change_settings(const struct route_call *call)
{
	struct errand *errand = errand_for_own(call, change);
	struct stream_fault fault = {0};
	int err;

	if (!errand)
		return;
	err = voice_message_parse_settings(&errand->message, &fault, call->request->body,
					   call->request->body_len);
	if (err) {
		answer_error(call, fault.id, fault.detail);
		mem_deref(errand);
		return;
	}
	fill_row(errand);
	if (errand->fields & HEARD)
		errand->fields |= STORE_VOICE_SAMPLED;
	errand->is_of_settings = true;
	run(errand);
}

void voice_change_remove(const struct route_call *call)
{
	struct errand *errand = errand_for_own(call, remove_it);

	if (!errand)
		return;
	errand->status = 204;
	run(errand);
}

void voice_change_not_available(const struct route_call *call)
{
	answer_error(call, WIRE_ERROR_NO_CLONING,
		     "voices can be derived from others by base_voice_id");
}

/* Voices that are not cloned have none. */
void voice_change_references(const struct route_call *call)
{
	if (voice_view_named(call))
		answer_json(call, 200, "[]", 2);
	else
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
}
