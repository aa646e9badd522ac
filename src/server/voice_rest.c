/*
 * voice_rest.c: GET /v1/voices and what is below it.
 *
 * The catalogue is in memory, so these are answered at once.  ElevenLabs' clients
 * get the same voices in their own shape.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "account/registry.h"
#include "base/mem.h"
#include "server/query.h"
#include "server/server_private.h"
#include "server/voice_view.h"

#define PAGE_DEFAULT 20
#define PAGE_MAX 100
#define ANSWER_MAX (16u * 1024 * 1024) /* all voices of a large project, with long texts */

/* Which voices a list shows. */
struct selection {
	int64_t project_id;
	int64_t limit, offset;
	bool with_public;
	bool with_engine; /* show who speaks it and the licence of what it is made from */
	char language[9]; /* "": all */
	char category[32]; /* "": all */
};

/* "de-AT" and "DE" are de. */
static int read_language(struct selection *selection, struct stream_fault *fault,
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

static int read_category(struct selection *selection, struct stream_fault *fault,
			 const struct http_request *request)
{
	int err = query_text(selection->category, sizeof(selection->category), fault, request,
			     "category");

	if (err || selection->category[0] == '\0' || voice_view_is_category(selection->category))
		return err;
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			 "category must be one of those that voices have, such as premade");
}

static int read_selection(struct selection *selection, struct stream_fault *fault,
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
		err = read_language(selection, fault, request);
	return err ? err : read_category(selection, fault, request);
}

static bool is_selected(const struct selection *selection, const struct voice *voice,
			const struct voice_json *view)
{
	bool is_own = voice->base_id && voice->project_id == selection->project_id;

	return (is_own || (selection->with_public && voice_is_for(voice, selection->project_id))) &&
	       (!selection->language[0] ||
		voice_json_has_language(view->languages, selection->language)) &&
	       (!selection->category[0] || strcmp(view->category, selection->category) == 0);
}

typedef void(write_h)(struct json_write *json, const struct voice_json *voice);

static void write_object(struct json_write *json, write_h *write, const struct voice_json *view)
{
	json_write_object(json, NULL);
	write(json, view);
	json_write_object_end(json);
}

/* Writes those of the page; gives how many are selected in all. */
static int64_t write_page(struct json_write *json, const struct route_call *call,
			  const struct selection *selection, write_h *write)
{
	const struct voices *voices = call->server->services.voices;
	size_t count = voices_count(voices);
	int64_t total = 0;

	for (size_t i = 0; i < 2 * count; ++i) {
		const struct voice *voice = voices_at(voices, i % count);
		struct voice_view view;

		if (voice_engine_is_for_tests(voice->engine) != (i >= count))
			continue;
		voice_view_fill(&view, call->server, voice);
		if (selection->with_engine) {
			view.json.engine = voice->engine;
			view.json.licence = voice->licence;
		}
		if (!is_selected(selection, voice, &view.json))
			continue;
		if (total >= selection->offset && total - selection->offset < selection->limit)
			write_object(json, write, &view.json);
		++total;
	}
	return total;
}

/* OpenAI's clients know lists by these. */
static void write_for_openai(struct json_write *json, const struct voice_json *voice)
{
	char id[24];

	snprintf(id, sizeof(id), "%lld", (long long)voice->id);
	json_write_string(json, "id", id, strlen(id));
	json_write_string(json, "object", "voice", 5);
	json_write_string(json, "name", voice->name, strlen(voice->name));
}

/* What engines report about files that cannot be used as voices, for the operator. */
static void voice_rest_write_notes(struct json_write *json, const struct route_call *call)
{
	struct pool_note note;
	char line[POOL_NOTE_ABOUT_MAX + POOL_NOTE_TEXT_MAX + 4];

	json_write_list(json, "notes");
	for (size_t i = 0; pool_note_at(&note, call->server->pool, i) == 0; ++i) {
		snprintf(line, sizeof(line), "%s%s%s", note.about, note.about[0] ? ": " : "",
			 note.text);
		json_write_string(json, NULL, line, strlen(line));
	}
	json_write_list_end(json);
}

static void write_list(struct json_write *json, const struct route_call *call,
		       const struct selection *selection)
{
	int64_t total;

	json_write_list(json, "voices");
	total = write_page(json, call, selection, voice_json_write);
	json_write_list_end(json);
	json_write_signed(json, "total", total);
	json_write_signed(json, "limit", selection->limit);
	json_write_signed(json, "offset", selection->offset);
	json_write_string(json, "object", "list", 4);
	json_write_list(json, "data");
	write_page(json, call, selection, write_for_openai);
	json_write_list_end(json);
	if (selection->with_engine && registry_is_master(call->key))
		voice_rest_write_notes(json, call);
}

static void write_elevenlabs_list(struct json_write *json, const struct route_call *call,
				  const struct selection *selection)
{
	json_write_list(json, "voices");
	write_page(json, call, selection, voice_json_write_elevenlabs);
	json_write_list_end(json);
}

typedef void(list_h)(struct json_write *json, const struct route_call *call,
		     const struct selection *selection);

static void answer_list(const struct route_call *call, list_h *list,
			const struct selection *selection)
{
	struct json_write json;
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	json_write_open(&json, &out);
	list(&json, call, selection);
	if (json_write_close(&json) == 0)
		answer_json(call, 200, out.bytes, out.len);
	else
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	buf_reset(&out);
}

void voice_rest_list(const struct route_call *call)
{
	struct selection selection = {
		.project_id = call->key->project_id, .limit = INT64_MAX, .with_public = true};
	struct stream_fault fault;

	if (read_selection(&selection, &fault, call) != 0)
		answer_error(call, fault.id, fault.detail);
	else
		answer_list(call, write_list, &selection);
}

void voice_rest_list_elevenlabs(const struct route_call *call)
{
	const struct selection selection = {
		.project_id = call->key->project_id, .limit = INT64_MAX, .with_public = true};

	answer_list(call, write_elevenlabs_list, &selection);
}

static void answer_elevenlabs(const struct route_call *call, const struct voice *voice)
{
	struct buf *out = &call->server->scratch;
	struct voice_view view;
	struct json_write json;

	voice_view_fill(&view, call->server, voice);
	out->len = 0;
	json_write_open(&json, out);
	voice_json_write_elevenlabs(&json, &view.json);
	if (json_write_close(&json) == 0)
		answer_json(call, 200, out->bytes, out->len);
	else
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
}

void voice_rest_get(const struct route_call *call)
{
	const struct voice *voice = voice_view_named(call);

	if (!voice)
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
	else
		voice_view_answer(call, 200, voice);
}

void voice_rest_get_elevenlabs(const struct route_call *call)
{
	const struct voice *voice = voice_view_named(call);

	if (!voice)
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
	else
		answer_elevenlabs(call, voice);
}
