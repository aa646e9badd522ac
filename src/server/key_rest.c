/*
 * key_rest.c: /v1/admin/keys: who may speak.
 *
 * A key's text is in the answer that made it and nowhere else.  Whose keys one may
 * see and change: see account_rest.c.  Runs on the account's thread (see errand.h)
 * but for the routes, at the end.
 */
#include <errno.h>
#include <string.h>

#include "account/registry.h"
#include "account/scopes.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "server/account_json.h"
#include "server/listing.h"
#include "server/query.h"
#include "wire/account_message.h"

/* The account that is asked about: the asker's, or for a master key any. */
static int read_account(int64_t *id, struct errand *errand, int64_t absent)
{
	bool is_master = registry_is_master(&errand->key);
	int err = query_number(
		id, &errand->fault, errand->call.request, "account_id",
		&(struct query_range){1, INT64_MAX, is_master ? absent : errand->key.account_id});

	if (err || is_master || *id == errand->key.account_id)
		return err;
	return errand_refuse(errand, WIRE_ERROR_ACCOUNT_NOT_FOUND, "%s", "");
}

/* The key that the path names by its first letters; of another account it is none. */
static int find(struct store_key *key, struct errand *errand, struct store *store)
{
	char prefix[STORE_KEY_PREFIX_LEN + 1] = "";
	const char *text = errand->call.id_texts[0];
	int err = ENOENT;

	if (strcspn(text, "/") == STORE_KEY_PREFIX_LEN) {
		memcpy(prefix, text, STORE_KEY_PREFIX_LEN);
		err = store->ops->key_find(store, key, prefix);
	}
	if (!err && !registry_is_master(&errand->key) && key->account_id != errand->key.account_id)
		err = ENOENT;
	return err == ENOENT ? errand_refuse(errand, WIRE_ERROR_KEY_NOT_FOUND, "%s", "") : err;
}

static int show(struct errand *errand, struct store *store, const char *prefix)
{
	struct store_key key;
	int err = store->ops->key_find(store, &key, prefix);

	if (!err)
		account_json_write_key(&errand->json, &key);
	return err;
}

static bool write_key(const struct store_key *row, void *arg)
{
	struct listing *listing = arg;
	struct json_write *json = &listing->errand->json;

	if (listing->account_id && row->account_id != listing->account_id)
		return true;
	if (!listing_shows(listing, row->id))
		return !listing->has_more;
	json_write_object(json, NULL);
	account_json_write_key(json, row);
	json_write_object_end(json);
	return true;
}

static int list(struct errand *errand, struct store *store)
{
	struct listing listing = {0};
	int err = read_account(&listing.account_id, errand, 0);

	if (!err)
		err = listing_open(&listing, errand, "keys");
	if (err)
		return err;
	err = store->ops->key_list(store, write_key, &listing);
	listing_close(&listing);
	return err;
}

static int get(struct errand *errand, struct store *store)
{
	struct store_key key;
	int err = find(&key, errand, store);

	if (!err)
		account_json_write_key(&errand->json, &key);
	return err;
}

static int take_expiry(struct store_key *key, struct errand *errand,
		       const struct key_message *message)
{
	if (message->body.fields & ACCOUNT_MESSAGE_EXPIRES_IN)
		key->expires_ms = clock_wall_ms() + message->expires_in * 1000;
	if (!(message->body.fields & ACCOUNT_MESSAGE_EXPIRES_AT))
		return 0;
	key->expires_ms = 0;
	if (message->expires_at && (calendar_parse(&key->expires_ms, message->expires_at) != 0 ||
				    key->expires_ms <= clock_wall_ms()))
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST, "%s",
				     "expires_at must be a moment to come, like "
				     "2027-01-01T00:00:00Z, or null");
	return 0;
}

static int take_scopes(struct store_key *key, struct errand *errand,
		       const struct key_message *message)
{
	const char *bad;

	if (!(message->body.fields & ACCOUNT_MESSAGE_SCOPES))
		return 0;
	if (scopes_parse(&key->scopes, message->scopes.text, &bad) == 0)
		return 0;
	return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
			     "scopes must be some of speak, read, dictionaries, voices, admin "
			     "(got \"%.*s\")",
			     (int)strcspn(bad, ","), bad);
}

/* What the message says becomes part of the row; *fields are those that it names. */
static int take_message(struct store_key *key, unsigned *fields, struct errand *errand,
			const struct key_message *message)
{
	unsigned given = message->body.fields;
	int err = take_scopes(key, errand, message);

	if (!err)
		err = take_expiry(key, errand, message);
	if (given & ACCOUNT_MESSAGE_NAME)
		account_json_copy(key->name, message->name);
	if (given & ACCOUNT_MESSAGE_CREDIT)
		key->credit_cents = message->credit_cents;
	account_json_take_limits(&key->limits, given, &message->limits);
	*fields = (given & ACCOUNT_MESSAGE_NAME ? STORE_KEY_NAME : 0u) |
		  (given & ACCOUNT_MESSAGE_SCOPES ? STORE_KEY_SCOPES : 0u) |
		  (given & ACCOUNT_MESSAGE_LIMITS ? STORE_KEY_LIMITS : 0u) |
		  (given & ACCOUNT_MESSAGE_CREDIT ? STORE_KEY_CREDIT : 0u) |
		  (given & (ACCOUNT_MESSAGE_EXPIRES_AT | ACCOUNT_MESSAGE_EXPIRES_IN)
			   ? STORE_KEY_EXPIRES
			   : 0u);
	return err;
}

/* The project that it names, or the first of the account. */
static int find_project(int64_t *project_id, struct errand *errand, struct store *store,
			const struct key_message *message)
{
	bool is_master = registry_is_master(&errand->key);
	int64_t account_id = message->account_id;
	struct store_project project;
	int err;

	if (!is_master && account_id && account_id != errand->key.account_id)
		return errand_refuse(errand, WIRE_ERROR_ACCOUNT_NOT_FOUND, "%s", "");
	/* A master key that names a project need not say whose it is. */
	if (!account_id && !(is_master && message->project_id))
		account_id = errand->key.account_id;
	err = registry_find_project(store, &project, account_id, message->project_id);
	if (err == ENOENT)
		return errand_refuse(errand, WIRE_ERROR_PROJECT_NOT_FOUND, "%s", "");
	*project_id = project.id;
	return err;
}

static int add(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct store_key key = {
		.scopes = STORE_SCOPES_USUAL, .credit_cents = -1, .limits = STORE_LIMITS_PLAN};
	struct key_message message;
	char text[ACCOUNT_KEY_LEN + 1];
	unsigned fields;
	int err = account_message_parse_key(&message, &errand->fault, request->body,
					    request->body_len, true);

	if (!err)
		err = take_message(&key, &fields, errand, &message);
	if (!err)
		err = find_project(&key.project_id, errand, store, &message);
	if (!err)
		err = registry_add_key(store, text, &key);
	if (err == EDQUOT)
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
				     "an account may have %d keys in force, and %d with those that "
				     "were revoked or have expired",
				     STORE_KEYS_MAX, STORE_KEYS_EVER_MAX);
	if (err)
		return err;
	errand->status = 201;
	json_write_string(&errand->json, "key", text, strlen(text));
	explicit_bzero(text, sizeof(text));
	return show(errand, store, key.prefix);
}

static int change(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct key_message message;
	struct store_key key;
	unsigned fields;
	int err = find(&key, errand, store);

	if (!err)
		err = account_message_parse_key(&message, &errand->fault, request->body,
						request->body_len, false);
	if (!err)
		err = take_message(&key, &fields, errand, &message);
	if (!err && fields)
		err = store->ops->key_change(store, key.prefix, fields, &key);
	return err ? err : show(errand, store, key.prefix);
}

static int revoke_it(struct errand *errand, struct store *store)
{
	struct store_key key;
	int err = find(&key, errand, store);

	if (!err)
		err = store->ops->key_revoke(store, key.prefix, clock_wall_ms());
	return err ? err : show(errand, store, key.prefix);
}

/* The routes, on the loop. */

void key_rest_list(const struct route_call *call)
{
	errand_run(call, list, ERRAND_READ);
}

void key_rest_add(const struct route_call *call)
{
	errand_run(call, add, ERRAND_CHANGE);
}

void key_rest_get(const struct route_call *call)
{
	errand_run(call, get, ERRAND_READ);
}

void key_rest_change(const struct route_call *call)
{
	errand_run(call, change, ERRAND_CHANGE);
}

void key_rest_revoke(const struct route_call *call)
{
	errand_run(call, revoke_it, ERRAND_CHANGE);
}
