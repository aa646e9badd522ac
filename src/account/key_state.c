/*
 * key_state.c: what a key has used of its limits and credit at this server (see
 * caller_private.h).  Runs on the loop.
 */
#include <errno.h>

#include "account/callers_private.h"
#include "base/clock.h"
#include "base/mem.h"

static void key_state_destroy(void *object)
{
	struct key_state *key = object;

	shares_forget_quota(key->account->callers, &key->quota);
	mem_deref(key->account);
}

void key_state_set(struct key_state *key, const struct store_key *row)
{
	const struct account_state *account = key->account;
	struct store_limits limits;

	quota_resolve(&limits, &row->limits, &quota_no_limits);
	shares_set_limits(account->callers, &key->quota, &limits, account->timers->now_us);
	lease_limit(&key->quota.lease, row->credit_cents >= 0, account_state_lease_size(account));
	key->row = *row;
}

int key_state_alloc(struct key_state **keyp, struct account_state *account,
		    const struct store_key *row)
{
	struct key_state *key = mem_zalloc(sizeof(*key), key_state_destroy);

	if (!key)
		return ENOMEM;
	key->account = mem_ref(account);
	quota_init(&key->quota, STORE_HOLDER_KEY, row->id, &quota_no_limits,
		   account->timers->now_us);
	key_state_set(key, row);
	key->could_speak = true;
	key->noted_ms = row->used_ms;
	*keyp = key;
	return 0;
}

bool key_state_is_valid(const struct key_state *key)
{
	const struct store_key *row = &key->row;

	return !row->revoked_ms && !key->account->row.closed_ms &&
	       (!row->expires_ms || clock_wall_ms() < row->expires_ms);
}

bool key_state_may_speak(const struct key_state *key)
{
	return key->row.scopes & STORE_SCOPE_SPEAK && key_state_is_valid(key);
}

struct key_state *key_state_hold(struct key_state *key)
{
	++key->account->users;
	if (++key->users == 1 && key->account->callers)
		callers_note_use(key->account->callers, key);
	return mem_ref(key);
}

void key_state_release(struct key_state *key)
{
	if (!key)
		return;
	--key->account->users;
	if (--key->users == 0 && key->account->callers)
		callers_note_use(key->account->callers, key);
	mem_deref(key);
}
