/*
 * voice_search.c: GET /v2/voices: ElevenLabs' search for voices.
 *
 * The catalogue is in memory, so requests are answered at once: the voices that match are collected
 * and sorted, and one page of them is written.  Parameters about properties that no voice has here
 * (for example fine_tuning_state and use_cases) are ignored.  Runs on the loop.
 */
#include "doors/elevenlabs/elevenlabs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "doors/elevenlabs/elevenlabs_voice_ids.h"
#include "server/query.h"
#include "server/resource.h"
#include "server/voice_view.h"

#define PAGE_DEFAULT 10
#define PAGE_MAX 100
#define IDS_MAX 100 /* as many as fit on a page */
#define ID_SIZE 128
#define WORD_SIZE 64

/* Kinds of voices: the project's own, those that other projects share, those of the catalogue. */
enum { OWN = 1 << 0, SHARED = 1 << 1, DEFAULT = 1 << 2 };

static const struct {
	const char *name;
	unsigned kinds;
} types[] = {
	{"", OWN | SHARED | DEFAULT}, {"personal", OWN},       {"workspace", OWN},
	{"community", SHARED},        {"default", DEFAULT},    {"non-default", OWN | SHARED},
	{"non-community", OWN},       {"saved", OWN | SHARED},
};

static const char *const categories[] = {
	"", "premade", "cloned", "generated", "professional", "high_quality", "famous"};
static const char *const sorts[] = {"", "name", "created_at_unix"};
static const char *const directions[] = {"", "asc", "desc"};

struct search {
	const struct route_call *call;
	int64_t limit, offset;
	bool with_total;
	char text[WORD_SIZE], type[WORD_SIZE], category[WORD_SIZE], collection[WORD_SIZE];
	char sort[WORD_SIZE], direction[WORD_SIZE];
	char gender[WORD_SIZE], age[WORD_SIZE], language[WORD_SIZE];
	const struct voice *ids[IDS_MAX]; /* the requested voices; NULL: one that does not exist */
	size_t ids_count;
	struct found *found;
	size_t found_count;
};

struct found {
	const struct voice *voice;
	const char *name;
	int64_t created_ms;
	bool is_for_tests;
};

static int voice_search_word(char word[WORD_SIZE], struct stream_fault *fault,
			     const struct search *search, const char *name,
			     const char *const *words, size_t count)
{
	int err = query_text(word, WORD_SIZE, fault, search->call->request, name);
	char list[96] = ""; /* the longest has 74 characters */
	size_t len = 0;

	for (size_t i = 0; !err && i < count; ++i) {
		if (strcmp(word, words[i]) == 0)
			return 0;
	}
	if (err || !words)
		return err;
	for (size_t i = 1; i < count && len < sizeof(list); ++i) /* the first is "" */
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i > 1 ? ", " : "",
					words[i]);
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s must be one of %s (got %.20s)",
			 name, list, word);
}

static int voice_search_read_type(struct search *search, struct stream_fault *fault)
{
	const char *names[COUNT(types)];

	for (size_t i = 0; i < COUNT(types); ++i)
		names[i] = types[i].name;
	return voice_search_word(search->type, fault, search, "voice_type", names, COUNT(types));
}

static int voice_search_read_ids(struct search *search, struct stream_fault *fault)
{
	const struct server *server = search->call->server;
	const char *at = NULL;
	char id[ID_SIZE];
	int err;

	while ((err = http_query_next(search->call->request, "voice_ids", &at, id, sizeof(id))) !=
	       ENOENT) {
		if (err && err != ENOBUFS)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "voice_ids has an invalid escape");
		if (search->ids_count == IDS_MAX)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "voice_ids must be at most %d", IDS_MAX);
		search->ids[search->ids_count++] =
			err ? NULL
			    : elevenlabs_voice_ids_find(server->config, server->services.voices,
							search->call->key->project_id, id,
							strlen(id));
	}
	return 0;
}

static int voice_search_read(struct search *search, struct stream_fault *fault)
{
	static const struct query_range sizes = {1, PAGE_MAX, PAGE_DEFAULT};
	static const struct query_range tokens = {0, INT64_MAX / 2, 0};
	const struct http_request *request = search->call->request;
	const struct {
		const char *name;
		char *word;
		const char *const *words;
		size_t count;
	} words[] = {
		{"search", search->text, NULL, 0},
		{"category", search->category, categories, COUNT(categories)},
		{"collection_id", search->collection, NULL, 0},
		{"sort", search->sort, sorts, COUNT(sorts)},
		{"sort_direction", search->direction, directions, COUNT(directions)},
		{"gender", search->gender, NULL, 0},
		{"age", search->age, NULL, 0},
		{"language", search->language, NULL, 0},
	};
	int err = query_number(&search->limit, fault, request, "page_size", &sizes);

	if (!err)
		err = query_number(&search->offset, fault, request, "next_page_token", &tokens);
	if (!err)
		err = query_bool(&search->with_total, fault, request, "include_total_count");
	for (size_t i = 0; !err && i < COUNT(words); ++i)
		err = voice_search_word(words[i].word, fault, search, words[i].name, words[i].words,
					words[i].count);
	if (!err)
		err = voice_search_read_type(search, fault);
	return err ? err : voice_search_read_ids(search, fault);
}

static bool voice_search_has_text(const struct voice_json *view, const char *text)
{
	const char *const places[] = {view->name,      view->description,
				      view->sex,       view->age,
				      view->languages, elevenlabs_voice_category(view)};

	for (size_t i = 0; i < COUNT(places); ++i) {
		if (places[i] && strcasestr(places[i], text))
			return true;
	}
	return false;
}

static bool voice_search_has_id(const struct search *search, const struct voice *voice)
{
	for (size_t i = 0; i < search->ids_count; ++i) {
		if (search->ids[i] == voice)
			return true;
	}
	return search->ids_count == 0;
}

static bool voice_search_is(const char *wanted, const char *word)
{
	return !wanted[0] || (word && strcasecmp(wanted, word) == 0);
}

static unsigned voice_search_kind(const struct search *search, const struct voice *voice)
{
	if (!voice->base_id)
		return DEFAULT;
	return voice->project_id == search->call->key->project_id ? OWN : SHARED;
}

static bool voice_search_selects(const struct search *search, const struct voice *voice,
				 const struct voice_json *view)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < COUNT(types); ++i) {
		if (strcmp(search->type, types[i].name) == 0)
			kinds = types[i].kinds;
	}
	return voice_is_for(voice, search->call->key->project_id) &&
	       (voice_search_kind(search, voice) & kinds) && voice_search_has_id(search, voice) &&
	       !search->collection[0] /* there are none */ &&
	       voice_search_is(search->category, elevenlabs_voice_category(view)) &&
	       voice_search_is(search->gender, view->sex) &&
	       voice_search_is(search->age, view->age) &&
	       (!search->language[0] ||
		voice_json_has_language(view->languages, search->language)) &&
	       voice_search_has_text(view, search->text);
}

static int voice_search_by_id(const struct found *a, const struct found *b)
{
	return (a->voice->id > b->voice->id) - (a->voice->id < b->voice->id);
}

static int voice_search_by_name(const struct found *a, const struct found *b)
{
	return strcasecmp(a->name, b->name);
}

static int voice_search_by_time(const struct found *a, const struct found *b)
{
	return (a->created_ms > b->created_ms) - (a->created_ms < b->created_ms);
}

struct order {
	int (*compare)(const struct found *a, const struct found *b);
	bool descends;
};

/* Test voices are last in either direction, because clients use the first voice by default. */
static int voice_search_compare(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	const struct found *x = a;
	const struct found *y = b;
	int result;

	if (x->is_for_tests != y->is_for_tests)
		return x->is_for_tests ? 1 : -1;
	result = order->compare(x, y);
	if (result == 0)
		result = voice_search_by_id(x, y);
	return order->descends ? -result : result;
}

/* The default order is by id.  A direction without a sort key sorts by the time of creation. */
static void voice_search_sort(const struct search *search, struct found *found, size_t count)
{
	struct order order = {voice_search_by_id, strcmp(search->direction, "desc") == 0};

	if (strcmp(search->sort, "name") == 0)
		order.compare = voice_search_by_name;
	else if (search->sort[0] || search->direction[0])
		order.compare = voice_search_by_time;
	qsort_r(found, count, sizeof(*found), voice_search_compare, &order);
}

static void voice_search_collect(struct search *search)
{
	const struct voices *voices = search->call->server->services.voices;

	for (size_t i = 0; i < voices_count(voices); ++i) {
		const struct voice *voice = voices_at(voices, i);
		struct voice_view view;

		voice_view_fill(&view, search->call->server, voice);
		if (!voice_search_selects(search, voice, &view.json))
			continue;
		search->found[search->found_count++] = (struct found){
			.voice = voice,
			.name = view.json.name,
			.created_ms = view.json.created_ms,
			.is_for_tests = voice_engine_is_for_tests(voice->engine),
		};
	}
	voice_search_sort(search, search->found, search->found_count);
}

/* A page is continued with a token, which is the index of the next voice. */
static void voice_search_write(struct json_write *json, const struct route_call *call,
			       const void *arg)
{
	const struct search *search = arg;
	int64_t next = search->offset + search->limit;
	bool has_more = next < (int64_t)search->found_count;
	char token[24];

	json_write_list(json, "voices");
	for (int64_t i = search->offset; i < (int64_t)search->found_count && i < next; ++i) {
		struct voice_view view;

		voice_view_fill(&view, call->server, search->found[i].voice);
		json_write_object(json, NULL);
		elevenlabs_voice_write(json, &view.json);
		json_write_object_end(json);
	}
	json_write_list_end(json);
	json_write_bool(json, "has_more", has_more);
	/* Clients require the number even if they did not request it; then it is 0. */
	json_write_unsigned(json, "total_count", search->with_total ? search->found_count : 0);
	snprintf(token, sizeof(token), "%lld", (long long)next);
	json_write_text(json, "next_page_token", has_more ? token : NULL);
}

void voice_search_list(const struct route_call *call)
{
	struct search search = {.call = call, .with_total = true};
	struct stream_fault fault;

	if (voice_search_read(&search, &fault) != 0) {
		answer_error(call, fault.id, fault.detail);
		return;
	}
	search.found =
		calloc(voices_count(call->server->services.voices) + 1, sizeof(*search.found));
	if (!search.found) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	voice_search_collect(&search);
	resource_answer(call, 200, voice_search_write, &search);
	free(search.found);
}
