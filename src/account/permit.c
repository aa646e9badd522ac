/*
 * permit.c: a turn's permission to speak, or a transcription's to listen (see caller.h).
 *
 *   permit_ask --> there is credit: the turn is counted in the limits, here and, if servers share
 *                  the limits, at the store
 *              --> credit is being requested from the store: the turn waits for the answer
 *              --> refused
 *
 * While credit is being requested, a lack of credit on this server does not mean that there is
 * none: a turn waits for the answer, at its beginning and before each chunk.
 *
 * Runs on the loop.  The owner of a permit may release it at any time, even from inside its
 * handler.
 */
#include <errno.h>

#include "account/caller.h"
#include "account/callers_private.h"
#include "base/clock.h"
#include "base/mem.h"

/* The store answers within milliseconds.  An answer that takes this long will not arrive in
 * time for a listener; the turn is refused because the credit is not known. */
#define PERMIT_WAIT_US UINT64_C(2000000)

/* When to retry if all credit is taken.  Credit that is reserved for chunks that this server is
 * speaking becomes free soon.  Other servers will have spent theirs within seconds if they are busy,
 * and keep it for a minute at most otherwise. */
#define PERMIT_RESERVED_US UINT64_C(1000000)
#define PERMIT_ELSEWHERE_US UINT64_C(5000000)

struct permit {
	struct caller *caller;
	enum store_meter used; /* what it uses of a limit per minute: characters or seconds heard */
	permit_h *handler; /* NULL: it cannot wait for credit */
	void *arg;
	bool waits_for_chunks;
	struct share_ask *ask;
	bool has_slot;
	struct lease_part parts[CALLER_QUOTAS];
	int64_t most_expensive; /* the cost of the most expensive chunk so far */
	int64_t spent_before; /* the cost of the turn before the current chunk */
	uint64_t characters; /* the length of the turn's text so far */

	struct list *waits_on; /* the list that it is on; NULL: it does not wait for credit */
	struct link waiting;
	const struct quota *lacks; /* the quota for which credit is being requested */
	uint64_t waits_since_us;
};

static void permit_spend(struct permit *permit, int64_t microcents)
{
	struct quota *quotas[CALLER_QUOTAS];

	caller_quotas(quotas, permit->caller->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i)
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

static void permit_destroy(void *object)
{
	struct permit *permit = object;

	permit_move(permit, NULL);
	/* Releases reservations; costs that were settled are not part of the permit any more. */
	permit_spend(permit, 0);
	if (permit->has_slot)
		caller_release_slot(permit->caller, STORE_METER_TURNS, permit->ask);
	mem_deref(permit->caller);
}

/* Requests more credit if it is time to. */
static void permit_request_credit(struct key_state *key)
{
	struct quota *quotas[CALLER_QUOTAS];

	if (!key->account->callers)
		return;
	caller_quotas(quotas, key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i)
		callers_credit(key->account->callers, quotas[i]);
}

/* The account has no credit only if it is spent everywhere.  Otherwise the denial is another one:
 * the store could not be asked, or credit is reserved for chunks or held by other servers. */
static void permit_deny_credit(struct denied *denied, const struct quota *quota)
{
	const struct lease *lease = &quota->lease;

	if (quota->lease_err)
		caller_deny(denied, DENIAL_LEDGER, -1, QUOTA_NEVER);
	else if (lease_is_spent(lease))
		caller_deny(denied, DENIAL_CREDIT, -1, QUOTA_NEVER);
	else
		caller_deny(denied, DENIAL_LEASED, -1,
			    lease->elsewhere > 0 ? PERMIT_ELSEWHERE_US : PERMIT_RESERVED_US);
}

bool caller_has_credit(struct caller *caller, struct denied *denied)
{
	struct quota *quotas[CALLER_QUOTAS];

	permit_request_credit(caller->key);
	caller_quotas(quotas, caller->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i) {
		if (lease_covers(&quotas[i]->lease, NULL, 0))
			continue;
		permit_deny_credit(denied, quotas[i]);
		return false;
	}
	return true;
}

/* Whether there is credit for a chunk.  False with DENIAL_PENDING: the permit waits for the store's
 * answer. */
static bool permit_has_credit(struct permit *permit, int64_t chunk, struct denied *denied)
{
	bool may_wait = permit->handler && (!permit->has_slot || permit->waits_for_chunks);
	struct callers *callers = permit->caller->key->account->callers;
	struct quota *quotas[CALLER_QUOTAS];
	const struct quota *asked = NULL;

	caller_quotas(quotas, permit->caller->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i) {
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
	permit->lacks = asked;
	permit->waits_since_us = loop_now_us(callers->loop);
	permit_move(permit, &callers->credit_waits);
	caller_deny(denied, DENIAL_PENDING, -1, PERMIT_RESERVED_US);
	return false;
}

/* The beginning of a turn */

static void permit_on_shared(int err, const struct denied *denied, void *owner,
			     permit_h *permit_handler, void *arg)
{
	struct permit *permit = owner;

	permit->ask = NULL;
	permit->has_slot = err == 0;
	if (err)
		caller_take(permit->caller, STORE_METER_TURNS, -1);
	caller_finish_shared(err, denied, permit->caller, permit_handler, arg);
}

static int permit_begin(struct permit *permit, struct denied *denied)
{
	struct caller *caller = permit->caller;
	int err;

	permit_request_credit(caller->key);
	if (!caller_check_key(caller, denied))
		return EACCES;
	if (!permit_has_credit(permit, 0, denied))
		return denied->why == DENIAL_PENDING ? EINPROGRESS : EACCES;
	if (!caller_has_room(caller, STORE_METER_TURNS, 1, denied) ||
	    !caller_has_room(caller, STORE_METER_REQUESTS, 1, denied) ||
	    !caller_has_room(caller, permit->used, 0, denied))
		return EACCES;
	err = caller_ask_shares(&permit->ask, caller, STORE_METER_TURNS, permit->used,
				permit_on_shared, permit, permit->handler, permit->arg);
	if (err && err != EINPROGRESS)
		return err;
	permit->has_slot = true;
	caller->key->used_ms = clock_wall_ms();
	caller_take(caller, STORE_METER_TURNS, 1);
	caller_take(caller, STORE_METER_REQUESTS, 1);
	return err;
}

static int permit_make(struct permit **permitp, struct caller *caller, enum store_meter used,
		       struct denied *denied, permit_h *handler, void *arg)
{
	struct permit *permit = mem_zalloc(sizeof(*permit), permit_destroy);
	int err;

	if (!permit)
		return ENOMEM;
	permit->caller = mem_ref(caller);
	permit->used = used;
	permit->handler = handler;
	permit->arg = arg;
	err = permit_begin(permit, denied);
	if (err && err != EINPROGRESS)
		mem_deref(permit);
	else
		*permitp = permit;
	return err;
}

int permit_ask(struct permit **permitp, struct caller *caller, struct denied *denied,
	       permit_h *handler, void *arg)
{
	return permit_make(permitp, caller, STORE_METER_CHARACTERS, denied, handler, arg);
}

int permit_ask_to_hear(struct permit **permitp, struct caller *caller, struct denied *denied,
		       permit_h *handler, void *arg)
{
	return permit_make(permitp, caller, STORE_METER_HEARD, denied, handler, arg);
}

static void permit_refuse_waiting(struct permit *permit)
{
	struct denied denied;

	caller_deny(&denied, DENIAL_LEDGER, -1, QUOTA_NEVER);
	permit_move(permit, NULL);
	permit->handler(EACCES, &denied, permit->arg);
}

/* Continues when credit has been answered.  A turn that has begun calls permit_begin_chunk
 * again. */
static void permit_resume(struct permit *permit)
{
	struct denied denied;
	int err;

	permit_move(permit, NULL);
	err = permit->has_slot ? 0 : permit_begin(permit, &denied);
	if (err == EINPROGRESS)
		return;
	if (err == ENOMEM)
		caller_deny(&denied, DENIAL_LEDGER, -1, QUOTA_NEVER);
	permit->handler(err ? EACCES : 0, &denied, permit->arg);
}

static struct permit *permit_at(struct link *link)
{
	return LIST_OBJECT(link, struct permit, waiting);
}

/* A handler may release any permit.  Permits whose handlers are still to be called are therefore on
 * a separate list, from which a permit removes itself when it is released. */
void permits_on_credit(struct callers *callers)
{
	struct link *next;
	struct link *link;

	for (link = list_first(&callers->credit_waits); link; link = next) {
		next = list_next(&callers->credit_waits, link);
		if (!permit_at(link)->lacks->is_asking)
			permit_move(permit_at(link), &callers->credit_answered);
	}
	while ((link = list_first(&callers->credit_answered)))
		permit_resume(permit_at(link));
}

void permits_expire(struct callers *callers)
{
	struct link *link;

	/* The oldest is first. */
	while ((link = list_first(&callers->credit_waits)) &&
	       loop_now_us(callers->loop) - permit_at(link)->waits_since_us >= PERMIT_WAIT_US)
		permit_refuse_waiting(permit_at(link));
}

void permits_end(struct callers *callers)
{
	struct link *link;

	while ((link = list_first(&callers->credit_waits)))
		permit_refuse_waiting(permit_at(link));
}

void permit_wait_for_chunks(struct permit *permit)
{
	permit->waits_for_chunks = true;
}

/* The text and the cost of a turn */

static bool permit_is_short_enough(const struct permit *permit, uint64_t characters,
				   struct denied *denied)
{
	struct quota *quotas[CALLER_QUOTAS];

	caller_quotas(quotas, permit->caller->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i) {
		int64_t max = quotas[i]->limits.text_max;

		if (max >= 0 && permit->characters + characters > (uint64_t)max) {
			caller_deny(denied, DENIAL_TEXT, max, QUOTA_NEVER);
			return false;
		}
	}
	return true;
}

bool permit_text(struct permit *permit, uint64_t characters, struct denied *denied)
{
	int64_t count = characters > INT64_MAX ? INT64_MAX : (int64_t)characters;

	if (!permit_is_short_enough(permit, characters, denied) ||
	    !caller_has_room(permit->caller, STORE_METER_CHARACTERS, count, denied))
		return false;
	permit->characters += characters;
	caller_take(permit->caller, STORE_METER_CHARACTERS, count);
	caller_report_usage(permit->caller, STORE_METER_CHARACTERS, count);
	return true;
}

bool permit_heard(struct permit *permit, uint64_t seconds, struct denied *denied)
{
	int64_t count = seconds > INT64_MAX ? INT64_MAX : (int64_t)seconds;
	bool has_room = caller_has_room(permit->caller, STORE_METER_HEARD, count, denied);

	caller_take(permit->caller, STORE_METER_HEARD, count);
	caller_report_usage(permit->caller, STORE_METER_HEARD, count);
	return has_room;
}

/* The next chunk is estimated at the most that its text may cost, or at the cost of the most
 * expensive chunk so far, because a voice may be slower than all others. */
bool permit_begin_chunk(struct permit *permit, int64_t spent_microcents, int64_t chunk_microcents,
			struct denied *denied)
{
	struct key_state *key = permit->caller->key;
	int64_t last = spent_microcents - permit->spent_before;
	struct quota *quotas[CALLER_QUOTAS];

	if (last > permit->most_expensive)
		permit->most_expensive = last;
	if (permit->most_expensive > chunk_microcents)
		chunk_microcents = permit->most_expensive;
	permit->spent_before = spent_microcents;
	permit_spend(permit, spent_microcents);
	permit_request_credit(key);
	if (!caller_check_key(permit->caller, denied) ||
	    !permit_has_credit(permit, chunk_microcents, denied))
		return false;
	caller_quotas(quotas, key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i)
		lease_reserve(&quotas[i]->lease, &permit->parts[i], chunk_microcents);
	/* The chunk may cost more than is requested in advance. */
	if (chunk_microcents > account_state_lease_size(key->account))
		permit_request_credit(key);
	return true;
}

bool permit_advance(struct permit *permit, int64_t spent_microcents, struct denied *denied)
{
	struct key_state *key = permit->caller->key;
	struct quota *quotas[CALLER_QUOTAS];
	bool is_covered = true;

	caller_quotas(quotas, key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i) {
		struct quota *quota = quotas[i];

		lease_advance(&quota->lease, &permit->parts[i], spent_microcents);
		if (permit->parts[i].reserved == 0 && key->account->callers)
			callers_credit(key->account->callers, quota);
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
	permit_request_credit(permit->caller->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i)
		permit->parts[i] = (struct lease_part){0};
}
