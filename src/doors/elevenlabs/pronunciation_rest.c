/*
 * pronunciation_rest.c: /v1/pronunciation-dictionaries: the project's dictionaries in ElevenLabs'
 * shape (see dictionary_rest.h).
 *
 * Ids are the native numbers, written as strings.  Only the current version of a dictionary exists:
 * each change gives it a new version id, and every version id is accepted.  A new dictionary is not
 * active: as with ElevenLabs, it applies only to texts that name it.  Runs on the store's thread
 * (see store_request.h) except for the routes at the end.
 */
#include "doors/elevenlabs/elevenlabs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "doors/elevenlabs/pls.h"
#include "doors/elevenlabs/pronunciation_form.h"
#include "doors/elevenlabs/pronunciation_message.h"
#include "server/dictionary_rest.h"
#include "server/query.h"

#define PAGE_DEFAULT 30
#define PAGE_MAX 100

/* The size of a full dictionary of the longest entries in which each character is escaped with six
 * bytes: 86 MB.  The buffer grows only as it is filled. */
#define CHARACTERS_MAX (DICTIONARY_WORD_MAX + DICTIONARY_IPA_MAX + DICTIONARY_REPLACEMENT_MAX)
#define ENTRY_FRAME_MAX 256 /* keys or elements around the texts of an entry */
#define HEAD_MAX ((size_t)64 * 1024) /* the members of the dictionary itself */
#define WHOLE_MAX (STORE_ENTRIES_MAX * ((size_t)CHARACTERS_MAX * 6 + ENTRY_FRAME_MAX) + HEAD_MAX)

/* Writes a number as a string: all of ElevenLabs' ids are strings. */
static void pronunciation_rest_write_number(struct json_write *json, const char *key,
					    int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	json_write_text(json, key, text);
}

/* Writes what all answers about a dictionary contain; `prefix` is "latest_version" or "version". */
static void pronunciation_rest_write_members(struct json_write *json,
					     const struct store_dictionary *row, int64_t count,
					     const char *prefix)
{
	char key[48];
	char owner[32];

	pronunciation_rest_write_number(json, "id", row->id);
	snprintf(key, sizeof(key), "%s_id", prefix);
	pronunciation_rest_write_number(json, key, row->revision);
	snprintf(key, sizeof(key), "%s_rules_num", prefix);
	json_write_signed(json, key, count);
	json_write_text(json, "name", row->name);
	json_write_text(json, "permission_on_resource", "admin");
	snprintf(owner, sizeof(owner), "project-%lld", (long long)row->project_id);
	json_write_text(json, "created_by", owner);
	json_write_signed(json, "creation_time_unix", row->created_ms / 1000);
	json_write_text(json, "description", row->description);
}

/* A dictionary that is being written into the answer. */
struct pronunciation_rest_shown {
	struct store_request *request;
	int64_t count; /* how many entries it has */
	bool is_listed;
	int err;
};

static bool pronunciation_rest_show_metadata(const struct store_dictionary *row, void *arg)
{
	struct pronunciation_rest_shown *shown = arg;
	struct json_write *json = &shown->request->json;

	if (shown->is_listed)
		json_write_object(json, NULL);
	pronunciation_rest_write_members(json, row, shown->count, "latest_version");
	json_write_null(json, "archived_time_unix");
	if (shown->is_listed)
		json_write_object_end(json);
	return true;
}

static bool pronunciation_rest_show_version(const struct store_dictionary *row, void *arg)
{
	struct pronunciation_rest_shown *shown = arg;
	struct json_write *json = &shown->request->json;

	pronunciation_rest_write_number(json, "id", row->id);
	pronunciation_rest_write_number(json, "version_id", row->revision);
	json_write_signed(json, "version_rules_num", shown->count);
	return true;
}

static bool pronunciation_rest_begin_file(const struct store_dictionary *row, void *arg)
{
	struct pronunciation_rest_shown *shown = arg;

	shown->err = pls_write_begin(&shown->request->answer, row->language);
	return true;
}

/* Writes one of the project's dictionaries with `show`.  The entries are counted first, because
 * the store must not be called from inside the callback of a row. */
static int pronunciation_rest_show(struct pronunciation_rest_shown *shown, struct store *store,
				   int64_t id, store_dictionary_h *show)
{
	struct store_request *request = shown->request;
	int err = store->ops->entry_count(store, &shown->count, id, NULL);

	if (!err)
		err = store->ops->dictionary_get(store, request->project_id, id, show, shown);
	return err ? resource_refuse(request, dictionary_rest_refusals, err) : shown->err;
}

/* A dictionary of a list, with what the list can be sorted by. */
struct pronunciation_rest_item {
	int64_t id, created_ms;
	char *name;
};

struct pronunciation_rest_items {
	struct pronunciation_rest_item items[STORE_DICTIONARIES_MAX];
	size_t count;
	int err;
};

static bool pronunciation_rest_take(const struct store_dictionary *row, void *arg)
{
	struct pronunciation_rest_items *list = arg;
	struct pronunciation_rest_item *item = &list->items[list->count];

	if (list->count == STORE_DICTIONARIES_MAX)
		return false;
	*item = (struct pronunciation_rest_item){row->id, row->created_ms, strdup(row->name)};
	list->err = item->name ? 0 : ENOMEM;
	list->count += item->name != NULL;
	return list->err == 0;
}

static int pronunciation_rest_by_time(const void *a, const void *b)
{
	const struct pronunciation_rest_item *x = a;
	const struct pronunciation_rest_item *y = b;

	return x->created_ms != y->created_ms ? (x->created_ms > y->created_ms) * 2 - 1
					      : (x->id > y->id) - (x->id < y->id);
}

static int pronunciation_rest_by_name(const void *a, const void *b)
{
	int order = strcasecmp(((const struct pronunciation_rest_item *)a)->name,
			       ((const struct pronunciation_rest_item *)b)->name);

	return order ? order : pronunciation_rest_by_time(a, b);
}

struct pronunciation_rest_order {
	int64_t limit, offset;
	bool by_name, descends;
};

static int pronunciation_rest_read_order(struct pronunciation_rest_order *order,
					 struct store_request *request)
{
	const struct http_request *http = request->call.request;
	struct stream_fault *fault = &request->fault;
	char sort[32], direction[32];
	int err = query_number(&order->limit, fault, http, "page_size",
			       &(struct query_range){1, PAGE_MAX, PAGE_DEFAULT});

	if (!err)
		err = query_number(&order->offset, fault, http, "cursor",
				   &(struct query_range){0, INT64_MAX / 2, 0});
	if (!err)
		err = query_text(sort, sizeof(sort), fault, http, "sort");
	if (!err)
		err = query_text(direction, sizeof(direction), fault, http, "sort_direction");
	if (err)
		return err;
	order->by_name = strcmp(sort, "name") == 0;
	order->descends = !direction[0] || strncasecmp(direction, "desc", 4) == 0;
	if (sort[0] && !order->by_name && strcmp(sort, "creation_time_unix") != 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "sort must be creation_time_unix or name");
	if (!order->descends && strncasecmp(direction, "asc", 3) != 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "sort_direction must be ascending or descending");
	return 0;
}

/* A dictionary that is removed while the page is being written is omitted. */
static int pronunciation_rest_write_page(struct store_request *request, struct store *store,
					 struct pronunciation_rest_items *list,
					 const struct pronunciation_rest_order *order)
{
	struct pronunciation_rest_shown shown = {.request = request, .is_listed = true};
	struct json_write *json = &request->json;
	int64_t next = order->offset + order->limit;
	int64_t count = (int64_t)list->count;
	int err = 0;

	qsort(list->items, list->count, sizeof(list->items[0]),
	      order->by_name ? pronunciation_rest_by_name : pronunciation_rest_by_time);
	json_write_list(json, "pronunciation_dictionaries");
	for (int64_t i = order->offset; !err && i < count && i < next; ++i) {
		int64_t id = list->items[order->descends ? count - 1 - i : i].id;

		err = store->ops->entry_count(store, &shown.count, id, NULL);
		if (!err)
			err = store->ops->dictionary_get(store, request->project_id, id,
							 pronunciation_rest_show_metadata, &shown);
		err = err == ENOENT ? 0 : err;
	}
	json_write_list_end(json);
	json_write_bool(json, "has_more", next < count);
	if (next < count)
		pronunciation_rest_write_number(json, "next_cursor", next);
	else
		json_write_null(json, "next_cursor");
	return err;
}

static int pronunciation_rest_work_list(struct store_request *request, struct store *store)
{
	struct pronunciation_rest_items list = {.count = 0};
	struct pronunciation_rest_order order;
	int err = pronunciation_rest_read_order(&order, request);

	if (!err)
		err = store->ops->dictionary_list(store, request->project_id,
						  pronunciation_rest_take, &list);
	if (!err)
		err = list.err;
	if (!err)
		err = pronunciation_rest_write_page(request, store, &list, &order);
	for (size_t i = 0; i < list.count; ++i)
		free(list.items[i].name);
	return err;
}

/* An entry with a pronunciation is written as a phoneme rule, without its replacement. */
static bool pronunciation_rest_write_rule(const struct store_entry *row, void *arg)
{
	const struct dictionary_entry *entry = &row->said;
	struct json_write *json = arg;

	json_write_object(json, NULL);
	json_write_text(json, "type", entry->ipa ? "phoneme" : "alias");
	json_write_text(json, "string_to_replace", entry->word);
	if (entry->ipa) {
		json_write_text(json, "phoneme", entry->ipa);
		json_write_text(json, "alphabet", "ipa");
	} else {
		json_write_text(json, "alias", entry->replacement);
	}
	json_write_bool(json, "case_sensitive", entry->case_sensitive);
	json_write_bool(json, "word_boundaries", true);
	json_write_object_end(json);
	return true;
}

static const struct store_page all_entries = {.limit = -1};

static int pronunciation_rest_work_get(struct store_request *request, struct store *store)
{
	struct pronunciation_rest_shown shown = {.request = request};
	int64_t id = request->call.ids[0];
	int err;

	request->answer.max = WHOLE_MAX;
	err = pronunciation_rest_show(&shown, store, id, pronunciation_rest_show_metadata);
	if (err)
		return err;
	json_write_list(&request->json, "rules");
	err = store->ops->entry_list(store, id, &all_entries, pronunciation_rest_write_rule,
				     &request->json);
	json_write_list_end(&request->json);
	return err;
}

static bool pronunciation_rest_write_lexeme(const struct store_entry *row, void *arg)
{
	struct pronunciation_rest_shown *shown = arg;

	shown->err = pls_write_entry(&shown->request->answer, &row->said);
	return shown->err == 0;
}

static int pronunciation_rest_work_download(struct store_request *request, struct store *store)
{
	struct pronunciation_rest_shown shown = {.request = request};
	int64_t id = request->call.ids[0];
	int err;

	request->answer.max = WHOLE_MAX;
	request->answer.len = 0;
	request->type = "application/pls+xml";
	err = pronunciation_rest_show(&shown, store, id, pronunciation_rest_begin_file);
	if (!err)
		err = store->ops->entry_list(store, id, &all_entries,
					     pronunciation_rest_write_lexeme, &shown);
	if (!err)
		err = shown.err;
	return err ? err : pls_write_end(&request->answer);
}

/* Adds a dictionary with all of its entries, or nothing.  The answer is written without reading the
 * new row: if that failed, the client would get an error although the dictionary exists. */
static int pronunciation_rest_create(struct store_request *request, struct store *store,
				     const struct store_dictionary *row,
				     const struct dictionary_entries_message *entries)
{
	struct store_dictionary added = *row;
	int err =
		store->ops->dictionary_add(store, &added.id, row, entries->entries, entries->count);

	if (err)
		return err == E2BIG
			       ? resource_refuse(request, dictionary_rest_entry_refusals, EDQUOT)
			       : resource_refuse(request, dictionary_rest_refusals, err);
	added.revision = STORE_REVISION_FIRST;
	pronunciation_rest_write_members(&request->json, &added, (int64_t)entries->count,
					 "version");
	return 0;
}

static int pronunciation_rest_work_add(struct store_request *request, struct store *store)
{
	struct http_request *http = request->call.request;
	struct pronunciation_message message;
	struct store_dictionary row;
	int err = pronunciation_message_parse(&message, &request->fault,
					      PRONUNCIATION_NAME | PRONUNCIATION_RULES, http->body,
					      http->body_len, STORE_ENTRIES_MAX);

	if (err)
		return err;
	row = (struct store_dictionary){
		.project_id = request->project_id,
		.name = message.name,
		.description = message.description,
		.created_ms = clock_wall_ms(),
	};
	err = pronunciation_rest_create(request, store, &row, &message.rules);
	pronunciation_message_reset(&message);
	return err;
}

static int pronunciation_rest_work_add_file(struct store_request *request, struct store *store)
{
	struct dictionary_entries_message entries = {0};
	struct pronunciation_form form = {0};
	const char *language = NULL;
	struct store_dictionary row;
	int err = pronunciation_form_read(&form, request);

	if (!err && form.file)
		err = pls_parse(&entries, &language, &request->fault, form.file, form.file_len,
				STORE_ENTRIES_MAX);
	if (err)
		return err;
	row = (struct store_dictionary){
		.project_id = request->project_id,
		.name = form.name,
		.description = form.description,
		.language = language,
		.created_ms = clock_wall_ms(),
	};
	err = pronunciation_rest_create(request, store, &row, &entries);
	dictionary_message_reset_entries(&entries);
	return err;
}

/* Changes the name.  The store has no archive, so nothing else can be changed. */
static int pronunciation_rest_work_change(struct store_request *request, struct store *store)
{
	struct http_request *http = request->call.request;
	struct pronunciation_message message;
	struct store_dictionary row = {.updated_ms = clock_wall_ms()};
	struct pronunciation_rest_shown shown = {.request = request};
	int err = pronunciation_message_parse(&message, &request->fault, 0, http->body,
					      http->body_len, STORE_ENTRIES_MAX);

	if (err)
		return err;
	row.name = message.name;
	if (message.archived)
		err = store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST,
					   "archived: dictionaries cannot be archived; DELETE "
					   "/v1/dictionaries/{id} removes one");
	else if (message.body.fields & PRONUNCIATION_NAME)
		err = resource_refuse(request, dictionary_rest_refusals,
				      store->ops->dictionary_change(store, request->project_id,
								    request->call.ids[0],
								    STORE_DICTIONARY_NAME, &row));
	pronunciation_message_reset(&message);
	return err ? err
		   : pronunciation_rest_show(&shown, store, request->call.ids[0],
					     pronunciation_rest_show_metadata);
}

/* How rules change a dictionary.  The arg of the request points to one of the constants. */
enum pronunciation_rest_verb { RULES_ADD, RULES_SET, RULES_REMOVE };
static const enum pronunciation_rest_verb rules_add = RULES_ADD, rules_set = RULES_SET,
					  rules_remove = RULES_REMOVE;

/* One call of the store, so that a concurrent change by another server is not lost. */
static int pronunciation_rest_write_rules(struct store_request *request, struct store *store,
					  enum pronunciation_rest_verb verb,
					  const struct pronunciation_message *message)
{
	const struct dictionary_entries_message *rules = &message->rules;
	const struct dictionary_entries_message *words = &message->rule_strings;
	struct store_replaced replaced;
	int64_t id = request->call.ids[0];
	int64_t now_ms = clock_wall_ms();

	switch (verb) {
	case RULES_ADD:
		return store->ops->entry_put(store, id, rules->entries, rules->count, now_ms);
	case RULES_SET:
		return store->ops->entry_replace(store, &replaced, id, rules->entries, rules->count,
						 now_ms);
	case RULES_REMOVE:
		return store->ops->entry_remove_words(store, id, words->entries, words->count);
	}
	return EINVAL;
}

static int pronunciation_rest_work_rules(struct store_request *request, struct store *store)
{
	enum pronunciation_rest_verb verb = *(const enum pronunciation_rest_verb *)request->arg;
	struct http_request *http = request->call.request;
	struct pronunciation_message message;
	struct pronunciation_rest_shown shown = {.request = request};
	int err = pronunciation_message_parse(&message, &request->fault,
					      verb == RULES_REMOVE ? PRONUNCIATION_RULE_STRINGS
								   : PRONUNCIATION_RULES,
					      http->body, http->body_len, STORE_ENTRIES_MAX);

	if (err)
		return err;
	err = dictionary_rest_find(request, store);
	if (!err)
		err = resource_refuse(
			request, dictionary_rest_entry_refusals,
			pronunciation_rest_write_rules(request, store, verb, &message));
	pronunciation_message_reset(&message);
	return err ? err
		   : pronunciation_rest_show(&shown, store, request->call.ids[0],
					     pronunciation_rest_show_version);
}

static void pronunciation_rest_read(const struct route_call *call, store_request_h *work)
{
	store_request_run(call, &dictionary_rest_subject, work, NULL);
}

static void pronunciation_rest_write(const struct route_call *call, store_request_h *work,
				     const enum pronunciation_rest_verb *verb)
{
	store_request_run(call, &dictionary_rest_subject, work,
			  &(struct store_request_options){.is_change = true, .arg = verb});
}

/* The routes, which run on the loop. */

void pronunciation_rest_list(const struct route_call *call)
{
	pronunciation_rest_read(call, pronunciation_rest_work_list);
}

void pronunciation_rest_get(const struct route_call *call)
{
	pronunciation_rest_read(call, pronunciation_rest_work_get);
}

void pronunciation_rest_download(const struct route_call *call)
{
	pronunciation_rest_read(call, pronunciation_rest_work_download);
}

void pronunciation_rest_add(const struct route_call *call)
{
	pronunciation_rest_write(call, pronunciation_rest_work_add, NULL);
}

void pronunciation_rest_add_file(const struct route_call *call)
{
	pronunciation_rest_write(call, pronunciation_rest_work_add_file, NULL);
}

void pronunciation_rest_change(const struct route_call *call)
{
	pronunciation_rest_write(call, pronunciation_rest_work_change, NULL);
}

void pronunciation_rest_add_rules(const struct route_call *call)
{
	pronunciation_rest_write(call, pronunciation_rest_work_rules, &rules_add);
}

void pronunciation_rest_set_rules(const struct route_call *call)
{
	pronunciation_rest_write(call, pronunciation_rest_work_rules, &rules_set);
}

void pronunciation_rest_remove_rules(const struct route_call *call)
{
	pronunciation_rest_write(call, pronunciation_rest_work_rules, &rules_remove);
}
