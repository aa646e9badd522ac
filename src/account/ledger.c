/*
 * ledger.c: bookings, until they are durable (see async_store.h).
 *
 *   loop: async_store_book
 *     --> thread of the store: all turns of a batch in one transaction --> durable
 *         on failure:
 *     --> thread of the disk: the spool --> durable; from then on new rows are spooled after those
 *         that wait there, and are delivered to the store in batches, with growing pauses
 *         while it does not accept them.  When the spool is empty, rows are sent to the store
 *         again.
 *         on failure:
 *     --> `unsaved`, in memory, retried at the same intervals
 *
 * A store that does not answer in time is treated like one that fails: the rows it was given are
 * also spooled.  A row may reach the store more than once; its id keeps it from being booked twice.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "account/async_store_private.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"

/* Pauses between attempts to reach a store that has failed. */
#define RETRY_MIN_US UINT64_C(100000)
#define RETRY_MAX_US UINT64_C(10000000)

/* A commit takes a few disk writes.  session_closed waits for a second at most, so after this time
 * the row is spooled to the local disk as well. */
#define SLOW_US UINT64_C(250000)

/* When the spool is almost full, no new turns begin: the last 1/RESERVE_PART of it is kept for
 * turns that are already being spoken. */
#define RESERVE_PART 16

static struct usage_booking *ledger_booking_of(struct store_request *request)
{
	return LIST_OBJECT(request, struct usage_booking, request);
}

static struct usage_booking *ledger_booking_at(struct link *link)
{
	return LIST_OBJECT(link, struct usage_booking, link);
}

void ledger_log(const char *what, const struct store_turn *turn)
{
	log_error("account",
		  "%s turn=%s key=%" PRId64 " account=%" PRId64 " server=%s at_ms=%" PRId64
		  " status=%d kind=%d quantity=%" PRIu64 " unit=%d estimated=%d rate=%" PRIu32
		  " characters=%" PRIu64 " voice=%" PRId64 " model=%s microcents=%" PRId64,
		  what, turn->id, turn->key_id, turn->account_id, turn->server, turn->at_ms,
		  (int)turn->status, (int)turn->kind, store_turn_quantity(turn), (int)turn->unit,
		  turn->is_estimated, turn->sample_rate, turn->characters, turn->voice_id,
		  turn->model_id, turn->amount_microcents);
}

/* Books the turns of a batch in one transaction; runs on the thread.  A turn that can never be
 * booked gets EINVAL, and does not keep the others from being booked. */
static void ledger_book_batch(struct lane *lane, struct ledger_batch *batch)
{
	struct ledger *ledger = &lane->async->ledger;
	bool has_spool = disk_has_spool(&lane->async->disk);
	int err = has_spool && atomic_load(&ledger->has_failed) ? EIO : 0;

	if (batch->count == 0)
		return;
	memset(batch->errs, 0, batch->count * sizeof(batch->errs[0]));
	if (!err)
		err = lane->store->ops->turns_add(lane->store, batch->turns, batch->count,
						  batch->errs);
	if (err)
		atomic_store(&ledger->has_failed, true);
	for (size_t i = 0; i < batch->count; ++i)
		batch->requests[i]->err = err ? EIO : batch->errs[i];
	batch->count = 0;
}

static void ledger_deliver(struct lane *lane, struct store_request *request)
{
	struct delivery *delivery = LIST_OBJECT(request, struct delivery, request);

	memset(delivery->errs, 0, sizeof(delivery->errs));
	request->err = lane->store->ops->turns_add(lane->store, delivery->turns, delivery->count,
						   delivery->errs);
	if (!request->err)
		atomic_store(&lane->async->ledger.has_failed, false);
}

void ledger_run(struct lane *lane, struct list *tasks)
{
	struct ledger_batch *batch = lane->async->ledger.batch;

	for (struct link *l = list_first(tasks); l; l = list_next(tasks, l)) {
		struct store_request *request = request_of(l);

		if (request->kind == REQUEST_DELIVERY)
			ledger_deliver(lane, request);
		if (request->kind != REQUEST_BOOKING)
			continue;
		batch->requests[batch->count] = request;
		batch->turns[batch->count++] = ledger_booking_of(request)->turn;
		if (batch->count == LEDGER_BATCH)
			ledger_book_batch(lane, batch);
	}
	ledger_book_batch(lane, batch);
}

static void ledger_notify(struct usage_booking *booking, int err)
{
	usage_booked_h *handler = booking->handler;

	booking->handler = NULL;
	if (handler)
		handler(err, booking->arg);
}

static void ledger_on_unmarked(struct task *task)
{
	struct usage_booking *booking = booking_of_local(request_of(&task->link));

	marks_free(booking->request.async->disk.marks, booking->mark);
	mem_deref(booking);
}

/* Frees a booking that neither the store, the disk nor its owner uses any more. */
static void ledger_end_booking(struct usage_booking *booking)
{
	struct async_store *async = booking->request.async;

	if (booking->mark != USAGE_NO_MARK && async->disk.marks)
		disk_submit(async, &booking->local, REQUEST_UNMARK, ledger_on_unmarked);
	else
		mem_deref(booking);
}

static void ledger_on_retry_due(void *arg);

static void ledger_retry_later(struct async_store *async)
{
	struct ledger *ledger = &async->ledger;

	if (async->closing || ledger->is_delivering || timer_is_set(&ledger->retry))
		return;
	timer_set(&async->loop->timers, &ledger->retry, ledger->retry_us, ledger_on_retry_due,
		  async);
}

static void ledger_back_off(struct ledger *ledger)
{
	ledger->retry_us *= 2;
	if (ledger->retry_us > RETRY_MAX_US)
		ledger->retry_us = RETRY_MAX_US;
}

static void ledger_settle(struct usage_booking *booking)
{
	struct ledger *ledger = &booking->request.async->ledger;

	if (booking->is_durable)
		ledger_notify(booking, 0);
	if (booking->is_at_store || booking->is_at_disk)
		return;
	if (booking->is_durable) {
		ledger_end_booking(booking);
		return;
	}
	list_append(&ledger->unsaved, &booking->link);
	ledger_retry_later(booking->request.async);
	ledger_notify(booking, EIO);
}

static void ledger_make_durable(struct usage_booking *booking)
{
	struct async_store *async = booking->request.async;

	if (!booking->is_durable) {
		--async->ledger.waiting;
		metrics_observe(METRIC_LEDGER_TIME, loop_now_us(async->loop) - booking->begun_us);
	}
	booking->is_durable = true;
}

static void ledger_on_spooled(struct task *task)
{
	struct usage_booking *booking = booking_of_local(request_of(&task->link));
	struct async_store *async = booking->request.async;

	--async->ledger.at_disk;
	booking->is_at_disk = false;
	if (!booking->local.err)
		ledger_make_durable(booking);
	ledger_retry_later(async);
	ledger_settle(booking);
}

static void ledger_spool_booking(struct usage_booking *booking)
{
	struct async_store *async = booking->request.async;

	async->ledger.is_away = true;
	booking->is_at_disk = true;
	++async->ledger.at_disk;
	disk_submit(async, &booking->local, REQUEST_SPOOL, ledger_on_spooled);
}

static void ledger_on_slow(void *arg)
{
	struct async_store *async = arg;
	struct list *list = &async->ledger.at_store;

	timer_clear(&async->loop->timers, &async->ledger.slow);
	log_warn("account", "the store is slow: %zu turns are written to the disk meanwhile",
		 list->count);
	for (struct link *l = list_first(list); l; l = list_next(list, l)) {
		if (!ledger_booking_at(l)->is_at_disk && !ledger_booking_at(l)->is_durable)
			ledger_spool_booking(ledger_booking_at(l));
	}
}

/* Restarts the timer that fires if the store has bookings and has answered none for SLOW_US. */
static void ledger_watch_slow(struct async_store *async)
{
	struct ledger *ledger = &async->ledger;

	timer_clear(&async->loop->timers, &ledger->slow);
	if (ledger->at_store.count > 0 && disk_has_spool(&async->disk) && !async->closing)
		timer_set(&async->loop->timers, &ledger->slow, SLOW_US, ledger_on_slow, async);
}

/* The store will never accept the row.  It is treated as durable, so that nothing tries again.  If
 * a copy of it is being spooled, its delivery will be refused too. */
static void ledger_refuse(struct usage_booking *booking)
{
	ledger_log("a turn cannot be booked, its key does not exist:", &booking->turn);
	ledger_notify(booking, EIO);
	ledger_make_durable(booking);
	ledger_settle(booking);
}

static void ledger_on_booked(struct task *task);

static void ledger_send_to_store(struct usage_booking *booking)
{
	struct async_store *async = booking->request.async;

	booking->is_at_store = true;
	list_append(&async->ledger.at_store, &booking->link);
	if (async->ledger.at_store.count == 1)
		ledger_watch_slow(async);
	async_store_submit(async, LANE_LEDGER, &booking->request, ledger_on_booked);
}

static void ledger_send_booking(struct usage_booking *booking)
{
	struct async_store *async = booking->request.async;

	if (async->ledger.is_away && disk_has_spool(&async->disk))
		ledger_spool_booking(booking);
	else
		ledger_send_to_store(booking);
}

/* Sends rows that could not be saved before, ahead of new rows. */
static void ledger_retry_unsaved(struct async_store *async)
{
	struct list *unsaved = &async->ledger.unsaved;

	for (size_t n = unsaved->count; n > 0; --n) {
		struct usage_booking *booking = ledger_booking_at(list_first(unsaved));

		list_remove(unsaved, &booking->link);
		ledger_send_booking(booking);
	}
}

static void ledger_on_booked(struct task *task)
{
	struct usage_booking *booking = ledger_booking_of(request_of(&task->link));
	struct async_store *async = booking->request.async;
	struct ledger *ledger = &async->ledger;

	booking->is_at_store = false;
	list_remove(&ledger->at_store, &booking->link);
	ledger_watch_slow(async);
	if (booking->request.err == EINVAL) {
		ledger_refuse(booking);
		return;
	}
	if (!booking->request.err) {
		ledger_make_durable(booking);
		if (!ledger->is_away)
			ledger->retry_us = RETRY_MIN_US;
		if (ledger->unsaved.count > 0 && !async->closing)
			ledger_retry_unsaved(async); /* the store is reachable again */
	} else if (!booking->is_durable && !booking->is_at_disk && disk_has_spool(&async->disk)) {
		ledger_spool_booking(booking);
		return;
	}
	ledger_settle(booking);
}

static void ledger_on_peeked(struct task *task);

/* All spooled rows are in the store, so new rows are sent to the store again. */
static void ledger_on_store_back(struct async_store *async)
{
	struct ledger *ledger = &async->ledger;

	ledger->is_delivering = false;
	if (ledger->at_disk > 0) { /* rows were spooled after the ones that were read */
		ledger_retry_later(async);
		return;
	}
	ledger->is_away = false;
	atomic_store(&ledger->has_failed, false);
	if (ledger->unsaved.count > 0)
		ledger_back_off(ledger);
	ledger_retry_unsaved(async);
}

static void ledger_deliver_next(struct async_store *async)
{
	if (async->closing) {
		async->ledger.is_delivering = false;
		return;
	}
	async->ledger.is_delivering = true;
	disk_submit(async, &async->ledger.delivery->request, REQUEST_PEEK, ledger_on_peeked);
}

static void ledger_fail_delivery(struct async_store *async)
{
	struct ledger *ledger = &async->ledger;

	ledger->is_delivering = false;
	ledger_back_off(ledger);
	ledger_retry_later(async);
}

static void ledger_on_removed(struct task *task)
{
	struct async_store *async = request_of(&task->link)->async;

	if (request_of(&task->link)->err) {
		ledger_fail_delivery(async);
		return;
	}
	if (async->ledger.unsaved.count > 0 && !async->closing)
		ledger_retry_unsaved(async); /* there is room now */
	ledger_deliver_next(async);
}

static void ledger_on_delivered(struct task *task)
{
	struct async_store *async = request_of(&task->link)->async;
	struct delivery *delivery = async->ledger.delivery;

	if (delivery->request.err) {
		log_warn("account", "the store does not take turns: %zu wait on the disk",
			 atomic_load(&async->disk.held));
		ledger_fail_delivery(async);
		return;
	}
	for (size_t i = 0; i < delivery->count; ++i) {
		if (delivery->errs[i])
			ledger_log("a turn cannot be booked, its key does not exist:",
				   &delivery->turns[i]);
	}
	async->ledger.retry_us = RETRY_MIN_US;
	disk_submit(async, &delivery->request, REQUEST_REMOVE, ledger_on_removed);
}

static void ledger_on_peeked(struct task *task)
{
	struct async_store *async = request_of(&task->link)->async;
	struct delivery *delivery = async->ledger.delivery;

	if (delivery->request.err) {
		log_error("account", "%s cannot be read: %s", async->disk.rows_path,
			  strerror(delivery->request.err));
		ledger_fail_delivery(async);
	} else if (delivery->count == 0) {
		ledger_on_store_back(async);
	} else if (async->closing) {
		async->ledger.is_delivering = false;
	} else {
		delivery->request.kind = REQUEST_DELIVERY;
		async_store_submit(async, LANE_LEDGER, &delivery->request, ledger_on_delivered);
	}
}

static void ledger_on_retry_due(void *arg)
{
	struct async_store *async = arg;
	struct ledger *ledger = &async->ledger;

	timer_clear(&async->loop->timers, &ledger->retry);
	if (disk_has_spool(&async->disk) && ledger->is_away) {
		ledger_deliver_next(async);
		return;
	}
	log_warn("account", "the store does not take turns: %zu wait in memory",
		 ledger->unsaved.count);
	ledger_back_off(ledger);
	ledger_retry_unsaved(async);
}

int async_store_book(struct usage_booking **bookingp, struct async_store *async,
		     const struct store_turn *turn, size_t mark, usage_booked_h *handler, void *arg)
{
	struct usage_booking *booking;

	if (async->ledger.waiting >= ASYNC_STORE_WAITING_MAX) {
		ledger_log("too many turns wait for the store, this one is not booked:", turn);
		return ENOBUFS;
	}
	booking = mem_zalloc(sizeof(*booking), NULL);
	if (!booking) {
		ledger_log("out of memory, a turn is not booked:", turn);
		return ENOMEM;
	}
	booking->request.async = async;
	booking->request.kind = REQUEST_BOOKING;
	booking->begun_us = loop_now_us(async->loop);
	booking->turn = *turn;
	booking->mark = mark;
	booking->handler = handler;
	booking->arg = arg;
	++async->ledger.waiting;
	if (bookingp)
		*bookingp = booking;
	ledger_retry_unsaved(async);
	ledger_send_booking(booking);
	return 0;
}

void async_store_unlisten(struct usage_booking *booking)
{
	booking->handler = NULL;
}

size_t async_store_waiting(const struct async_store *async)
{
	return async->ledger.waiting;
}

size_t async_store_spooled(const struct async_store *async)
{
	return atomic_load(&async->disk.held);
}

bool async_store_is_settled(const struct async_store *async)
{
	const struct ledger *ledger = &async->ledger;

	return ledger->waiting == 0 && ledger->at_store.count == 0 && ledger->unsaved.count == 0 &&
	       atomic_load(&async->disk.held) == 0;
}

bool async_store_can_book(const struct async_store *async)
{
	const struct ledger *ledger = &async->ledger;
	const struct disk *disk = &async->disk;
	size_t room = atomic_load(&disk->room);

	if (ledger->unsaved.count > 0 || ledger->waiting >= ASYNC_STORE_WAITING_MAX)
		return false;
	return !ledger->is_away || !disk_has_spool(disk) ||
	       room > (room + atomic_load(&disk->held)) / RESERVE_PART;
}

int ledger_open(struct async_store *async)
{
	struct ledger *ledger = &async->ledger;

	ledger->retry_us = RETRY_MIN_US;
	list_init(&ledger->at_store);
	list_init(&ledger->unsaved);
	ledger->batch = mem_zalloc(sizeof(*ledger->batch), NULL);
	ledger->delivery = mem_zalloc(sizeof(*ledger->delivery), NULL);
	return ledger->batch && ledger->delivery ? 0 : ENOMEM;
}

void ledger_finish(struct async_store *async)
{
	struct ledger *ledger = &async->ledger;
	struct list tasks;
	struct link *link;

	timer_clear(&async->loop->timers, &ledger->retry);
	timer_clear(&async->loop->timers, &ledger->slow);
	atomic_store(&ledger->has_failed, false);
	list_init(&tasks);
	for (link = list_first(&ledger->unsaved); link; link = list_next(&ledger->unsaved, link))
		list_append(&tasks, &ledger_booking_at(link)->request.task.link);
	if (tasks.count > 0)
		ledger_run(&async->lanes[LANE_LEDGER], &tasks);
	while ((link = list_first(&ledger->unsaved))) {
		struct usage_booking *booking = ledger_booking_at(link);

		list_remove(&ledger->unsaved, link);
		if (!booking->request.err) {
			ledger_end_booking(booking);
			continue;
		}
		ledger_log("the store is gone, a turn is not booked:", &booking->turn);
		mem_deref(booking); /* its mark stays on the disk for the next process */
	}
	mem_deref(ledger->batch);
	mem_deref(ledger->delivery);
}
