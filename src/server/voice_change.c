/*
 * voice_change.c: POST, PATCH and DELETE of /v1/voices: derived voices.
 *
 *   loop:   the body, the base and its engine ┐           ┌ the catalogue, the answer
 *   thread:                                   └ the store ┘
 *
 * A change is answered once turns that begin afterwards will use it.  Requests that would need a
 * voice to be cloned from recordings are answered with 501.
 */
#include "server/voice_change.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/mem.h"
#include "server/resource.h"
#include "server/voice_form.h"
#include "server/voice_sample.h"
#include "server/voice_view.h"
#include "store/voice_row.h"

/* Fields that change how a voice sounds, or the text of its sample. */
#define HEARD                                                                                      \
	(STORE_VOICE_BASE | STORE_VOICE_PITCH | STORE_VOICE_RATE | STORE_VOICE_VARIANT |           \
	 STORE_VOICE_SAMPLE_TEXT | STORE_VOICE_LANGUAGES)

/* A change to be made by the store.  Its strings point into the body of the request. */
struct voice_change {
	int64_t id; /* the id of the voice; set by the store for a new one */
	struct voice_form form;
	const char *answer; /* a JSON body; NULL: the answer is the voice */
};

static int voice_change_refresh(struct store_request *request,
				void (*ready)(int err, void *request))
{
	return derived_voices_refresh(request->call.server->derived, ready, request);
}

static void voice_change_answer(struct store_request *request, int err)
{
	const struct voice_change *change = request->object;
	const struct route_call *call = &request->call;
	const struct voice *voice =
		err ? NULL : voices_find(call->server->services.voices, change->id);

	if (request->status == 204)
		answer_empty(call);
	else if (!voice)
		answer_error(call, WIRE_ERROR_NO_VOICES, NULL);
	else if (change->answer)
		answer_json(call, 200, change->answer, strlen(change->answer));
	else
		voice_view_answer(call, request->status, voice);
}

static const struct store_subject voice_subject = {
	.lane = ASYNC_STORE_QUERIES,
	.failure = WIRE_ERROR_NO_VOICES,
	.refresh = voice_change_refresh,
	.answer = voice_change_answer,
};

static const struct resource_refusal voice_refusals[] = {
	{ENOENT, WIRE_ERROR_VOICE_NOT_FOUND, ""},
	{EDQUOT, WIRE_ERROR_INVALID_REQUEST,
	 "a project may have " RESOURCE_NUMBER(STORE_VOICES_MAX) " voices"},
	{0},
};

/* On the store's thread. */

static int voice_change_insert(struct store_request *request, struct store *store)
{
	struct voice_change *change = request->object;
	int err = store->ops->voice_add(store, &change->id, &change->form.row);

	request->status = 201;
	return resource_refuse(request, voice_refusals, err);
}

static int voice_change_update(struct store_request *request, struct store *store)
{
	const struct voice_change *change = request->object;
	int err = store->ops->voice_change(store, request->key.project_id, change->id,
					   change->form.body.fields, &change->form.row);

	if (!err && change->form.body.fields & STORE_VOICE_SAMPLED)
		voice_sample_remove(request->call.server, change->id);
	return resource_refuse(request, voice_refusals, err);
}

static int voice_change_delete(struct store_request *request, struct store *store)
{
	const struct voice_change *change = request->object;
	int err = store->ops->voice_remove(store, request->key.project_id, change->id);

	if (!err)
		voice_sample_remove(request->call.server, change->id);
	request->status = 204;
	return resource_refuse(request, voice_refusals, err);
}

/* The following runs on the loop's thread. */

/* Lists the engines whose voices have a feature: "espeak, flite". */
static void voice_change_list_engines(char *out, size_t size, const struct voices *voices,
				      unsigned feature)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < voices_count(voices); ++i) {
		const struct voice *voice = voices_at(voices, i);

		if (!(voice->features & feature) || strstr(out, voice->engine) ||
		    len + strlen(voice->engine) + 3 > size)
			continue;
		len += (size_t)snprintf(out + len, size - len, "%s%s", len ? ", " : "",
					voice->engine);
	}
}

static int voice_change_refuse_feature(struct stream_fault *fault, const struct voices *voices,
				       const struct voice *base, const char *what, unsigned feature)
{
	char engines[64];

	voice_change_list_engines(engines, sizeof(engines), voices, feature);
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			 "%s cannot be changed for voice %lld, which %s speaks; it can for voices "
			 "of: %s",
			 what, (long long)base->id, base->engine, engines[0] ? engines : "none");
}

/* Checks that the engine of the base can do what the row says.  A base without an engine cannot be
 * checked, and is accepted. */
static int voice_change_check_sound(const struct route_call *call, struct stream_fault *fault,
				    const struct store_voice *row)
{
	const struct voices *voices = call->server->services.voices;
	const struct voice *base = voices_find_for(voices, call->key->project_id, row->base_id);

	if (row->variant && !voice_has_variant(row->variant))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "variant must be a known one, f1 to f5 or m1 to m8 for example");
	if (!base || !base->engine[0])
		return 0;
	if (base->status == VOICE_LOADING && !base->features && !voices_are_complete(voices))
		return fault_set(fault, WIRE_ERROR_UNAVAILABLE, "the engine %s is loading",
				 base->engine);
	if ((row->pitch < 0 || row->pitch > 0) && !(base->features & VOICE_HAS_PITCH))
		return voice_change_refuse_feature(fault, voices, base, "pitch", VOICE_HAS_PITCH);
	if (row->variant && !(base->features & VOICE_HAS_VARIANTS))
		return voice_change_refuse_feature(fault, voices, base, "variant",
						   VOICE_HAS_VARIANTS);
	return 0;
}

/* The base must be a voice of the catalogue: a voice that is derived from a derived voice would
 * change whenever that voice does. */
static int voice_change_find_base(struct voice_form *form, const struct route_call *call,
				  struct stream_fault *fault)
{
	const struct voices *voices = call->server->services.voices;
	const char *handle = form->base_handle;
	const struct voice *base =
		handle ? voices_find_named(voices, call->key->project_id, handle, strlen(handle))
		       : voices_find_for(voices, call->key->project_id, form->row.base_id);

	if (!base)
		return fault_set(fault, services_unknown_voice(&call->server->services),
				 "base_voice_id");
	if (base->base_id)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "base_voice_id must be a voice of the catalogue");
	form->row.base_id = base->id;
	return 0;
}

/* Fills in those fields of the row that are not in the body. */
static void voice_change_fill_row(struct store_voice *row, const struct route_call *call)
{
	row->project_id = call->key->project_id;
	row->created_ms = row->updated_ms = clock_wall_ms();
}

static int voice_change_read(struct voice_form *form, const struct route_call *call,
			     struct stream_fault *fault, bool is_new)
{
	int err =
		voice_form_read(form, fault, call->request->body, call->request->body_len, is_new);

	if (!err && form->body.fields & STORE_VOICE_BASE)
		err = voice_change_find_base(form, call, fault);
	voice_change_fill_row(&form->row, call);
	return err;
}

/* Whether the body is a form, which is how clients send recordings to be cloned. */
static bool voice_change_is_multipart(const struct http_request *request)
{
	static const char multipart[] = "multipart/";
	const char *type = http_header(request, "content-type");

	return type && strncasecmp(type, multipart, strlen(multipart)) == 0;
}

/* Passes the change to the store, or answers with what is wrong with it. */
static void voice_change_run(const struct route_call *call, struct voice_change *change,
			     store_request_h *work, int err, const struct stream_fault *fault)
{
	if (!err) {
		store_request_run(
			call, &voice_subject, work,
			&(struct store_request_options){.is_change = true, .object = change});
		return;
	}
	answer_error(call, fault->id, fault->detail);
	mem_deref(change);
}

void voice_change_add(const struct route_call *call)
{
	struct stream_fault fault = {0};
	struct voice_change *change;
	int err;

	if (voice_change_is_multipart(call->request)) {
		voice_change_not_available(call);
		return;
	}
	change = mem_zalloc(sizeof(*change), NULL);
	if (!change)
		return; /* the HTTP server answers 500 if nothing else does */
	err = voice_change_read(&change->form, call, &fault, true);
	if (!err)
		err = voice_change_check_sound(call, &fault, &change->form.row);
	voice_change_run(call, change, voice_change_insert, err, &fault);
}

/* Creates a change of the project's own voice that the path names; NULL: the request has been
 * answered, or there is no memory and the HTTP server answers 500. */
static struct voice_change *voice_change_of_own(const struct route_call *call)
{
	const struct voice *voice = voice_view_find_to_change(call);
	struct voice_change *change;

	if (!voice_view_is_own(call, voice))
		return NULL;
	change = mem_zalloc(sizeof(*change), NULL);
	if (change)
		change->id = voice->id;
	return change;
}

void voice_change_patch(const struct route_call *call)
{
	struct voice_change *change = voice_change_of_own(call);
	struct stream_fault fault = {0};
	struct store_voice merged;
	int err;

	if (!change)
		return;
	err = voice_change_read(&change->form, call, &fault, false);
	if (!err && change->form.body.fields & HEARD) {
		merged = *derived_voices_find(call->server->derived, change->id);
		voice_row_merge(&merged, change->form.body.fields, &change->form.row);
		err = voice_change_check_sound(call, &fault, &merged);
		change->form.body.fields |=
			STORE_VOICE_SAMPLED; /* the sample no longer matches the voice */
	}
	voice_change_run(call, change, voice_change_update, err, &fault);
}

void voice_change_as(const struct route_call *call, const struct rest_form *table,
		     const char *answer)
{
	struct voice_change *change = voice_change_of_own(call);
	struct stream_fault fault = {0};
	int err;

	if (!change)
		return;
	err = voice_form_read_as(&change->form, &fault, call->request->body,
				 call->request->body_len, table);
	voice_change_fill_row(&change->form.row, call);
	if (change->form.body.fields & HEARD)
		change->form.body.fields |= STORE_VOICE_SAMPLED;
	change->answer = answer;
	voice_change_run(call, change, voice_change_update, err, &fault);
}

void voice_change_remove(const struct route_call *call)
{
	struct voice_change *change = voice_change_of_own(call);

	if (change)
		voice_change_run(call, change, voice_change_delete, 0, NULL);
}

void voice_change_not_available(const struct route_call *call)
{
	answer_error(call, WIRE_ERROR_NO_CLONING,
		     "voices can be derived from others by base_voice_id");
}

/* References are the recordings that a voice was cloned from.  No voice is cloned here, so the list
 * is always empty. */
void voice_change_references(const struct route_call *call)
{
	if (voice_view_find(call))
		answer_json(call, 200, "[]", 2);
	else
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
}
