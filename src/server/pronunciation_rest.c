/*
 * pronunciation_rest.c: /v1/pronunciation-dictionaries: the project's dictionaries as ElevenLabs'
 * clients see them (see dictionary_errand.h).
 *
 * An id is ours as a string.  There is one version of a dictionary, the current one; the id of
 * a version changes with each change, and wherever one is named any is accepted.  A new dictionary is not
 * active: as with ElevenLabs it applies to texts that name it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "server/dictionary_errand.h"
#include "server/query.h"
#include "wire/multipart.h"
#include "wire/pls.h"
#include "wire/pronunciation_message.h"

#define PAGE_DEFAULT 30
#define PAGE_MAX 100

/* A dictionary without its entries; ended by pronunciation_rest_forget. */
struct shown {
	int64_t id, project_id, revision, created_ms;
	char *name, *description, *language; /* NULL: none */
	int64_t count; /* of its entries */
};

struct shown_list {
	struct shown rows[STORE_DICTIONARIES_MAX];
	size_t count;
	int err;
};

static void pronunciation_rest_forget(struct shown *shown)
{
	free(shown->name);
	free(shown->description);
	free(shown->language);
	*shown = (struct shown){0};
}

/* NULL stays NULL.  ENOMEM. */
static int pronunciation_rest_copy(char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return text && !*copy ? ENOMEM : 0;
}

static bool pronunciation_rest_take(const struct store_dictionary *row, void *arg)
{
	struct shown_list *list = arg;
	struct shown *shown = &list->rows[list->count];

	if (list->count == STORE_DICTIONARIES_MAX)
		return false;
	*shown = (struct shown){.id = row->id,
				.project_id = row->project_id,
				.revision = row->revision,
				.created_ms = row->created_ms};
	++list->count;
	list->err = pronunciation_rest_copy(&shown->name, row->name);
	if (!list->err)
		list->err = pronunciation_rest_copy(&shown->description, row->description);
	if (!list->err)
		list->err = pronunciation_rest_copy(&shown->language, row->language);
	return list->err == 0;
}

static void pronunciation_rest_forget_list(struct shown_list *list)
{
	for (size_t i = 0; i < list->count; ++i)
		pronunciation_rest_forget(&list->rows[i]);
	free(list);
}

/* One of the project's, as it is now. */
static int pronunciation_rest_look_up(struct shown *shown, struct dictionary_errand *errand,
				      struct store *store, int64_t id)
{
	struct shown_list *list = calloc(1, sizeof(*list));
	int err;

	if (!list)
		return ENOMEM;
	err = store->ops->dictionary_get(store, errand->project_id, id, pronunciation_rest_take,
					 list);
	if (!err)
		err = list->err;
	if (!err)
		err = store->ops->entry_count(store, &list->rows[0].count, id, NULL);
	if (!err) {
		*shown = list->rows[0];
		list->count = 0;
	}
	pronunciation_rest_forget_list(list);
	return dictionary_errand_refuse_dictionary(errand, err);
}

static void pronunciation_rest_write_number(struct json_write *json, const char *key,
					    int64_t number)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%lld", (long long)number);

	json_write_string(json, key, text, (size_t)len);
}

static void pronunciation_rest_write_text(struct json_write *json, const char *key,
					  const char *text)
{
	if (text)
		json_write_string(json, key, text, strlen(text));
	else
		json_write_null(json, key);
}

/* What all answers about a dictionary have; `prefix` is "latest_version" or "version". */
static void pronunciation_rest_write(struct json_write *json, const struct shown *shown,
				     const char *prefix)
{
	char key[48];
	char owner[32];

	pronunciation_rest_write_number(json, "id", shown->id);
	snprintf(key, sizeof(key), "%s_id", prefix);
	pronunciation_rest_write_number(json, key, shown->revision);
	snprintf(key, sizeof(key), "%s_rules_num", prefix);
	json_write_signed(json, key, shown->count);
	pronunciation_rest_write_text(json, "name", shown->name);
	pronunciation_rest_write_text(json, "permission_on_resource", "admin");
	snprintf(owner, sizeof(owner), "project-%lld", (long long)shown->project_id);
	pronunciation_rest_write_text(json, "created_by", owner);
	json_write_signed(json, "creation_time_unix", shown->created_ms / 1000);
	pronunciation_rest_write_text(json, "description", shown->description);
}

static void pronunciation_rest_write_metadata(struct json_write *json, const struct shown *shown)
{
	pronunciation_rest_write(json, shown, "latest_version");
	json_write_null(json, "archived_time_unix");
}

static int pronunciation_rest_by_time(const void *a, const void *b)
{
	const struct shown *x = a;
	const struct shown *y = b;

	return x->created_ms != y->created_ms ? (x->created_ms > y->created_ms) * 2 - 1
					      : (x->id > y->id) - (x->id < y->id);
}

static int pronunciation_rest_by_name(const void *a, const void *b)
{
	int order = strcasecmp(((const struct shown *)a)->name, ((const struct shown *)b)->name);

	return order ? order : pronunciation_rest_by_time(a, b);
}

struct order {
	int64_t limit, offset;
	bool by_name, descends;
};

static int pronunciation_rest_read_order(struct order *order, struct dictionary_errand *errand)
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
					 struct shown_list *list, const struct order *order)
{
	struct json_write *json = &errand->json;
	int64_t next = order->offset + order->limit;
	int64_t count = (int64_t)list->count;
	int err = 0;

	qsort(list->rows, list->count, sizeof(list->rows[0]),
	      order->by_name ? pronunciation_rest_by_name : pronunciation_rest_by_time);
	json_write_list(json, "pronunciation_dictionaries");
	for (int64_t i = order->offset; !err && i < count && i < next; ++i) {
		struct shown *shown = &list->rows[order->descends ? count - 1 - i : i];

		err = store->ops->entry_count(store, &shown->count, shown->id, NULL);
		json_write_object(json, NULL);
		pronunciation_rest_write_metadata(json, shown);
		json_write_object_end(json);
	}
	json_write_list_end(json);
	json_write_bool(json, "has_more", next < count);
	if (next < count)
		pronunciation_rest_write_number(json, "next_cursor", next);
	else
		json_write_null(json, "next_cursor");
	return err;
}

static int pronunciation_rest_work_list(struct dictionary_errand *errand, struct store *store)
{
	struct shown_list *list;
	struct order order;
	int err = pronunciation_rest_read_order(&order, errand);

	if (err)
		return err;
	list = calloc(1, sizeof(*list));
	if (!list)
		return ENOMEM;
	err = store->ops->dictionary_list(store, errand->project_id, pronunciation_rest_take, list);
	if (!err)
		err = list->err;
	if (!err)
		err = pronunciation_rest_write_page(errand, store, list, &order);
	pronunciation_rest_forget_list(list);
	return err;
}

/* One with a pronunciation is a phoneme rule; a replacement beside it is not shown. */
static bool pronunciation_rest_write_rule(const struct store_entry *row, void *arg)
{
	const struct dictionary_entry *entry = &row->said;
	struct json_write *json = arg;

	json_write_object(json, NULL);
	pronunciation_rest_write_text(json, "type", entry->ipa ? "phoneme" : "alias");
	pronunciation_rest_write_text(json, "string_to_replace", entry->word);
	if (entry->ipa) {
		pronunciation_rest_write_text(json, "phoneme", entry->ipa);
		pronunciation_rest_write_text(json, "alphabet", "ipa");
	} else {
		pronunciation_rest_write_text(json, "alias", entry->replacement);
	}
	json_write_bool(json, "case_sensitive", entry->case_sensitive);
	json_write_bool(json, "word_boundaries", true);
	json_write_object_end(json);
	return true;
}

static const struct store_page all_entries = {.limit = -1};

static int pronunciation_rest_work_get(struct dictionary_errand *errand, struct store *store)
{
	struct shown shown;
	int err = pronunciation_rest_look_up(&shown, errand, store, errand->call.ids[0]);

	if (err)
		return err;
	pronunciation_rest_write_metadata(&errand->json, &shown);
	pronunciation_rest_forget(&shown);
	json_write_list(&errand->json, "rules");
	err = store->ops->entry_list(store, errand->call.ids[0], &all_entries,
				     pronunciation_rest_write_rule, &errand->json);
	json_write_list_end(&errand->json);
	return err;
}

struct file {
	struct buf *out;
	int err;
};

static bool pronunciation_rest_write_lexeme(const struct store_entry *row, void *arg)
{
	struct file *file = arg;

	file->err = pls_write_entry(file->out, &row->said);
	return file->err == 0;
}

static int pronunciation_rest_work_download(struct dictionary_errand *errand, struct store *store)
{
	struct file file = {.out = &errand->answer};
	struct shown shown;
	int err = pronunciation_rest_look_up(&shown, errand, store, errand->call.ids[0]);

	if (err)
		return err;
	errand->answer.len = 0;
	errand->type = "application/pls+xml";
	file.err = pls_write_begin(file.out, shown.language);
	pronunciation_rest_forget(&shown);
	if (!file.err)
		err = store->ops->entry_list(store, errand->call.ids[0], &all_entries,
					     pronunciation_rest_write_lexeme, &file);
	if (!err)
		err = file.err;
	return err ? err : pls_write_end(file.out);
}

/* A new dictionary with its entries, or none of it. */
static int pronunciation_rest_create(struct dictionary_errand *errand, struct store *store,
				     const struct store_dictionary *row,
				     const struct dictionary_entries_message *entries)
{
	struct store_replaced replaced;
	struct shown shown;
	int64_t id;
	int err = store->ops->dictionary_add(store, &id, row);

	if (err)
		return dictionary_errand_refuse_dictionary(errand, err);
	err = store->ops->entry_replace(store, &replaced, id, entries->entries, entries->count,
					row->created_ms);
	if (err) {
		(void)store->ops->dictionary_remove(store, errand->project_id, id);
		return dictionary_errand_refuse_entry(errand, err);
	}
	err = pronunciation_rest_look_up(&shown, errand, store, id);
	if (err)
		return err;
	pronunciation_rest_write(&errand->json, &shown, "version");
	pronunciation_rest_forget(&shown);
	return 0;
}

static int pronunciation_rest_work_add(struct dictionary_errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct pronunciation_message message;
	struct store_dictionary row;
	int err = pronunciation_message_parse(&message, &errand->fault,
					      PRONUNCIATION_NAME | PRONUNCIATION_RULES,
					      request->body, request->body_len);

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

/* The fields of a form with a file. */
struct form {
	const char *name, *description; /* NULL: none */
	char *file;
	size_t file_len;
};

static int pronunciation_rest_read_field(struct form *form, struct stream_fault *fault,
					 const struct multipart_part *part)
{
	struct utf8_state state = {0};
	bool is_name = part->name_len == 4 && memcmp(part->name, "name", 4) == 0;
	bool is_description = part->name_len == 11 && memcmp(part->name, "description", 11) == 0;
	size_t max = is_name ? DICTIONARY_NAME_MAX : DICTIONARY_DESCRIPTION_MAX;

	if (part->name_len == 4 && memcmp(part->name, "file", 4) == 0) {
		form->file = part->bytes;
		form->file_len = part->len;
	}
	if (!is_name && !is_description)
		return 0;
	if (!utf8_check(&state, part->bytes, part->len) || !utf8_is_complete(&state) ||
	    memchr(part->bytes, '\0', part->len) || utf8_count(part->bytes, part->len) > max)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s must be text of at most %zu characters",
				 is_name ? "name" : "description", max);
	part->bytes[part->len] = '\0';
	*(is_name ? &form->name : &form->description) = part->bytes;
	return 0;
}

static int pronunciation_rest_read_form(struct form *form, struct dictionary_errand *errand)
{
	struct http_request *request = errand->call.request;
	struct multipart_part part;
	struct multipart reader;
	int err = multipart_open(&reader, http_header(request, "content-type"), request->body,
				 request->body_len);

	while (!err && (err = multipart_next(&reader, &part)) == 0)
		err = pronunciation_rest_read_field(form, &errand->fault, &part);
	if (err && err != ENOENT && errand->fault.id == WIRE_ERROR_NONE)
		return dictionary_errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
						"the body must be a form (multipart/form-data)");
	if (errand->fault.id != WIRE_ERROR_NONE)
		return EINVAL;
	if (!form->name || form->name[0] == '\0')
		return dictionary_errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
						"name is required");
	return 0;
}

static int pronunciation_rest_work_add_file(struct dictionary_errand *errand, struct store *store)
{
	struct dictionary_entries_message entries = {0};
	struct form form = {0};
	const char *language = NULL;
	struct store_dictionary row;
	int err = pronunciation_rest_read_form(&form, errand);

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
	struct shown shown;
	int err = pronunciation_message_parse(&message, &errand->fault, 0, request->body,
					      request->body_len);

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
		err = pronunciation_rest_look_up(&shown, errand, store, errand->call.ids[0]);
	if (err)
		return err;
	pronunciation_rest_write_metadata(&errand->json, &shown);
	pronunciation_rest_forget(&shown);
	return 0;
}

/* Entries with copies of their strings. */
struct kept {
	struct dictionary_entries_message list;
	int err;
};

static bool pronunciation_rest_keep(const struct store_entry *row, void *arg)
{
	struct kept *kept = arg;
	struct dictionary_entry entry = {.case_sensitive = row->said.case_sensitive};
	char *word = NULL, *replacement = NULL, *ipa = NULL;

	kept->err = pronunciation_rest_copy(&word, row->said.word);
	if (!kept->err)
		kept->err = pronunciation_rest_copy(&replacement, row->said.replacement);
	if (!kept->err)
		kept->err = pronunciation_rest_copy(&ipa, row->said.ipa);
	entry.word = word;
	entry.replacement = replacement;
	entry.ipa = ipa;
	if (!kept->err)
		kept->err = dictionary_message_add_entry(&kept->list, &entry);
	if (kept->err) {
		free(word);
		free(replacement);
		free(ipa);
	}
	return kept->err == 0;
}

static void pronunciation_rest_free_kept(struct dictionary_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		free((char *)(uintptr_t)entries[i].word);
		free((char *)(uintptr_t)entries[i].replacement);
		free((char *)(uintptr_t)entries[i].ipa);
	}
	free(entries);
}

/* The rules first, then those of the dictionary that they leave: of two with one word the first
 * stays.  With is_removal the rules themselves are left out. */
static int pronunciation_rest_merge(struct dictionary_errand *errand, struct store *store,
				    const struct dictionary_entries_message *rules, bool is_removal)
{
	int64_t id = errand->call.ids[0];
	struct store_replaced replaced;
	struct kept old = {0};
	struct dictionary_entries_message all = {0};
	size_t skip = is_removal ? rules->count : 0;
	int err = store->ops->entry_list(store, id, &all_entries, pronunciation_rest_keep, &old);

	if (!err)
		err = old.err;
	for (size_t i = 0; !err && i < rules->count; ++i)
		err = dictionary_message_add_entry(&all, &rules->entries[i]);
	for (size_t i = 0; !err && i < old.list.count; ++i)
		err = dictionary_message_add_entry(&all, &old.list.entries[i]);
	if (!err)
		err = dictionary_message_drop_twins(&all);
	if (!err)
		err = dictionary_errand_refuse_entry(
			errand,
			store->ops->entry_replace(store, &replaced, id,
						  all.count > skip ? all.entries + skip : NULL,
						  all.count - skip, clock_wall_ms()));
	dictionary_message_reset_entries(&all);
	pronunciation_rest_free_kept(old.list.entries, old.list.count);
	return err;
}

static int pronunciation_rest_replace(struct dictionary_errand *errand, struct store *store,
				      const struct dictionary_entries_message *rules)
{
	struct store_replaced replaced;

	return dictionary_errand_refuse_entry(
		errand, store->ops->entry_replace(store, &replaced, errand->call.ids[0],
						  rules->entries, rules->count, clock_wall_ms()));
}

enum rules_verb { RULES_ADD, RULES_SET, RULES_REMOVE };

static int pronunciation_rest_change_rules(struct dictionary_errand *errand, struct store *store,
					   enum rules_verb verb)
{
	struct http_request *request = errand->call.request;
	struct pronunciation_message message;
	struct shown shown;
	int err = pronunciation_message_parse(&message, &errand->fault,
					      verb == RULES_REMOVE ? PRONUNCIATION_RULE_STRINGS
								   : PRONUNCIATION_RULES,
					      request->body, request->body_len);

	if (err)
		return err;
	err = dictionary_errand_find(errand, store);
	if (!err && verb == RULES_SET)
		err = pronunciation_rest_replace(errand, store, &message.rules);
	else if (!err)
		err = pronunciation_rest_merge(
			errand, store, verb == RULES_ADD ? &message.rules : &message.rule_strings,
			verb == RULES_REMOVE);
	pronunciation_message_reset(&message);
	if (!err)
		err = pronunciation_rest_look_up(&shown, errand, store, errand->call.ids[0]);
	if (err)
		return err;
	pronunciation_rest_write_number(&errand->json, "id", shown.id);
	pronunciation_rest_write_number(&errand->json, "version_id", shown.revision);
	json_write_signed(&errand->json, "version_rules_num", shown.count);
	pronunciation_rest_forget(&shown);
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
