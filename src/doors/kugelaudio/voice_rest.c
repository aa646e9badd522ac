/*
 * voice_rest.c: GET /v1/voices and /v1/voices/{id}: KugelAudio's and OpenAI's list in one object,
 * so that clients of both can read it.
 *
 * The catalogue is in memory, so these are answered at once.  Runs on the loop.
 */
#include "doors/kugelaudio/kugelaudio.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "account/registry.h"
#include "doors/openai/openai.h"
#include "server/query.h"
#include "server/resource.h"
#include "server/server_private.h"
#include "server/voice_form.h"
#include "server/voice_view.h"
#include "workers/notes.h"

#define PAGE_DEFAULT 20
#define PAGE_MAX 100

/* Which voices a list shows. */
struct selection {
	int64_t project_id;
	int64_t limit, offset;
	bool with_public;
	bool with_engine; /* also show the engine, and the licence of the voice's model */
	char language[9]; /* "": all */
	char category[32]; /* "": all */
};

/* "de-AT" and "DE" both mean de. */
static int voice_rest_read_language(struct selection *selection, struct stream_fault *fault,
				    const struct http_request *request)
{
	char text[32];
	size_t len;
	int err = query_text(text, sizeof(text), fault, request, "language");

	if (err)
		return err;
	len = strcspn(text, "-_");
	if (text[0] == '\0')
		return 0;
	for (size_t i = 0; i < len && i < sizeof(selection->language); ++i) {
		text[i] = (char)tolower((unsigned char)text[i]);
		if (text[i] < 'a' || text[i] > 'z')
			len = 0;
	}
	if (len < 2 || len >= sizeof(selection->language))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "language must be a code such as en or de-DE");
	memcpy(selection->language, text, len);
	return 0;
}

static int voice_rest_read_category(struct selection *selection, struct stream_fault *fault,
				    const struct http_request *request)
{
	int err = query_text(selection->category, sizeof(selection->category), fault, request,
			     "category");

	if (err || selection->category[0] == '\0' || voice_form_has_category(selection->category))
		return err;
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			 "category must be one of those that voices have, such as premade");
}

static int voice_rest_read_selection(struct selection *selection, struct stream_fault *fault,
				     const struct route_call *call)
{
	static const struct query_range limits = {1, PAGE_MAX, PAGE_DEFAULT};
	static const struct query_range offsets = {0, INT64_MAX, 0};
	const struct http_request *request = call->request;
	int err;

	*selection = (struct selection){.project_id = call->key->project_id, .with_public = true};
	err = query_number(&selection->limit, fault, request, "limit", &limits);
	if (!err)
		err = query_number(&selection->offset, fault, request, "offset", &offsets);
	if (!err)
		err = query_bool(&selection->with_public, fault, request, "include_public");
	if (!err)
		err = query_bool(&selection->with_engine, fault, request, "include_engine");
	if (!err)
		err = voice_rest_read_language(selection, fault, request);
	return err ? err : voice_rest_read_category(selection, fault, request);
}

static bool voice_rest_is_selected(const struct selection *selection, const struct voice *voice,
				   const struct voice_json *view)
{
	bool is_own = voice->base_id && voice->project_id == selection->project_id;

	return (is_own || (selection->with_public && voice_is_for(voice, selection->project_id))) &&
	       (!selection->language[0] ||
		voice_json_has_language(view->languages, selection->language)) &&
	       (!selection->category[0] || strcmp(view->category, selection->category) == 0);
}

typedef void(write_h)(struct json_write *json, const struct voice_json *voice);

/* Writes the selected voices that are on the page, and returns how many are selected in all. */
static int64_t voice_rest_write_page(struct json_write *json, const struct route_call *call,
				     const struct selection *selection, write_h *write)
{
	const struct voice *voice;
	int64_t total = 0;
	size_t at = 0;

	while ((voice = voice_view_next(call->server, &at))) {
		struct voice_view view;

		voice_view_fill(&view, call->server, voice);
		if (selection->with_engine) {
			view.json.engine = voice->engine;
			view.json.licence = voice->licence;
		}
		if (!voice_rest_is_selected(selection, voice, &view.json))
			continue;
		if (total >= selection->offset && total - selection->offset < selection->limit) {
			json_write_object(json, NULL);
			write(json, &view.json);
			json_write_object_end(json);
		}
		++total;
	}
	return total;
}

/* Writes what engines report about files that cannot be used as voices, for the operator. */
static void voice_rest_write_notes(struct json_write *json, const struct route_call *call)
{
	struct pool_note note;
	char line[NOTES_ABOUT_MAX + NOTES_TEXT_MAX + 4];

	json_write_list(json, "notes");
	for (size_t i = 0; pool_note_at(&note, call->server->pool, i) == 0; ++i) {
		snprintf(line, sizeof(line), "%s%s%s", note.about, note.about[0] ? ": " : "",
			 note.text);
		json_write_string(json, NULL, line, strlen(line));
	}
	json_write_list_end(json);
}

static void voice_rest_write_list(struct json_write *json, const struct route_call *call,
				  const void *arg)
{
	const struct selection *selection = arg;
	int64_t total;

	json_write_list(json, "voices");
	total = voice_rest_write_page(json, call, selection, voice_json_write);
	json_write_list_end(json);
	json_write_signed(json, "total", total);
	json_write_signed(json, "limit", selection->limit);
	json_write_signed(json, "offset", selection->offset);
	json_write_string(json, "object", "list", 4);
	json_write_list(json, "data");
	voice_rest_write_page(json, call, selection, audio_rest_write_members);
	json_write_list_end(json);
	if (selection->with_engine && registry_is_master(call->key))
		voice_rest_write_notes(json, call);
}

void voice_rest_list(const struct route_call *call)
{
	struct selection selection;
	struct stream_fault fault;

	if (voice_rest_read_selection(&selection, &fault, call) != 0)
		answer_error(call, fault.id, fault.detail);
	else
		resource_answer(call, 200, voice_rest_write_list, &selection);
}

void voice_rest_get(const struct route_call *call)
{
	const struct voice *voice = voice_view_find(call);

	if (!voice)
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
	else
		voice_view_answer(call, 200, voice);
}
