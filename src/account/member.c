/*
 * member.c: a key in force, with its account, and what both have used (see member.h).
 */
#include "account/member.h"

#include <errno.h>

#include "account/member_private.h"
#include "base/clock.h"
#include "base/mem.h"

#define MICROCENTS INT64_C(1000000) /* of a cent */

static const struct store_limits no_limits = {STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE,
					      STORE_LIMIT_NONE, STORE_LIMIT_NONE};

static const enum denial denials[TALLY_METERS] = {
	[STORE_METER_TURNS] = DENIAL_TURNS,
	[STORE_METER_CONNECTIONS] = DENIAL_CONNECTIONS,
	[STORE_METER_REQUESTS] = DENIAL_REQUESTS,
	[STORE_METER_CHARACTERS] = DENIAL_CHARACTERS,
};

/* Keys and accounts */

static int64_t lease_block(const struct payer *payer)
{
	(void)payer;
	return 0;
}

void payer_set(struct payer *payer, const struct store_account *row,
	       const struct store_limits *plan)
{
	struct store_limits limits;

	tally_resolve(&limits, &row->limits, plan);
	tally_set_limits(&payer->tally, &limits, payer->timers->now_us);
	lease_limit(&payer->tally.lease, row->is_prepaid, lease_block(payer));
	payer->row = *row;
}

int payer_alloc(struct payer **payerp, struct timers *timers, const struct store_account *row,
		const struct store_limits *plan)
{
	struct payer *payer = mem_zalloc(sizeof(*payer), NULL);

	if (!payer)
		return ENOMEM;
	payer->timers = timers;
	tally_init(&payer->tally, STORE_HOLDER_ACCOUNT, row->id, &no_limits, timers->now_us);
	payer_set(payer, row, plan);
	*payerp = payer;
	return 0;
}

static void bearer_destroy(void *object)
{
	struct bearer *bearer = object;

	mem_deref(bearer->payer);
}

void bearer_set(struct bearer *bearer, const struct store_key *key)
{
	const struct payer *payer = bearer->payer;
	struct store_limits limits;

	tally_resolve(&limits, &key->limits, &no_limits);
	tally_set_limits(&bearer->tally, &limits, payer->timers->now_us);
	lease_limit(&bearer->tally.lease, key->credit_cents >= 0, lease_block(payer));
	bearer->key = *key;
}

int bearer_alloc(struct bearer **bearerp, struct payer *payer, const struct store_key *key)
{
	struct bearer *bearer = mem_zalloc(sizeof(*bearer), bearer_destroy);

	if (!bearer)
		return ENOMEM;
	bearer->payer = mem_ref(payer);
	tally_init(&bearer->tally, STORE_HOLDER_KEY, key->id, &no_limits, payer->timers->now_us);
	bearer_set(bearer, key);
	*bearerp = bearer;
	return 0;
}

bool bearer_is_good(const struct bearer *bearer)
{
	const struct store_key *key = &bearer->key;

	return !key->revoked_ms && !bearer->payer->row.closed_ms &&
	       (!key->expires_ms || clock_wall_ms() < key->expires_ms);
}

void member_tallies(struct tally *tallies[MEMBER_TALLIES], const struct bearer *bearer)
{
	tallies[0] = &bearer->payer->tally;
	tallies[1] = (struct tally *)&bearer->tally;
}

/* Members */

static void member_destroy(void *object)
{
	struct member *member = object;
	struct bearer *bearer = member->bearer;

	mem_deref(member->narrowed);
	if (!bearer)
		return;
	if (bearer->member == member)
		bearer->member = NULL;
	--bearer->users;
	--bearer->payer->users;
	mem_deref(bearer);
}

static struct member *new_member(struct bearer *bearer)
{
	struct member *member = mem_zalloc(sizeof(*member), member_destroy);

	if (!member)
		return NULL;
	member->bearer = mem_ref(bearer);
	++bearer->users;
	++bearer->payer->users;
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

	lease_grant(&bearer->payer->tally.lease,
		    account->credit_microcents - account->spent_microcents, 0);
	if (key->credit_cents >= 0)
		lease_grant(&bearer->tally.lease,
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
	err = payer_alloc(&payer, timers, &row, &no_limits);
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

const char *member_server_id(const struct member *member)
{
	(void)member;
	return "";
}

bool member_is_good(const struct member *member)
{
	return bearer_is_good(member->bearer);
}

/* Limits */

static uint64_t now_us(const struct member *member)
{
	return member->bearer->payer->timers->now_us;
}

static void deny(struct denied *denied, enum denial why, int64_t limit, uint64_t wait_us)
{
	uint64_t seconds = wait_us == TALLY_NEVER ? 0 : (wait_us + 999999) / 1000000;

	*denied = (struct denied){.why = why,
				  .retry_s = seconds > UINT32_MAX ? UINT32_MAX : (unsigned)seconds,
				  .limit = limit};
}

/* Of both limits the one that holds longest is told. */
static bool has_room(const struct member *member, enum store_meter meter, int64_t amount,
		     struct denied *denied)
{
	struct tally *tallies[MEMBER_TALLIES];
	uint64_t longest_us = 0;

	member_tallies(tallies, member->bearer);
	for (size_t i = 0; i < MEMBER_TALLIES; ++i) {
		uint64_t wait_us = tally_wait_us(tallies[i], meter, amount, now_us(member));

		if (wait_us > longest_us) {
			longest_us = wait_us;
			deny(denied, denials[meter], tally_limit(tallies[i], meter), wait_us);
		}
	}
	return longest_us == 0;
}

static void take(const struct member *member, enum store_meter meter, int64_t amount)
{
	struct tally *tallies[MEMBER_TALLIES];

	member_tallies(tallies, member->bearer);
	for (size_t i = 0; i < MEMBER_TALLIES; ++i)
		tally_take(tallies[i], meter, amount, now_us(member));
}

static bool check_key(const struct member *member, struct denied *denied)
{
	if (member_is_good(member))
		return true;
	deny(denied, DENIAL_KEY, -1, TALLY_NEVER);
	return false;
}

bool member_request(struct member *member, struct denied *denied)
{
	if (!check_key(member, denied) || !has_room(member, STORE_METER_REQUESTS, 1, denied))
		return false;
	take(member, STORE_METER_REQUESTS, 1);
	return true;
}

bool member_requests_left(const struct member *member, struct member_rate *rate)
{
	struct tally *tallies[MEMBER_TALLIES];
	bool is_limited = false;

	member_tallies(tallies, member->bearer);
	for (size_t i = 0; i < MEMBER_TALLIES; ++i) {
		struct bucket *bucket = &tallies[i]->requests;
		int64_t limit = tally_limit(tallies[i], STORE_METER_REQUESTS);
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
};

static void connection_permit_destroy(void *object)
{
	struct connection_permit *permit = object;

	take(permit->member, STORE_METER_CONNECTIONS, -1);
	mem_deref(permit->member);
}

int member_connect(struct connection_permit **permitp, struct member *member, struct denied *denied,
		   connection_permit_h *handler, void *arg)
{
	struct connection_permit *permit;

	(void)handler;
	(void)arg;
	if (!check_key(member, denied) || !has_room(member, STORE_METER_CONNECTIONS, 1, denied))
		return EACCES;
	permit = mem_zalloc(sizeof(*permit), connection_permit_destroy);
	if (!permit)
		return ENOMEM;
	permit->member = mem_ref(member);
	take(member, STORE_METER_CONNECTIONS, 1);
	*permitp = permit;
	return 0;
}

/* Turns */

struct permit {
	struct member *member;
	struct lease_part parts[MEMBER_TALLIES];
	int64_t dearest; /* chunk so far */
	uint64_t characters;
};

static void spend(struct permit *permit, int64_t microcents)
{
	struct tally *tallies[MEMBER_TALLIES];

	member_tallies(tallies, permit->member->bearer);
	for (size_t i = 0; i < MEMBER_TALLIES; ++i)
		lease_spend(&tallies[i]->lease, &permit->parts[i], microcents);
}

static void permit_destroy(void *object)
{
	struct permit *permit = object;

	spend(permit, 0); /* what was settled is not part of it any more */
	take(permit->member, STORE_METER_TURNS, -1);
	mem_deref(permit->member);
}

static bool has_credit(const struct bearer *bearer, const struct lease_part *parts,
		       struct denied *denied)
{
	struct tally *tallies[MEMBER_TALLIES];

	member_tallies(tallies, bearer);
	for (size_t i = 0; i < MEMBER_TALLIES; ++i) {
		if (lease_covers(&tallies[i]->lease, parts ? &parts[i] : NULL))
			continue;
		deny(denied, DENIAL_CREDIT, -1, TALLY_NEVER);
		return false;
	}
	return true;
}

int permit_ask(struct permit **permitp, struct member *member, struct denied *denied,
	       permit_h *handler, void *arg)
{
	struct permit *permit;

	(void)handler;
	(void)arg;
	if (!check_key(member, denied) || !has_credit(member->bearer, NULL, denied) ||
	    !has_room(member, STORE_METER_TURNS, 1, denied) ||
	    !has_room(member, STORE_METER_REQUESTS, 1, denied) ||
	    !has_room(member, STORE_METER_CHARACTERS, 0, denied))
		return EACCES;
	permit = mem_zalloc(sizeof(*permit), permit_destroy);
	if (!permit)
		return ENOMEM;
	permit->member = mem_ref(member);
	take(member, STORE_METER_TURNS, 1);
	take(member, STORE_METER_REQUESTS, 1);
	*permitp = permit;
	return 0;
}

static bool is_short_enough(const struct permit *permit, uint64_t characters, struct denied *denied)
{
	struct tally *tallies[MEMBER_TALLIES];

	member_tallies(tallies, permit->member->bearer);
	for (size_t i = 0; i < MEMBER_TALLIES; ++i) {
		int64_t max = tallies[i]->limits.text_max;

		if (max >= 0 && permit->characters + characters > (uint64_t)max) {
			deny(denied, DENIAL_TEXT, max, TALLY_NEVER);
			return false;
		}
	}
	return true;
}

bool permit_text(struct permit *permit, uint64_t characters, struct denied *denied)
{
	int64_t count = characters > INT64_MAX ? INT64_MAX : (int64_t)characters;

	if (!is_short_enough(permit, characters, denied) ||
	    !has_room(permit->member, STORE_METER_CHARACTERS, count, denied))
		return false;
	permit->characters += characters;
	take(permit->member, STORE_METER_CHARACTERS, count);
	return true;
}

bool permit_go_on(struct permit *permit, int64_t spent_microcents, struct denied *denied)
{
	struct tally *tallies[MEMBER_TALLIES];
	int64_t chunk = spent_microcents - permit->parts[0].spent;

	if (chunk > permit->dearest)
		permit->dearest = chunk;
	spend(permit, spent_microcents);
	if (!check_key(permit->member, denied) ||
	    !has_credit(permit->member->bearer, permit->parts, denied))
		return false;
	member_tallies(tallies, permit->member->bearer);
	for (size_t i = 0; i < MEMBER_TALLIES; ++i)
		lease_reserve(&tallies[i]->lease, &permit->parts[i], permit->dearest);
	return true;
}

void permit_settle(struct permit *permit, int64_t microcents)
{
	spend(permit, microcents);
	for (size_t i = 0; i < MEMBER_TALLIES; ++i)
		permit->parts[i] = (struct lease_part){0};
}
