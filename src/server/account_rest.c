/*
 * account_rest.c: /v1/admin: accounts, their top-ups and projects.
 *
 * A master key (an admin key of the default account, see registry.h) may access all accounts.  An
 * admin key of another account sees only its own account and can create projects in it, but can
 * neither change it nor top it up.  Runs on a thread of the store (see resource.h).
 */
#include <errno.h>

#include "account/registry.h"
#include "base/clock.h"
#include "server/account_form.h"
#include "server/account_json.h"
#include "server/resource.h"

static bool account_rest_row(const struct store_account *row, void *arg)
{
	struct resource_rows *rows = arg;

	if (resource_begin_row(rows, row->id))
		account_json_write(rows->json, row, rows->request->call.server->config->currency);
	return resource_end_row(rows);
}

/* For a caller who may not see it, an account does not exist. */
static int account_rest_find(struct store_account *account, const struct store_request *request,
			     struct store *store)
{
	int64_t id = request->call.ids[0];

	return resource_sees_account(request, id) ? store->ops->account_get(store, account, id)
						  : ENOENT;
}

static int account_rest_show(struct store_request *request, struct store *store,
			     struct resource_rows *rows)
{
	struct store_account account;
	int err = account_rest_find(&account, request, store);

	if (!err)
		account_rest_row(&account, rows);
	return err;
}

static int account_rest_show_all(struct store_request *request, struct store *store,
				 struct resource_rows *rows)
{
	if (registry_is_master(&request->key))
		return store->ops->account_list(store, account_rest_row, rows);
	request->call.ids[0] = request->key.account_id;
	return account_rest_show(request, store, rows);
}

/* A name that is a number would be taken for an id by commands; a misspelt plan would mean no
 * plan. */
static int account_rest_read(struct account_form *form, struct store_request *request, bool is_new)
{
	struct http_request *http = request->call.request;
	int err = account_form_read(form, &request->fault, http->body, http->body_len, is_new);

	if (!err && form->name && registry_is_number(form->name))
		return store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST,
					    "name must not be a number");
	if (!err && form->plan && !config_has_plan(request->call.server->config, form->plan))
		return store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST,
					    "plan must be one of the server's configuration");
	return err;
}

static int account_rest_write(struct store_request *request, struct store *store, bool is_new)
{
	struct account_form form = {
		.row = {.limits = STORE_LIMITS_PLAN, .created_ms = clock_wall_ms()}};
	int err = is_new ? 0 : account_rest_find(&form.row, request, store);
	unsigned fields;

	if (!err)
		err = resource_need_master(request);
	if (!err)
		err = account_rest_read(&form, request, is_new);
	if (err)
		return err;
	if (is_new) {
		err = registry_add_account(store, &form.row);
		request->call.ids[0] = form.row.id;
		return err;
	}
	if (form.row.closed_ms && form.row.id == STORE_ACCOUNT_DEFAULT)
		return store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST,
					    "the default account stays open");
	fields = form.body.fields & ACCOUNT_FORM_ROW;
	return fields ? store->ops->account_change(store, form.row.id, fields, &form.row) : 0;
}

static const struct resource_refusal account_refusals[] = {
	{ENOENT, WIRE_ERROR_ACCOUNT_NOT_FOUND, ""},
	{EEXIST, WIRE_ERROR_INVALID_REQUEST, "another account has this name"},
	{0},
};

const struct resource account_rest_accounts = {
	.subject = &store_subject_accounts,
	.name = "accounts",
	.paging = RESOURCE_BY_ID,
	.refusals = account_refusals,
	.list = account_rest_show_all,
	.get = account_rest_show,
	.write = account_rest_write,
};

static int account_rest_look_up(struct store_request *request, struct store *store)
{
	struct store_account account;

	return account_rest_find(&account, request, store);
}

static bool account_rest_top_up_row(const struct store_top_up *row, void *arg)
{
	if (resource_begin_row(arg, 0))
		account_json_write_top_up(((struct resource_rows *)arg)->json, row);
	return resource_end_row(arg);
}

static int account_rest_show_top_ups(struct store_request *request, struct store *store,
				     struct resource_rows *rows)
{
	return store->ops->top_up_list(store, request->call.ids[0], account_rest_top_up_row, rows);
}

static int account_rest_write_top_up(struct store_request *request, struct store *store,
				     bool is_new)
{
	struct http_request *http = request->call.request;
	struct top_up_form form = {
		.row = {.at_ms = clock_wall_ms(), .account_id = request->call.ids[0]}};
	int err = account_rest_look_up(request, store);

	(void)is_new; /* always true: there is no PATCH */
	if (!err)
		err = resource_need_master(request);
	if (!err)
		err = account_form_read_top_up(&form, &request->fault, http->body, http->body_len);
	if (!err)
		err = registry_top_up(store, &form.row);
	if (!err)
		account_json_write_top_up(&request->json, &form.row);
	return err;
}

static const struct resource_refusal top_up_refusals[] = {
	{ENOENT, WIRE_ERROR_ACCOUNT_NOT_FOUND, ""},
	{EEXIST, WIRE_ERROR_INVALID_REQUEST,
	 "a top-up of this id was booked with another amount or account: nothing was changed"},
	{EOVERFLOW, WIRE_ERROR_INVALID_REQUEST,
	 "the account's credit would be more than can be counted"},
	{0},
};

const struct resource account_rest_top_ups = {
	.subject = &store_subject_accounts,
	.name = "top_ups",
	.refusals = top_up_refusals,
	.scope = account_rest_look_up,
	.list = account_rest_show_top_ups,
	.write = account_rest_write_top_up,
};

static bool account_rest_project_row(const struct store_project *row, void *arg)
{
	if (resource_begin_row(arg, row->id))
		account_json_write_project(((struct resource_rows *)arg)->json, row);
	return resource_end_row(arg);
}

static int account_rest_show_projects(struct store_request *request, struct store *store,
				      struct resource_rows *rows)
{
	bool is_master = registry_is_master(&request->key);

	return store->ops->project_list(store, is_master ? 0 : request->key.account_id,
					account_rest_project_row, rows);
}

static int account_rest_write_project(struct store_request *request, struct store *store,
				      bool is_new)
{
	struct http_request *http = request->call.request;
	struct project_form form = {.row = {.created_ms = clock_wall_ms()}};
	int err = account_form_read_project(&form, &request->fault, http->body, http->body_len);

	(void)is_new; /* always true: there is no PATCH */
	if (err)
		return err;
	if (!form.row.account_id)
		form.row.account_id = request->key.account_id;
	err = resource_sees_account(request, form.row.account_id)
		      ? store->ops->project_add(store, &form.row)
		      : ENOENT;
	if (!err)
		account_json_write_project(&request->json, &form.row);
	return err;
}

static const struct resource_refusal project_refusals[] = {
	{ENOENT, WIRE_ERROR_ACCOUNT_NOT_FOUND, ""},
	{EINVAL, WIRE_ERROR_ACCOUNT_NOT_FOUND, ""},
	{EEXIST, WIRE_ERROR_INVALID_REQUEST, "another project of the account has this name"},
	{EDQUOT, WIRE_ERROR_INVALID_REQUEST,
	 "an account may have " RESOURCE_NUMBER(STORE_PROJECTS_MAX) " projects"},
	{0},
};

const struct resource account_rest_projects = {
	.subject = &store_subject_accounts,
	.name = "projects",
	.paging = RESOURCE_BY_ID,
	.refusals = project_refusals,
	.list = account_rest_show_projects,
	.write = account_rest_write_project,
};
