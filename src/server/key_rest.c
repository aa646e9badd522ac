/*
 * key_rest.c: /v1/admin/keys: the API keys.
 *
 * The text of a key is only in the answer to the request that created it.  A master key (see
 * registry.h) may access the keys of all accounts, another admin key those of its own account.  Runs
 * on a thread of the store (see resource.h).
 */
#include <errno.h>
#include <string.h>

#include "account/registry.h"
#include "base/clock.h"
#include "server/account_form.h"
#include "server/account_json.h"
#include "server/query.h"
#include "server/resource.h"

/* Reads which account's keys are to be listed: the caller's own or, with a master key, any account's
 * (0: those of all accounts). */
static int key_rest_read_account(struct store_request *request, struct store *store)
{
	bool is_master = registry_is_master(&request->key);
	int err = query_number(
		&request->account_id, &request->fault, request->call.request, "account_id",
		&(struct query_range){1, INT64_MAX, is_master ? 0 : request->key.account_id});

	(void)store;
	if (err || resource_sees_account(request, request->account_id))
		return err;
	return store_request_refuse(request, WIRE_ERROR_ACCOUNT_NOT_FOUND, "");
}

/* Finds the key that the path names by its prefix.  For the caller, a key of another account does
 * not exist. */
static int key_rest_find(struct store_key *key, const struct store_request *request,
			 struct store *store)
{
	char prefix[STORE_KEY_PREFIX_LEN + 1] = "";
	const char *text = request->call.id_texts[0];
	int err = ENOENT;

	if (strcspn(text, "/") == STORE_KEY_PREFIX_LEN) {
		memcpy(prefix, text, STORE_KEY_PREFIX_LEN);
		err = store->ops->key_find(store, key, prefix);
	}
	return !err && !resource_sees_account(request, key->account_id) ? ENOENT : err;
}

static bool key_rest_row(const struct store_key *row, void *arg)
{
	struct resource_rows *rows = arg;
	int64_t account_id = rows->request->account_id;

	if (account_id && row->account_id != account_id)
		return true;
	if (resource_begin_row(rows, row->id))
		account_json_write_key(rows->json, row);
	return resource_end_row(rows);
}

static int key_rest_show_all(struct store_request *request, struct store *store,
			     struct resource_rows *rows)
{
	(void)request;
	return store->ops->key_list(store, key_rest_row, rows);
}

static int key_rest_show(struct store_request *request, struct store *store,
			 struct resource_rows *rows)
{
	struct store_key key;
	int err = key_rest_find(&key, request, store);

	if (!err)
		key_rest_row(&key, rows);
	return err;
}

/* Checks the account and project of a new key.  If none is named, it gets the oldest project of the
 * account. */
static int key_rest_choose_project(struct store_key *key, struct store_request *request,
				   struct store *store)
{
	int64_t account_id = key->account_id;
	struct store_project project;
	int err;

	if (account_id && !resource_sees_account(request, account_id))
		return store_request_refuse(request, WIRE_ERROR_ACCOUNT_NOT_FOUND, "");
	/* A master key that names a project need not name its account. */
	if (!account_id && !(registry_is_master(&request->key) && key->project_id))
		account_id = request->key.account_id;
	err = registry_find_project(store, &project, account_id, key->project_id);
	if (err == ENOENT)
		return store_request_refuse(request, WIRE_ERROR_PROJECT_NOT_FOUND, "");
	key->project_id = project.id;
	return err;
}

static int key_rest_add_row(struct store_key *key, struct store_request *request,
			    struct store *store)
{
	char text[API_KEY_LEN + 1];
	int err = key_rest_choose_project(key, request, store);

	if (!err)
		err = registry_add_key(store, text, key);
	if (err)
		return err;
	json_write_string(&request->json, "key", text, strlen(text));
	explicit_bzero(text, sizeof(text));
	memcpy(request->new_prefix, key->prefix, sizeof(request->new_prefix));
	request->call.id_texts[0] = request->new_prefix;
	return 0;
}

static int key_rest_write(struct store_request *request, struct store *store, bool is_new)
{
	struct http_request *http = request->call.request;
	struct key_form form = {.row = {.scopes = STORE_SCOPES_USUAL,
					.credit_cents = -1,
					.limits = STORE_LIMITS_PLAN}};
	int err = is_new ? 0 : key_rest_find(&form.row, request, store);
	unsigned fields;

	if (!err)
		err = account_form_read_key(&form, &request->fault, http->body, http->body_len,
					    is_new);
	if (err)
		return err;
	if (is_new)
		return key_rest_add_row(&form.row, request, store);
	fields = form.body.fields & ACCOUNT_FORM_ROW;
	return fields ? store->ops->key_change(store, form.row.prefix, fields, &form.row) : 0;
}

static int key_rest_end(struct store_request *request, struct store *store)
{
	struct store_key key;
	int err = key_rest_find(&key, request, store);

	return err ? err : store->ops->key_revoke(store, key.prefix, clock_wall_ms());
}

static const struct resource_refusal key_refusals[] = {
	{ENOENT, WIRE_ERROR_KEY_NOT_FOUND, ""},
	{EDQUOT, WIRE_ERROR_INVALID_REQUEST,
	 "an account may have " RESOURCE_NUMBER(STORE_KEYS_MAX) " keys in force, and " RESOURCE_NUMBER(
		 STORE_KEYS_EVER_MAX) " with those that were revoked or have expired"},
	{0},
};

const struct resource key_rest_keys = {
	.subject = &store_subject_accounts,
	.name = "keys",
	.paging = RESOURCE_BY_ID,
	.refusals = key_refusals,
	.scope = key_rest_read_account,
	.list = key_rest_show_all,
	.get = key_rest_show,
	.write = key_rest_write,
	.remove = key_rest_end,
	.is_kept = true,
};
