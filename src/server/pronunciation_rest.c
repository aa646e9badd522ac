/*
 * pronunciation_rest.c: /v1/pronunciation-dictionaries: the project's dictionaries as ElevenLabs'
 * clients see them (see dictionary_errand.h).
 *
 * Ids are our numbers, written as strings.  Only the current version of a dictionary exists: its id
 * changes with each change, and every version id is accepted.  A new dictionary is not active: as
 * with ElevenLabs it applies to texts that name it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "server/pronunciation_form.h"
#include "server/pronunciation_view.h"
#include "server/query.h"
#include "wire/pls.h"
#include "wire/pronunciation_message.h"

#define PAGE_DEFAULT 30
#define PAGE_MAX 100

/* A whole dictionary of the longest entries, in which each character is escaped with six bytes:
 * 86 MB.  The buffer grows with what is in it. */
#define CHARACTERS_MAX (DICTIONARY_WORD_MAX + DICTIONARY_IPA_MAX + DICTIONARY_REPLACEMENT_MAX)
#define ENTRY_FRAME_MAX 256 /* keys or elements around the texts of an entry */
#define HEAD_MAX ((size_t)64 * 1024) /* the fields of the dictionary itself */
#define WHOLE_MAX (STORE_ENTRIES_MAX * ((size_t)CHARACTERS_MAX * 6 + ENTRY_FRAME_MAX) + HEAD_MAX)

static int pronunciation_rest_by_time(const void *a, const void *b)
{
	const struct pronunciation_view *x = a;
	const struct pronunciation_view *y = b;

	return x->created_ms != y->created_ms ? (x->created_ms > y->created_ms) * 2 - 1
					      : (x->id > y->id) - (x->id < y->id);
}

static int pronunciation_rest_by_name(const void *a, const void *b)
{
	int order = strcasecmp(((const struct pronunciation_view *)a)->name,
			       ((const struct pronunciation_view *)b)->name);

	return order ? order : pronunciation_rest_by_time(a, b);
}

struct pronunciation_rest_order {
	int64_t limit, offset;
	bool by_name, descends;
};

static int pronunciation_rest_read_order(struct pronunciation_rest_order *order,
					 struct dictionary_errand *errand)
{
	const struct http_request *request = errand->call.request;
	struct stream_fault *fault = &errand->fault;
	char sort[32], direction[32];
	int err = query_number(&order->limit, fault, request, "page_size",
			       &(struct query_range){1, PAGE_MAX, PAGE_DEFAULT});

	if (!err)
		err = query_number(&order->offset, fault, request, "cursor",
				   &(struct query_range){0, INT64_MAX / 2, 0});
	if (!err)
		err = query_text(sort, sizeof(sort), fault, request, "sort");
	if (!err)
		err = query_text(direction, sizeof(direction), fault, request, "sort_direction");
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

static int pronunciation_rest_write_page(struct dictionary_errand *errand, struct store *store,
					 struct pronunciation_list *list,
					 const struct pronunciation_rest_order *order)
{
	struct json_write *json = &errand->json;
	int64_t next = order->offset + order->limit;
	int64_t count = (int64_t)list->count;
	int err = 0;

	qsort(list->rows, list->count, sizeof(list->rows[0]),
	      order->by_name ? pronunciation_rest_by_name : pronunciation_rest_by_time);
	json_write_list(json, "pronunciation_dictionaries");
	for (int64_t i = order->offset; !err && i < count && i < next; ++i) {
		struct pronunciation_view *view = &list->rows[order->descends ? count - 1 - i : i];

		err = store->ops->entry_count(store, &view->count, view->id, NULL);
		json_write_object(json, NULL);
		pronunciation_view_write_metadata(json, view);
		json_write_object_end(json);
	}
	json_write_list_end(json);
	json_write_bool(json, "has_more", next < count);
	if (next < count)
		pronunciation_view_write_number(json, "next_cursor", next);
	else
		json_write_null(json, "next_cursor");
	return err;
}

static int pronunciation_rest_work_list(struct dictionary_errand *errand, struct store *store)
{
	struct pronunciation_list *list;
	struct pronunciation_rest_order order;
	int err = pronunciation_rest_read_order(&order, errand);

	if (err)
		return err;
	list = calloc(1, sizeof(*list));
	if (!list)
		return ENOMEM;
	err = store->ops->dictionary_list(store, errand->project_id, pronunciation_view_take, list);
	if (!err)
		err = list->err;
	if (!err)
		err = pronunciation_rest_write_page(errand, store, list, &order);
	pronunciation_view_forget_list(list);
	return err;
}

/* One with a pronunciation is a phoneme rule; a replacement beside it is not shown. */
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

static int pronunciation_rest_work_get(struct dictionary_errand *errand, struct store *store)
{
	struct pronunciation_view view;
	int err = pronunciation_view_look_up(&view, errand, store, errand->call.ids[0]);

	if (err)
		return err;
	errand->answer.max = WHOLE_MAX;
	pronunciation_view_write_metadata(&errand->json, &view);
	pronunciation_view_forget(&view);
	json_write_list(&errand->json, "rules");
	err = store->ops->entry_list(store, errand->call.ids[0], &all_entries,
				     pronunciation_rest_write_rule, &errand->json);
	json_write_list_end(&errand->json);
	return err;
}

struct pronunciation_rest_file {
	struct buf *out;
	int err;
};

static bool pronunciation_rest_write_lexeme(const struct store_entry *row, void *arg)
{
	struct pronunciation_rest_file *file = arg;

	file->err = pls_write_entry(file->out, &row->said);
	return file->err == 0;
}

static int pronunciation_rest_work_download(struct dictionary_errand *errand, struct store *store)
{
	struct pronunciation_rest_file file = {.out = &errand->answer};
	struct pronunciation_view view;
	int err = pronunciation_view_look_up(&view, errand, store, errand->call.ids[0]);

	if (err)
		return err;
	errand->answer.max = WHOLE_MAX;
	errand->answer.len = 0;
	errand->type = "application/pls+xml";
	file.err = pls_write_begin(file.out, view.language);
	pronunciation_view_forget(&view);
	if (!file.err)
		err = store->ops->entry_list(store, errand->call.ids[0], &all_entries,
					     pronunciation_rest_write_lexeme, &file);
	if (!err)
		err = file.err;
	return err ? err : pls_write_end(file.out);
}

/* A new dictionary with its entries, or nothing.  The answer is made from what is known: a look-up
 * that failed would report a dictionary as missing that exists. */
static int pronunciation_rest_create(struct dictionary_errand *errand, struct store *store,
				     const struct store_dictionary *row,
				     const struct dictionary_entries_message *entries)
{
	struct pronunciation_view view = {.project_id = row->project_id,
					  .revision = STORE_REVISION_FIRST,
					  .created_ms = row->created_ms,
					  .name = row->name,
					  .description = row->description,
					  .count = (int64_t)entries->count};
	int err =
		store->ops->dictionary_add(store, &view.id, row, entries->entries, entries->count);

	if (err)
		return err == E2BIG ? dictionary_errand_refuse_entry(errand, EDQUOT)
				    : dictionary_errand_refuse_dictionary(errand, err);
	pronunciation_view_write(&errand->json, &view, "version");
	return 0;
}

static int pronunciation_rest_work_add(struct dictionary_errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct pronunciation_message message;
	struct store_dictionary row;
	int err = pronunciation_message_parse(&message, &errand->fault,
					      PRONUNCIATION_NAME | PRONUNCIATION_RULES,
					      request->body, request->body_len, STORE_ENTRIES_MAX);

	if (err)
		return err;
	row = (struct store_dictionary){
		.project_id = errand->project_id,
		.name = message.name,
		.description = message.description,
		.created_ms = clock_wall_ms(),
	};
	err = pronunciation_rest_create(errand, store, &row, &message.rules);
	pronunciation_message_reset(&message);
	return err;
}

static int pronunciation_rest_work_add_file(struct dictionary_errand *errand, struct store *store)
{
	struct dictionary_entries_message entries = {0};
	struct pronunciation_form form = {0};
	const char *language = NULL;
	struct store_dictionary row;
	int err = pronunciation_form_read(&form, errand);

	if (!err && form.file)
		err = pls_parse(&entries, &language, &errand->fault, form.file, form.file_len,
				STORE_ENTRIES_MAX);
	if (err)
		return err;
	row = (struct store_dictionary){
		.project_id = errand->project_id,
		.name = form.name,
		.description = form.description,
		.language = language,
		.created_ms = clock_wall_ms(),
	};
	err = pronunciation_rest_create(errand, store, &row, &entries);
	dictionary_message_reset_entries(&entries);
	return err;
}

/* Only the name can change: the store has no archive. */
static int pronunciation_rest_work_change(struct dictionary_errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct pronunciation_message message;
	struct store_dictionary row = {.updated_ms = clock_wall_ms()};
	struct pronunciation_view view;
	int err = pronunciation_message_parse(&message, &errand->fault, 0, request->body,
					      request->body_len, STORE_ENTRIES_MAX);

	if (err)
		return err;
	row.name = message.name;
	if (message.archived)
		err = dictionary_errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
					       "archived: dictionaries cannot be archived; DELETE "
					       "/v1/dictionaries/{id} removes one");
	else if (message.fields & PRONUNCIATION_NAME)
		err = dictionary_errand_refuse_dictionary(
			errand, store->ops->dictionary_change(store, errand->project_id,
							      errand->call.ids[0],
							      STORE_DICTIONARY_NAME, &row));
	pronunciation_message_reset(&message);
	if (!err)
		err = pronunciation_view_look_up(&view, errand, store, errand->call.ids[0]);
	if (err)
		return err;
	pronunciation_view_write_metadata(&errand->json, &view);
	pronunciation_view_forget(&view);
	return 0;
}

enum pronunciation_rest_verb { RULES_ADD, RULES_SET, RULES_REMOVE };

/* One change of the store, so that none of another server is lost. */
static int pronunciation_rest_write_rules(struct dictionary_errand *errand, struct store *store,
					  enum pronunciation_rest_verb verb,
					  const struct pronunciation_message *message)
{
	const struct dictionary_entries_message *rules = &message->rules;
	const struct dictionary_entries_message *words = &message->rule_strings;
	struct store_replaced replaced;
	int64_t id = errand->call.ids[0];
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

static int pronunciation_rest_change_rules(struct dictionary_errand *errand, struct store *store,
					   enum pronunciation_rest_verb verb)
{
	struct http_request *request = errand->call.request;
	struct pronunciation_message message;
	struct pronunciation_view view;
	int err = pronunciation_message_parse(&message, &errand->fault,
					      verb == RULES_REMOVE ? PRONUNCIATION_RULE_STRINGS
								   : PRONUNCIATION_RULES,
					      request->body, request->body_len, STORE_ENTRIES_MAX);

	if (err)
		return err;
	err = dictionary_errand_find(errand, store);
	if (!err)
		err = dictionary_errand_refuse_entry(
			errand, pronunciation_rest_write_rules(errand, store, verb, &message));
	pronunciation_message_reset(&message);
	if (!err)
		err = pronunciation_view_look_up(&view, errand, store, errand->call.ids[0]);
	if (err)
		return err;
	pronunciation_view_write_number(&errand->json, "id", view.id);
	pronunciation_view_write_number(&errand->json, "version_id", view.revision);
	json_write_signed(&errand->json, "version_rules_num", view.count);
	pronunciation_view_forget(&view);
	return 0;
}

static int pronunciation_rest_work_add_rules(struct dictionary_errand *errand, struct store *store)
{
	return pronunciation_rest_change_rules(errand, store, RULES_ADD);
}

static int pronunciation_rest_work_set_rules(struct dictionary_errand *errand, struct store *store)
{
	return pronunciation_rest_change_rules(errand, store, RULES_SET);
}

static int pronunciation_rest_work_remove_rules(struct dictionary_errand *errand,
						struct store *store)
{
	return pronunciation_rest_change_rules(errand, store, RULES_REMOVE);
}

/* The routes, on the loop. */

void pronunciation_rest_list(const struct route_call *call)
{
	dictionary_errand_run(call, pronunciation_rest_work_list, false);
}

void pronunciation_rest_get(const struct route_call *call)
{
	dictionary_errand_run(call, pronunciation_rest_work_get, false);
}

void pronunciation_rest_download(const struct route_call *call)
{
	dictionary_errand_run(call, pronunciation_rest_work_download, false);
}

void pronunciation_rest_add(const struct route_call *call)
{
	dictionary_errand_run(call, pronunciation_rest_work_add, true);
}

void pronunciation_rest_add_file(const struct route_call *call)
{
	dictionary_errand_run(call, pronunciation_rest_work_add_file, true);
}

void pronunciation_rest_change(const struct route_call *call)
{
	dictionary_errand_run(call, pronunciation_rest_work_change, true);
}

void pronunciation_rest_add_rules(const struct route_call *call)
{
	dictionary_errand_run(call, pronunciation_rest_work_add_rules, true);
}

void pronunciation_rest_set_rules(const struct route_call *call)
{
	dictionary_errand_run(call, pronunciation_rest_work_set_rules, true);
}

void pronunciation_rest_remove_rules(const struct route_call *call)
{
	dictionary_errand_run(call, pronunciation_rest_work_remove_rules, true);
}
