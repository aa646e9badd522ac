/*
 * callers_credit.c: requests leases of credit before they are needed (see callers_private.h).
 *
 * There is at most one request at a time for an account or a key: when only half of a block is
 * left, when a lease must be renewed, or when there was no credit and the key is used again.
 */
#include <errno.h>
#include <stdio.h>

#include "account/callers_private.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"

/* A lease expires after this time, so that the credit of a server that died becomes free. */
#define LEASE_MS 60000
/* How often a lease is renewed: there are three attempts before it expires. */
#define RENEW_US UINT64_C(20000000)
/* How often the credit of an account that has none is requested at most, however often its keys are
 * used: soon enough after a payment, and little work for the store. */
#define RETRY_US UINT64_C(200000)

struct credit {
	struct callers_query query;
	struct store_lease lease;
	struct quota *quota;
	void *owner; /* a reference to the object that contains the quota */
	bool is_quiet; /* no turn was running and every row was booked when it was requested */
	int64_t used;
};

static void callers_credit_destroy(void *object)
{
	struct credit *credit = object;

	mem_deref(credit->owner);
}

static int callers_credit_work(struct store *store, struct callers_query *query)
{
	struct credit *credit = LIST_OBJECT(query, struct credit, query);

	return store->ops->lease_take(store, &credit->lease);
}

static void callers_credit_on_answered(struct callers_query *query, int err)
{
	struct credit *credit = LIST_OBJECT(query, struct credit, query);
	const struct store_lease *answer = &credit->lease;
	struct quota *quota = credit->quota;
	struct lease *lease = &quota->lease;

	callers_note_store(query->callers, err);
	quota->is_asking = false;
	quota->lease_err = err == ENOENT ? 0 : err;
	if (err) {
		lease->left = 0;
	} else {
		quota->seen_seq = answer->last_seq;
		lease_answered(lease, &(struct lease_answer){
					      .booked = answer->booked_microcents,
					      .held = answer->held_microcents,
					      .left = answer->left_microcents,
					      .elsewhere = answer->elsewhere_microcents,
				      });
		/* If the clock was set back, new rows seem to be older than the quota and are
		 * missing in the sums.  That is corrected when no turn is running and all rows are
		 * booked. */
		if (credit->is_quiet && quota->turns == 0 && lease->used == credit->used)
			lease_all_booked(lease);
	}
	callers_on_credit(query->callers);
	permits_on_credit(query->callers);
}

static int callers_credit_request(struct callers *callers, struct quota *quota, int64_t want)
{
	struct credit *credit = mem_zalloc(sizeof(*credit), callers_credit_destroy);
	int64_t now_ms = clock_wall_ms();

	if (!credit)
		return ENOMEM;
	credit->lease = (struct store_lease){
		.holder = quota->holder,
		.want_microcents = want,
		.at_ms = now_ms,
		.expires_ms = now_ms + LEASE_MS,
		.after_seq = quota->seen_seq,
		/* If the clock was set back, new rows would seem to be older than the quota; rows
		 * that were already counted are excluded by their number. */
		.since_ms = quota->seen_seq > 0 && now_ms < quota->made_ms ? 0 : quota->made_ms,
	};
	snprintf(credit->lease.server, sizeof(credit->lease.server), "%s",
		 async_store_server_id(callers->async));
	credit->quota = quota;
	credit->owner = mem_ref(callers_owner(quota));
	credit->is_quiet = quota->turns == 0 && async_store_is_settled(callers->async);
	credit->used = quota->lease.used;
	return callers_query(callers, ASYNC_STORE_ACCESS, &credit->query, callers_credit_work,
			     callers_credit_on_answered);
}

static uint64_t callers_credit_since_us(const struct callers *callers, const struct quota *quota)
{
	return loop_now_us(callers->loop) - quota->asked_us;
}

static bool callers_credit_is_exhausted(const struct quota *quota)
{
	return quota->lease_err != 0 || quota->lease.left <= 0;
}

bool callers_credit(struct callers *callers, struct quota *quota)
{
	int64_t want = lease_want(&quota->lease);

	if (!quota->lease.is_limited || quota->is_asking)
		return quota->is_asking;
	if (quota->was_asked && callers_credit_is_exhausted(quota) &&
	    callers_credit_since_us(callers, quota) < RETRY_US)
		return false;
	if (quota->was_asked && want == 0 && callers_credit_since_us(callers, quota) < RENEW_US)
		return false;
	quota->was_asked = true;
	quota->asked_us = loop_now_us(callers->loop);
	quota->is_asking = callers_credit_request(callers, quota, want) == 0;
	return quota->is_asking;
}

/* Drops a lease that was not renewed in time: the store may have given its credit to others. */
static void callers_credit_lapse_unused(struct callers *callers, struct quota *quota)
{
	if (quota->lease.is_limited && !quota->is_asking &&
	    callers_credit_since_us(callers, quota) >= LEASE_MS * UINT64_C(1000))
		lease_lapse(&quota->lease);
}

void callers_credit_tick(struct callers *callers)
{
	for (struct link *l = list_first(&callers->used); l; l = list_next(&callers->used, l)) {
		struct quota *quotas[CALLER_QUOTAS];

		caller_quotas(quotas, LIST_OBJECT(l, struct key_state, use));
		for (size_t i = 0; i < CALLER_QUOTAS; ++i) {
			if (callers_credit_since_us(callers, quotas[i]) >= RENEW_US)
				callers_credit(callers, quotas[i]);
		}
	}
	for (struct link *l = list_first(&callers->idle); l; l = list_next(&callers->idle, l)) {
		struct key_state *key = LIST_OBJECT(l, struct key_state, use);

		callers_credit_lapse_unused(callers, &key->quota);
		if (key->account->users == 0)
			callers_credit_lapse_unused(callers, &key->account->quota);
	}
	permits_expire(callers);
}

void callers_credit_retry(struct callers *callers)
{
	struct list *lists[] = {&callers->used, &callers->idle};

	for (size_t i = 0; i < COUNT(lists); ++i) {
		for (struct link *l = list_first(lists[i]); l; l = list_next(lists[i], l)) {
			struct quota *quotas[CALLER_QUOTAS];

			caller_quotas(quotas, LIST_OBJECT(l, struct key_state, use));
			for (size_t q = 0; q < CALLER_QUOTAS; ++q)
				quotas[q]->was_asked &= !callers_credit_is_exhausted(quotas[q]);
		}
	}
}
