/*
 * callers.c: the API keys in use, in memory (see callers.h).
 *
 *   check --> known: answered at the end of the current callback
 *         --> unknown, or the store has changed since it was read: the key and its account are
 *             looked up in the store
 *         --> no credit on this server: answered when the store has answered the lease request
 */
#include "account/callers.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "account/callers_private.h"
#include "account/signed_path.h"
#include "account/single_use_token.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

/* Looks up a key and its account in the store. */
struct callers_look_up {
	struct callers_query query;
	struct callers_check *check;
	bool is_token; /* a single-use token */
	bool is_signed; /* a signed path */
	struct signed_path signature;
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	uint8_t hash[STORE_KEY_HASH_LEN];
	char path[STORE_PATH_MAX + 1];
	struct store_key key_row;
	struct store_account account_row;
};

struct callers_check {
	struct callers *callers;
	struct link link;
	struct deferred deferred;
	struct key_state *key; /* NULL until it has been found */
	bool is_token; /* it can only speak: a single-use token or a signed path */
	bool waits_for_credit;
	int err;
	callers_check_h *handler; /* NULL: cancelled */
	void *arg;
};

/* Queries */

static void callers_on_query_done(int err, void *arg)
{
	struct callers_query *query = arg;

	if (query->callers) {
		list_remove(&query->callers->asked, &query->link);
		query->done(query, err);
	}
	mem_deref(query);
}

static int callers_query_work(struct store *store, void *arg)
{
	struct callers_query *query = arg;

	return query->work(store, query);
}

int callers_query(struct callers *callers, enum async_store_lane lane, struct callers_query *query,
		  callers_query_work_h *its_work, callers_query_done_h *done)
{
	int err;

	query->callers = callers;
	query->work = its_work;
	query->done = done;
	err = async_store_run(callers->async, lane, callers_query_work, callers_on_query_done,
			      query);
	if (err)
		mem_deref(query);
	else
		list_append(&callers->asked, &query->link);
	return err;
}

void callers_note_store(struct callers *callers, int err)
{
	bool is_away = err != 0 && err != ENOENT && err != EACCES && err != EDQUOT && err != ESTALE;

	if (is_away && !callers->is_away)
		log_error("account",
			  "the store is unreachable: %s; keys in use, their limits and credit "
			  "that is already leased remain valid",
			  strerror(err));
	else if (!is_away && callers->is_away)
		log_info("account", "the store is reachable again");
	callers->is_away = is_away;
	if (is_away)
		shares_mark_stale(callers);
}

/* Keys and accounts in memory */

static struct list *callers_key_chain(struct callers *callers, const uint8_t *hash)
{
	return &callers->chains[(hash[0] | (unsigned)hash[1] << 8) % CALLERS_CHAINS];
}

static struct key_state *callers_find_key_state(struct callers *callers, const uint8_t *hash)
{
	struct list *chain = callers_key_chain(callers, hash);

	for (struct link *l = list_first(chain); l; l = list_next(chain, l)) {
		struct key_state *key = LIST_OBJECT(l, struct key_state, link);

		if (CRYPTO_memcmp(key->row.hash, hash, STORE_KEY_HASH_LEN) == 0)
			return key;
	}
	return NULL;
}

struct list *callers_account_chain(struct callers *callers, int64_t id)
{
	return &callers->account_chains[(uint64_t)id % CALLERS_CHAINS];
}

static struct account_state *callers_find_account_state(struct callers *callers, int64_t id)
{
	const struct list *chain = callers_account_chain(callers, id);

	for (struct link *l = list_first(chain); l; l = list_next(chain, l)) {
		struct account_state *account = LIST_OBJECT(l, struct account_state, chain);

		if (account->row.id == id)
			return account;
	}
	return NULL;
}

static void callers_drop_key(struct callers *callers, struct key_state *key)
{
	list_remove(callers_key_chain(callers, key->row.hash), &key->link);
	list_remove(key->users ? &callers->used : &callers->idle, &key->use);
	mem_deref(key);
}

/* Drops keys that are not in use, the longest unused first. */
static void callers_drop_idle(struct callers *callers, size_t max)
{
	struct link *oldest;

	while (callers->idle.count > max && (oldest = list_first(&callers->idle)))
		callers_drop_key(callers, LIST_OBJECT(oldest, struct key_state, use));
}

void callers_note_use(struct callers *callers, struct key_state *key)
{
	list_remove(key->users ? &callers->idle : &callers->used, &key->use);
	list_append(key->users ? &callers->used : &callers->idle, &key->use);
	callers_drop_idle(callers, CALLERS_IDLE_MAX);
}

const struct plan *callers_find_plan(const struct plan *plans, size_t count, const char *name)
{
	const struct plan *fallback = NULL;

	for (size_t i = 0; i < count; ++i) {
		if (strcmp(plans[i].name, name) == 0)
			return &plans[i];
		if (strcmp(plans[i].name, "default") == 0)
			fallback = &plans[i];
	}
	return fallback;
}

const struct store_limits *callers_plan(const struct callers *callers,
					const struct store_account *row)
{
	static const struct store_limits none = STORE_LIMITS_PLAN; /* without a plan, no limits */
	const struct plan *plan =
		callers_find_plan(callers->options.plans, callers->options.plans_count, row->plan);

	if (row->plan[0] && (!plan || strcmp(plan->name, row->plan) != 0))
		log_warn("account", "the account %s has a plan that is not configured: %s",
			 row->name, row->plan);
	return plan ? &plan->limits : &none;
}

void *callers_owner(struct quota *quota)
{
	if (quota->holder.kind == STORE_HOLDER_ACCOUNT)
		return LIST_OBJECT(quota, struct account_state, quota);
	return LIST_OBJECT(quota, struct key_state, quota);
}

/* Adds or updates an account in memory, and gives a reference to it. */
static int callers_keep_account(struct account_state **accountp, struct callers *callers,
				const struct store_account *row)
{
	struct account_state *account = callers_find_account_state(callers, row->id);

	if (account) {
		account_state_set(account, row, callers_plan(callers, row));
		*accountp = mem_ref(account);
		return 0;
	}
	return account_state_alloc(accountp, callers, &callers->loop->timers, row,
				   callers_plan(callers, row));
}

/* Adds or updates a key in memory; *keyp is not a reference. */
static int callers_keep_key(struct key_state **keyp, struct callers *callers,
			    const struct callers_look_up *found)
{
	struct key_state *key = callers_find_key_state(callers, found->key_row.hash);
	struct account_state *account;
	int err = callers_keep_account(&account, callers, &found->account_row);

	if (err)
		return err;
	if (key) {
		key_state_set(key, &found->key_row);
	} else {
		err = key_state_alloc(&key, account, &found->key_row);
		if (!err) {
			list_append(callers_key_chain(callers, key->row.hash), &key->link);
			list_append(&callers->idle, &key->use);
		}
	}
	mem_deref(account);
	if (err)
		return err;
	key->reading = callers->reading;
	key->could_speak |= key_state_may_speak(key);
	*keyp = key;
	return 0;
}

void callers_projects(const struct callers *callers, void (*each)(int64_t project_id, void *arg),
		      void *arg)
{
	for (struct link *l = list_first(&callers->used); l; l = list_next(&callers->used, l))
		each(LIST_OBJECT(l, struct key_state, use)->row.project_id, arg);
}

/* Checks */

static void callers_check_destroy(void *object)
{
	struct callers_check *check = object;

	key_state_release(check->key);
}

static void callers_check_finish(struct callers_check *check)
{
	struct caller *caller = NULL;
	int err = check->err;

	list_remove(&check->callers->checks, &check->link);
	if (check->handler) {
		if (!err && !key_state_is_valid(check->key))
			err = EACCES;
		if (!err)
			err = check->is_token
				      ? caller_of_token(&caller, check->key, STORE_SCOPE_SPEAK)
				      : caller_of_key(&caller, check->key);
		if (!err)
			check->key->used_ms = clock_wall_ms();
		check->handler(err == ENOMEM ? EIO : err, caller, check->arg);
	}
	mem_deref(caller);
	mem_deref(check);
}

static void callers_check_on_deferred(void *arg)
{
	callers_check_finish(arg);
}

static void callers_check_finish_later(struct callers_check *check)
{
	loop_defer(check->callers->loop, &check->deferred, callers_check_on_deferred, check);
}

/* Requests a lease if it is time to, and waits for it if this server has no credit meanwhile. */
static void callers_check_credit(struct callers_check *check)
{
	struct quota *quotas[CALLER_QUOTAS];

	check->waits_for_credit = false;
	caller_quotas(quotas, check->key);
	for (size_t i = 0; key_state_is_valid(check->key) && i < CALLER_QUOTAS; ++i) {
		bool is_asked = callers_credit(check->callers, quotas[i]);

		check->waits_for_credit |= is_asked && !lease_covers(&quotas[i]->lease, NULL, 0);
	}
	if (!check->waits_for_credit)
		callers_check_finish_later(check);
}

void callers_on_credit(struct callers *callers)
{
	struct link *next;

	for (struct link *l = list_first(&callers->checks); l; l = next) {
		struct callers_check *check = LIST_OBJECT(l, struct callers_check, link);

		next = list_next(&callers->checks, l);
		if (check->waits_for_credit)
			callers_check_credit(check);
	}
}

/* Runs on the thread. */
static int callers_look_up_work(struct store *store, struct callers_query *query)
{
	struct callers_look_up *look_up = LIST_OBJECT(query, struct callers_look_up, query);
	int err;

	if (look_up->is_token) {
		err = store->ops->token_take(store, &look_up->key_row, look_up->hash, look_up->path,
					     clock_wall_ms());
	} else {
		err = store->ops->key_find(store, &look_up->key_row, look_up->prefix);
		if (!err && look_up->is_signed)
			err = signed_path_check(&look_up->signature, &look_up->key_row,
						look_up->path, clock_wall_ms() / 1000);
		else if (!err && CRYPTO_memcmp(look_up->hash, look_up->key_row.hash,
					       STORE_KEY_HASH_LEN) != 0)
			err = ENOENT;
	}
	if (!err)
		err = store->ops->account_get(store, &look_up->account_row,
					      look_up->key_row.account_id);
	return err;
}

/* Invalid keys are not kept in memory: they are looked up again at each attempt. */
static void callers_on_looked_up(struct callers_query *query, int err)
{
	struct callers_look_up *look_up = LIST_OBJECT(query, struct callers_look_up, query);
	struct callers_check *check = look_up->check;
	struct callers *callers = check->callers;
	struct key_state *key = NULL;

	callers_note_store(callers, err);
	if (!err && (look_up->key_row.revoked_ms || look_up->account_row.closed_ms))
		err = EACCES;
	if (!err)
		err = callers_keep_key(&key, callers, look_up);
	if (!err) {
		check->key = key_state_hold(key);
		callers_check_credit(check);
		return;
	}
	check->err = err == ENOENT || err == EACCES ? EACCES : EIO;
	callers_check_finish(check);
}

/* Parses the text into a look-up.  NULL with *err: EINVAL when no key or token can have this
 * text. */
static struct callers_look_up *callers_look_up_alloc(int *err, const char *text, size_t len,
						     const char *path)
{
	struct callers_look_up *look_up = mem_zalloc(sizeof(*look_up), NULL);

	*err = look_up ? api_key_read(look_up->prefix, look_up->hash, text, len) : ENOMEM;
	if (*err == EINVAL) {
		*err = single_use_token_read(look_up->hash, text, len);
		look_up->is_token = *err == 0;
	}
	if (*err == EINVAL) {
		*err = signed_path_read(&look_up->signature, text, len);
		look_up->is_signed = *err == 0;
		memcpy(look_up->prefix, look_up->signature.prefix, sizeof(look_up->prefix));
	}
	if (!*err && (look_up->is_token || look_up->is_signed) &&
	    (size_t)snprintf(look_up->path, sizeof(look_up->path), "%s", path) >=
		    sizeof(look_up->path))
		*err = EINVAL;
	return *err ? mem_deref(look_up) : look_up;
}

int callers_check(struct callers_check **checkp, struct callers *callers, const char *text,
		  size_t len, const char *path, callers_check_h *handler, void *arg)
{
	struct callers_check *check = mem_zalloc(sizeof(*check), callers_check_destroy);
	struct callers_look_up *look_up;
	struct key_state *known = NULL;
	int err;

	if (!check)
		return ENOMEM;
	check->callers = callers;
	check->handler = handler;
	check->arg = arg;
	look_up = callers_look_up_alloc(&err, text, len, path);
	if (err == ENOMEM) {
		mem_deref(check);
		return err;
	}
	if (look_up && !look_up->is_token && !look_up->is_signed)
		known = callers_find_key_state(callers, look_up->hash);
	list_append(&callers->checks, &check->link);
	*checkp = check;
	if (!look_up) { /* no key can have this text */
		check->err = EACCES;
		callers_check_finish_later(check);
		return 0;
	}
	if (known && known->reading == callers->reading) { /* it was read after the last change */
		mem_deref(look_up);
		check->key = key_state_hold(known);
		callers_check_credit(check);
		return 0;
	}
	look_up->check = check;
	check->is_token = look_up->is_token || look_up->is_signed;
	err = callers_query(callers, ASYNC_STORE_ACCESS, &look_up->query, callers_look_up_work,
			    callers_on_looked_up);
	if (err) {
		list_remove(&callers->checks, &check->link);
		mem_deref(check);
	}
	return err;
}

void callers_check_cancel(struct callers_check *check)
{
	check->handler = NULL;
}

/* Creation and end */

/* Returns all leases and shares.  It is submitted last, so it runs after all other work. */
struct return_query {
	struct callers_query query;
	char server[STORE_SERVER_ID_LEN + 1];
};

static int callers_return_work(struct store *store, struct callers_query *query)
{
	struct return_query *returning = LIST_OBJECT(query, struct return_query, query);
	int err = store->ops->lease_return(store, returning->server);

	if (store->ops->share_return)
		store->ops->share_return(store, returning->server);
	return err;
}

static void callers_return_all(struct callers *callers)
{
	struct return_query *returning = mem_zalloc(sizeof(*returning), NULL);

	if (!returning)
		return; /* leases and shares that are not renewed expire */
	snprintf(returning->server, sizeof(returning->server), "%s",
		 async_store_server_id(callers->async));
	callers_query(callers, ASYNC_STORE_ACCESS, &returning->query, callers_return_work, NULL);
}

static void callers_fail_checks(struct callers *callers)
{
	struct link *link;

	while ((link = list_first(&callers->checks))) {
		struct callers_check *check = LIST_OBJECT(link, struct callers_check, link);

		loop_undefer(callers->loop, &check->deferred);
		check->err = EIO;
		callers_check_finish(check);
	}
}

static void callers_detach_all(struct callers *callers)
{
	struct link *link;

	while ((link = list_first(&callers->asked))) {
		list_remove(&callers->asked, link);
		LIST_OBJECT(link, struct callers_query, link)->callers = NULL;
	}
	while ((link = list_first(&callers->accounts))) {
		struct account_state *account = LIST_OBJECT(link, struct account_state, link);

		list_remove(&callers->accounts, link);
		list_remove(callers_account_chain(callers, account->row.id), &account->chain);
		account->callers = NULL;
	}
	callers_drop_idle(callers, 0);
	while ((link = list_first(&callers->used)))
		callers_drop_key(callers, LIST_OBJECT(link, struct key_state, use));
}

static void callers_destroy(void *object)
{
	struct callers *callers = object;

	callers_poll_stop(callers);
	shares_stop(callers);
	callers_fail_checks(callers);
	permits_end(callers);
	callers_return_all(callers);
	callers_detach_all(callers);
}

int callers_alloc(struct callers **callersp, struct loop *loop, struct async_store *async,
		  const struct callers_options *options)
{
	struct callers *callers = mem_zalloc(sizeof(*callers), NULL);

	if (!callers)
		return ENOMEM;
	callers->loop = loop;
	callers->async = async;
	callers->options = *options;
	for (size_t i = 0; i < CALLERS_CHAINS; ++i)
		list_init(&callers->chains[i]);
	for (size_t i = 0; i < CALLERS_CHAINS; ++i)
		list_init(&callers->account_chains[i]);
	list_init(&callers->used);
	list_init(&callers->idle);
	list_init(&callers->accounts);
	list_init(&callers->checks);
	list_init(&callers->asked);
	list_init(&callers->credit_waits);
	list_init(&callers->credit_answered);
	list_init(&callers->reporting);
	callers_poll_start(callers);
	mem_set_destructor(callers, callers_destroy);
	*callersp = callers;
	return 0;
}
