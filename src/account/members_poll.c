/*
 * members_poll.c: what has changed in the store, and what is due by the clock.
 *
 * When something changes those in use are read anew, a few at a time so that a key that
 * comes meanwhile waits for a few.  Keys that nobody uses are looked up again when they
 * come (members.c); what they have used of their limits is remembered.
 */
#include <errno.h>

#include "account/members_private.h"
#include "base/clock.h"
#include "base/mem.h"

#define POLL_US (MEMBERS_POLL_MS * UINT64_C(1000))
#define READ_MAX 32
#define USES_MAX 64
#define USE_MS 60000 /* last uses are known to the minute */

struct poll {
	struct inquiry inquiry;
	int64_t version;
	bool has_shares;
};

struct reading {
	struct inquiry inquiry;
	size_t count;
	struct {
		struct bearer *bearer; /* the loop's */
		struct store_key key;
		struct store_account account;
		int err;
	} rows[READ_MAX];
};

struct uses {
	struct inquiry inquiry;
	size_t count;
	struct {
		int64_t key_id, at_ms;
	} rows[USES_MAX];
};

/* Those that may not speak any more are told once. */
static void tell_ended(struct members *members)
{
	bool has_ended = false;

	for (struct link *l = list_first(&members->used); l; l = list_next(&members->used, l)) {
		struct bearer *bearer = LIST_OBJECT(l, struct bearer, use);
		bool may_speak = bearer_may_speak(bearer);

		has_ended |= bearer->could_speak && !may_speak;
		bearer->could_speak = may_speak;
	}
	if (has_ended && members->options.changed)
		members->options.changed(members->options.arg);
}

/* Reading anew */

static void read_next(struct members *members);
static void poll_now(struct members *members);

static void reading_destroy(void *object)
{
	struct reading *reading = object;

	for (size_t i = 0; i < reading->count; ++i)
		bearer_unuse(reading->rows[i].bearer);
}

/* On the thread. */
static int reading_work(struct store *store, struct inquiry *inquiry)
{
	struct reading *reading = LIST_OBJECT(inquiry, struct reading, inquiry);
	int worst = 0;

	for (size_t i = 0; i < reading->count; ++i) {
		struct store_key key;
		int err = store->ops->key_find(store, &key, reading->rows[i].key.prefix);

		if (!err) {
			reading->rows[i].key = key;
			err = store->ops->account_get(store, &reading->rows[i].account,
						      key.account_id);
		}
		reading->rows[i].err = err;
		if (err && err != ENOENT)
			worst = err;
	}
	return worst;
}

/* A key that is not there any more is as one that was revoked. */
static void apply(struct members *members, struct bearer *bearer, struct store_key *key,
		  const struct store_account *account, int err)
{
	if (err == ENOENT) {
		key->revoked_ms = key->revoked_ms ? key->revoked_ms : clock_wall_ms();
		bearer_set(bearer, key);
	} else if (!err) {
		bearer_set(bearer, key);
		payer_set(bearer->payer, account, members_plan(members, account));
	}
}

static void end_poll(struct members *members)
{
	members->is_polling = false;
	if (members->is_due)
		poll_now(members);
	tell_ended(members); /* may end connections: last */
}

static void on_read(struct inquiry *inquiry, int err)
{
	struct reading *reading = LIST_OBJECT(inquiry, struct reading, inquiry);
	struct members *members = inquiry->members;

	members_note_store(members, err);
	for (size_t i = 0; i < reading->count; ++i)
		apply(members, reading->rows[i].bearer, &reading->rows[i].key,
		      &reading->rows[i].account, reading->rows[i].err);
	if (err) {
		members->knows_version = false; /* all again, when the store is back */
		end_poll(members);
	} else {
		read_next(members);
	}
}

static void collect(struct members *members, struct reading *reading)
{
	for (struct link *l = list_first(&members->used); l && reading->count < READ_MAX;
	     l = list_next(&members->used, l)) {
		struct bearer *bearer = LIST_OBJECT(l, struct bearer, use);

		if (bearer->reading == members->reading)
			continue;
		bearer->reading = members->reading;
		reading->rows[reading->count].bearer = bearer_use(bearer);
		reading->rows[reading->count++].key = bearer->key;
	}
}

static void read_next(struct members *members)
{
	struct reading *reading = mem_zalloc(sizeof(*reading), reading_destroy);

	if (reading)
		collect(members, reading);
	if (reading && reading->count > 0) {
		if (members_ask(members, ACCOUNT_ACCESS, &reading->inquiry, reading_work,
				on_read) == 0)
			return;
		reading = NULL;
		members->knows_version = false;
	} else if (!reading) {
		members->knows_version = false;
	}
	mem_deref(reading);
	end_poll(members);
}

/* Polls */

/* On the thread. */
static int poll_work(struct store *store, struct inquiry *inquiry)
{
	struct poll *poll = LIST_OBJECT(inquiry, struct poll, inquiry);

	poll->has_shares = store->ops->share_take != NULL;
	return store->ops->version(store, &poll->version);
}

static void on_polled(struct inquiry *inquiry, int err)
{
	const struct poll *poll = LIST_OBJECT(inquiry, struct poll, inquiry);
	struct members *members = inquiry->members;
	bool is_same = members->knows_version && members->version == poll->version;

	members_note_store(members, err);
	if (!err && poll->has_shares && !members->has_shares) {
		members->has_shares = true;
		shares_start(members);
	}
	if (!err)
		shares_settle(members);
	if (err || is_same) {
		end_poll(members);
		return;
	}
	members->knows_version = true;
	members->version = poll->version;
	++members->reading;
	read_next(members);
}

static void poll_now(struct members *members)
{
	struct poll *poll;

	members->is_due = members->is_polling;
	if (members->is_polling)
		return;
	poll = mem_zalloc(sizeof(*poll), NULL);
	members->is_polling = poll && members_ask(members, ACCOUNT_ACCESS, &poll->inquiry,
						  poll_work, on_polled) == 0;
}

void members_refresh(struct members *members)
{
	members_credit_hope(members);
	poll_now(members);
}

/* Last uses */

/* On the thread. */
static int uses_work(struct store *store, struct inquiry *inquiry)
{
	struct uses *uses = LIST_OBJECT(inquiry, struct uses, inquiry);
	int err = 0;

	for (size_t i = 0; !err && i < uses->count; ++i) {
		err = store->ops->key_used(store, uses->rows[i].key_id, uses->rows[i].at_ms);
		if (err == ENOENT)
			err = 0;
	}
	return err;
}

/* What was not written is written when the key is used again. */
static void on_uses_noted(struct inquiry *inquiry, int err)
{
	(void)err;
	inquiry->members->is_noting = false;
}

static void collect_uses(struct list *list, struct uses *uses)
{
	for (struct link *l = list_first(list); l && uses->count < USES_MAX;
	     l = list_next(list, l)) {
		struct bearer *bearer = LIST_OBJECT(l, struct bearer, use);

		if (bearer->used_ms == 0 || bearer->used_ms < bearer->noted_ms + USE_MS)
			continue;
		bearer->noted_ms = bearer->used_ms;
		uses->rows[uses->count].key_id = bearer->key.id;
		uses->rows[uses->count++].at_ms = bearer->used_ms;
	}
}

static void note_uses(struct members *members)
{
	struct uses *uses;

	if (members->is_noting || members->is_away)
		return;
	uses = mem_zalloc(sizeof(*uses), NULL);
	if (!uses)
		return;
	collect_uses(&members->used, uses);
	collect_uses(&members->idle, uses);
	if (uses->count == 0)
		mem_deref(uses);
	else
		/* Not in the way of those who wait for their key. */
		members->is_noting = members_ask(members, ACCOUNT_QUESTIONS, &uses->inquiry,
						 uses_work, on_uses_noted) == 0;
}

/* The clock */

static void on_tick(void *arg)
{
	struct members *members = arg;

	timer_set(&members->loop->timers, &members->poll, POLL_US, on_tick, members);
	members_credit_tick(members);
	note_uses(members);
	if (!members->is_polling)
		poll_now(members);
	tell_ended(members);
}

void members_poll_start(struct members *members)
{
	timer_set(&members->loop->timers, &members->poll, POLL_US, on_tick, members);
	/* Before the first key is looked up, so that no change of it is missed. */
	poll_now(members);
}

void members_poll_stop(struct members *members)
{
	timer_clear(&members->loop->timers, &members->poll);
}
