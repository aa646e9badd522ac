/*
 * ledger.c: bookings, until they are durable (see account.h).
 *
 *   loop:   account_book --submit--> thread
 *   thread: all turns of the batch in one transaction
 *   loop:   handlers; turns that failed wait in `unsaved` for the next try
 */
#include <errno.h>
#include <inttypes.h>

#include "account/account_private.h"
#include "base/log.h"
#include "base/mem.h"

/* Between tries to reach a store that failed. */
#define RETRY_MIN_US UINT64_C(100000)
#define RETRY_MAX_US UINT64_C(10000000)

struct account_booking {
	struct request request;
	struct store_turn turn;
	account_booked_h *handler; /* NULL: told, or nobody waits */
	void *arg;
};

static struct account_booking *booking_of(struct request *request)
{
	return LIST_OBJECT(request, struct account_booking, request);
}

/* On the thread, inside a transaction.  A turn that can never be booked keeps
 * its EINVAL and does not take the others with it. */
static int add_turns(struct store *store, struct list *batch)
{
	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		struct request *request = request_of(l);

		if (request->kind != REQUEST_BOOKING)
			continue;
		request->err = store->ops->turn_add(store, &booking_of(request)->turn);
		if (request->err && request->err != EINVAL)
			return request->err;
	}
	return store->ops->commit(store);
}

static bool has_bookings(const struct list *batch)
{
	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		if (request_of(l)->kind == REQUEST_BOOKING)
			return true;
	}
	return false;
}

void ledger_run(struct store *store, struct list *batch)
{
	int err;

	if (!has_bookings(batch))
		return;
	err = store->ops->begin(store);

	if (!err) {
		err = add_turns(store, batch);
		if (err)
			store->ops->rollback(store);
	}
	if (!err)
		return;
	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		if (request_of(l)->kind == REQUEST_BOOKING)
			request_of(l)->err = EIO;
	}
}

/* All that an operator needs to book the row by hand. */
static void log_turn(const char *what, const struct store_turn *turn)
{
	log_error("account",
		  "%s turn=%s key=%" PRId64 " at_ms=%" PRId64 " status=%d samples=%" PRIu64
		  " rate=%" PRIu32 " characters=%" PRIu64 " voice=%" PRId64
		  " model=%s microcents=%" PRId64,
		  what, turn->id, turn->key_id, turn->at_ms, (int)turn->status, turn->samples,
		  turn->sample_rate, turn->characters, turn->voice_id, turn->model_id,
		  turn->amount_microcents);
}

static void tell(struct account_booking *booking, int err)
{
	account_booked_h *handler = booking->handler;

	booking->handler = NULL;
	if (handler)
		handler(err, booking->arg);
}

static void end_booking(struct account_booking *booking, int err)
{
	--booking->request.account->waiting;
	tell(booking, err);
	mem_deref(booking);
}

static void on_booked(struct task *task);

static void retry(void *arg)
{
	struct account *account = arg;
	struct link *link;

	timer_clear(&account->loop->timers, &account->retry);
	while ((link = list_first(&account->unsaved))) {
		list_remove(&account->unsaved, link);
		account_submit(account, LANE_LEDGER, request_of(link), on_booked);
	}
}

static void on_retry_due(void *arg)
{
	struct account *account = arg;

	log_warn("account", "the store does not take turns: %zu wait", account->unsaved.count);
	account->retry_us *= 2;
	if (account->retry_us > RETRY_MAX_US)
		account->retry_us = RETRY_MAX_US;
	retry(account);
}

static void keep_unsaved(struct account *account, struct account_booking *booking)
{
	list_append(&account->unsaved, &booking->request.task.link);
	if (account->closing || timer_is_set(&account->retry))
		return;
	/* Without memory for a timer the next turn's booking is the next try. */
	timer_set(&account->loop->timers, &account->retry, account->retry_us, on_retry_due,
		  account);
}

static void on_booked(struct task *task)
{
	struct account_booking *booking = booking_of(request_of(&task->link));
	struct account *account = booking->request.account;

	if (booking->request.err == EIO) {
		keep_unsaved(account, booking);
		tell(booking, EIO);
		return;
	}
	if (booking->request.err) { /* the key does not exist: a bug of ours */
		log_turn("a turn cannot be booked:", &booking->turn);
		end_booking(booking, EIO);
		return;
	}
	account->retry_us = RETRY_MIN_US;
	if (account->unsaved.count > 0 && !account->closing)
		retry(account); /* the store is back */
	end_booking(booking, 0);
}

int account_book(struct account_booking **bookingp, struct account *account,
		 const struct store_turn *turn, size_t mark, account_booked_h *handler, void *arg)
{
	struct account_booking *booking;

	(void)mark;
	if (account->waiting >= ACCOUNT_WAITING_MAX) {
		log_turn("too many turns wait for the store, this one is not booked:", turn);
		return ENOBUFS;
	}
	booking = mem_zalloc(sizeof(*booking), NULL);
	if (!booking) {
		log_turn("out of memory, a turn is not booked:", turn);
		return ENOMEM;
	}
	booking->request.account = account;
	booking->request.kind = REQUEST_BOOKING;
	booking->turn = *turn;
	booking->handler = handler;
	booking->arg = arg;
	++account->waiting;
	if (bookingp)
		*bookingp = booking;
	account_submit(account, LANE_LEDGER, &booking->request, on_booked);
	return 0;
}

void account_unlisten(struct account_booking *booking)
{
	booking->handler = NULL;
}

size_t account_waiting(const struct account *account)
{
	return account->waiting;
}

bool account_can_book(const struct account *account)
{
	return account->waiting < ACCOUNT_WAITING_MAX;
}

void account_mark(struct account *account, size_t *slot, const struct store_turn *turn)
{
	(void)account;
	(void)slot;
	(void)turn;
}

void ledger_init(struct account *account)
{
	account->retry_us = RETRY_MIN_US;
	list_init(&account->unsaved);
}

void ledger_finish(struct account *account)
{
	struct link *link;

	timer_clear(&account->loop->timers, &account->retry);
	if (account->unsaved.count > 0)
		ledger_run(account->lanes[LANE_LEDGER].store, &account->unsaved);
	while ((link = list_first(&account->unsaved))) {
		struct account_booking *booking = booking_of(request_of(link));

		list_remove(&account->unsaved, link);
		if (booking->request.err)
			log_turn("the store is gone, a turn is not booked:", &booking->turn);
		end_booking(booking, booking->request.err);
	}
}
