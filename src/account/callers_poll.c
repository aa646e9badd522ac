/*
 * callers_poll.c: reacts to changes in the store, and to the clock (see callers_private.h).
 *
 * When something has changed in the store, the keys in use are read again, READ_MAX at a time, so
 * that the look-up of a new key does not wait for all of them.  Keys that are not in use are looked
 * up again when a client presents them (callers.c); what they have used of their limits is
 * remembered.
 */
#include <errno.h>

#include "account/callers_private.h"
#include "base/clock.h"
#include "base/mem.h"

#define POLL_US (CALLERS_POLL_MS * UINT64_C(1000))
#define READ_MAX 32 /* keys that one query reads */
#define USES_MAX 64 /* keys whose last use one query writes */
#define USE_MS 60000 /* the time of a key's last use is exact to the minute */

struct poll {
	struct callers_query query;
	int64_t version;
	bool has_shares;
};

struct callers_poll_reading {
	struct callers_query query;
	size_t count;
	struct {
		struct key_state *key; /* used by the loop only */
		struct store_key key_row;
		struct store_account account_row;
		int err;
	} rows[READ_MAX];
};

struct uses {
	struct callers_query query;
	size_t count;
	struct {
		int64_t key_id, at_ms;
	} rows[USES_MAX];
};

/* Calls `changed` if any key that could speak may not speak any more.  A key causes one call until
 * it may speak again. */
static void callers_poll_notify_ended(struct callers *callers)
{
	bool has_ended = false;

	for (struct link *l = list_first(&callers->used); l; l = list_next(&callers->used, l)) {
		struct key_state *key = LIST_OBJECT(l, struct key_state, use);
		bool may_speak = key_state_may_speak(key);

		has_ended |= key->could_speak && !may_speak;
		key->could_speak = may_speak;
	}
	if (has_ended && callers->options.changed)
		callers->options.changed(callers->options.arg);
}

/* Reading keys again */

static void callers_poll_read_next(struct callers *callers);
static void callers_poll_now(struct callers *callers);

static void callers_poll_reading_destroy(void *object)
{
	struct callers_poll_reading *reading = object;

	for (size_t i = 0; i < reading->count; ++i)
		key_state_release(reading->rows[i].key);
}

/* Runs on the thread. */
static int callers_poll_reading_work(struct store *store, struct callers_query *query)
{
	struct callers_poll_reading *reading =
		LIST_OBJECT(query, struct callers_poll_reading, query);
	int worst = 0;

	for (size_t i = 0; i < reading->count; ++i) {
		struct store_key key;
		int err = store->ops->key_find(store, &key, reading->rows[i].key_row.prefix);

		if (!err) {
			reading->rows[i].key_row = key;
			err = store->ops->account_get(store, &reading->rows[i].account_row,
						      key.account_id);
		}
		reading->rows[i].err = err;
		if (err && err != ENOENT)
			worst = err;
	}
	return worst;
}

/* A key that has been deleted is treated as revoked. */
static void callers_poll_apply_row(struct callers *callers, struct key_state *key,
				   struct store_key *key_row,
				   const struct store_account *account_row, int err)
{
	if (err == ENOENT) {
		key_row->revoked_ms = key_row->revoked_ms ? key_row->revoked_ms : clock_wall_ms();
		key_state_set(key, key_row);
	} else if (!err) {
		key_state_set(key, key_row);
		account_state_set(key->account, account_row, callers_plan(callers, account_row));
	}
}

static void callers_poll_end(struct callers *callers)
{
	callers->is_polling = false;
	if (callers->is_due)
		callers_poll_now(callers);
	callers_poll_notify_ended(callers); /* last, because it may close connections */
}

static void callers_poll_on_read(struct callers_query *query, int err)
{
	struct callers_poll_reading *reading =
		LIST_OBJECT(query, struct callers_poll_reading, query);
	struct callers *callers = query->callers;

	callers_note_store(callers, err);
	for (size_t i = 0; i < reading->count; ++i)
		callers_poll_apply_row(callers, reading->rows[i].key, &reading->rows[i].key_row,
				       &reading->rows[i].account_row, reading->rows[i].err);
	if (err) {
		/* All keys are read when the store is reachable again. */
		callers->knows_version = false;
		callers_poll_end(callers);
	} else {
		callers_poll_read_next(callers);
	}
}

static void callers_poll_collect(struct callers *callers, struct callers_poll_reading *reading)
{
	for (struct link *l = list_first(&callers->used); l && reading->count < READ_MAX;
	     l = list_next(&callers->used, l)) {
		struct key_state *key = LIST_OBJECT(l, struct key_state, use);

		if (key->reading == callers->reading)
			continue;
		key->reading = callers->reading;
		reading->rows[reading->count].key = key_state_hold(key);
		reading->rows[reading->count++].key_row = key->row;
	}
}

static void callers_poll_read_next(struct callers *callers)
{
	struct callers_poll_reading *reading =
		mem_zalloc(sizeof(*reading), callers_poll_reading_destroy);

	if (reading)
		callers_poll_collect(callers, reading);
	if (reading && reading->count > 0) {
		if (callers_query(callers, ASYNC_STORE_ACCESS, &reading->query,
				  callers_poll_reading_work, callers_poll_on_read) == 0)
			return;
		reading = NULL;
		callers->knows_version = false;
	} else if (!reading) {
		callers->knows_version = false;
	}
	mem_deref(reading);
	callers_poll_end(callers);
}

/* Polls */

/* Runs on the thread. */
static int callers_poll_work(struct store *store, struct callers_query *query)
{
	struct poll *poll = LIST_OBJECT(query, struct poll, query);

	poll->has_shares = store->ops->share_take != NULL;
	return store->ops->version(store, &poll->version);
}

static void callers_poll_on_done(struct callers_query *query, int err)
{
	const struct poll *poll = LIST_OBJECT(query, struct poll, query);
	struct callers *callers = query->callers;
	bool is_same = callers->knows_version && callers->version == poll->version;

	callers_note_store(callers, err);
	if (!err && poll->has_shares && !callers->has_shares) {
		callers->has_shares = true;
		shares_start(callers);
	}
	if (!err)
		shares_resync_if_stale(callers);
	if (err || is_same) {
		callers_poll_end(callers);
		return;
	}
	callers->knows_version = true;
	callers->version = poll->version;
	++callers->reading;
	callers_poll_read_next(callers);
}

static void callers_poll_now(struct callers *callers)
{
	struct poll *poll;

	callers->is_due = callers->is_polling;
	if (callers->is_polling)
		return;
	poll = mem_zalloc(sizeof(*poll), NULL);
	callers->is_polling = poll && callers_query(callers, ASYNC_STORE_ACCESS, &poll->query,
						    callers_poll_work, callers_poll_on_done) == 0;
}

void callers_refresh(struct callers *callers)
{
	callers_credit_retry(callers);
	callers_poll_now(callers);
}

/* Last uses */

/* Runs on the thread. */
static int callers_poll_uses_work(struct store *store, struct callers_query *query)
{
	struct uses *uses = LIST_OBJECT(query, struct uses, query);
	int err = 0;

	for (size_t i = 0; !err && i < uses->count; ++i) {
		err = store->ops->key_used(store, uses->rows[i].key_id, uses->rows[i].at_ms);
		if (err == ENOENT)
			err = 0;
	}
	return err;
}

/* A time that could not be written is written after the key's next use. */
static void callers_poll_on_uses_noted(struct callers_query *query, int err)
{
	(void)err;
	query->callers->is_noting = false;
}

static void callers_poll_collect_uses(struct list *list, struct uses *uses)
{
	for (struct link *l = list_first(list); l && uses->count < USES_MAX;
	     l = list_next(list, l)) {
		struct key_state *key = LIST_OBJECT(l, struct key_state, use);

		if (key->used_ms == 0 || key->used_ms < key->noted_ms + USE_MS)
			continue;
		key->noted_ms = key->used_ms;
		uses->rows[uses->count].key_id = key->row.id;
		uses->rows[uses->count++].at_ms = key->used_ms;
	}
}

static void callers_poll_note_uses(struct callers *callers)
{
	struct uses *uses;

	if (callers->is_noting || callers->is_away)
		return;
	uses = mem_zalloc(sizeof(*uses), NULL);
	if (!uses)
		return;
	callers_poll_collect_uses(&callers->used, uses);
	callers_poll_collect_uses(&callers->idle, uses);
	if (uses->count == 0)
		mem_deref(uses);
	else
		/* Not on the lane of look-ups, because clients wait for those. */
		callers->is_noting =
			callers_query(callers, ASYNC_STORE_QUERIES, &uses->query,
				      callers_poll_uses_work, callers_poll_on_uses_noted) == 0;
}

/* The clock */

static void callers_poll_on_tick(void *arg)
{
	struct callers *callers = arg;

	timer_set(&callers->loop->timers, &callers->poll, POLL_US, callers_poll_on_tick, callers);
	callers_credit_tick(callers);
	callers_poll_note_uses(callers);
	if (!callers->is_polling)
		callers_poll_now(callers);
	callers_poll_notify_ended(callers);
}

void callers_poll_start(struct callers *callers)
{
	timer_set(&callers->loop->timers, &callers->poll, POLL_US, callers_poll_on_tick, callers);
	/* The store's version is read before the first key is looked up, so that no change of that
	 * key is missed. */
	callers_poll_now(callers);
}

void callers_poll_stop(struct callers *callers)
{
	timer_clear(&callers->loop->timers, &callers->poll);
}
