/*
 * dictionary_rest.c: /v1/dictionaries and what is below it (see dictionary_rest.h).
 *
 * Runs on a thread of the store (see resource.h) except for dictionary_rest_refresh and the handlers
 * at the end.
 */
#include "server/dictionary_rest.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "account/registry.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "server/query.h"

#define PAGE_DEFAULT 100
#define PAGE_MAX 500

/* Reads the query parameters.  A master key may name any project, another key only its own. */
static int dictionary_rest_open(struct store_request *request)
{
	const struct http_request *http = request->call.request;
	struct stream_fault *fault = &request->fault;
	struct store_page *page = &request->page;
	int64_t own = request->key.project_id;
	int err = query_number(&request->project_id, fault, http, "project_id",
			       &(struct query_range){1, INT64_MAX, own});

	if (!err && request->project_id != own && !registry_is_master(&request->key))
		return fault_set(fault, WIRE_ERROR_FORBIDDEN, "project_id %lld is not the key's",
				 (long long)request->project_id);
	if (!err)
		err = query_text(request->search, sizeof(request->search), fault, http, "search");
	if (!err && utf8_count(request->search, strlen(request->search)) > DICTIONARY_WORD_MAX)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "search must be text of at most %d characters",
				 DICTIONARY_WORD_MAX);
	page->search = request->search[0] ? request->search : NULL;
	if (!err)
		err = query_number(&page->limit, fault, http, "limit",
				   &(struct query_range){1, PAGE_MAX, PAGE_DEFAULT});
	if (!err)
		err = query_number(&page->offset, fault, http, "offset",
				   &(struct query_range){0, INT64_MAX, 0});
	return err;
}

static int dictionary_rest_refresh(struct store_request *request,
				   void (*ready)(int err, void *request))
{
	struct dictionary_cache *dictionaries = request->call.server->dictionaries;

	return dictionary_cache_covers(dictionaries, request->project_id)
		       ? dictionary_cache_refresh(dictionaries, request->project_id, ready, request)
		       : EALREADY;
}

const struct store_subject dictionary_rest_subject = {
	.lane = ASYNC_STORE_QUERIES,
	.failure = WIRE_ERROR_NO_DICTIONARIES,
	.open = dictionary_rest_open,
	.refresh = dictionary_rest_refresh,
};

const struct resource_refusal dictionary_rest_refusals[] = {
	{ENOENT, WIRE_ERROR_DICTIONARY_NOT_FOUND, ""},
	{EEXIST, WIRE_ERROR_INVALID_REQUEST, "another dictionary of the project has this name"},
	{EDQUOT, WIRE_ERROR_INVALID_REQUEST,
	 "a project may have " RESOURCE_NUMBER(STORE_DICTIONARIES_MAX) " dictionaries"},
	{0},
};

const struct resource_refusal dictionary_rest_entry_refusals[] = {
	{ENOENT, WIRE_ERROR_ENTRY_NOT_FOUND, ""},
	{EEXIST, WIRE_ERROR_INVALID_REQUEST, "another entry of the dictionary has this word"},
	{EDQUOT, WIRE_ERROR_INVALID_REQUEST,
	 "a dictionary may have " RESOURCE_NUMBER(STORE_ENTRIES_MAX) " entries"},
	{0},
};

/* Writes ISO 8601 with an offset: 2026-05-20T09:00:00+00:00. */
static void dictionary_rest_write_time(struct json_write *json, const char *key, int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	char text[40];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S+00:00", &tm);
	json_write_text(json, key, text);
}

static bool dictionary_rest_row(const struct store_dictionary *row, void *arg)
{
	struct json_write *json = ((struct resource_rows *)arg)->json;

	if (resource_begin_row(arg, row->id)) {
		json_write_signed(json, "id", row->id);
		json_write_signed(json, "project_id", row->project_id);
		json_write_text(json, "name", row->name);
		json_write_text(json, "description", row->description);
		json_write_text(json, "language", row->language);
		json_write_bool(json, "is_active", row->is_active);
		dictionary_rest_write_time(json, "created_at", row->created_ms);
		dictionary_rest_write_time(json, "updated_at", row->updated_ms);
	}
	return resource_end_row(arg);
}

static int dictionary_rest_show_all(struct store_request *request, struct store *store,
				    struct resource_rows *rows)
{
	return store->ops->dictionary_list(store, request->project_id, dictionary_rest_row, rows);
}

static int dictionary_rest_show(struct store_request *request, struct store *store,
				struct resource_rows *rows)
{
	return store->ops->dictionary_get(store, request->project_id, request->call.ids[0],
					  dictionary_rest_row, rows);
}

static int dictionary_rest_write(struct store_request *request, struct store *store, bool is_new)
{
	struct http_request *http = request->call.request;
	int64_t now_ms = clock_wall_ms();
	struct dictionary_message message;
	struct store_dictionary row;
	int err = dictionary_message_parse(&message, &request->fault, http->body, http->body_len,
					   is_new);

	if (err)
		return err;
	row = (struct store_dictionary){
		.project_id = request->project_id,
		.name = message.name,
		.description = message.description,
		.language = message.language,
		.is_active = message.is_active,
		.created_ms = now_ms,
		.updated_ms = now_ms,
	};
	if (!is_new)
		return store->ops->dictionary_change(store, request->project_id,
						     request->call.ids[0], message.body.fields,
						     &row);
	err = store->ops->dictionary_add(store, &request->call.ids[0], &row, NULL, 0);
	return err == ENOENT ? store_request_refuse(request, WIRE_ERROR_PROJECT_NOT_FOUND, "")
			     : err;
}

static int dictionary_rest_delete(struct store_request *request, struct store *store)
{
	return store->ops->dictionary_remove(store, request->project_id, request->call.ids[0]);
}

const struct resource dictionary_rest_dictionaries = {
	.subject = &dictionary_rest_subject,
	.name = "dictionaries",
	.refusals = dictionary_rest_refusals,
	.list = dictionary_rest_show_all,
	.get = dictionary_rest_show,
	.write = dictionary_rest_write,
	.remove = dictionary_rest_delete,
};

static bool dictionary_rest_pass_by(const struct store_dictionary *row, void *arg)
{
	(void)row;
	(void)arg;
	return true;
}

int dictionary_rest_find(struct store_request *request, struct store *store)
{
	int err = store->ops->dictionary_get(store, request->project_id, request->call.ids[0],
					     dictionary_rest_pass_by, NULL);

	return resource_refuse(request, dictionary_rest_refusals, err);
}

static bool dictionary_rest_entry_row(const struct store_entry *row, void *arg)
{
	struct json_write *json = ((struct resource_rows *)arg)->json;

	if (resource_begin_row(arg, row->id)) {
		json_write_signed(json, "id", row->id);
		json_write_signed(json, "dictionary_id", row->dictionary_id);
		json_write_text(json, "word", row->said.word);
		json_write_text(json, "replacement", row->said.replacement);
		json_write_text(json, "ipa", row->said.ipa);
		json_write_bool(json, "case_sensitive", row->said.case_sensitive);
		dictionary_rest_write_time(json, "created_at", row->created_ms);
		dictionary_rest_write_time(json, "updated_at", row->updated_ms);
	}
	return resource_end_row(arg);
}

static int dictionary_rest_count_entries(struct store_request *request, struct store *store,
					 int64_t *total)
{
	return store->ops->entry_count(store, total, request->call.ids[0], request->page.search);
}

static int dictionary_rest_show_entries(struct store_request *request, struct store *store,
					struct resource_rows *rows)
{
	return store->ops->entry_list(store, request->call.ids[0], &request->page,
				      dictionary_rest_entry_row, rows);
}

static int dictionary_rest_show_entry(struct store_request *request, struct store *store,
				      struct resource_rows *rows)
{
	return store->ops->entry_get(store, request->call.ids[0], request->call.ids[1],
				     dictionary_rest_entry_row, rows);
}

static int dictionary_rest_write_entry(struct store_request *request, struct store *store,
				       bool is_new)
{
	struct http_request *http = request->call.request;
	struct dictionary_entry_message message;
	int64_t *ids = request->call.ids;
	int err = dictionary_message_parse_entry(&message, &request->fault, http->body,
						 http->body_len, is_new);

	if (!err)
		err = dictionary_rest_find(request, store);
	if (err)
		return err;
	return is_new ? store->ops->entry_add(store, &ids[1], ids[0], &message.said,
					      clock_wall_ms())
		      : store->ops->entry_change(store, ids[0], ids[1], message.body.fields,
						 &message.said, clock_wall_ms());
}

static int dictionary_rest_delete_entry(struct store_request *request, struct store *store)
{
	int err = dictionary_rest_find(request, store);

	return err ? err
		   : store->ops->entry_remove(store, request->call.ids[0], request->call.ids[1]);
}

const struct resource dictionary_rest_entries = {
	.subject = &dictionary_rest_subject,
	.name = "entries",
	.paging = RESOURCE_BY_OFFSET,
	.refusals = dictionary_rest_entry_refusals,
	.scope = dictionary_rest_find,
	.list = dictionary_rest_show_entries,
	.count = dictionary_rest_count_entries,
	.get = dictionary_rest_show_entry,
	.write = dictionary_rest_write_entry,
	.remove = dictionary_rest_delete_entry,
};

static int dictionary_rest_replace_all(struct store_request *request, struct store *store)
{
	struct http_request *http = request->call.request;
	struct dictionary_entries_message message;
	struct store_replaced replaced;
	int err = dictionary_message_parse_entries(&message, &request->fault, http->body,
						   http->body_len, STORE_ENTRIES_MAX);

	if (err)
		return err;
	err = dictionary_rest_find(request, store);
	if (!err)
		err = store->ops->entry_replace(store, &replaced, request->call.ids[0],
						message.entries, message.count, clock_wall_ms());
	dictionary_message_reset_entries(&message);
	if (err)
		return resource_refuse(request,
				       err == ENOENT ? dictionary_rest_refusals
						     : dictionary_rest_entry_refusals,
				       err);
	json_write_signed(&request->json, "upserted", replaced.upserted);
	json_write_signed(&request->json, "deleted", replaced.deleted);
	json_write_signed(&request->json, "total", replaced.total);
	return 0;
}

/* The handlers of routes, on the loop's thread. */

void dictionary_rest_replace_entries(const struct route_call *call)
{
	store_request_run(call, &dictionary_rest_subject, dictionary_rest_replace_all,
			  &(struct store_request_options){.is_change = true});
}

static int dictionary_rest_reload(struct store_request *request,
				  void (*ready)(int err, void *request))
{
	return dictionary_cache_reload(request->call.server->dictionaries, request->call.ids[0],
				       ready, request);
}

static void dictionary_rest_reloaded(struct store_request *request, int err)
{
	if (err)
		store_request_answer_failure(request, err);
	else
		answer_empty(&request->call);
}

static int dictionary_rest_nothing(struct store_request *request, struct store *store)
{
	(void)request;
	(void)store;
	return 0;
}

/* Discards what is in memory, for an operator who has changed the database by hand.  The id in the
 * path is that of a project. */
void dictionary_rest_invalidate(const struct route_call *call)
{
	static const struct store_subject subject = {
		.lane = ASYNC_STORE_QUERIES,
		.failure = WIRE_ERROR_NO_DICTIONARIES,
		.refresh = dictionary_rest_reload,
		.answer = dictionary_rest_reloaded,
	};

	if (call->ids[0] != call->key->project_id && !registry_is_master(call->key))
		answer_error(call, WIRE_ERROR_FORBIDDEN, "it is not the key's project");
	else if (!dictionary_cache_has(call->server->dictionaries, call->ids[0]))
		answer_empty(call);
	else
		store_request_run(call, &subject, dictionary_rest_nothing,
				  &(struct store_request_options){.is_change = true});
}
