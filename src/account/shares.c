/*
 * shares.c: limits that servers share (see callers_private.h).
 *
 * Everything is counted here first; what exceeds a limit here exceeds it everywhere.  What is
 * within the limits is also counted at the store, for accounts and keys that have a limit:
 *
 *   a turn or connection begins   one request; the turn or connection waits for the answer
 *   it ends                       reported at once, so that the next one finds a free slot
 *   characters, audio heard       reported a little later, together
 *   every HEARTBEAT_US            reports that this server is alive
 *
 * When a request fails it is unknown what the store has counted.  Then the counts of this server
 * apply and nothing waits for the store.  When it answers again, it is sent all that is held here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/callers_private.h"
#include "base/mem.h"

#define HEARTBEAT_US UINT64_C(10000000) /* three of them fit into STORE_SHARE_LAPSE_MS */
#define REPORT_US UINT64_C(250000) /* characters and audio may be reported this late */
#define REPORT_MAX 64u /* how many shares one call reports */

/* How many shares one request has at most: a slot, a request, and whether characters or seconds
 * are left, each for an account and a key. */
#define ASK_MAX (3u * CALLER_QUOTAS)

struct share_ask {
	struct callers_query query;
	char server[STORE_SERVER_ID_LEN + 1];
	struct store_share shares[ASK_MAX];
	size_t count;
	size_t short_of;
	int64_t wait_ms;
	struct key_state *key;
	enum store_meter meter, used;
	unsigned resyncs; /* callers.resyncs when it was sent */
	unsigned released; /* callers.resyncs when shares_forget was called */
	share_h *handler; /* NULL: shares_forget was called */
	void *owner;
	permit_h *permit_handler;
	void *arg;
};

/* A report to the store, whose answer nothing waits for. */
struct share_report {
	struct callers_query query;
	char server[STORE_SERVER_ID_LEN + 1];
	bool is_resync;
	struct store_share *shares;
	/* The quotas of the shares, to empty buckets that the store reports as exhausted. */
	struct quota **quotas;
	void **owners;
	bool *is_short;
	size_t count;
};

static const enum denial shares_denials[QUOTA_METERS] = {
	[STORE_METER_TURNS] = DENIAL_TURNS,       [STORE_METER_CONNECTIONS] = DENIAL_CONNECTIONS,
	[STORE_METER_REQUESTS] = DENIAL_REQUESTS, [STORE_METER_CHARACTERS] = DENIAL_CHARACTERS,
	[STORE_METER_HEARD] = DENIAL_HEARD,
};

static void shares_copy_server(char server[STORE_SERVER_ID_LEN + 1], const struct callers *callers)
{
	snprintf(server, STORE_SERVER_ID_LEN + 1, "%s", async_store_server_id(callers->async));
}

static bool shares_is_failure(int err)
{
	return err != 0 && err != EDQUOT;
}

void shares_mark_stale(struct callers *callers)
{
	callers->is_stale = true;
}

/* Slots that were taken while the meter had no limit are unknown to the store, and those of a
 * meter that loses its limit stay counted there.  Both need a resync. */
void shares_set_limits(struct callers *callers, struct quota *quota,
		       const struct store_limits *limits, uint64_t now_us)
{
	bool turns_differ = (quota->limits.turns >= 0) != (limits->turns >= 0);
	bool connections_differ = (quota->limits.connections >= 0) != (limits->connections >= 0);

	quota_set_limits(quota, limits, now_us);
	if (callers &&
	    ((turns_differ && quota->turns > 0) || (connections_differ && quota->connections > 0)))
		shares_mark_stale(callers);
}

void shares_forget_quota(struct callers *callers, struct quota *quota)
{
	if (callers && link_is_on_list(&quota->reporting))
		list_remove(&callers->reporting, &quota->reporting);
}

/* Reports */

static void shares_report_destroy(void *object)
{
	struct share_report *report = object;

	for (size_t i = 0; report->owners && i < report->count; ++i)
		mem_deref(report->owners[i]);
	free(report->shares);
	free(report->quotas);
	free(report->owners);
	free(report->is_short);
}

static struct share_report *shares_report_alloc(const struct callers *callers, size_t max)
{
	struct share_report *report = mem_zalloc(sizeof(*report), shares_report_destroy);

	if (!report)
		return NULL;
	report->shares = calloc(max + 1, sizeof(*report->shares));
	report->quotas = calloc(max + 1, sizeof(*report->quotas));
	report->owners = calloc(max + 1, sizeof(*report->owners));
	report->is_short = calloc(max + 1, sizeof(*report->is_short));
	if (!report->shares || !report->quotas || !report->owners || !report->is_short)
		return mem_deref(report);
	shares_copy_server(report->server, callers);
	return report;
}

static void shares_report_add(struct share_report *report, struct quota *quota,
			      enum store_meter meter, int64_t amount, int64_t max)
{
	report->shares[report->count] = (struct store_share){
		.meter = meter, .holder = quota->holder, .amount = amount, .max = max};
	report->quotas[report->count] = quota;
	report->owners[report->count++] = mem_ref(callers_owner(quota));
}

/* Runs on the thread.  If one share is refused the store counts none of them; then they are
 * reported one by one, so that the others count. */
static int shares_report_part(struct store *store, struct share_report *report, size_t from,
			      size_t count)
{
	size_t short_of;
	int64_t wait_ms;
	int err = store->ops->share_take(store, report->server, &report->shares[from], count,
					 &short_of, &wait_ms);

	if (err != EDQUOT)
		return err;
	if (count == 1) {
		report->is_short[from] = true;
		return 0;
	}
	err = 0;
	for (size_t i = 0; !err && i < count; ++i)
		err = shares_report_part(store, report, from + i, 1);
	return err;
}

static int shares_report_work(struct store *store, struct callers_query *query)
{
	struct share_report *report = LIST_OBJECT(query, struct share_report, query);
	int err = report->is_resync ? store->ops->share_return(store, report->server) : 0;

	for (size_t from = 0; !err && from < report->count; from += REPORT_MAX) {
		size_t rest = report->count - from;

		err = shares_report_part(store, report, from,
					 rest < REPORT_MAX ? rest : REPORT_MAX);
	}
	return err;
}

static void shares_on_reported(struct callers_query *query, int err)
{
	struct share_report *report = LIST_OBJECT(query, struct share_report, query);
	struct callers *callers = query->callers;

	callers_note_store(callers, err);
	callers->is_stale |= shares_is_failure(err);
	for (size_t i = 0; i < report->count; ++i) {
		if (report->is_short[i] && report->shares[i].meter == STORE_METER_REQUESTS)
			bucket_empty(&report->quotas[i]->requests, loop_now_us(callers->loop));
	}
}

static void shares_report_submit(struct callers *callers, struct share_report *report)
{
	if (callers_query(callers, ASYNC_STORE_ACCESS, &report->query, shares_report_work,
			  shares_on_reported) != 0)
		callers->is_stale = true;
}

static void shares_collect_unreported(struct share_report *report, struct quota *quota)
{
	for (enum store_meter meter = 0; meter < QUOTA_METERS; ++meter) {
		int64_t max = quota_limit(quota, meter);

		if (quota->unreported[meter] != 0 && max >= 0)
			shares_report_add(report, quota, meter, quota->unreported[meter], max);
		quota->unreported[meter] = 0;
	}
}

static void shares_forget_unreported(struct callers *callers)
{
	struct link *link;

	while ((link = list_first(&callers->reporting))) {
		struct quota *quota = LIST_OBJECT(link, struct quota, reporting);

		list_remove(&callers->reporting, link);
		quota->unreported[STORE_METER_TURNS] = 0;
		quota->unreported[STORE_METER_CONNECTIONS] = 0;
	}
}

static void shares_report_some(struct callers *callers)
{
	struct share_report *report = shares_report_alloc(callers, REPORT_MAX);
	struct link *link;

	if (!report) {
		callers->is_stale = true;
		shares_forget_unreported(callers);
		return;
	}
	while (report->count + QUOTA_METERS <= REPORT_MAX &&
	       (link = list_first(&callers->reporting))) {
		list_remove(&callers->reporting, link);
		shares_collect_unreported(report, LIST_OBJECT(link, struct quota, reporting));
	}
	if (report->count > 0)
		shares_report_submit(callers, report);
	else
		mem_deref(report);
}

static void shares_report_now(void *arg)
{
	struct callers *callers = arg;

	loop_undefer(callers->loop, &callers->report_soon);
	while (callers->reporting.count > 0)
		shares_report_some(callers);
}

void shares_report(struct callers *callers, struct quota *quota, enum store_meter meter,
		   int64_t amount)
{
	if (!callers->has_shares || quota_limit(quota, meter) < 0)
		return;
	quota->unreported[meter] += amount;
	if (!link_is_on_list(&quota->reporting))
		list_append(&callers->reporting, &quota->reporting);
	if (amount < 0)
		loop_defer(callers->loop, &callers->report_soon, shares_report_now, callers);
	else if (!timer_is_set(&callers->report_timer))
		timer_set(&callers->loop->timers, &callers->report_timer, REPORT_US,
			  shares_report_now, callers);
}

/* Requests */

static void shares_ask_destroy(void *object)
{
	struct share_ask *ask = object;

	key_state_release(ask->key);
}

/* Runs on the thread. */
static int shares_ask_work(struct store *store, struct callers_query *query)
{
	struct share_ask *ask = LIST_OBJECT(query, struct share_ask, query);

	return store->ops->share_take(store, ask->server, ask->shares, ask->count, &ask->short_of,
				      &ask->wait_ms);
}

static void shares_report_slot(struct callers *callers, const struct share_ask *ask)
{
	struct quota *quotas[CALLER_QUOTAS];

	caller_quotas(quotas, ask->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i)
		shares_report(callers, quotas[i], ask->meter, -1);
}

/* Whether the store counts a slot that was released here. A resync deletes what was requested
 * before it, and reports what was held when it was sent. */
static bool shares_is_counted(const struct callers *callers, const struct share_ask *ask,
			      unsigned released, int err)
{
	if (callers->resyncs == ask->resyncs)
		return err == 0;
	return callers->resyncs == released;
}

static void shares_refuse(const struct share_ask *ask)
{
	const struct store_share *share = &ask->shares[ask->short_of];
	struct denied denied = {
		.why = shares_denials[share->meter],
		.retry_s = (unsigned)((ask->wait_ms + 999) / 1000),
		.limit = share->max,
	};

	ask->handler(EACCES, &denied, ask->owner, ask->permit_handler, ask->arg);
}

static void shares_on_answered(struct callers_query *query, int err)
{
	struct share_ask *ask = LIST_OBJECT(query, struct share_ask, query);
	struct callers *callers = query->callers;
	bool is_refused = err == EDQUOT;
	unsigned released = ask->handler ? callers->resyncs : ask->released;

	callers_note_store(callers, err);
	if (shares_is_failure(err))
		callers->is_stale = true;
	if ((is_refused || !ask->handler) && shares_is_counted(callers, ask, released, err))
		shares_report_slot(callers, ask);
	if (!ask->handler)
		return;
	if (is_refused)
		shares_refuse(ask);
	else
		ask->handler(0, NULL, ask->owner, ask->permit_handler, ask->arg);
}

static void shares_ask_add(struct share_ask *ask, const struct quota *quota, enum store_meter meter,
			   int64_t amount)
{
	int64_t max = quota_limit(quota, meter);

	if (max >= 0)
		ask->shares[ask->count++] = (struct store_share){
			.meter = meter, .holder = quota->holder, .amount = amount, .max = max};
}

/* A turn counts as a request, and does not begin while the limit of characters is exceeded, or, if it
 * is a transcription, that of audio. */
static void shares_ask_add_all(struct share_ask *ask)
{
	struct quota *quotas[CALLER_QUOTAS];

	caller_quotas(quotas, ask->key);
	for (size_t i = 0; i < CALLER_QUOTAS; ++i) {
		shares_ask_add(ask, quotas[i], ask->meter, 1);
		if (ask->meter != STORE_METER_TURNS)
			continue;
		shares_ask_add(ask, quotas[i], STORE_METER_REQUESTS, 1);
		shares_ask_add(ask, quotas[i], ask->used, 0);
	}
}

int shares_ask(struct share_ask **askp, struct callers *callers, struct key_state *key,
	       enum store_meter meter, enum store_meter used, share_h *handler, void *owner,
	       permit_h *permit_handler, void *arg)
{
	struct share_ask *ask;

	if (!callers->has_shares || callers->is_away)
		return 0;
	ask = mem_zalloc(sizeof(*ask), shares_ask_destroy);
	if (!ask)
		return ENOMEM;
	ask->key = key_state_hold(key);
	ask->meter = meter;
	ask->used = used;
	ask->resyncs = callers->resyncs;
	ask->handler = handler;
	ask->owner = owner;
	ask->permit_handler = permit_handler;
	ask->arg = arg;
	shares_ask_add_all(ask);
	shares_report_now(callers); /* released slots are reported before a new one is requested */
	if (ask->count == 0) {
		mem_deref(ask);
		return 0;
	}
	shares_copy_server(ask->server, callers);
	if (callers_query(callers, ASYNC_STORE_ACCESS, &ask->query, shares_ask_work,
			  shares_on_answered) != 0)
		return ENOMEM;
	*askp = ask;
	return EINPROGRESS;
}

void shares_forget(struct share_ask *ask)
{
	ask->handler = NULL;
	if (ask->query.callers)
		ask->released = ask->query.callers->resyncs;
}

/* Resync */

static void shares_report_held(struct share_report *report, struct quota *quota)
{
	if (quota->limits.turns >= 0 && quota->turns > 0)
		shares_report_add(report, quota, STORE_METER_TURNS, quota->turns, INT64_MAX);
	if (quota->limits.connections >= 0 && quota->connections > 0)
		shares_report_add(report, quota, STORE_METER_CONNECTIONS, quota->connections,
				  INT64_MAX);
}

/* Deletes what was requested or reported before, and reports all that is held; later reports add
 * to it, because the lane keeps the order. */
static void shares_resync(struct callers *callers)
{
	struct share_report *report =
		shares_report_alloc(callers, 2 * (callers->used.count + callers->accounts.count));

	if (!report)
		return; /* the next poll tries again */
	report->is_resync = true;
	for (struct link *l = list_first(&callers->used); l; l = list_next(&callers->used, l))
		shares_report_held(report, &LIST_OBJECT(l, struct key_state, use)->quota);
	for (struct link *l = list_first(&callers->accounts); l;
	     l = list_next(&callers->accounts, l))
		shares_report_held(report, &LIST_OBJECT(l, struct account_state, link)->quota);
	callers->is_stale = false;
	++callers->resyncs;
	shares_forget_unreported(callers);
	shares_report_submit(callers, report);
}

void shares_resync_if_stale(struct callers *callers)
{
	if (callers->has_shares && callers->is_stale)
		shares_resync(callers);
}

struct heartbeat {
	struct callers_query query;
	char server[STORE_SERVER_ID_LEN + 1];
};

/* Runs on the thread. */
static int shares_heartbeat_work(struct store *store, struct callers_query *query)
{
	return store->ops->share_heartbeat(store,
					   LIST_OBJECT(query, struct heartbeat, query)->server);
}

static void shares_on_heartbeat(struct callers_query *query, int err)
{
	callers_note_store(query->callers, err);
	query->callers->is_stale |= err != 0;
}

static void shares_send_heartbeat(struct callers *callers)
{
	struct heartbeat *heartbeat = mem_zalloc(sizeof(*heartbeat), NULL);

	if (!heartbeat)
		return;
	shares_copy_server(heartbeat->server, callers);
	callers_query(callers, ASYNC_STORE_ACCESS, &heartbeat->query, shares_heartbeat_work,
		      shares_on_heartbeat);
}

static void shares_on_heartbeat_due(void *arg)
{
	struct callers *callers = arg;

	timer_set(&callers->loop->timers, &callers->heartbeat, HEARTBEAT_US,
		  shares_on_heartbeat_due, callers);
	shares_send_heartbeat(callers);
}

void shares_start(struct callers *callers)
{
	shares_on_heartbeat_due(callers);
}

void shares_stop(struct callers *callers)
{
	timer_clear(&callers->loop->timers, &callers->heartbeat);
	timer_clear(&callers->loop->timers, &callers->report_timer);
	loop_undefer(callers->loop, &callers->report_soon);
}
