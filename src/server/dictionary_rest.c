/*
 * dictionary_rest.c: /v1/dictionaries and what is below it (see dictionary_errand.h).
 */
#include <errno.h>

#include "account/registry.h"
#include "base/clock.h"
#include "base/mem.h"
#include "server/dictionary_errand.h"
#include "server/dictionary_json.h"

/* From here on up to the routes all runs on the store's thread. */

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

static int show(struct dictionary_errand *errand, struct store *store, int64_t id)
{
	int err = store->ops->dictionary_get(store, errand->project_id, id, write_dictionary,
					     &errand->json);

	return dictionary_errand_refuse_dictionary(errand, err);
}

static int list(struct dictionary_errand *errand, struct store *store)
{
	int err;

	json_write_list(&errand->json, "dictionaries");
	err = store->ops->dictionary_list(store, errand->project_id, write_one_of_many,
					  &errand->json);
	json_write_list_end(&errand->json);
	return err;
}

static int get(struct dictionary_errand *errand, struct store *store)
{
	return show(errand, store, errand->call.ids[0]);
}

static int add(struct dictionary_errand *errand, struct store *store)
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
	err = store->ops->dictionary_add(store, &id, &row, NULL, 0);
	if (err == ENOENT)
		return dictionary_errand_refuse(errand, WIRE_ERROR_PROJECT_NOT_FOUND, "");
	if (err)
		return dictionary_errand_refuse_dictionary(errand, err);
	errand->status = 201;
	return show(errand, store, id);
}

static int change(struct dictionary_errand *errand, struct store *store)
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
	return err ? dictionary_errand_refuse_dictionary(errand, err) : show(errand, store, id);
}

static int remove_it(struct dictionary_errand *errand, struct store *store)
{
	int err = store->ops->dictionary_remove(store, errand->project_id, errand->call.ids[0]);

	json_write_bool(&errand->json, "deleted", true);
	return dictionary_errand_refuse_dictionary(errand, err);
}

static int list_entries(struct dictionary_errand *errand, struct store *store)
{
	int64_t id = errand->call.ids[0];
	int64_t total = 0;
	int err = dictionary_errand_find(errand, store);

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

static int show_entry(struct dictionary_errand *errand, struct store *store, int64_t id)
{
	int err = store->ops->entry_get(store, errand->call.ids[0], id, write_entry, &errand->json);

	return dictionary_errand_refuse_entry(errand, err);
}

static int add_entry(struct dictionary_errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct dictionary_entry_message message;
	int64_t id;
	int err = dictionary_message_parse_entry(&message, &errand->fault, request->body,
						 request->body_len, true);

	if (!err)
		err = dictionary_errand_find(errand, store);
	if (err)
		return err;
	err = store->ops->entry_add(store, &id, errand->call.ids[0], &message.said,
				    clock_wall_ms());
	if (err)
		return dictionary_errand_refuse_entry(errand, err);
	errand->status = 201;
	return show_entry(errand, store, id);
}

static int change_entry(struct dictionary_errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct dictionary_entry_message message;
	const int64_t *ids = errand->call.ids;
	int err = dictionary_message_parse_entry(&message, &errand->fault, request->body,
						 request->body_len, false);

	if (!err)
		err = dictionary_errand_find(errand, store);
	if (err)
		return err;
	err = store->ops->entry_change(store, ids[0], ids[1], message.body.fields, &message.said,
				       clock_wall_ms());
	return err ? dictionary_errand_refuse_entry(errand, err)
		   : show_entry(errand, store, ids[1]);
}

static int remove_entry(struct dictionary_errand *errand, struct store *store)
{
	int err = dictionary_errand_find(errand, store);

	if (err)
		return err;
	err = store->ops->entry_remove(store, errand->call.ids[0], errand->call.ids[1]);
	json_write_bool(&errand->json, "deleted", true);
	return dictionary_errand_refuse_entry(errand, err);
}

static int replace_entries(struct dictionary_errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct dictionary_entries_message message;
	struct store_replaced replaced;
	int err = dictionary_message_parse_entries(&message, &errand->fault, request->body,
						   request->body_len, STORE_ENTRIES_MAX);

	if (err)
		return err;
	err = dictionary_errand_find(errand, store);
	if (!err) {
		err = store->ops->entry_replace(store, &replaced, errand->call.ids[0],
						message.entries, message.count, clock_wall_ms());
		err = err == ENOENT ? dictionary_errand_refuse_dictionary(errand, err)
				    : dictionary_errand_refuse_entry(errand, err);
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
	dictionary_errand_run(call, list, false);
}

void dictionary_rest_add(const struct route_call *call)
{
	dictionary_errand_run(call, add, true);
}

void dictionary_rest_get(const struct route_call *call)
{
	dictionary_errand_run(call, get, false);
}

void dictionary_rest_change(const struct route_call *call)
{
	dictionary_errand_run(call, change, true);
}

void dictionary_rest_remove(const struct route_call *call)
{
	dictionary_errand_run(call, remove_it, true);
}

void dictionary_rest_list_entries(const struct route_call *call)
{
	dictionary_errand_run(call, list_entries, false);
}

void dictionary_rest_add_entry(const struct route_call *call)
{
	dictionary_errand_run(call, add_entry, true);
}

void dictionary_rest_change_entry(const struct route_call *call)
{
	dictionary_errand_run(call, change_entry, true);
}

void dictionary_rest_remove_entry(const struct route_call *call)
{
	dictionary_errand_run(call, remove_entry, true);
}

void dictionary_rest_replace_entries(const struct route_call *call)
{
	dictionary_errand_run(call, replace_entries, true);
}

static void on_reloaded(int err, void *arg)
{
	struct dictionary_errand *errand = arg;

	if (err)
		dictionary_errand_answer_refusal(errand, err);
	else
		answer_empty(&errand->call);
	mem_deref(errand);
}

/* For whoever has changed the database by hand.  The id is the project's. */
void dictionary_rest_invalidate(const struct route_call *call)
{
	struct dictionaries *dictionaries = call->server->dictionaries;
	struct dictionary_errand *errand;

	if (call->ids[0] != call->key->project_id && !registry_is_master(call->key)) {
		answer_error(call, WIRE_ERROR_FORBIDDEN, "it is not the key's project");
		return;
	}
	if (!dictionaries_has(dictionaries, call->ids[0])) {
		answer_empty(call);
		return;
	}
	errand = mem_zalloc(sizeof(*errand), dictionary_errand_destroy);
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
