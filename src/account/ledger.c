/*
 * ledger.c: bookings, until they are durable (see account.h).
 *
 *   loop:   account_book --> thread of the store: all turns of a batch in one
 *           transaction --> durable
 *   else:   --> the disk's thread: the spool --> durable; from then on rows go there,
 *           behind those that wait, and are delivered to the store in batches, with
 *           growing pauses while it does not take them.  When the spool is empty
 *           rows go to the store again.
 *   else:   `unsaved`, in memory; tried again in the same rhythm
 *
 * A store that does not answer is treated as one that fails: what it is asked to
 * book is copied to the spool meanwhile.  A row may come to the store more than
 * once; its id makes that no second row.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "account/account_private.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"

/* Between tries to reach a store that failed. */
#define RETRY_MIN_US UINT64_C(100000)
#define RETRY_MAX_US UINT64_C(10000000)

/* A commit takes a few disk writes; after this long a client's last word, which waits
 * for a second at most, is better off with the local disk. */
#define SLOW_US UINT64_C(250000)

/* Of the spool's rows, that many are kept for turns that are being spoken when it
 * is found to be almost full. */
#define RESERVE_PART 16

static struct account_booking *booking_of(struct request *request)
{
	return LIST_OBJECT(request, struct account_booking, request);
}

static struct account_booking *booking_linked(struct link *link)
{
	return LIST_OBJECT(link, struct account_booking, link);
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

/* On the thread: all turns of the batch, or none; a turn that can never be booked
 * keeps its EINVAL. */
static void book_batch(struct lane *lane, struct ledger_batch *batch)
{
	struct ledger *ledger = &lane->account->ledger;
	bool has_spool = disk_has_spool(&lane->account->disk);
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

static void deliver(struct lane *lane, struct request *request)
{
	struct delivery *delivery = LIST_OBJECT(request, struct delivery, request);

	memset(delivery->errs, 0, sizeof(delivery->errs));
	request->err = lane->store->ops->turns_add(lane->store, delivery->turns, delivery->count,
						   delivery->errs);
	if (!request->err)
		atomic_store(&lane->account->ledger.has_failed, false);
}

void ledger_run(struct lane *lane, struct list *tasks)
{
	struct ledger_batch *batch = lane->account->ledger.batch;

	for (struct link *l = list_first(tasks); l; l = list_next(tasks, l)) {
		struct request *request = request_of(l);

		if (request->kind == REQUEST_DELIVERY)
			deliver(lane, request);
		if (request->kind != REQUEST_BOOKING)
			continue;
		batch->requests[batch->count] = request;
		batch->turns[batch->count++] = booking_of(request)->turn;
		if (batch->count == LEDGER_BATCH)
			book_batch(lane, batch);
	}
	book_batch(lane, batch);
}

static void tell(struct account_booking *booking, int err)
{
	account_booked_h *handler = booking->handler;

	booking->handler = NULL;
	if (handler)
		handler(err, booking->arg);
}

static void on_unmarked(struct task *task)
{
	struct account_booking *booking = booking_of_local(request_of(&task->link));

	marks_free(booking->request.account->disk.marks, booking->mark);
	mem_deref(booking);
}

/* Nobody has it any more. */
static void end_booking(struct account_booking *booking)
{
	struct account *account = booking->request.account;

	if (booking->mark != ACCOUNT_NO_MARK && account->disk.marks)
		disk_submit(account, &booking->local, REQUEST_UNMARK, on_unmarked);
	else
		mem_deref(booking);
}

static void on_retry_due(void *arg);

static void retry_later(struct account *account)
{
	struct ledger *ledger = &account->ledger;

	if (account->closing || ledger->is_delivering || timer_is_set(&ledger->retry))
		return;
	timer_set(&account->loop->timers, &ledger->retry, ledger->retry_us, on_retry_due, account);
}

static void grow_pause(struct ledger *ledger)
{
	ledger->retry_us *= 2;
	if (ledger->retry_us > RETRY_MAX_US)
		ledger->retry_us = RETRY_MAX_US;
}

static void settle(struct account_booking *booking)
{
	struct ledger *ledger = &booking->request.account->ledger;

	if (booking->is_durable)
		tell(booking, 0);
	if (booking->is_at_store || booking->is_at_disk)
		return;
	if (booking->is_durable) {
		end_booking(booking);
		return;
	}
	list_append(&ledger->unsaved, &booking->link);
	retry_later(booking->request.account);
	tell(booking, EIO);
}

static void make_durable(struct account_booking *booking)
{
	struct account *account = booking->request.account;

	if (!booking->is_durable) {
		--account->ledger.waiting;
		metrics_observe(METRIC_LEDGER_TIME, loop_now_us(account->loop) - booking->begun_us);
	}
	booking->is_durable = true;
}

static void on_spooled(struct task *task)
{
	struct account_booking *booking = booking_of_local(request_of(&task->link));
	struct account *account = booking->request.account;

	--account->ledger.at_disk;
	booking->is_at_disk = false;
	if (!booking->local.err)
		make_durable(booking);
	retry_later(account);
	settle(booking);
}

static void spool_booking(struct account_booking *booking)
{
	struct account *account = booking->request.account;

	account->ledger.is_away = true;
	booking->is_at_disk = true;
	++account->ledger.at_disk;
	disk_submit(account, &booking->local, REQUEST_SPOOL, on_spooled);
}

static void on_slow(void *arg)
{
	struct account *account = arg;
	struct list *list = &account->ledger.at_store;

	timer_clear(&account->loop->timers, &account->ledger.slow);
	log_warn("account", "the store is slow: %zu turns go to the disk meanwhile", list->count);
	for (struct link *l = list_first(list); l; l = list_next(list, l)) {
		if (!booking_linked(l)->is_at_disk && !booking_linked(l)->is_durable)
			spool_booking(booking_linked(l));
	}
}

/* From the oldest that the store has; those behind it are not older. */
static void watch_store(struct account *account)
{
	struct ledger *ledger = &account->ledger;

	timer_clear(&account->loop->timers, &ledger->slow);
	if (ledger->at_store.count > 0 && disk_has_spool(&account->disk) && !account->closing)
		timer_set(&account->loop->timers, &ledger->slow, SLOW_US, on_slow, account);
}

/* It will never be otherwise; a copy that is on its way to the disk is found out there. */
static void refuse(struct account_booking *booking)
{
	ledger_log("a turn cannot be booked, its key does not exist:", &booking->turn);
	tell(booking, EIO);
	make_durable(booking);
	settle(booking);
}

static void on_booked(struct task *task);

static void send_to_store(struct account_booking *booking)
{
	struct account *account = booking->request.account;

	booking->is_at_store = true;
	list_append(&account->ledger.at_store, &booking->link);
	if (account->ledger.at_store.count == 1)
		watch_store(account);
	account_submit(account, LANE_LEDGER, &booking->request, on_booked);
}

static void send_booking(struct account_booking *booking)
{
	struct account *account = booking->request.account;

	if (account->ledger.is_away && disk_has_spool(&account->disk))
		spool_booking(booking);
	else
		send_to_store(booking);
}

/* What failed before, in front of what comes now. */
static void send_unsaved(struct account *account)
{
	struct list *unsaved = &account->ledger.unsaved;

	for (size_t n = unsaved->count; n > 0; --n) {
		struct account_booking *booking = booking_linked(list_first(unsaved));

		list_remove(unsaved, &booking->link);
		send_booking(booking);
	}
}

static void on_booked(struct task *task)
{
	struct account_booking *booking = booking_of(request_of(&task->link));
	struct account *account = booking->request.account;
	struct ledger *ledger = &account->ledger;

	booking->is_at_store = false;
	list_remove(&ledger->at_store, &booking->link);
	watch_store(account);
	if (booking->request.err == EINVAL) {
		refuse(booking);
		return;
	}
	if (!booking->request.err) {
		make_durable(booking);
		if (!ledger->is_away)
			ledger->retry_us = RETRY_MIN_US;
		if (ledger->unsaved.count > 0 && !account->closing)
			send_unsaved(account); /* the store is back */
	} else if (!booking->is_durable && !booking->is_at_disk && disk_has_spool(&account->disk)) {
		spool_booking(booking);
		return;
	}
	settle(booking);
}

static void on_peeked(struct task *task);

/* The rows on the disk are in the store, all of them: the next ones go there too. */
static void come_back(struct account *account)
{
	struct ledger *ledger = &account->ledger;

	ledger->is_delivering = false;
	if (ledger->at_disk > 0) { /* they are behind what was looked at */
		retry_later(account);
		return;
	}
	ledger->is_away = false;
	atomic_store(&ledger->has_failed, false);
	if (ledger->unsaved.count > 0)
		grow_pause(ledger);
	send_unsaved(account);
}

static void deliver_next(struct account *account)
{
	if (account->closing) {
		account->ledger.is_delivering = false;
		return;
	}
	account->ledger.is_delivering = true;
	disk_submit(account, &account->ledger.delivery->request, REQUEST_PEEK, on_peeked);
}

static void fail_delivery(struct account *account)
{
	struct ledger *ledger = &account->ledger;

	ledger->is_delivering = false;
	grow_pause(ledger);
	retry_later(account);
}

static void on_removed(struct task *task)
{
	struct account *account = request_of(&task->link)->account;

	if (request_of(&task->link)->err) {
		fail_delivery(account);
		return;
	}
	if (account->ledger.unsaved.count > 0 && !account->closing)
		send_unsaved(account); /* there is room now */
	deliver_next(account);
}

static void on_delivered(struct task *task)
{
	struct account *account = request_of(&task->link)->account;
	struct delivery *delivery = account->ledger.delivery;

	if (delivery->request.err) {
		log_warn("account", "the store does not take turns: %zu wait on the disk",
			 atomic_load(&account->disk.held));
		fail_delivery(account);
		return;
	}
	for (size_t i = 0; i < delivery->count; ++i) {
		if (delivery->errs[i])
			ledger_log("a turn cannot be booked, its key does not exist:",
				   &delivery->turns[i]);
	}
	account->ledger.retry_us = RETRY_MIN_US;
	disk_submit(account, &delivery->request, REQUEST_REMOVE, on_removed);
}

static void on_peeked(struct task *task)
{
	struct account *account = request_of(&task->link)->account;
	struct delivery *delivery = account->ledger.delivery;

	if (delivery->request.err) {
		log_error("account", "%s cannot be read: %s", account->disk.rows_path,
			  strerror(delivery->request.err));
		fail_delivery(account);
	} else if (delivery->count == 0) {
		come_back(account);
	} else if (account->closing) {
		account->ledger.is_delivering = false;
	} else {
		delivery->request.kind = REQUEST_DELIVERY;
		account_submit(account, LANE_LEDGER, &delivery->request, on_delivered);
	}
}

static void on_retry_due(void *arg)
{
	struct account *account = arg;
	struct ledger *ledger = &account->ledger;

	timer_clear(&account->loop->timers, &ledger->retry);
	if (disk_has_spool(&account->disk) && ledger->is_away) {
		deliver_next(account);
		return;
	}
	log_warn("account", "the store does not take turns: %zu wait in memory",
		 ledger->unsaved.count);
	grow_pause(ledger);
	send_unsaved(account);
}

int account_book(struct account_booking **bookingp, struct account *account,
		 const struct store_turn *turn, size_t mark, account_booked_h *handler, void *arg)
{
	struct account_booking *booking;

	if (account->ledger.waiting >= ACCOUNT_WAITING_MAX) {
		ledger_log("too many turns wait for the store, this one is not booked:", turn);
		return ENOBUFS;
	}
	booking = mem_zalloc(sizeof(*booking), NULL);
	if (!booking) {
		ledger_log("out of memory, a turn is not booked:", turn);
		return ENOMEM;
	}
	booking->request.account = account;
	booking->request.kind = REQUEST_BOOKING;
	booking->begun_us = loop_now_us(account->loop);
	booking->turn = *turn;
	booking->mark = mark;
	booking->handler = handler;
	booking->arg = arg;
	++account->ledger.waiting;
	if (bookingp)
		*bookingp = booking;
	send_unsaved(account);
	send_booking(booking);
	return 0;
}

void account_unlisten(struct account_booking *booking)
{
	booking->handler = NULL;
}

size_t account_waiting(const struct account *account)
{
	return account->ledger.waiting;
}

size_t account_spooled(const struct account *account)
{
	return atomic_load(&account->disk.held);
}

bool account_is_settled(const struct account *account)
{
	const struct ledger *ledger = &account->ledger;

	return ledger->waiting == 0 && ledger->at_store.count == 0 && ledger->unsaved.count == 0 &&
	       atomic_load(&account->disk.held) == 0;
}

bool account_can_book(const struct account *account)
{
	const struct ledger *ledger = &account->ledger;
	const struct disk *disk = &account->disk;
	size_t room = atomic_load(&disk->room);

	if (ledger->unsaved.count > 0 || ledger->waiting >= ACCOUNT_WAITING_MAX)
		return false;
	return !ledger->is_away || !disk_has_spool(disk) ||
	       room > (room + atomic_load(&disk->held)) / RESERVE_PART;
}

int ledger_open(struct account *account)
{
	struct ledger *ledger = &account->ledger;

	ledger->retry_us = RETRY_MIN_US;
	list_init(&ledger->at_store);
	list_init(&ledger->unsaved);
	ledger->batch = mem_zalloc(sizeof(*ledger->batch), NULL);
	ledger->delivery = mem_zalloc(sizeof(*ledger->delivery), NULL);
	return ledger->batch && ledger->delivery ? 0 : ENOMEM;
}

void ledger_finish(struct account *account)
{
	struct ledger *ledger = &account->ledger;
	struct list tasks;
	struct link *link;

	timer_clear(&account->loop->timers, &ledger->retry);
	timer_clear(&account->loop->timers, &ledger->slow);
	atomic_store(&ledger->has_failed, false);
	list_init(&tasks);
	for (link = list_first(&ledger->unsaved); link; link = list_next(&ledger->unsaved, link))
		list_append(&tasks, &booking_linked(link)->request.task.link);
	if (tasks.count > 0)
		ledger_run(&account->lanes[LANE_LEDGER], &tasks);
	while ((link = list_first(&ledger->unsaved))) {
		struct account_booking *booking = booking_linked(link);

		list_remove(&ledger->unsaved, link);
		if (!booking->request.err) {
			end_booking(booking);
			continue;
		}
		ledger_log("the store is gone, a turn is not booked:", &booking->turn);
		mem_deref(booking); /* its mark stays for the next start */
	}
	mem_deref(ledger->batch);
	mem_deref(ledger->delivery);
}
