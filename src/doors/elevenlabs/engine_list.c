/*
 * engine_list.c: GET /v1/speech-engine: the list of speech engines, in pages.
 *
 * The agents of the configuration are rows of the list too: they are copied on the loop, and sorted in
 * between the rows of the store on its thread.  They were created at time 0.  A page begins after the
 * last row of the one before, so the cursor is what rows are sorted by: TIME/ID/NAME.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "doors/elevenlabs/engine_id.h"
#include "doors/elevenlabs/engine_json.h"
#include "doors/elevenlabs/engine_rest.h"
#include "server/query.h"
#include "store/search.h"

#define PAGE_DEFAULT 30
#define PAGE_MAX 100
#define CURSOR_SIZE (STORE_SPEECH_ENGINE_NAME_MAX + 80)

/* What rows are sorted by. */
struct engine_list_place {
	int64_t created_ms;
	const char *name; /* folded */
	const char *id;
};

/* An agent of the configuration. */
struct engine_list_agent {
	char name[PARAM_NAME_SIZE];
	char language[CONFIG_WORD_SIZE];
	char *folded;
};

/* The agents, copied; the `object` of the request. */
struct engine_list_agents {
	size_t count;
	struct engine_list_agent *rows;
};

/* A list that is being written. */
struct engine_list {
	struct store_request *request;
	struct store_speech_engine_page page;
	char search[STORE_SPEECH_ENGINE_NAME_MAX + 1];
	char cursor[CURSOR_SIZE]; /* page.after_name and page.after_id point into it */
	struct engine_list_agents *agents;
	size_t next_agent;
	int64_t left; /* rows that fit on the page */
	bool has_more;
	char next[CURSOR_SIZE]; /* the cursor after the last row */
	int err;
};

static void engine_list_destroy_agents(void *object)
{
	struct engine_list_agents *agents = object;

	for (size_t i = 0; agents->rows && i < agents->count; ++i)
		free(agents->rows[i].folded);
	free(agents->rows);
}

/* Compares as the list is sorted: negative if a comes first. */
static int engine_list_compare(const struct store_speech_engine_page *page,
			       const struct engine_list_place *a, const struct engine_list_place *b)
{
	int order = page->order == STORE_SPEECH_ENGINE_BY_NAME
			    ? strcmp(a->name, b->name)
			    : (a->created_ms > b->created_ms) - (a->created_ms < b->created_ms);

	if (order == 0)
		order = strcmp(a->id, b->id);
	return page->descends ? -order : order;
}

static struct engine_list_place engine_list_place_of(const struct engine_list_agent *agent)
{
	return (struct engine_list_place){.name = agent->folded, .id = agent->name};
}

/* Counts a row that is about to be written.  Returns false if it belongs on the next page. */
static bool engine_list_admit(struct engine_list *list, int64_t created_ms, const char *id,
			      const char *name)
{
	list->has_more = list->left == 0;
	if (list->has_more)
		return false;
	--list->left;
	snprintf(list->next, sizeof(list->next), "%" PRId64 "/%s/%s", created_ms, id, name);
	return true;
}

/* Writes the agents that come before a place; NULL: all that are left.  Returns whether there is room
 * for more rows. */
static bool engine_list_show_agents(struct engine_list *list,
				    const struct engine_list_place *before)
{
	while (list->next_agent < list->agents->count && !list->err) {
		const struct engine_list_agent *agent = &list->agents->rows[list->next_agent];
		struct engine_list_place place = engine_list_place_of(agent);

		if (before && engine_list_compare(&list->page, &place, before) > 0)
			break;
		if (!engine_list_admit(list, 0, agent->name, agent->name))
			return false;
		list->err = engine_json_write_agent_item(
			&list->request->json,
			&(struct engine_json_agent){.name = agent->name,
						    .language = agent->language});
		++list->next_agent;
	}
	return !list->err;
}

static bool engine_list_show(const struct store_speech_engine *row, void *arg)
{
	struct engine_list *list = arg;
	char *folded = search_fold(row->name);
	struct engine_list_place place = {row->created_ms, folded, row->id};
	bool goes_on = false;

	if (!folded)
		list->err = ENOMEM;
	else if (engine_list_show_agents(list, &place) &&
		 engine_list_admit(list, row->created_ms, row->id, row->name)) {
		list->err = engine_json_write_item(&list->request->json, row,
						   row->key_id == list->request->key.id);
		goes_on = !list->err;
	}
	free(folded);
	return goes_on;
}

/* Reads "TIME/ID/NAME". */
static int engine_list_read_cursor(struct engine_list *list)
{
	struct store_speech_engine_page *page = &list->page;
	char *slash = strchr(list->cursor, '/');
	char *second = slash ? strchr(slash + 1, '/') : NULL;
	char *end;

	if (!list->cursor[0])
		return 0;
	errno = 0;
	page->after_ms = strtoll(list->cursor, &end, 10);
	if (!second || end != slash || end == list->cursor || errno)
		return fault_set(&list->request->fault, WIRE_ERROR_INVALID_REQUEST,
				 "cursor must be the next_cursor of a page");
	*second = '\0';
	page->after_id = slash + 1;
	page->after_name = second + 1;
	return 0;
}

static int engine_list_read_query(struct engine_list *list)
{
	const struct http_request *http = list->request->call.request;
	struct stream_fault *fault = &list->request->fault;
	struct store_speech_engine_page *page = &list->page;
	char sort[32], direction[16];
	int err = query_number(&list->left, fault, http, "page_size",
			       &(struct query_range){1, PAGE_MAX, PAGE_DEFAULT});

	if (!err)
		err = query_text(list->search, sizeof(list->search), fault, http, "search");
	if (!err)
		err = query_text(list->cursor, sizeof(list->cursor), fault, http, "cursor");
	if (!err)
		err = query_text(sort, sizeof(sort), fault, http, "sort_by");
	if (!err)
		err = query_text(direction, sizeof(direction), fault, http, "sort_direction");
	if (err)
		return err;
	page->search = list->search[0] ? list->search : NULL;
	page->limit = list->left + 1; /* one more shows that there is another page */
	if (strcmp(sort, "name") == 0)
		page->order = STORE_SPEECH_ENGINE_BY_NAME;
	else if (sort[0] && strcmp(sort, "created_at") != 0 && strcmp(sort, "call_count_7d") != 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "sort_by must be name or created_at");
	page->descends = strcmp(direction, "asc") != 0;
	if (direction[0] && page->descends && strcmp(direction, "desc") != 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "sort_direction must be asc or desc");
	return engine_list_read_cursor(list);
}

static int engine_list_compare_agents(const void *a, const void *b, void *page)
{
	struct engine_list_place first = engine_list_place_of(a);
	struct engine_list_place second = engine_list_place_of(b);

	return engine_list_compare(page, &first, &second);
}

/* Sorts the agents that the page may show: those that match the search and come after its beginning. */
static int engine_list_choose_agents(struct engine_list *list)
{
	const struct store_speech_engine_page *page = &list->page;
	struct engine_list_agents *agents = list->agents;
	char *search = search_fold(list->search);
	char *after = search_fold(page->after_name ? page->after_name : "");
	struct engine_list_place begin = {page->after_ms, after, page->after_id};
	size_t kept = 0;
	int err = search && after ? 0 : ENOMEM;

	for (size_t i = 0; !err && i < agents->count; ++i) {
		struct engine_list_agent *agent = &agents->rows[i];
		struct engine_list_place place;

		agent->folded = search_fold(agent->name);
		if (!agent->folded) {
			err = ENOMEM;
			break;
		}
		place = engine_list_place_of(agent);
		if (!strstr(agent->folded, search) ||
		    (page->after_id && engine_list_compare(page, &place, &begin) <= 0))
			continue;
		if (kept != i) { /* the other one is kept behind the end, to be freed */
			struct engine_list_agent other = agents->rows[kept];

			agents->rows[kept] = *agent;
			*agent = other;
		}
		++kept;
	}
	free(search);
	free(after);
	if (!err && kept > 1)
		qsort_r(agents->rows, kept, sizeof(agents->rows[0]), engine_list_compare_agents,
			&list->page);
	for (size_t i = kept; !err && i < agents->count; ++i)
		free(agents->rows[i].folded);
	if (!err)
		agents->count = kept;
	return err;
}

static int engine_list_work(struct store_request *request, struct store *store)
{
	struct engine_list list = {.request = request, .agents = request->object};
	int err = engine_list_read_query(&list);

	if (!err)
		err = engine_list_choose_agents(&list);
	if (err)
		return err;
	json_write_list(&request->json, "speech_engines");
	err = store->ops->speech_engine_list(store, request->key.project_id, &list.page,
					     engine_list_show, &list);
	if (!err && !list.has_more)
		engine_list_show_agents(&list, NULL);
	json_write_list_end(&request->json);
	json_write_bool(&request->json, "has_more", list.has_more);
	json_write_text(&request->json, "next_cursor", list.has_more ? list.next : NULL);
	return err ? err : list.err;
}

void engine_list_get(const struct route_call *call)
{
	const struct agents *agents = call->server->agents;
	struct engine_list_agents *copy = mem_zalloc(sizeof(*copy), engine_list_destroy_agents);

	if (copy)
		copy->rows = calloc(agents_count(agents) + 1, sizeof(copy->rows[0]));
	if (!copy || !copy->rows) {
		mem_deref(copy);
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	copy->count = agents_count(agents);
	for (size_t i = 0; i < copy->count; ++i) {
		const struct agent *agent = agents_at(agents, i);

		snprintf(copy->rows[i].name, sizeof(copy->rows[i].name), "%s", agent->totals->name);
		snprintf(copy->rows[i].language, sizeof(copy->rows[i].language), "%s",
			 agent->language);
	}
	store_request_run(call, &engine_rest_subject, engine_list_work,
			  &(struct store_request_options){.object = copy});
}
