/*
 * account_state.c: what an account has used of its limits and credit at this server (see
 * caller_private.h).  Runs on the loop.
 */
#include <errno.h>

#include "account/callers_private.h"
#include "base/mem.h"

int64_t account_state_lease_size(const struct account_state *account)
{
	return account->callers ? account->callers->options.lease_microcents : 0;
}

void account_state_set(struct account_state *account, const struct store_account *row,
		       const struct store_limits *plan)
{
	struct store_limits limits;

	quota_resolve(&limits, &row->limits, plan);
	shares_set_limits(account->callers, &account->quota, &limits, account->timers->now_us);
	lease_limit(&account->quota.lease, row->is_prepaid, account_state_lease_size(account));
	account->row = *row;
}

static void account_state_destroy(void *object)
{
	struct account_state *account = object;

	if (!account->callers)
		return;
	shares_forget_quota(account->callers, &account->quota);
	list_remove(&account->callers->accounts, &account->link);
	list_remove(callers_account_chain(account->callers, account->row.id), &account->chain);
}

int account_state_alloc(struct account_state **accountp, struct callers *callers,
			struct timers *timers, const struct store_account *row,
			const struct store_limits *plan)
{
	struct account_state *account = mem_zalloc(sizeof(*account), account_state_destroy);

	if (!account)
		return ENOMEM;
	account->callers = callers;
	account->timers = timers;
	if (callers) {
		list_append(&callers->accounts, &account->link);
		list_append(callers_account_chain(callers, row->id), &account->chain);
	}
	quota_init(&account->quota, STORE_HOLDER_ACCOUNT, row->id, &quota_no_limits,
		   timers->now_us);
	account_state_set(account, row, plan);
	*accountp = account;
	return 0;
}
