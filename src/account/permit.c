/*
 * permit.c: a turn's permission to speak (see member.h).
 *
 *   permit_ask --> credit is here: limits are taken, here and where servers share them
 *              --> the store is being asked for credit: waits for the answer
 *              --> refused
 *
 * While the store is being asked for credit, a lack of credit here does not mean that there
 * is none: a turn waits for the answer, at its beginning and before each chunk.
 *
 * Runs on the loop.  The owner of a permit may end it at any time, even from inside its
 * handler.
 */
#include <errno.h>

#include "account/member.h"
#include "account/members_private.h"
#include "base/clock.h"
#include "base/mem.h"

/* The store answers within milliseconds.  An answer that takes this long will not arrive in
 * time for a listener; the turn is refused because the credit is not known. */
#define PERMIT_WAIT_US UINT64_C(2000000)

/* When to retry after all credit was taken: if by chunks that this server is speaking, in a
 * moment; if by other servers, they will have spent it within seconds if they are busy, and
 * hold it for a minute at most otherwise. */
#define PERMIT_RESERVED_US UINT64_C(1000000)
#define PERMIT_ELSEWHERE_US UINT64_C(5000000)

struct permit {
	struct member *member;
	permit_h *handler; /* NULL: it cannot wait for credit */
	void *arg;
	bool waits_for_chunks;
	struct share_ask *ask;
	bool has_slot;
	struct lease_part parts[MEMBER_QUOTAS];
	int64_t dearest; /* the most expensive chunk so far */
	int64_t spent_before; /* before the current chunk */
	uint64_t characters;

	struct list *waits_on; /* NULL: it does not wait for credit */
	struct link waiting;
	const struct quota *lacks; /* the quota for which credit is being requested */
	uint64_t waits_since_us;
};

static void permit_spend(struct permit *permit, int64_t microcents)
{
	struct quota *quotas[MEMBER_QUOTAS];

	member_quotas(quotas, permit->member->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i)
		lease_spend(&quotas[i]->lease, &permit->parts[i], microcents);
}

/* Waiting for credit */

static void permit_move(struct permit *permit, struct list *to)
{
	if (permit->waits_on)
		list_remove(permit->waits_on, &permit->waiting);
	if (to)
		list_append(to, &permit->waiting);
	permit->waits_on = to;
}

static void permit_wait(struct permit *permit, const struct quota *lacks)
{
	struct members *members = permit->member->bearer->payer->members;

	permit->lacks = lacks;
	permit->waits_since_us = loop_now_us(members->loop);
	permit_move(permit, &members->credit_waits);
}

static void permit_destroy(void *object)
{
	struct permit *permit = object;

	permit_move(permit, NULL);
	permit_spend(permit, 0); /* what was settled is no longer part of it */
	if (permit->has_slot)
		member_give_back(permit->member, STORE_METER_TURNS, permit->ask);
	mem_deref(permit->member);
}

/* Asks for more if it is time. */
static void permit_look_for_credit(struct bearer *bearer)
{
	struct quota *quotas[MEMBER_QUOTAS];

	if (!bearer->payer->members)
		return;
	member_quotas(quotas, bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i)
		members_credit(bearer->payer->members, quotas[i]);
}

/* Credit that the store could not be asked for, that is reserved for chunks being spoken, or
 * that other servers hold, does not mean that there is none. */
static void permit_deny_credit(struct denied *denied, const struct quota *quota)
{
	const struct lease *lease = &quota->lease;

	if (quota->lease_err)
		member_deny(denied, DENIAL_LEDGER, -1, QUOTA_NEVER);
	else if (lease_is_spent(lease))
		member_deny(denied, DENIAL_CREDIT, -1, QUOTA_NEVER);
	else
		member_deny(denied, DENIAL_LEASED, -1,
			    lease->elsewhere > 0 ? PERMIT_ELSEWHERE_US : PERMIT_RESERVED_US);
}

bool member_has_credit(struct member *member, struct denied *denied)
{
	struct quota *quotas[MEMBER_QUOTAS];

	permit_look_for_credit(member->bearer);
	member_quotas(quotas, member->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i) {
		if (lease_covers(&quotas[i]->lease, NULL, 0))
			continue;
		permit_deny_credit(denied, quotas[i]);
		return false;
	}
	return true;
}

/* False with DENIAL_PENDING: it waits for the store's answer. */
static bool permit_has_credit(struct permit *permit, int64_t chunk, struct denied *denied)
{
	bool may_wait = permit->handler && (!permit->has_slot || permit->waits_for_chunks);
	struct quota *quotas[MEMBER_QUOTAS];
	const struct quota *asked = NULL;

	member_quotas(quotas, permit->member->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i) {
		if (lease_covers(&quotas[i]->lease, &permit->parts[i], chunk))
			continue;
		if (!quotas[i]->is_asking || !may_wait) {
			permit_deny_credit(denied, quotas[i]);
			return false;
		}
		asked = quotas[i];
	}
	if (!asked)
		return true;
	permit_wait(permit, asked);
	member_deny(denied, DENIAL_PENDING, -1, PERMIT_RESERVED_US);
	return false;
}

/* The beginning */

static void permit_on_shared(int err, const struct denied *denied, void *owner, permit_h *told,
			     void *arg)
{
	struct permit *permit = owner;

	permit->ask = NULL;
	permit->has_slot = err == 0;
	if (err)
		member_take(permit->member, STORE_METER_TURNS, -1);
	member_tell_shared(err, denied, permit->member, told, arg);
}

static int permit_begin(struct permit *permit, struct denied *denied)
{
	struct member *member = permit->member;
	int err;

	permit_look_for_credit(member->bearer);
	if (!member_check_key(member, denied))
		return EACCES;
	if (!permit_has_credit(permit, 0, denied))
		return denied->why == DENIAL_PENDING ? EINPROGRESS : EACCES;
	if (!member_has_room(member, STORE_METER_TURNS, 1, denied) ||
	    !member_has_room(member, STORE_METER_REQUESTS, 1, denied) ||
	    !member_has_room(member, STORE_METER_CHARACTERS, 0, denied))
		return EACCES;
	err = member_ask_store(&permit->ask, member, STORE_METER_TURNS, permit_on_shared, permit,
			       permit->handler, permit->arg);
	if (err && err != EINPROGRESS)
		return err;
	permit->has_slot = true;
	member->bearer->used_ms = clock_wall_ms();
	member_take(member, STORE_METER_TURNS, 1);
	member_take(member, STORE_METER_REQUESTS, 1);
	return err;
}

int permit_ask(struct permit **permitp, struct member *member, struct denied *denied,
	       permit_h *handler, void *arg)
{
	struct permit *permit = mem_zalloc(sizeof(*permit), permit_destroy);
	int err;

	if (!permit)
		return ENOMEM;
	permit->member = mem_ref(member);
	permit->handler = handler;
	permit->arg = arg;
	err = permit_begin(permit, denied);
	if (err && err != EINPROGRESS)
		mem_deref(permit);
	else
		*permitp = permit;
	return err;
}

static void permit_refuse_waiting(struct permit *permit)
{
	struct denied denied;

	member_deny(&denied, DENIAL_LEDGER, -1, QUOTA_NEVER);
	permit_move(permit, NULL);
	permit->handler(EACCES, &denied, permit->arg);
}

/* A turn that has begun asks again before its next chunk. */
static void permit_go_on_waiting(struct permit *permit)
{
	struct denied denied;
	int err;

	permit_move(permit, NULL);
	err = permit->has_slot ? 0 : permit_begin(permit, &denied);
	if (err == EINPROGRESS)
		return;
	if (err == ENOMEM)
		member_deny(&denied, DENIAL_LEDGER, -1, QUOTA_NEVER);
	permit->handler(err ? EACCES : 0, &denied, permit->arg);
}

static struct permit *permit_at(struct link *link)
{
	return LIST_OBJECT(link, struct permit, waiting);
}

/* A handler may end any permit: those still to be told are on a list of their own, from which
 * an ended permit removes itself. */
void permits_credit_came(struct members *members)
{
	struct link *next;
	struct link *link;

	for (link = list_first(&members->credit_waits); link; link = next) {
		next = list_next(&members->credit_waits, link);
		if (!permit_at(link)->lacks->is_asking)
			permit_move(permit_at(link), &members->credit_told);
	}
	while ((link = list_first(&members->credit_told)))
		permit_go_on_waiting(permit_at(link));
}

void permits_give_up_waiting(struct members *members)
{
	struct link *link;

	/* The oldest is first. */
	while ((link = list_first(&members->credit_waits)) &&
	       loop_now_us(members->loop) - permit_at(link)->waits_since_us >= PERMIT_WAIT_US)
		permit_refuse_waiting(permit_at(link));
}

void permits_end(struct members *members)
{
	struct link *link;

	while ((link = list_first(&members->credit_waits)))
		permit_refuse_waiting(permit_at(link));
}

void permit_wait_for_chunks(struct permit *permit)
{
	permit->waits_for_chunks = true;
}

/* What a turn says, and what it costs */

static bool permit_is_short_enough(const struct permit *permit, uint64_t characters,
				   struct denied *denied)
{
	struct quota *quotas[MEMBER_QUOTAS];

	member_quotas(quotas, permit->member->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i) {
		int64_t max = quotas[i]->limits.text_max;

		if (max >= 0 && permit->characters + characters > (uint64_t)max) {
			member_deny(denied, DENIAL_TEXT, max, QUOTA_NEVER);
			return false;
		}
	}
	return true;
}

bool permit_text(struct permit *permit, uint64_t characters, struct denied *denied)
{
	int64_t count = characters > INT64_MAX ? INT64_MAX : (int64_t)characters;

	if (!permit_is_short_enough(permit, characters, denied) ||
	    !member_has_room(permit->member, STORE_METER_CHARACTERS, count, denied))
		return false;
	permit->characters += characters;
	member_take(permit->member, STORE_METER_CHARACTERS, count);
	member_owe(permit->member, STORE_METER_CHARACTERS, count);
	return true;
}

/* The next chunk is estimated at the most that its text may cost, or at the cost of the most
 * expensive chunk so far, because a voice may be slower than all others. */
bool permit_go_on(struct permit *permit, int64_t spent_microcents, int64_t chunk_microcents,
		  struct denied *denied)
{
	struct bearer *bearer = permit->member->bearer;
	int64_t last = spent_microcents - permit->spent_before;
	struct quota *quotas[MEMBER_QUOTAS];

	if (last > permit->dearest)
		permit->dearest = last;
	if (permit->dearest > chunk_microcents)
		chunk_microcents = permit->dearest;
	permit->spent_before = spent_microcents;
	permit_spend(permit, spent_microcents);
	permit_look_for_credit(bearer);
	if (!member_check_key(permit->member, denied) ||
	    !permit_has_credit(permit, chunk_microcents, denied))
		return false;
	member_quotas(quotas, bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i)
		lease_reserve(&quotas[i]->lease, &permit->parts[i], chunk_microcents);
	if (chunk_microcents > payer_block(bearer->payer)) /* more than is requested in advance */
		permit_look_for_credit(bearer);
	return true;
}

/* A chunk that has used up what was reserved for it uses the reservation of the next. */
bool permit_advance(struct permit *permit, int64_t spent_microcents, struct denied *denied)
{
	struct bearer *bearer = permit->member->bearer;
	struct quota *quotas[MEMBER_QUOTAS];
	bool is_covered = true;

	member_quotas(quotas, bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i) {
		struct quota *quota = quotas[i];

		lease_advance(&quota->lease, &permit->parts[i], spent_microcents);
		if (permit->parts[i].reserved == 0 && bearer->payer->members)
			members_credit(bearer->payer->members, quota);
		if (!lease_is_overdrawn(&quota->lease, quota->is_asking))
			continue;
		permit_deny_credit(denied, quota);
		is_covered = false;
	}
	return is_covered;
}

void permit_settle(struct permit *permit, int64_t microcents)
{
	permit_spend(permit, microcents);
	permit_look_for_credit(permit->member->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i)
		permit->parts[i] = (struct lease_part){0};
}
