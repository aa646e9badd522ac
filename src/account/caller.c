/*
 * caller.c: who presents an API key, and what may be used (see caller.h).
 */
#include "account/caller.h"

#include <errno.h>

#include "account/callers_private.h"
#include "base/clock.h"
#include "base/mem.h"

#define MICROCENTS INT64_C(1000000) /* in a cent */

static const enum denial caller_denials[QUOTA_METERS] = {
	[STORE_METER_TURNS] = DENIAL_TURNS,       [STORE_METER_CONNECTIONS] = DENIAL_CONNECTIONS,
	[STORE_METER_REQUESTS] = DENIAL_REQUESTS, [STORE_METER_CHARACTERS] = DENIAL_CHARACTERS,
	[STORE_METER_HEARD] = DENIAL_HEARD,
};

void caller_quotas(struct quota *quotas[CALLER_QUOTAS], struct key_state *key)
{
	quotas[0] = &key->account->quota;
	quotas[1] = &key->quota;
}

/* Callers */

static void caller_destroy(void *object)
{
	struct caller *caller = object;
	struct key_state *key = caller->key;

	mem_deref(caller->narrowed);
	if (key && key->caller == caller)
		key->caller = NULL;
	key_state_release(key);
}

static struct caller *caller_make(struct key_state *key)
{
	struct caller *caller = mem_zalloc(sizeof(*caller), caller_destroy);

	if (!caller)
		return NULL;
	caller->key = key_state_hold(key);
	return caller;
}

int caller_of_key(struct caller **callerp, struct key_state *key)
{
	if (key->caller) {
		*callerp = mem_ref(key->caller);
		return 0;
	}
	key->caller = caller_make(key);
	if (!key->caller)
		return ENOMEM;
	*callerp = key->caller;
	return 0;
}

int caller_of_token(struct caller **callerp, struct key_state *key, unsigned scopes)
{
	struct caller *caller = caller_make(key);
	struct store_key *narrowed = mem_zalloc(sizeof(*narrowed), NULL);

	if (!caller || !narrowed) {
		mem_deref(narrowed);
		mem_deref(caller);
		return ENOMEM;
	}
	*narrowed = key->row;
	narrowed->scopes &= scopes;
	caller->narrowed = narrowed;
	*callerp = caller;
	return 0;
}

/* Without a store, the credit in the rows is all that there will be. */
static void caller_grant_all(struct key_state *key)
{
	const struct store_account *account_row = &key->account->row;
	const struct store_key *key_row = &key->row;

	lease_grant(&key->account->quota.lease,
		    account_row->credit_microcents - account_row->spent_microcents, 0);
	if (key_row->credit_cents >= 0)
		lease_grant(&key->quota.lease,
			    key_row->credit_cents * MICROCENTS - key_row->spent_microcents, 0);
}

int caller_alloc_standalone(struct caller **callerp, struct timers *timers,
			    const struct store_account *account_row,
			    const struct store_key *key_row)
{
	static const struct store_account no_account = {.id = 0};
	static const struct store_key no_key = {.project_id = STORE_PROJECT_DEFAULT,
						.credit_cents = -1};
	struct store_account own_account = account_row ? *account_row : no_account;
	struct store_key own_key = key_row ? *key_row : no_key;
	struct account_state *account = NULL;
	struct key_state *key = NULL;
	int err;

	if (!account_row)
		own_account.limits = quota_no_limits;
	if (!key_row)
		own_key.limits = quota_no_limits;
	err = account_state_alloc(&account, NULL, timers, &own_account, &quota_no_limits);
	if (!err)
		err = key_state_alloc(&key, account, &own_key);
	if (!err) {
		caller_grant_all(key);
		err = caller_of_key(callerp, key);
	}
	mem_deref(key);
	mem_deref(account);
	return err;
}

const struct store_key *caller_key(const struct caller *caller)
{
	return caller->narrowed ? caller->narrowed : &caller->key->row;
}

const struct store_account *caller_account(const struct caller *caller)
{
	return &caller->key->account->row;
}

int64_t caller_project_id(const struct caller *caller)
{
	return caller->key->row.project_id;
}

bool caller_is_charged(const struct caller *caller)
{
	const struct store_account *account = caller_account(caller);

	return account->is_prepaid || account->id != STORE_ACCOUNT_DEFAULT ||
	       caller_key(caller)->credit_cents >= 0;
}

const char *caller_server_id(const struct caller *caller)
{
	const struct callers *callers = caller->key->account->callers;

	return callers ? async_store_server_id(callers->async) : "";
}

bool caller_is_valid(const struct caller *caller)
{
	return key_state_is_valid(caller->key);
}

bool caller_may_speak(const struct caller *caller)
{
	return key_state_may_speak(caller->key);
}

/* Limits */

static uint64_t caller_clock_us(const struct caller *caller)
{
	return caller->key->account->timers->now_us;
}

void caller_deny(struct denied *denied, enum denial why, int64_t limit, uint64_t wait_us)
{
	uint64_t seconds = wait_us == QUOTA_NEVER ? 0 : (wait_us + 999999) / 1000000;

	*denied = (struct denied){.why = why,
				  .retry_s = seconds > UINT32_MAX ? UINT32_MAX : (unsigned)seconds,
				  .limit = limit};
}

/* If both limits are reached, the one with the longer wait is reported. */
bool caller_has_room(const struct caller *caller, enum store_meter meter, int64_t amount,
		     struct denied *denied)
{
	struct quota *quotas[CALLER_QUOTAS];
	uint64_t longest_us = 0;

	caller_quotas(quotas, caller->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i) {
		uint64_t wait_us = quota_wait_us(quotas[i], meter, amount, caller_clock_us(caller));

		if (wait_us > longest_us) {
			longest_us = wait_us;
			caller_deny(denied, caller_denials[meter], quota_limit(quotas[i], meter),
				    wait_us);
		}
	}
	return longest_us == 0;
}

void caller_take(const struct caller *caller, enum store_meter meter, int64_t amount)
{
	struct quota *quotas[CALLER_QUOTAS];

	caller_quotas(quotas, caller->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i)
		quota_take(quotas[i], meter, amount, caller_clock_us(caller));
}

void caller_report_usage(const struct caller *caller, enum store_meter meter, int64_t amount)
{
	struct callers *callers = caller->key->account->callers;
	struct quota *quotas[CALLER_QUOTAS];

	if (!callers)
		return;
	caller_quotas(quotas, caller->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i)
		shares_report(callers, quotas[i], meter, amount);
}

int caller_ask_shares(struct share_ask **askp, const struct caller *caller, enum store_meter meter,
		      enum store_meter used, share_h *handler, void *owner,
		      permit_h *permit_handler, void *arg)
{
	struct key_state *key = caller->key;

	if (!key->account->callers)
		return 0;
	return shares_ask(askp, key->account->callers, key, meter, used, handler, owner,
			  permit_handler, arg);
}

bool caller_check_key(const struct caller *caller, struct denied *denied)
{
	if (caller_is_valid(caller))
		return true;
	caller_deny(denied, DENIAL_KEY, -1, QUOTA_NEVER);
	return false;
}

bool caller_request(struct caller *caller, struct denied *denied)
{
	if (!caller_check_key(caller, denied) ||
	    !caller_has_room(caller, STORE_METER_REQUESTS, 1, denied))
		return false;
	caller_take(caller, STORE_METER_REQUESTS, 1);
	caller_report_usage(caller, STORE_METER_REQUESTS, 1);
	return true;
}

bool caller_requests_left(const struct caller *caller, struct caller_rate *rate)
{
	struct quota *quotas[CALLER_QUOTAS];
	bool is_limited = false;

	caller_quotas(quotas, caller->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i) {
		struct bucket *bucket = &quotas[i]->requests;
		int64_t limit = quota_limit(quotas[i], STORE_METER_REQUESTS);
		int64_t left = bucket_left(bucket, caller_clock_us(caller));
		uint64_t wait_us;

		if (limit < 0 || (is_limited && left >= rate->left))
			continue;
		is_limited = true;
		wait_us = bucket_wait_us(bucket, limit, caller_clock_us(caller));
		*rate = (struct caller_rate){
			.limit = limit,
			.left = left,
			.reset_s = limit ? (unsigned)((wait_us + 999999) / 1000000) : 0,
		};
	}
	return is_limited;
}

/* Connections */

struct connection_permit {
	struct caller *caller;
	struct share_ask *ask; /* the request to the store; NULL: it was answered */
	bool is_refused; /* the store refused, so it holds no slot */
};

void caller_release_slot(const struct caller *caller, enum store_meter meter, struct share_ask *ask)
{
	caller_take(caller, meter, -1);
	if (ask)
		shares_forget(ask);
	else
		caller_report_usage(caller, meter, -1);
}

static void caller_connection_permit_destroy(void *object)
{
	struct connection_permit *permit = object;

	if (permit->caller && !permit->is_refused)
		caller_release_slot(permit->caller, STORE_METER_CONNECTIONS, permit->ask);
	mem_deref(permit->caller);
}

void caller_finish_shared(int err, const struct denied *denied, const struct caller *caller,
			  permit_h *permit_handler, void *arg)
{
	struct denied ended;

	if (err || caller_check_key(caller, &ended))
		permit_handler(err, denied, arg);
	else
		permit_handler(EACCES, &ended, arg);
}

/* Handles the store's answer.  If it refuses the slot, the slot is released here. */
static void caller_on_shared_connection(int err, const struct denied *denied, void *owner,
					permit_h *permit_handler, void *arg)
{
	struct connection_permit *permit = owner;

	permit->ask = NULL;
	permit->is_refused = err != 0;
	if (err)
		caller_take(permit->caller, STORE_METER_CONNECTIONS, -1);
	caller_finish_shared(err, denied, permit->caller, permit_handler, arg);
}

int caller_connect(struct connection_permit **permitp, struct caller *caller, struct denied *denied,
		   connection_permit_h *handler, void *arg)
{
	struct connection_permit *permit;
	int err;

	if (!caller_check_key(caller, denied) ||
	    !caller_has_room(caller, STORE_METER_CONNECTIONS, 1, denied))
		return EACCES;
	permit = mem_zalloc(sizeof(*permit), caller_connection_permit_destroy);
	if (!permit)
		return ENOMEM;
	err = caller_ask_shares(&permit->ask, caller, STORE_METER_CONNECTIONS,
				STORE_METER_CONNECTIONS, caller_on_shared_connection, permit,
				handler, arg);
	if (err && err != EINPROGRESS) {
		mem_deref(permit);
		return err;
	}
	permit->caller = mem_ref(caller);
	caller_take(caller, STORE_METER_CONNECTIONS, 1);
	*permitp = permit;
	return err;
}
