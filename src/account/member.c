/*
 * member.c: a key in force, with its account, and what both have used (see member.h).
 */
#include "account/member.h"

#include <errno.h>

#include "account/members_private.h"
#include "base/clock.h"
#include "base/mem.h"

#define MICROCENTS INT64_C(1000000) /* of a cent */

static const struct store_limits no_limits = {STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE,
					      STORE_LIMIT_NONE, STORE_LIMIT_NONE};

static const enum denial denials[QUOTA_METERS] = {
	[STORE_METER_TURNS] = DENIAL_TURNS,
	[STORE_METER_CONNECTIONS] = DENIAL_CONNECTIONS,
	[STORE_METER_REQUESTS] = DENIAL_REQUESTS,
	[STORE_METER_CHARACTERS] = DENIAL_CHARACTERS,
};

/* Keys and accounts */

int64_t payer_block(const struct payer *payer)
{
	return payer->members ? payer->members->options.lease_microcents : 0;
}

/* Slots that are held and become limited, or are so no more: the store counts them
 * wrongly. */
static void set_limits(struct members *members, struct quota *quota,
		       const struct store_limits *limits, uint64_t now_us)
{
	bool turns_differ = (quota->limits.turns >= 0) != (limits->turns >= 0);
	bool connections_differ = (quota->limits.connections >= 0) != (limits->connections >= 0);

	quota_set_limits(quota, limits, now_us);
	if (members &&
	    ((turns_differ && quota->turns > 0) || (connections_differ && quota->connections > 0)))
		shares_doubt(members);
}

void payer_set(struct payer *payer, const struct store_account *row,
	       const struct store_limits *plan)
{
	struct store_limits limits;

	quota_resolve(&limits, &row->limits, plan);
	set_limits(payer->members, &payer->quota, &limits, payer->timers->now_us);
	lease_limit(&payer->quota.lease, row->is_prepaid, payer_block(payer));
	payer->row = *row;
}

static void forget_quota(struct members *members, struct quota *quota)
{
	if (members && link_is_on_list(&quota->owing))
		list_remove(&members->owing, &quota->owing);
}

static void payer_destroy(void *object)
{
	struct payer *payer = object;

	if (!payer->members)
		return;
	forget_quota(payer->members, &payer->quota);
	list_remove(&payer->members->payers, &payer->link);
	list_remove(members_payer_chain(payer->members, payer->row.id), &payer->chain);
}

int payer_alloc(struct payer **payerp, struct members *members, struct timers *timers,
		const struct store_account *row, const struct store_limits *plan)
{
	struct payer *payer = mem_zalloc(sizeof(*payer), payer_destroy);

	if (!payer)
		return ENOMEM;
	payer->members = members;
	payer->timers = timers;
	if (members) {
		list_append(&members->payers, &payer->link);
		list_append(members_payer_chain(members, row->id), &payer->chain);
	}
	quota_init(&payer->quota, STORE_HOLDER_ACCOUNT, row->id, &no_limits, timers->now_us);
	payer_set(payer, row, plan);
	*payerp = payer;
	return 0;
}

static void bearer_destroy(void *object)
{
	struct bearer *bearer = object;

	forget_quota(bearer->payer->members, &bearer->quota);
	mem_deref(bearer->payer);
}

void bearer_set(struct bearer *bearer, const struct store_key *key)
{
	const struct payer *payer = bearer->payer;
	struct store_limits limits;

	quota_resolve(&limits, &key->limits, &no_limits);
	set_limits(payer->members, &bearer->quota, &limits, payer->timers->now_us);
	lease_limit(&bearer->quota.lease, key->credit_cents >= 0, payer_block(payer));
	bearer->key = *key;
}

int bearer_alloc(struct bearer **bearerp, struct payer *payer, const struct store_key *key)
{
	struct bearer *bearer = mem_zalloc(sizeof(*bearer), bearer_destroy);

	if (!bearer)
		return ENOMEM;
	bearer->payer = mem_ref(payer);
	quota_init(&bearer->quota, STORE_HOLDER_KEY, key->id, &no_limits, payer->timers->now_us);
	bearer_set(bearer, key);
	bearer->could_speak = true;
	bearer->noted_ms = key->used_ms;
	*bearerp = bearer;
	return 0;
}

bool bearer_is_good(const struct bearer *bearer)
{
	const struct store_key *key = &bearer->key;

	return !key->revoked_ms && !bearer->payer->row.closed_ms &&
	       (!key->expires_ms || clock_wall_ms() < key->expires_ms);
}

bool bearer_may_speak(const struct bearer *bearer)
{
	return bearer->key.scopes & STORE_SCOPE_SPEAK && bearer_is_good(bearer);
}

struct bearer *bearer_use(struct bearer *bearer)
{
	++bearer->payer->users;
	if (++bearer->users == 1 && bearer->payer->members)
		members_note_use(bearer->payer->members, bearer);
	return mem_ref(bearer);
}

void bearer_unuse(struct bearer *bearer)
{
	if (!bearer)
		return;
	--bearer->payer->users;
	if (--bearer->users == 0 && bearer->payer->members)
		members_note_use(bearer->payer->members, bearer);
	mem_deref(bearer);
}

void member_quotas(struct quota *quotas[MEMBER_QUOTAS], struct bearer *bearer)
{
	quotas[0] = &bearer->payer->quota;
	quotas[1] = &bearer->quota;
}

/* Members */

static void member_destroy(void *object)
{
	struct member *member = object;
	struct bearer *bearer = member->bearer;

	mem_deref(member->narrowed);
	if (bearer && bearer->member == member)
		bearer->member = NULL;
	bearer_unuse(bearer);
}

static struct member *new_member(struct bearer *bearer)
{
	struct member *member = mem_zalloc(sizeof(*member), member_destroy);

	if (!member)
		return NULL;
	member->bearer = bearer_use(bearer);
	return member;
}

int member_of_bearer(struct member **memberp, struct bearer *bearer)
{
	if (bearer->member) {
		*memberp = mem_ref(bearer->member);
		return 0;
	}
	bearer->member = new_member(bearer);
	if (!bearer->member)
		return ENOMEM;
	*memberp = bearer->member;
	return 0;
}

int member_of_token(struct member **memberp, struct bearer *bearer, unsigned scopes)
{
	struct member *member = new_member(bearer);
	struct store_key *narrowed = mem_zalloc(sizeof(*narrowed), NULL);

	if (!member || !narrowed) {
		mem_deref(narrowed);
		mem_deref(member);
		return ENOMEM;
	}
	*narrowed = bearer->key;
	narrowed->scopes &= scopes;
	member->narrowed = narrowed;
	*memberp = member;
	return 0;
}

/* What a row that stands alone has is all that it will ever get. */
static void grant_all(struct bearer *bearer)
{
	const struct store_account *account = &bearer->payer->row;
	const struct store_key *key = &bearer->key;

	lease_grant(&bearer->payer->quota.lease,
		    account->credit_microcents - account->spent_microcents, 0);
	if (key->credit_cents >= 0)
		lease_grant(&bearer->quota.lease,
			    key->credit_cents * MICROCENTS - key->spent_microcents, 0);
}

int member_alloc_alone(struct member **memberp, struct timers *timers,
		       const struct store_account *account, const struct store_key *key)
{
	static const struct store_account nobodys = {.id = 0};
	static const struct store_key no_key = {.project_id = STORE_PROJECT_DEFAULT,
						.credit_cents = -1};
	struct store_account row = account ? *account : nobodys;
	struct store_key its_key = key ? *key : no_key;
	struct payer *payer = NULL;
	struct bearer *bearer = NULL;
	int err;

	if (!account)
		row.limits = no_limits;
	if (!key)
		its_key.limits = no_limits;
	err = payer_alloc(&payer, NULL, timers, &row, &no_limits);
	if (!err)
		err = bearer_alloc(&bearer, payer, &its_key);
	if (!err) {
		grant_all(bearer);
		err = member_of_bearer(memberp, bearer);
	}
	mem_deref(bearer);
	mem_deref(payer);
	return err;
}

const struct store_key *member_key(const struct member *member)
{
	return member->narrowed ? member->narrowed : &member->bearer->key;
}

const struct store_account *member_account(const struct member *member)
{
	return &member->bearer->payer->row;
}

int64_t member_project_id(const struct member *member)
{
	return member->bearer->key.project_id;
}

bool member_is_charged(const struct member *member)
{
	const struct store_account *account = member_account(member);

	return account->is_prepaid || account->id != STORE_ACCOUNT_DEFAULT ||
	       member_key(member)->credit_cents >= 0;
}

const char *member_server_id(const struct member *member)
{
	const struct members *members = member->bearer->payer->members;

	return members ? account_server_id(members->account) : "";
}

bool member_is_good(const struct member *member)
{
	return bearer_is_good(member->bearer);
}

bool member_may_speak(const struct member *member)
{
	return bearer_may_speak(member->bearer);
}

/* Limits */

static uint64_t now_us(const struct member *member)
{
	return member->bearer->payer->timers->now_us;
}

void member_deny(struct denied *denied, enum denial why, int64_t limit, uint64_t wait_us)
{
	uint64_t seconds = wait_us == QUOTA_NEVER ? 0 : (wait_us + 999999) / 1000000;

	*denied = (struct denied){.why = why,
				  .retry_s = seconds > UINT32_MAX ? UINT32_MAX : (unsigned)seconds,
				  .limit = limit};
}

/* Of both limits the one that holds longest is told. */
bool member_has_room(const struct member *member, enum store_meter meter, int64_t amount,
		     struct denied *denied)
{
	struct quota *quotas[MEMBER_QUOTAS];
	uint64_t longest_us = 0;

	member_quotas(quotas, member->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i) {
		uint64_t wait_us = quota_wait_us(quotas[i], meter, amount, now_us(member));

		if (wait_us > longest_us) {
			longest_us = wait_us;
			member_deny(denied, denials[meter], quota_limit(quotas[i], meter), wait_us);
		}
	}
	return longest_us == 0;
}

void member_take(const struct member *member, enum store_meter meter, int64_t amount)
{
	struct quota *quotas[MEMBER_QUOTAS];

	member_quotas(quotas, member->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i)
		quota_take(quotas[i], meter, amount, now_us(member));
}

/* The same for the store, where servers share it. */
void member_owe(const struct member *member, enum store_meter meter, int64_t amount)
{
	struct members *members = member->bearer->payer->members;
	struct quota *quotas[MEMBER_QUOTAS];

	if (!members)
		return;
	member_quotas(quotas, member->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i)
		shares_owe(members, quotas[i], meter, amount);
}

int member_ask_store(struct share_ask **askp, const struct member *member, enum store_meter meter,
		     share_h *handler, void *owner, permit_h *told, void *arg)
{
	struct bearer *bearer = member->bearer;

	if (!bearer->payer->members)
		return 0;
	return shares_ask(askp, bearer->payer->members, bearer, meter, handler, owner, told, arg);
}

bool member_check_key(const struct member *member, struct denied *denied)
{
	if (member_is_good(member))
		return true;
	member_deny(denied, DENIAL_KEY, -1, QUOTA_NEVER);
	return false;
}

bool member_request(struct member *member, struct denied *denied)
{
	if (!member_check_key(member, denied) ||
	    !member_has_room(member, STORE_METER_REQUESTS, 1, denied))
		return false;
	member_take(member, STORE_METER_REQUESTS, 1);
	member_owe(member, STORE_METER_REQUESTS, 1);
	return true;
}

bool member_requests_left(const struct member *member, struct member_rate *rate)
{
	struct quota *quotas[MEMBER_QUOTAS];
	bool is_limited = false;

	member_quotas(quotas, member->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i) {
		struct bucket *bucket = &quotas[i]->requests;
		int64_t limit = quota_limit(quotas[i], STORE_METER_REQUESTS);
		int64_t left = bucket_left(bucket, now_us(member));
		uint64_t wait_us;

		if (limit < 0 || (is_limited && left >= rate->left))
			continue;
		is_limited = true;
		wait_us = bucket_wait_us(bucket, limit, now_us(member));
		*rate = (struct member_rate){
			.limit = limit,
			.left = left,
			.reset_s = limit ? (unsigned)((wait_us + 999999) / 1000000) : 0,
		};
	}
	return is_limited;
}

/* Connections */

struct connection_permit {
	struct member *member;
	struct share_ask *ask; /* the store is asked */
	bool is_refused; /* and said no: it holds no slot */
};

void member_give_back(const struct member *member, enum store_meter meter, struct share_ask *ask)
{
	member_take(member, meter, -1);
	if (ask)
		shares_forget(ask);
	else
		member_owe(member, meter, -1);
}

static void connection_permit_destroy(void *object)
{
	struct connection_permit *permit = object;

	if (permit->member && !permit->is_refused)
		member_give_back(permit->member, STORE_METER_CONNECTIONS, permit->ask);
	mem_deref(permit->member);
}

/* A key may have ended while the store was asked; the slot goes back with the permit. */
void member_tell_shared(int err, const struct denied *denied, const struct member *member,
			permit_h *told, void *arg)
{
	struct denied ended;

	if (err || member_check_key(member, &ended))
		told(err, denied, arg);
	else
		told(EACCES, &ended, arg);
}

/* The store's word; the slot that it refuses is free here. */
static void on_connection_shared(int err, const struct denied *denied, void *owner, permit_h *told,
				 void *arg)
{
	struct connection_permit *permit = owner;

	permit->ask = NULL;
	permit->is_refused = err != 0;
	if (err)
		member_take(permit->member, STORE_METER_CONNECTIONS, -1);
	member_tell_shared(err, denied, permit->member, told, arg);
}

int member_connect(struct connection_permit **permitp, struct member *member, struct denied *denied,
		   connection_permit_h *handler, void *arg)
{
	struct connection_permit *permit;
	int err;

	if (!member_check_key(member, denied) ||
	    !member_has_room(member, STORE_METER_CONNECTIONS, 1, denied))
		return EACCES;
	permit = mem_zalloc(sizeof(*permit), connection_permit_destroy);
	if (!permit)
		return ENOMEM;
	err = member_ask_store(&permit->ask, member, STORE_METER_CONNECTIONS, on_connection_shared,
			       permit, handler, arg);
	if (err && err != EINPROGRESS) {
		mem_deref(permit);
		return err;
	}
	permit->member = mem_ref(member);
	member_take(member, STORE_METER_CONNECTIONS, 1);
	*permitp = permit;
	return err;
}
