/*
 * members_shares.c: limits that servers share.
 *
 * All is counted here first; who is over a limit here is over it everywhere.  What is
 * within is asked of the store, for accounts and keys that have a limit:
 *
 *   begin of a turn or connection   one question, which is waited for
 *   end of one                      told at once, so that the next one finds its place
 *   characters                      told a little later, in one go for all
 *   each BEAT                       we are alive
 *
 * When a question fails nobody knows what the store has counted.  Then our own
 * counts hold, nobody waits for it, and when it answers again it is told all that is
 * held here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/members_private.h"
#include "base/mem.h"

#define BEAT_US UINT64_C(10000000) /* three in STORE_SHARE_LAPSE_MS */
#define TELL_US UINT64_C(250000) /* characters may be told this late */
#define TELL_MAX 64u /* in one call */

/* A slot, a request and the word that characters are left, of an account and a key. */
#define ASK_MAX (3u * MEMBER_QUOTAS)

struct share_ask {
	struct inquiry inquiry;
	char server[STORE_SERVER_ID_LEN + 1];
	struct store_share shares[ASK_MAX];
	size_t count;
	size_t short_of;
	int64_t wait_ms;
	struct bearer *bearer;
	enum store_meter meter;
	unsigned resyncs; /* when it was asked */
	unsigned released; /* when it was forgotten */
	share_h *handler; /* NULL: forgotten */
	void *owner;
	permit_h *told;
	void *arg;
};

/* What is told, with nobody waiting. */
struct share_tell {
	struct inquiry inquiry;
	char server[STORE_SERVER_ID_LEN + 1];
	bool is_resync;
	struct store_share *shares;
	struct quota **quotas; /* of requests: whose bucket is empty */
	void **owners;
	bool *is_short;
	size_t count;
};

static const enum denial denials[QUOTA_METERS] = {
	[STORE_METER_TURNS] = DENIAL_TURNS,
	[STORE_METER_CONNECTIONS] = DENIAL_CONNECTIONS,
	[STORE_METER_REQUESTS] = DENIAL_REQUESTS,
	[STORE_METER_CHARACTERS] = DENIAL_CHARACTERS,
};

static void copy_server(char server[STORE_SERVER_ID_LEN + 1], const struct members *members)
{
	snprintf(server, STORE_SERVER_ID_LEN + 1, "%s", account_server_id(members->account));
}

static bool is_failure(int err)
{
	return err != 0 && err != EDQUOT;
}

void shares_doubt(struct members *members)
{
	members->is_unsure = true;
}

/* Telling */

static void share_tell_destroy(void *object)
{
	struct share_tell *tell = object;

	for (size_t i = 0; tell->owners && i < tell->count; ++i)
		mem_deref(tell->owners[i]);
	free(tell->shares);
	free(tell->quotas);
	free(tell->owners);
	free(tell->is_short);
}

static struct share_tell *new_tell(const struct members *members, size_t max)
{
	struct share_tell *tell = mem_zalloc(sizeof(*tell), share_tell_destroy);

	if (!tell)
		return NULL;
	tell->shares = calloc(max + 1, sizeof(*tell->shares));
	tell->quotas = calloc(max + 1, sizeof(*tell->quotas));
	tell->owners = calloc(max + 1, sizeof(*tell->owners));
	tell->is_short = calloc(max + 1, sizeof(*tell->is_short));
	if (!tell->shares || !tell->quotas || !tell->owners || !tell->is_short)
		return mem_deref(tell);
	copy_server(tell->server, members);
	return tell;
}

static void add_told(struct share_tell *tell, struct quota *quota, enum store_meter meter,
		     int64_t amount, int64_t max)
{
	tell->shares[tell->count] = (struct store_share){
		.meter = meter, .holder = quota->holder, .amount = amount, .max = max};
	tell->quotas[tell->count] = quota;
	tell->owners[tell->count++] = mem_ref(members_owner(quota));
}

/* On the thread.  Where one is refused all are: then one by one, so that the others
 * count. */
static int tell_part(struct store *store, struct share_tell *tell, size_t from, size_t count)
{
	size_t short_of;
	int64_t wait_ms;
	int err = store->ops->share_take(store, tell->server, &tell->shares[from], count, &short_of,
					 &wait_ms);

	if (err != EDQUOT)
		return err;
	if (count == 1) {
		tell->is_short[from] = true;
		return 0;
	}
	err = 0;
	for (size_t i = 0; !err && i < count; ++i)
		err = tell_part(store, tell, from + i, 1);
	return err;
}

static int share_tell_work(struct store *store, struct inquiry *inquiry)
{
	struct share_tell *tell = LIST_OBJECT(inquiry, struct share_tell, inquiry);
	int err = tell->is_resync ? store->ops->share_return(store, tell->server) : 0;

	for (size_t from = 0; !err && from < tell->count; from += TELL_MAX) {
		size_t rest = tell->count - from;

		err = tell_part(store, tell, from, rest < TELL_MAX ? rest : TELL_MAX);
	}
	return err;
}

static void on_told(struct inquiry *inquiry, int err)
{
	struct share_tell *tell = LIST_OBJECT(inquiry, struct share_tell, inquiry);
	struct members *members = inquiry->members;

	members_note_store(members, err);
	members->is_unsure |= is_failure(err);
	for (size_t i = 0; i < tell->count; ++i) {
		if (tell->is_short[i] && tell->shares[i].meter == STORE_METER_REQUESTS)
			bucket_empty(&tell->quotas[i]->requests, loop_now_us(members->loop));
	}
}

static void submit(struct members *members, struct share_tell *tell)
{
	if (members_ask(members, ACCOUNT_ACCESS, &tell->inquiry, share_tell_work, on_told) != 0)
		members->is_unsure = true;
}

static void collect_owed(struct share_tell *tell, struct quota *quota)
{
	for (enum store_meter meter = 0; meter < QUOTA_METERS; ++meter) {
		int64_t max = quota_limit(quota, meter);

		if (quota->owed[meter] != 0 && max >= 0)
			add_told(tell, quota, meter, quota->owed[meter], max);
		quota->owed[meter] = 0;
	}
}

static void forget_owed(struct members *members)
{
	struct link *link;

	while ((link = list_first(&members->owing))) {
		struct quota *quota = LIST_OBJECT(link, struct quota, owing);

		list_remove(&members->owing, link);
		quota->owed[STORE_METER_TURNS] = 0;
		quota->owed[STORE_METER_CONNECTIONS] = 0;
	}
}

static void tell_some(struct members *members)
{
	struct share_tell *tell = new_tell(members, TELL_MAX);
	struct link *link;

	if (!tell) {
		members->is_unsure = true;
		forget_owed(members);
		return;
	}
	while (tell->count + QUOTA_METERS <= TELL_MAX && (link = list_first(&members->owing))) {
		list_remove(&members->owing, link);
		collect_owed(tell, LIST_OBJECT(link, struct quota, owing));
	}
	if (tell->count > 0)
		submit(members, tell);
	else
		mem_deref(tell);
}

static void tell_now(void *arg)
{
	struct members *members = arg;

	loop_undefer(members->loop, &members->telling);
	while (members->owing.count > 0)
		tell_some(members);
}

void shares_owe(struct members *members, struct quota *quota, enum store_meter meter,
		int64_t amount)
{
	if (!members->has_shares || quota_limit(quota, meter) < 0)
		return;
	quota->owed[meter] += amount;
	if (!link_is_on_list(&quota->owing))
		list_append(&members->owing, &quota->owing);
	if (amount < 0)
		loop_defer(members->loop, &members->telling, tell_now, members);
	else if (!timer_is_set(&members->tell))
		timer_set(&members->loop->timers, &members->tell, TELL_US, tell_now, members);
}

/* Asking */

static void share_ask_destroy(void *object)
{
	struct share_ask *ask = object;

	bearer_unuse(ask->bearer);
}

/* On the thread. */
static int share_ask_work(struct store *store, struct inquiry *inquiry)
{
	struct share_ask *ask = LIST_OBJECT(inquiry, struct share_ask, inquiry);

	return store->ops->share_take(store, ask->server, ask->shares, ask->count, &ask->short_of,
				      &ask->wait_ms);
}

static void owe_slot(struct members *members, const struct share_ask *ask)
{
	struct quota *quotas[MEMBER_QUOTAS];

	member_quotas(quotas, ask->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i)
		shares_owe(members, quotas[i], ask->meter, -1);
}

/* Whether the store counts a slot that is not held here any more.  A resync wipes what
 * was asked before it, and tells what was held here when it was sent. */
static bool is_counted(const struct members *members, const struct share_ask *ask,
		       unsigned released, int err)
{
	if (members->resyncs == ask->resyncs)
		return err == 0;
	return members->resyncs == released;
}

static void refuse(const struct share_ask *ask)
{
	const struct store_share *share = &ask->shares[ask->short_of];
	struct denied denied = {
		.why = denials[share->meter],
		.retry_s = (unsigned)((ask->wait_ms + 999) / 1000),
		.limit = share->max,
	};

	ask->handler(EACCES, &denied, ask->owner, ask->told, ask->arg);
}

static void on_share_answered(struct inquiry *inquiry, int err)
{
	struct share_ask *ask = LIST_OBJECT(inquiry, struct share_ask, inquiry);
	struct members *members = inquiry->members;
	bool is_refused = err == EDQUOT;
	unsigned released = ask->handler ? members->resyncs : ask->released;

	members_note_store(members, err);
	if (is_failure(err))
		members->is_unsure = true;
	if ((is_refused || !ask->handler) && is_counted(members, ask, released, err))
		owe_slot(members, ask);
	if (!ask->handler)
		return;
	if (is_refused)
		refuse(ask);
	else
		ask->handler(0, NULL, ask->owner, ask->told, ask->arg);
}

static void add_share(struct share_ask *ask, const struct quota *quota, enum store_meter meter,
		      int64_t amount)
{
	int64_t max = quota_limit(quota, meter);

	if (max >= 0)
		ask->shares[ask->count++] = (struct store_share){
			.meter = meter, .holder = quota->holder, .amount = amount, .max = max};
}

/* A turn is a request, and does not begin while characters are overdrawn. */
static void add_shares(struct share_ask *ask)
{
	struct quota *quotas[MEMBER_QUOTAS];

	member_quotas(quotas, ask->bearer);
	for (size_t i = 0; i < MEMBER_QUOTAS; ++i) {
		add_share(ask, quotas[i], ask->meter, 1);
		if (ask->meter != STORE_METER_TURNS)
			continue;
		add_share(ask, quotas[i], STORE_METER_REQUESTS, 1);
		add_share(ask, quotas[i], STORE_METER_CHARACTERS, 0);
	}
}

int shares_ask(struct share_ask **askp, struct members *members, struct bearer *bearer,
	       enum store_meter meter, share_h *handler, void *owner, permit_h *told, void *arg)
{
	struct share_ask *ask;

	if (!members->has_shares || members->is_away)
		return 0;
	ask = mem_zalloc(sizeof(*ask), share_ask_destroy);
	if (!ask)
		return ENOMEM;
	ask->bearer = bearer_use(bearer);
	ask->meter = meter;
	ask->resyncs = members->resyncs;
	ask->handler = handler;
	ask->owner = owner;
	ask->told = told;
	ask->arg = arg;
	add_shares(ask);
	tell_now(members); /* what was given back counts before what is asked */
	if (ask->count == 0) {
		mem_deref(ask);
		return 0;
	}
	copy_server(ask->server, members);
	if (members_ask(members, ACCOUNT_ACCESS, &ask->inquiry, share_ask_work,
			on_share_answered) != 0)
		return ENOMEM;
	*askp = ask;
	return EINPROGRESS;
}

void shares_forget(struct share_ask *ask)
{
	ask->handler = NULL;
	if (ask->inquiry.members)
		ask->released = ask->inquiry.members->resyncs;
}

/* Resync */

static void add_held(struct share_tell *tell, struct quota *quota)
{
	if (quota->limits.turns >= 0 && quota->turns > 0)
		add_told(tell, quota, STORE_METER_TURNS, quota->turns, INT64_MAX);
	if (quota->limits.connections >= 0 && quota->connections > 0)
		add_told(tell, quota, STORE_METER_CONNECTIONS, quota->connections, INT64_MAX);
}

/* What was asked or told before it is wiped, what comes after it adds to it: the lane
 * keeps the order. */
static void tell_all(struct members *members)
{
	struct share_tell *tell =
		new_tell(members, 2 * (members->used.count + members->payers.count));

	if (!tell)
		return; /* the next poll tries again */
	tell->is_resync = true;
	for (struct link *l = list_first(&members->used); l; l = list_next(&members->used, l))
		add_held(tell, &LIST_OBJECT(l, struct bearer, use)->quota);
	for (struct link *l = list_first(&members->payers); l; l = list_next(&members->payers, l))
		add_held(tell, &LIST_OBJECT(l, struct payer, link)->quota);
	members->is_unsure = false;
	++members->resyncs;
	forget_owed(members);
	submit(members, tell);
}

void shares_settle(struct members *members)
{
	if (members->has_shares && members->is_unsure)
		tell_all(members);
}

struct beat {
	struct inquiry inquiry;
	char server[STORE_SERVER_ID_LEN + 1];
};

/* On the thread. */
static int beat_work(struct store *store, struct inquiry *inquiry)
{
	return store->ops->share_beat(store, LIST_OBJECT(inquiry, struct beat, inquiry)->server);
}

static void on_beaten(struct inquiry *inquiry, int err)
{
	members_note_store(inquiry->members, err);
	inquiry->members->is_unsure |= err != 0;
}

static void say_beat(struct members *members)
{
	struct beat *beat = mem_zalloc(sizeof(*beat), NULL);

	if (!beat)
		return;
	copy_server(beat->server, members);
	members_ask(members, ACCOUNT_ACCESS, &beat->inquiry, beat_work, on_beaten);
}

static void on_beat_due(void *arg)
{
	struct members *members = arg;

	timer_set(&members->loop->timers, &members->beat, BEAT_US, on_beat_due, members);
	say_beat(members);
}

void shares_start(struct members *members)
{
	on_beat_due(members);
}

void shares_stop(struct members *members)
{
	timer_clear(&members->loop->timers, &members->beat);
	timer_clear(&members->loop->timers, &members->tell);
	loop_undefer(members->loop, &members->telling);
}
