/*
 * lend.c: how much of an account's or a key's credit is lent to a server (see lend.h).
 */
#include "store/lend.h"

#define MICROCENTS_PER_CENT 1000000

/* A key's credit may be any number that an operator entered, so it is clamped. */
static int64_t lend_microcents_of(int64_t cents)
{
	int64_t microcents;

	return __builtin_mul_overflow(cents, MICROCENTS_PER_CENT, &microcents) ? INT64_MAX
									       : microcents;
}

static int64_t lend_less(int64_t from, int64_t amount)
{
	int64_t rest;

	if (__builtin_sub_overflow(from, amount, &rest))
		return amount > 0 ? INT64_MIN : INT64_MAX;
	return rest;
}

void lend_of_account(struct lend_balance *balance, const struct store_account *account)
{
	balance->is_limited = account->is_prepaid;
	balance->paid_microcents = account->credit_microcents;
	balance->spent_microcents = account->spent_microcents;
}

void lend_of_key(struct lend_balance *balance, const struct store_key *key)
{
	balance->is_limited = key->credit_cents >= 0;
	balance->paid_microcents = lend_microcents_of(key->credit_cents);
	balance->spent_microcents = key->spent_microcents;
}

static void lend_limited(struct store_lease *lease, const struct lend_balance *balance)
{
	int64_t left = lend_less(lend_less(balance->paid_microcents, balance->spent_microcents),
				 balance->lent_microcents);
	int64_t granted = lease->want_microcents < left ? lease->want_microcents : left;

	if (granted < 0)
		granted = 0;
	lease->granted_microcents = granted;
	lease->held_microcents = balance->held_microcents + granted;
	lease->left_microcents = left - granted;
	lease->elsewhere_microcents = balance->lent_microcents - balance->held_microcents;
}

void lend(struct store_lease *lease, const struct lend_balance *balance)
{
	if (balance->is_limited) {
		lend_limited(lease, balance);
		return;
	}
	lease->granted_microcents = lease->want_microcents;
	lease->held_microcents = lease->want_microcents;
	lease->left_microcents = INT64_MAX;
	lease->elsewhere_microcents = 0;
}
