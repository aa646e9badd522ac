/*
 * dictionary_rest.c: /v1/dictionaries and what is below it.
 *
 *   loop:   the query, whose project ┐                               ┌ what is in memory, the answer
 *   thread:                          └ the body, the store, the JSON ┘
 *
 * A request is an errand to the store's thread, which does all of it that may be
 * long: a body of all entries is megabytes.  A change is answered when turns that
 * begin then will know of it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "account/registry.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "server/dictionary_json.h"
#include "server/server_private.h"
#include "wire/dictionary_message.h"

#define PAGE_DEFAULT 100
#define PAGE_MAX 500
#define ANSWER_MAX (8u * 1024 * 1024) /* a page of the longest entries, all escaped: 5 MB */

struct errand;
typedef int(errand_h)(struct errand *errand, struct store *store);

struct errand {
	struct route_call call; /* holds its request; the key is gone */
	errand_h *work;
	bool is_change;
	int64_t project_id;
	struct store_page page;
	char search[DICTIONARY_WORD_MAX * 4 + 1];

	/* What the thread brings back. */
	int status;
	struct json_write json;
	struct buf answer;
	struct stream_fault fault; /* of a refusal */
};

static void errand_destroy(void *object)
{
	struct errand *errand = object;

	buf_reset(&errand->answer);
	mem_deref(errand->call.request);
}

static void answer_refusal(struct errand *errand, int err)
{
	if (errand->fault.id != WIRE_ERROR_NONE)
		answer_error(&errand->call, errand->fault.id, errand->fault.detail);
	else
		answer_error(&errand->call,
			     err == ENOMEM ? WIRE_ERROR_INTERNAL : WIRE_ERROR_NO_DICTIONARIES,
			     NULL);
}

static void answer(struct errand *errand)
{
	answer_json(&errand->call, errand->status, errand->answer.bytes, errand->answer.len);
	mem_deref(errand);
}

/* The change is durable whatever happened to the memory, which is tried again. */
static void on_refreshed(int err, void *arg)
{
	(void)err;
	answer(arg);
}

static void on_done(int err, void *arg)
{
	struct errand *errand = arg;
	struct server *server = errand->call.server;

	if (err) {
		answer_refusal(errand, err);
		mem_deref(errand);
		return;
	}
	if (!errand->is_change || !dictionaries_cares(server->dictionaries, errand->project_id) ||
	    dictionaries_refresh(server->dictionaries, errand->project_id, on_refreshed, errand) !=
		    0)
		answer(errand);
}

static int work(struct store *store, void *arg)
{
	struct errand *errand = arg;
	int err;

	json_write_open(&errand->json, &errand->answer);
	err = errand->work(errand, store);
	return err ? err : json_write_close(&errand->json);
}

/* A whole number from min to max in the query, or what there is without it. */
static int read_number(int64_t *number, struct errand *errand, const char *name, int64_t min,
		       int64_t max, int64_t absent)
{
	struct json_value value = {.kind = JSON_KIND_NUMBER};
	char text[24];
	int err = http_query(errand->call.request, name, text, sizeof(text));

	if (err == ENOENT) {
		*number = absent;
		return 0;
	}
	value.text = text;
	value.len = err ? 0 : strlen(text);
	if (!err && strspn(text, "-0123456789") == value.len && value.len > 0 &&
	    json_to_integer(number, &value) == 0 && *number >= min && *number <= max)
		return 0;
	return fault_set(&errand->fault, WIRE_ERROR_INVALID_REQUEST,
			 max == INT64_MAX ? "%s must be a whole number from %lld on"
					  : "%s must be a whole number from %lld to %lld",
			 name, (long long)min, (long long)max);
}

/* A master key may name any project, others their own. */
static int read_project(struct errand *errand, const struct store_key *key)
{
	int err = read_number(&errand->project_id, errand, "project_id", 1, INT64_MAX,
			      key->project_id);

	if (err || errand->project_id == key->project_id || registry_is_master(key))
		return err;
	return fault_set(&errand->fault, WIRE_ERROR_FORBIDDEN, "project_id %lld is not the key's",
			 (long long)errand->project_id);
}

static int read_search(struct errand *errand)
{
	struct utf8_state state = {0};
	int err =
		http_query(errand->call.request, "search", errand->search, sizeof(errand->search));
	size_t len = err ? 0 : strlen(errand->search);

	if (err == ENOENT)
		return 0;
	if (err || !utf8_check(&state, errand->search, len) || !utf8_is_complete(&state) ||
	    utf8_count(errand->search, len) > DICTIONARY_WORD_MAX)
		return fault_set(&errand->fault, WIRE_ERROR_INVALID_REQUEST,
				 "search must be text of at most %d characters",
				 DICTIONARY_WORD_MAX);
	errand->page.search = len > 0 ? errand->search : NULL;
	return 0;
}

static int read_page(struct errand *errand)
{
	int err = read_search(errand);

	if (!err)
		err = read_number(&errand->page.limit, errand, "limit", 1, PAGE_MAX, PAGE_DEFAULT);
	if (!err)
		err = read_number(&errand->page.offset, errand, "offset", 0, INT64_MAX, 0);
	return err;
}

static int dispatch(struct errand **errandp, const struct route_call *call, errand_h *work_h,
		    bool is_change)
{
	struct errand *errand = mem_zalloc(sizeof(*errand), errand_destroy);
	int err;

	if (!errand)
		return ENOMEM;
	*errandp = errand;
	errand->call = *call;
	errand->call.member = NULL;
	errand->call.key = NULL;
	mem_ref(call->request);
	errand->work = work_h;
	errand->is_change = is_change;
	errand->status = 200;
	buf_init(&errand->answer, ANSWER_MAX);
	err = read_project(errand, call->key);
	if (!err)
		err = read_page(errand);
	return err ? err
		   : account_ask_for(call->server->account, ACCOUNT_QUESTIONS,
				     call->key->account_id, work, on_done, errand);
}

static void run(const struct route_call *call, errand_h *work_h, bool is_change)
{
	struct errand *errand = NULL;
	int err = dispatch(&errand, call, work_h, is_change);

	if (err && errand)
		answer_refusal(errand, err);
	else if (err)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	if (err)
		mem_deref(errand);
}

/* From here on up to the routes all runs on the store's thread. */

static int refuse(struct errand *errand, enum wire_error_id id, const char *detail)
{
	return fault_set(&errand->fault, id, "%s", detail);
}

static int refuse_dictionary(struct errand *errand, int err)
{
	char detail[64];

	switch (err) {
	case ENOENT:
		return refuse(errand, WIRE_ERROR_DICTIONARY_NOT_FOUND, "");
	case EEXIST:
		return refuse(errand, WIRE_ERROR_INVALID_REQUEST,
			      "another dictionary of the project has this name");
	case EDQUOT:
		snprintf(detail, sizeof(detail), "a project may have %d dictionaries",
			 STORE_DICTIONARIES_MAX);
		return refuse(errand, WIRE_ERROR_INVALID_REQUEST, detail);
	default:
		return err;
	}
}

static int refuse_entry(struct errand *errand, int err)
{
	char detail[64];

	switch (err) {
	case ENOENT:
		return refuse(errand, WIRE_ERROR_ENTRY_NOT_FOUND, "");
	case EEXIST:
		return refuse(errand, WIRE_ERROR_INVALID_REQUEST,
			      "another entry of the dictionary has this word");
	case EDQUOT:
		snprintf(detail, sizeof(detail), "a dictionary may have %d entries",
			 STORE_ENTRIES_MAX);
		return refuse(errand, WIRE_ERROR_INVALID_REQUEST, detail);
	default:
		return err;
	}
}

static bool write_dictionary(const struct store_dictionary *row, void *arg)
{
	dictionary_json_write(arg, row);
	return true;
}

static bool write_one_of_many(const struct store_dictionary *row, void *arg)
{
	json_write_object(arg, NULL);
	dictionary_json_write(arg, row);
	json_write_object_end(arg);
	return true;
}

static bool pass_by(const struct store_dictionary *row, void *arg)
{
	(void)row;
	(void)arg;
	return true;
}

static bool write_entry(const struct store_entry *row, void *arg)
{
	dictionary_json_write_entry(arg, row);
	return true;
}

static bool write_one_entry_of_many(const struct store_entry *row, void *arg)
{
	json_write_object(arg, NULL);
	dictionary_json_write_entry(arg, row);
	json_write_object_end(arg);
	return true;
}

static int show(struct errand *errand, struct store *store, int64_t id)
{
	int err = store->ops->dictionary_get(store, errand->project_id, id, write_dictionary,
					     &errand->json);

	return refuse_dictionary(errand, err);
}

/* Before anything below it: is it there, in the project? */
static int find(struct errand *errand, struct store *store)
{
	int err = store->ops->dictionary_get(store, errand->project_id, errand->call.ids[0],
					     pass_by, NULL);

	return refuse_dictionary(errand, err);
}

static int list(struct errand *errand, struct store *store)
{
	int err;

	json_write_list(&errand->json, "dictionaries");
	err = store->ops->dictionary_list(store, errand->project_id, write_one_of_many,
					  &errand->json);
	json_write_list_end(&errand->json);
	return err;
}

static int get(struct errand *errand, struct store *store)
{
	return show(errand, store, errand->call.ids[0]);
}

static int add(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct dictionary_message message;
	struct store_dictionary row;
	int64_t id;
	int err = dictionary_message_parse(&message, &errand->fault, request->body,
					   request->body_len, true);

	if (err)
		return err;
	row = (struct store_dictionary){
		.project_id = errand->project_id,
		.name = message.name,
		.description = message.description,
		.language = message.language,
		.is_active = message.is_active,
		.created_ms = clock_wall_ms(),
	};
	err = store->ops->dictionary_add(store, &id, &row);
	if (err == ENOENT)
		return refuse(errand, WIRE_ERROR_PROJECT_NOT_FOUND, "");
	if (err)
		return refuse_dictionary(errand, err);
	errand->status = 201;
	return show(errand, store, id);
}

static int change(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct dictionary_message message;
	struct store_dictionary row;
	int64_t id = errand->call.ids[0];
	int err = dictionary_message_parse(&message, &errand->fault, request->body,
					   request->body_len, false);

	if (err)
		return err;
	row = (struct store_dictionary){
		.name = message.name,
		.description = message.description,
		.language = message.language,
		.is_active = message.is_active,
		.updated_ms = clock_wall_ms(),
	};
	err = store->ops->dictionary_change(store, errand->project_id, id, message.body.fields,
					    &row);
	return err ? refuse_dictionary(errand, err) : show(errand, store, id);
}

static int remove_it(struct errand *errand, struct store *store)
{
	int err = store->ops->dictionary_remove(store, errand->project_id, errand->call.ids[0]);

	json_write_bool(&errand->json, "deleted", true);
	return refuse_dictionary(errand, err);
}

static int list_entries(struct errand *errand, struct store *store)
{
	int64_t id = errand->call.ids[0];
	int64_t total = 0;
	int err = find(errand, store);

	if (!err)
		err = store->ops->entry_count(store, &total, id, errand->page.search);
	if (err)
		return err;
	json_write_list(&errand->json, "entries");
	err = store->ops->entry_list(store, id, &errand->page, write_one_entry_of_many,
				     &errand->json);
	json_write_list_end(&errand->json);
	json_write_signed(&errand->json, "total", total);
	json_write_signed(&errand->json, "limit", errand->page.limit);
	json_write_signed(&errand->json, "offset", errand->page.offset);
	return err;
}

static int show_entry(struct errand *errand, struct store *store, int64_t id)
{
	int err = store->ops->entry_get(store, errand->call.ids[0], id, write_entry, &errand->json);

	return refuse_entry(errand, err);
}

static int add_entry(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct dictionary_entry_message message;
	int64_t id;
	int err = dictionary_message_parse_entry(&message, &errand->fault, request->body,
						 request->body_len, true);

	if (!err)
		err = find(errand, store);
	if (err)
		return err;
	err = store->ops->entry_add(store, &id, errand->call.ids[0], &message.said,
				    clock_wall_ms());
	if (err)
		return refuse_entry(errand, err);
	errand->status = 201;
	return show_entry(errand, store, id);
}

static int change_entry(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct dictionary_entry_message message;
	const int64_t *ids = errand->call.ids;
	int err = dictionary_message_parse_entry(&message, &errand->fault, request->body,
						 request->body_len, false);

	if (!err)
		err = find(errand, store);
	if (err)
		return err;
	err = store->ops->entry_change(store, ids[0], ids[1], message.body.fields, &message.said,
				       clock_wall_ms());
	return err ? refuse_entry(errand, err) : show_entry(errand, store, ids[1]);
}

static int remove_entry(struct errand *errand, struct store *store)
{
	int err = find(errand, store);

	if (err)
		return err;
	err = store->ops->entry_remove(store, errand->call.ids[0], errand->call.ids[1]);
	json_write_bool(&errand->json, "deleted", true);
	return refuse_entry(errand, err);
}

static int replace_entries(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct dictionary_entries_message message;
	struct store_replaced replaced;
	int err = dictionary_message_parse_entries(&message, &errand->fault, request->body,
						   request->body_len, STORE_ENTRIES_MAX);

	if (err)
		return err;
	err = find(errand, store);
	if (!err) {
		err = store->ops->entry_replace(store, &replaced, errand->call.ids[0],
						message.entries, message.count, clock_wall_ms());
		err = err == ENOENT ? refuse_dictionary(errand, err) : refuse_entry(errand, err);
	}
	dictionary_message_reset_entries(&message);
	if (err)
		return err;
	json_write_signed(&errand->json, "upserted", replaced.upserted);
	json_write_signed(&errand->json, "deleted", replaced.deleted);
	json_write_signed(&errand->json, "total", replaced.total);
	return 0;
}

/* The routes, on the loop. */

void dictionary_rest_list(const struct route_call *call)
{
	run(call, list, false);
}

void dictionary_rest_add(const struct route_call *call)
{
	run(call, add, true);
}

void dictionary_rest_get(const struct route_call *call)
{
	run(call, get, false);
}

void dictionary_rest_change(const struct route_call *call)
{
	run(call, change, true);
}

void dictionary_rest_remove(const struct route_call *call)
{
	run(call, remove_it, true);
}

void dictionary_rest_list_entries(const struct route_call *call)
{
	run(call, list_entries, false);
}

void dictionary_rest_add_entry(const struct route_call *call)
{
	run(call, add_entry, true);
}

void dictionary_rest_change_entry(const struct route_call *call)
{
	run(call, change_entry, true);
}

void dictionary_rest_remove_entry(const struct route_call *call)
{
	run(call, remove_entry, true);
}

void dictionary_rest_replace_entries(const struct route_call *call)
{
	run(call, replace_entries, true);
}

static void on_reloaded(int err, void *arg)
{
	struct errand *errand = arg;

	if (err)
		answer_refusal(errand, err);
	else
		answer_empty(&errand->call);
	mem_deref(errand);
}

/* For whoever has changed the database by hand.  The id is the project's. */
void dictionary_rest_invalidate(const struct route_call *call)
{
	struct dictionaries *dictionaries = call->server->dictionaries;
	struct errand *errand;

	if (call->ids[0] != call->key->project_id && !registry_is_master(call->key)) {
		answer_error(call, WIRE_ERROR_FORBIDDEN, "it is not the key's project");
		return;
	}
	if (!dictionaries_has(dictionaries, call->ids[0])) {
		answer_empty(call);
		return;
	}
	errand = mem_zalloc(sizeof(*errand), errand_destroy);
	if (!errand) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	errand->call = *call;
	errand->call.member = NULL;
	errand->call.key = NULL;
	mem_ref(call->request);
	if (dictionaries_reload(dictionaries, call->ids[0], on_reloaded, errand) != 0)
		on_reloaded(ENOMEM, errand);
}
