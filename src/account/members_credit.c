/*
 * members_credit.c: leases of credit, asked for ahead of need.
 *
 * One question at a time for an account or a key: when half of a block is left, when
 * what is lent must be prolonged, and when there was nothing and somebody comes.
 */
#include <errno.h>
#include <stdio.h>

#include "account/members_private.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"

/* A server that died gives up what it held after this long. */
#define LEASE_MS 60000
/* Three tries before it lapses. */
#define PROLONG_US UINT64_C(20000000)
/* Who has nothing is looked at this often at most, however often it comes: soon enough
 * for who has just paid, and bounded work for the store. */
#define AGAIN_US UINT64_C(200000)

struct credit {
	struct inquiry inquiry;
	struct store_lease lease;
	struct quota *quota;
	void *owner; /* what the quota is part of: a reference */
	bool is_quiet; /* nothing ran, and all was booked */
	int64_t used;
};

static void credit_destroy(void *object)
{
	struct credit *credit = object;

	mem_deref(credit->owner);
}

static int credit_work(struct store *store, struct inquiry *inquiry)
{
	struct credit *credit = LIST_OBJECT(inquiry, struct credit, inquiry);

	return store->ops->lease_take(store, &credit->lease);
}

static void note_grant(struct credit *credit)
{
	const struct store_lease *answer = &credit->lease;
	struct lease *lease = &credit->quota->lease;

	credit->quota->seen_seq = answer->last_seq;
	lease_answered(lease, &(struct lease_answer){
				      .booked = answer->booked_microcents,
				      .held = answer->held_microcents,
				      .left = answer->left_microcents,
				      .elsewhere = answer->elsewhere_microcents,
			      });
	/* Rows that the sums miss, because the clock was set back and they seem to be older,
	 * are accounted for when nothing is on its way. */
	if (credit->is_quiet && credit->quota->turns == 0 && lease->used == credit->used)
		lease_all_booked(lease);
}

static void on_credit(struct inquiry *inquiry, int err)
{
	struct credit *credit = LIST_OBJECT(inquiry, struct credit, inquiry);
	struct quota *quota = credit->quota;

	members_note_store(inquiry->members, err);
	quota->is_asking = false;
	quota->lease_err = err == ENOENT ? 0 : err;
	if (err)
		quota->lease.left = 0;
	else
		note_grant(credit);
	members_credit_came(inquiry->members);
	permits_credit_came(inquiry->members);
}

static int ask(struct members *members, struct quota *quota, int64_t want)
{
	struct credit *credit = mem_zalloc(sizeof(*credit), credit_destroy);
	int64_t now_ms = clock_wall_ms();

	if (!credit)
		return ENOMEM;
	credit->lease = (struct store_lease){
		.holder = quota->holder,
		.want_microcents = want,
		.at_ms = now_ms,
		.expires_ms = now_ms + LEASE_MS,
		.after_seq = quota->seen_seq,
		/* With a clock that was set back, rows of now would seem to be older than the
		 * quota; what was seen already is left out by its number anyway. */
		.since_ms = quota->seen_seq > 0 && now_ms < quota->made_ms ? 0 : quota->made_ms,
	};
	snprintf(credit->lease.server, sizeof(credit->lease.server), "%s",
		 account_server_id(members->account));
	credit->quota = quota;
	credit->owner = mem_ref(members_owner(quota));
	credit->is_quiet = quota->turns == 0 && account_is_settled(members->account);
	credit->used = quota->lease.used;
	return members_ask(members, ACCOUNT_ACCESS, &credit->inquiry, credit_work, on_credit);
}

static uint64_t since_us(const struct members *members, const struct quota *quota)
{
	return loop_now_us(members->loop) - quota->asked_us;
}

static bool is_dry(const struct quota *quota)
{
	return quota->lease_err != 0 || quota->lease.left <= 0;
}

bool members_credit(struct members *members, struct quota *quota)
{
	int64_t want = lease_want(&quota->lease);

	if (!quota->lease.is_limited || quota->is_asking)
		return quota->is_asking;
	if (quota->was_asked && is_dry(quota) && since_us(members, quota) < AGAIN_US)
		return false;
	if (quota->was_asked && want == 0 && since_us(members, quota) < PROLONG_US)
		return false;
	quota->was_asked = true;
	quota->asked_us = loop_now_us(members->loop);
	quota->is_asking = ask(members, quota, want) == 0;
	return quota->is_asking;
}

/* The store has given it to others. */
static void lapse_unused(struct members *members, struct quota *quota)
{
	if (quota->lease.is_limited && !quota->is_asking &&
	    since_us(members, quota) >= LEASE_MS * UINT64_C(1000))
		lease_lapse(&quota->lease);
}

void members_credit_tick(struct members *members)
{
	for (struct link *l = list_first(&members->used); l; l = list_next(&members->used, l)) {
		struct quota *quotas[MEMBER_QUOTAS];

		member_quotas(quotas, LIST_OBJECT(l, struct bearer, use));
		for (size_t i = 0; i < MEMBER_QUOTAS; ++i) {
			if (since_us(members, quotas[i]) >= PROLONG_US)
				members_credit(members, quotas[i]);
		}
	}
	for (struct link *l = list_first(&members->idle); l; l = list_next(&members->idle, l)) {
		struct bearer *bearer = LIST_OBJECT(l, struct bearer, use);

		lapse_unused(members, &bearer->quota);
		if (bearer->payer->users == 0)
			lapse_unused(members, &bearer->payer->quota);
	}
	permits_give_up_waiting(members);
}

void members_credit_hope(struct members *members)
{
	struct list *lists[] = {&members->used, &members->idle};

	for (size_t i = 0; i < COUNT(lists); ++i) {
		for (struct link *l = list_first(lists[i]); l; l = list_next(lists[i], l)) {
			struct quota *quotas[MEMBER_QUOTAS];

			member_quotas(quotas, LIST_OBJECT(l, struct bearer, use));
			for (size_t q = 0; q < MEMBER_QUOTAS; ++q)
				quotas[q]->was_asked &= !is_dry(quotas[q]);
		}
	}
}
