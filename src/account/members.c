/*
 * members.c: the keys in use, kept at hand (see members.h).
 *
 *   check --> known: answered when the callback that runs now has ended
 *         --> unknown, or something has changed since it was read: the store is asked
 *             for the key and its account
 *         --> without credit here: when the store has answered what it lends
 */
#include "account/members.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "account/account_token.h"
#include "account/members_private.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

/* What the store says of a key. */
struct look_up {
	struct inquiry inquiry;
	struct members_check *check;
	bool is_token;
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	uint8_t hash[STORE_KEY_HASH_LEN];
	char path[STORE_PATH_MAX + 1];
	struct store_key key;
	struct store_account account;
};

struct members_check {
	struct members *members;
	struct link link;
	struct deferred deferred;
	struct bearer *bearer; /* once it is known */
	bool is_token;
	bool waits_for_credit;
	int err;
	members_check_h *handler; /* NULL: forgotten */
	void *arg;
};

/* Inquiries */

static void on_answered(int err, void *arg)
{
	struct inquiry *inquiry = arg;

	if (inquiry->members) {
		list_remove(&inquiry->members->asked, &inquiry->link);
		inquiry->done(inquiry, err);
	}
	mem_deref(inquiry);
}

static int work(struct store *store, void *arg)
{
	struct inquiry *inquiry = arg;

	return inquiry->work(store, inquiry);
}

int members_ask(struct members *members, enum account_lane lane, struct inquiry *inquiry,
		inquiry_work_h *its_work, inquiry_done_h *done)
{
	int err;

	inquiry->members = members;
	inquiry->work = its_work;
	inquiry->done = done;
	err = account_ask(members->account, lane, work, on_answered, inquiry);
	if (err)
		mem_deref(inquiry);
	else
		list_append(&members->asked, &inquiry->link);
	return err;
}

void members_note_store(struct members *members, int err)
{
	bool is_away = err != 0 && err != ENOENT && err != EACCES && err != EDQUOT && err != ESTALE;

	if (is_away && !members->is_away)
		log_error("account",
			  "the store cannot be asked: %s; keys in use, their limits and the "
			  "credit that is here stay good",
			  strerror(err));
	else if (!is_away && members->is_away)
		log_info("account", "the store can be asked again");
	members->is_away = is_away;
	if (is_away)
		shares_doubt(members);
}

/* What is kept at hand */

static struct list *chain_of(struct members *members, const uint8_t *hash)
{
	return &members->chains[(hash[0] | (unsigned)hash[1] << 8) % MEMBERS_CHAINS];
}

static struct bearer *find_bearer(struct members *members, const uint8_t *hash)
{
	struct list *chain = chain_of(members, hash);

	for (struct link *l = list_first(chain); l; l = list_next(chain, l)) {
		struct bearer *bearer = LIST_OBJECT(l, struct bearer, link);

		if (CRYPTO_memcmp(bearer->key.hash, hash, STORE_KEY_HASH_LEN) == 0)
			return bearer;
	}
	return NULL;
}

/* NULL also for one that was read before something changed. */
static struct bearer *find_current(struct members *members, const uint8_t *hash)
{
	struct bearer *bearer = find_bearer(members, hash);

	return bearer && bearer->reading == members->reading ? bearer : NULL;
}

struct list *members_payer_chain(struct members *members, int64_t id)
{
	return &members->payer_chains[(uint64_t)id % MEMBERS_CHAINS];
}

static struct payer *find_payer(struct members *members, int64_t id)
{
	const struct list *chain = members_payer_chain(members, id);

	for (struct link *l = list_first(chain); l; l = list_next(chain, l)) {
		struct payer *payer = LIST_OBJECT(l, struct payer, chain);

		if (payer->row.id == id)
			return payer;
	}
	return NULL;
}

static void drop(struct members *members, struct bearer *bearer)
{
	list_remove(chain_of(members, bearer->key.hash), &bearer->link);
	list_remove(bearer->users ? &members->used : &members->idle, &bearer->use);
	mem_deref(bearer);
}

/* Those that nobody uses, the longest unused first. */
static void drop_idle(struct members *members, size_t max)
{
	struct link *oldest;

	while (members->idle.count > max && (oldest = list_first(&members->idle)))
		drop(members, LIST_OBJECT(oldest, struct bearer, use));
}

void members_note_use(struct members *members, struct bearer *bearer)
{
	list_remove(bearer->users ? &members->idle : &members->used, &bearer->use);
	list_append(bearer->users ? &members->used : &members->idle, &bearer->use);
	drop_idle(members, MEMBERS_IDLE_MAX);
}

const struct plan *plan_find(const struct plan *plans, size_t count, const char *name)
{
	const struct plan *usual = NULL;

	for (size_t i = 0; i < count; ++i) {
		if (strcmp(plans[i].name, name) == 0)
			return &plans[i];
		if (strcmp(plans[i].name, "default") == 0)
			usual = &plans[i];
	}
	return usual;
}

const struct store_limits *members_plan(const struct members *members,
					const struct store_account *row)
{
	static const struct store_limits none = STORE_LIMITS_PLAN; /* of nobody: no limit */
	const struct plan *plan =
		plan_find(members->options.plans, members->options.plans_count, row->plan);

	if (row->plan[0] && (!plan || strcmp(plan->name, row->plan) != 0))
		log_warn("account", "the account %s has a plan that is not configured: %s",
			 row->name, row->plan);
	return plan ? &plan->limits : &none;
}

void *members_owner(struct quota *quota)
{
	if (quota->holder.kind == STORE_HOLDER_ACCOUNT)
		return LIST_OBJECT(quota, struct payer, quota);
	return LIST_OBJECT(quota, struct bearer, quota);
}

/* A reference of the caller's. */
static int keep_payer(struct payer **payerp, struct members *members,
		      const struct store_account *row)
{
	struct payer *payer = find_payer(members, row->id);

	if (payer) {
		payer_set(payer, row, members_plan(members, row));
		*payerp = mem_ref(payer);
		return 0;
	}
	return payer_alloc(payerp, members, &members->loop->timers, row,
			   members_plan(members, row));
}

/* Lent. */
static int keep_bearer(struct bearer **bearerp, struct members *members,
		       const struct look_up *found)
{
	struct bearer *bearer = find_bearer(members, found->key.hash);
	struct payer *payer;
	int err = keep_payer(&payer, members, &found->account);

	if (err)
		return err;
	if (bearer) {
		bearer_set(bearer, &found->key);
	} else {
		err = bearer_alloc(&bearer, payer, &found->key);
		if (!err) {
			list_append(chain_of(members, bearer->key.hash), &bearer->link);
			list_append(&members->idle, &bearer->use);
		}
	}
	mem_deref(payer);
	if (err)
		return err;
	bearer->reading = members->reading;
	bearer->could_speak |= bearer_may_speak(bearer);
	*bearerp = bearer;
	return 0;
}

void members_projects(const struct members *members, void (*each)(int64_t project_id, void *arg),
		      void *arg)
{
	for (struct link *l = list_first(&members->used); l; l = list_next(&members->used, l))
		each(LIST_OBJECT(l, struct bearer, use)->key.project_id, arg);
}

/* Checks */

static void check_destroy(void *object)
{
	struct members_check *check = object;

	bearer_unuse(check->bearer);
}

static int make_member(struct member **memberp, struct members_check *check)
{
	if (check->err)
		return check->err;
	if (!bearer_is_good(check->bearer))
		return EACCES;
	if (check->is_token)
		return member_of_token(memberp, check->bearer, STORE_SCOPE_SPEAK);
	return member_of_bearer(memberp, check->bearer);
}

static void answer(struct members_check *check)
{
	struct member *member = NULL;
	int err;

	list_remove(&check->members->checks, &check->link);
	if (check->handler) {
		err = make_member(&member, check);
		if (!err)
			check->bearer->used_ms = clock_wall_ms();
		check->handler(err == ENOMEM ? EIO : err, member, check->arg);
	}
	mem_deref(member);
	mem_deref(check);
}

static void on_deferred(void *arg)
{
	answer(arg);
}

static void answer_later(struct members_check *check)
{
	loop_defer(check->members->loop, &check->deferred, on_deferred, check);
}

/* True while the store is asked for some, and there is none here to begin with. */
static bool must_wait_for_credit(struct members_check *check)
{
	struct quota *quotas[MEMBER_QUOTAS];
	bool must_wait = false;

	member_quotas(quotas, check->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i) {
		bool is_asked = members_credit(check->members, quotas[i]);

		must_wait |= is_asked && !lease_covers(&quotas[i]->lease, NULL, 0);
	}
	return must_wait;
}

static void settle(struct members_check *check)
{
	check->waits_for_credit = bearer_is_good(check->bearer) && must_wait_for_credit(check);
	if (!check->waits_for_credit)
		answer_later(check);
}

void members_credit_came(struct members *members)
{
	struct link *next;

	for (struct link *l = list_first(&members->checks); l; l = next) {
		struct members_check *check = LIST_OBJECT(l, struct members_check, link);

		next = list_next(&members->checks, l);
		if (check->waits_for_credit)
			settle(check);
	}
}

/* On the thread. */
static int find_key(struct store *store, struct look_up *look_up)
{
	int err;

	if (look_up->is_token)
		return store->ops->token_take(store, &look_up->key, look_up->hash, look_up->path,
					      clock_wall_ms());
	err = store->ops->key_find(store, &look_up->key, look_up->prefix);
	if (!err && CRYPTO_memcmp(look_up->hash, look_up->key.hash, STORE_KEY_HASH_LEN) != 0)
		return ENOENT;
	return err;
}

static int look_up_work(struct store *store, struct inquiry *inquiry)
{
	struct look_up *look_up = LIST_OBJECT(inquiry, struct look_up, inquiry);
	int err = find_key(store, look_up);

	if (!err)
		err = store->ops->account_get(store, &look_up->account, look_up->key.account_id);
	return err;
}

/* Keys that are not good are not kept: who tries again looks again. */
static int take_in(struct members_check *check, const struct look_up *found)
{
	struct members *members = check->members;
	struct bearer *bearer = NULL;
	int err;

	if (found->key.revoked_ms || found->account.closed_ms)
		return EACCES;
	err = keep_bearer(&bearer, members, found);
	if (!err)
		check->bearer = bearer_use(bearer);
	return err;
}

static void on_looked_up(struct inquiry *inquiry, int err)
{
	struct look_up *look_up = LIST_OBJECT(inquiry, struct look_up, inquiry);
	struct members_check *check = look_up->check;
	struct members *members = check->members;

	members_note_store(members, err);
	if (!err)
		err = take_in(check, look_up);
	if (!err) {
		settle(check);
		return;
	}
	check->err = err == ENOENT || err == EACCES ? EACCES : EIO;
	answer(check);
}

/* The store's question about a text; NULL: none can have it, *err says why. */
static struct look_up *read_text(int *err, const char *text, size_t len, const char *path)
{
	struct look_up *look_up = mem_zalloc(sizeof(*look_up), NULL);

	*err = look_up ? account_key_read(look_up->prefix, look_up->hash, text, len) : ENOMEM;
	if (*err == EINVAL) {
		*err = account_token_read(look_up->hash, text, len);
		look_up->is_token = *err == 0;
	}
	if (!*err && look_up->is_token &&
	    (size_t)snprintf(look_up->path, sizeof(look_up->path), "%s", path) >=
		    sizeof(look_up->path))
		*err = EINVAL;
	return *err ? mem_deref(look_up) : look_up;
}

/* NULL: no key can have this text. */
static void begin_known(struct members_check *check, struct bearer *known)
{
	if (known) {
		check->bearer = bearer_use(known);
		settle(check);
	} else {
		check->err = EACCES;
		answer_later(check);
	}
}

int members_check(struct members_check **checkp, struct members *members, const char *text,
		  size_t len, const char *path, members_check_h *handler, void *arg)
{
	struct members_check *check = mem_zalloc(sizeof(*check), check_destroy);
	struct look_up *look_up;
	struct bearer *known = NULL;
	int err;

	if (!check)
		return ENOMEM;
	check->members = members;
	check->handler = handler;
	check->arg = arg;
	look_up = read_text(&err, text, len, path);
	if (err == ENOMEM) {
		mem_deref(check);
		return err;
	}
	if (look_up && !look_up->is_token)
		known = find_current(members, look_up->hash);
	list_append(&members->checks, &check->link);
	*checkp = check;
	if (!look_up || known) {
		mem_deref(look_up);
		begin_known(check, known);
		return 0;
	}
	look_up->check = check;
	check->is_token = look_up->is_token;
	err = members_ask(members, ACCOUNT_ACCESS, &look_up->inquiry, look_up_work, on_looked_up);
	if (err) {
		list_remove(&members->checks, &check->link);
		mem_deref(check);
	}
	return err;
}

void members_forget(struct members_check *check)
{
	check->handler = NULL;
}

/* The whole */

/* Asked for last: it runs after all that was asked before. */
struct farewell {
	struct inquiry inquiry;
	char server[STORE_SERVER_ID_LEN + 1];
};

static int say_farewell(struct store *store, struct inquiry *inquiry)
{
	struct farewell *farewell = LIST_OBJECT(inquiry, struct farewell, inquiry);
	int err = store->ops->lease_return(store, farewell->server);

	if (store->ops->share_return)
		store->ops->share_return(store, farewell->server);
	return err;
}

static void give_all_back(struct members *members)
{
	struct farewell *farewell = mem_zalloc(sizeof(*farewell), NULL);

	if (!farewell)
		return; /* it lapses by itself */
	snprintf(farewell->server, sizeof(farewell->server), "%s",
		 account_server_id(members->account));
	members_ask(members, ACCOUNT_ACCESS, &farewell->inquiry, say_farewell, NULL);
}

static void answer_checks(struct members *members)
{
	struct link *link;

	while ((link = list_first(&members->checks))) {
		struct members_check *check = LIST_OBJECT(link, struct members_check, link);

		loop_undefer(members->loop, &check->deferred);
		check->err = EIO;
		answer(check);
	}
}

static void let_go(struct members *members)
{
	struct link *link;

	while ((link = list_first(&members->asked))) {
		list_remove(&members->asked, link);
		LIST_OBJECT(link, struct inquiry, link)->members = NULL;
	}
	while ((link = list_first(&members->payers))) {
		struct payer *payer = LIST_OBJECT(link, struct payer, link);

		list_remove(&members->payers, link);
		list_remove(members_payer_chain(members, payer->row.id), &payer->chain);
		payer->members = NULL;
	}
	drop_idle(members, 0);
	while ((link = list_first(&members->used)))
		drop(members, LIST_OBJECT(link, struct bearer, use));
}

static void members_destroy(void *object)
{
	struct members *members = object;

	members_poll_stop(members);
	shares_stop(members);
	answer_checks(members);
	permits_end(members);
	give_all_back(members);
	let_go(members);
}

int members_alloc(struct members **membersp, struct loop *loop, struct account *account,
		  const struct members_options *options)
{
	struct members *members = mem_zalloc(sizeof(*members), NULL);

	if (!members)
		return ENOMEM;
	members->loop = loop;
	members->account = account;
	members->options = *options;
	for (size_t i = 0; i < MEMBERS_CHAINS; ++i)
		list_init(&members->chains[i]);
	for (size_t i = 0; i < MEMBERS_CHAINS; ++i)
		list_init(&members->payer_chains[i]);
	list_init(&members->used);
	list_init(&members->idle);
	list_init(&members->payers);
	list_init(&members->checks);
	list_init(&members->asked);
	list_init(&members->credit_waits);
	list_init(&members->credit_told);
	list_init(&members->owing);
	members_poll_start(members);
	mem_set_destructor(members, members_destroy);
	*membersp = members;
	return 0;
}
