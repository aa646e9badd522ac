/*
 * account_rest.c: /v1/admin: accounts, their top-ups and projects.
 *
 * A master key acts on all accounts; an admin key of another account sees its own
 * alone, makes projects in it, and cannot change what it may use.  Runs on the
 * account's thread (see errand.h) but for the routes, at the end.
 */
#include <errno.h>
#include <stdio.h>

#include "account/registry.h"
#include "base/clock.h"
#include "server/account_json.h"
#include "server/listing.h"
#include "wire/account_message.h"

#define ROOM(type, member) (sizeof(((struct type *)0)->member) - 1)
_Static_assert(ACCOUNT_MESSAGE_NAME_MAX == ROOM(store_account, name) &&
		       ACCOUNT_MESSAGE_NAME_MAX == ROOM(store_top_up, note) &&
		       ACCOUNT_MESSAGE_TOP_UP_ID_MAX == ROOM(store_top_up, id) &&
		       ACCOUNT_MESSAGE_PATH_MAX == ROOM(store_token, path),
	       "what a message may hold has room in a row");

/* Limits mean the same in a message and in a row. */
enum { NO_LIMIT = STORE_LIMIT_NONE, OF_PLAN = STORE_LIMIT_PLAN };
_Static_assert(ACCOUNT_MESSAGE_NO_LIMIT == NO_LIMIT && ACCOUNT_MESSAGE_OF_PLAN == OF_PLAN, "");

static bool is_masters(const struct errand *errand)
{
	return registry_is_master(&errand->key);
}

static int refuse_others(struct errand *errand)
{
	return errand_refuse(errand, WIRE_ERROR_FORBIDDEN, "%s", "it takes a master key");
}

/* One that may not be seen is not there. */
static int find(struct store_account *account, struct errand *errand, struct store *store)
{
	int64_t id = errand->call.ids[0];
	int err = is_masters(errand) || id == errand->key.account_id
			  ? store->ops->account_get(store, account, id)
			  : ENOENT;

	return err == ENOENT ? errand_refuse(errand, WIRE_ERROR_ACCOUNT_NOT_FOUND, "%s", "") : err;
}

static int refuse(struct errand *errand, int err)
{
	if (err == EEXIST)
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST, "%s",
				     "another account has this name");
	return err == ENOENT ? errand_refuse(errand, WIRE_ERROR_ACCOUNT_NOT_FOUND, "%s", "") : err;
}

static void account_rest_write(struct errand *errand, const struct store_account *row)
{
	account_json_write(&errand->json, row, errand->call.server->config->currency);
}

static int show(struct errand *errand, struct store *store, int64_t id)
{
	struct store_account account;
	int err = store->ops->account_get(store, &account, id);

	if (!err)
		account_rest_write(errand, &account);
	return err;
}

static bool write_account(const struct store_account *row, void *arg)
{
	struct listing *listing = arg;
	struct json_write *json = &listing->errand->json;

	if (!listing_shows(listing, row->id))
		return !listing->has_more;
	json_write_object(json, NULL);
	account_rest_write(listing->errand, row);
	json_write_object_end(json);
	return true;
}

static int list(struct errand *errand, struct store *store)
{
	struct listing listing = {0};
	struct store_account own;
	int err = listing_open(&listing, errand, "accounts");

	if (err)
		return err;
	if (is_masters(errand)) {
		err = store->ops->account_list(store, write_account, &listing);
	} else {
		err = store->ops->account_get(store, &own, errand->key.account_id);
		if (!err)
			write_account(&own, &listing);
	}
	listing_close(&listing);
	return err;
}

static int get(struct errand *errand, struct store *store)
{
	struct store_account account;
	int err = find(&account, errand, store);

	if (!err)
		account_rest_write(errand, &account);
	return err;
}

/* What the message says becomes part of the row; the fields that it names. */
static unsigned take_message(struct store_account *account, const struct account_message *message)
{
	unsigned given = message->body.fields;

	account_json_take_limits(&account->limits, given, &message->limits);
	if (given & ACCOUNT_MESSAGE_NAME)
		account_json_copy(account->name, message->name);
	if (given & ACCOUNT_MESSAGE_PLAN)
		account_json_copy(account->plan, message->plan);
	if (given & ACCOUNT_MESSAGE_PREPAID)
		account->is_prepaid = message->is_prepaid;
	if (given & ACCOUNT_MESSAGE_CLOSED && !message->is_closed)
		account->closed_ms = 0;
	else if (given & ACCOUNT_MESSAGE_CLOSED && !account->closed_ms)
		account->closed_ms = clock_wall_ms();
	return (given & ACCOUNT_MESSAGE_NAME ? STORE_ACCOUNT_NAME : 0u) |
	       (given & ACCOUNT_MESSAGE_PLAN ? STORE_ACCOUNT_PLAN : 0u) |
	       (given & ACCOUNT_MESSAGE_PREPAID ? STORE_ACCOUNT_PREPAID : 0u) |
	       (given & ACCOUNT_MESSAGE_LIMITS ? STORE_ACCOUNT_LIMITS : 0u) |
	       (given & ACCOUNT_MESSAGE_CLOSED ? STORE_ACCOUNT_CLOSED : 0u);
}

/* A name that is a number would be taken for an id, a plan that is misspelt would be
 * none. */
static int check_message(struct errand *errand, const struct account_message *message)
{
	if (message->name && registry_is_number(message->name))
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
				     "name must not be a number");
	if (!message->plan || config_has_plan(errand->call.server->config, message->plan))
		return 0;
	return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
			     "plan must be one of the server's configuration");
}

static int add(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct store_account account = {.limits = STORE_LIMITS_PLAN, .created_ms = clock_wall_ms()};
	struct account_message message;
	int err;

	if (!is_masters(errand))
		return refuse_others(errand);
	err = account_message_parse(&message, &errand->fault, request->body, request->body_len,
				    true);
	if (!err)
		err = check_message(errand, &message);
	if (err)
		return err;
	take_message(&account, &message);
	err = registry_add_account(store, &account);
	if (err)
		return refuse(errand, err);
	errand->status = 201;
	return show(errand, store, account.id);
}

static int change(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct account_message message;
	struct store_account account;
	unsigned fields;
	int err = find(&account, errand, store);

	if (!err && !is_masters(errand))
		return refuse_others(errand);
	if (!err)
		err = account_message_parse(&message, &errand->fault, request->body,
					    request->body_len, false);
	if (!err)
		err = check_message(errand, &message);
	if (err)
		return err;
	fields = take_message(&account, &message);
	if (account.closed_ms && account.id == STORE_ACCOUNT_DEFAULT)
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST, "%s",
				     "the default account stays open");
	if (fields)
		err = store->ops->account_change(store, account.id, fields, &account);
	return err ? refuse(errand, err) : show(errand, store, account.id);
}

static bool write_top_up(const struct store_top_up *row, void *arg)
{
	json_write_object(arg, NULL);
	account_json_write_top_up(arg, row);
	json_write_object_end(arg);
	return true;
}

static int list_top_ups(struct errand *errand, struct store *store)
{
	struct store_account account = {0};
	int err = find(&account, errand, store);

	if (err)
		return err;
	json_write_list(&errand->json, "top_ups");
	err = store->ops->top_up_list(store, account.id, write_top_up, &errand->json);
	json_write_list_end(&errand->json);
	return err;
}

static int book(struct errand *errand, struct store *store, struct store_top_up *row)
{
	int err = registry_top_up(store, row);

	if (err == EEXIST)
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST, "%s",
				     "a top-up of this id was booked with another amount or "
				     "account: nothing was changed");
	if (err == EOVERFLOW)
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST, "%s",
				     "the account's credit would be more than can be counted");
	return err;
}

static int add_top_up(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct store_top_up row = {.at_ms = clock_wall_ms()};
	struct top_up_message message;
	struct store_account account = {0};
	int err = find(&account, errand, store);

	if (!err && !is_masters(errand))
		return refuse_others(errand);
	if (!err)
		err = account_message_parse_top_up(&message, &errand->fault, request->body,
						   request->body_len);
	if (err)
		return err;
	snprintf(row.id, sizeof(row.id), "%s", message.id);
	account_json_copy(row.note, message.note);
	row.account_id = account.id;
	row.amount_microcents = message.amount_microcents;
	err = book(errand, store, &row);
	if (err)
		return err;
	errand->status = 201;
	account_json_write_top_up(&errand->json, &row);
	return 0;
}

static bool write_project(const struct store_project *row, void *arg)
{
	struct listing *listing = arg;
	struct json_write *json = &listing->errand->json;

	if (!listing_shows(listing, row->id))
		return !listing->has_more;
	json_write_object(json, NULL);
	account_json_write_project(json, row);
	json_write_object_end(json);
	return true;
}

static int list_projects(struct errand *errand, struct store *store)
{
	struct listing listing = {0};
	int err = listing_open(&listing, errand, "projects");

	if (!err)
		err = store->ops->project_list(store,
					       is_masters(errand) ? 0 : errand->key.account_id,
					       write_project, &listing);
	listing_close(&listing);
	return err;
}

static int add_project(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct store_project project = {.created_ms = clock_wall_ms()};
	struct project_message message;
	int err = account_message_parse_project(&message, &errand->fault, request->body,
						request->body_len);

	if (err)
		return err;
	project.account_id = message.account_id ? message.account_id : errand->key.account_id;
	if (!is_masters(errand) && project.account_id != errand->key.account_id)
		return errand_refuse(errand, WIRE_ERROR_ACCOUNT_NOT_FOUND, "%s", "");
	account_json_copy(project.name, message.name);
	err = store->ops->project_add(store, &project);
	if (err == EEXIST)
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST, "%s",
				     "another project of the account has this name");
	if (err == EINVAL)
		return errand_refuse(errand, WIRE_ERROR_ACCOUNT_NOT_FOUND, "%s", "");
	if (err == EDQUOT)
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
				     "an account may have %d projects", STORE_PROJECTS_MAX);
	if (err)
		return err;
	errand->status = 201;
	account_json_write_project(&errand->json, &project);
	return 0;
}

/* The routes, on the loop. */

void account_rest_list(const struct route_call *call)
{
	errand_run(call, list, ERRAND_READ);
}

void account_rest_add(const struct route_call *call)
{
	errand_run(call, add, ERRAND_CHANGE);
}

void account_rest_get(const struct route_call *call)
{
	errand_run(call, get, ERRAND_READ);
}

void account_rest_change(const struct route_call *call)
{
	errand_run(call, change, ERRAND_CHANGE);
}

void account_rest_list_top_ups(const struct route_call *call)
{
	errand_run(call, list_top_ups, ERRAND_READ);
}

void account_rest_add_top_up(const struct route_call *call)
{
	errand_run(call, add_top_up, ERRAND_CHANGE);
}

void account_rest_list_projects(const struct route_call *call)
{
	errand_run(call, list_projects, ERRAND_READ);
}

void account_rest_add_project(const struct route_call *call)
{
	errand_run(call, add_project, ERRAND_CHANGE);
}
