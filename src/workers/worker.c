/*
 * worker.c: one worker, launched here or connected from elsewhere.
 *
 * Runs on the loop's thread.  A fleet owns its workers; a worker owns its
 * connection, its process if there is one, and its seats.
 *
 * Until READY a worker describes itself, and the messages are kept as they are, for
 * the fleet's user to read.  After READY every message is about a seat and is passed
 * to that seat's user.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "workers/fleet_private.h"

/* A worker that dies this soon after its start, without having had any work, would probably do so
 * again: it counts as a failed start. */
#define WORKER_YOUNG_US 5000000

#define WORKER_TITLE_SIZE (FLEET_NAME_MAX + 40)

static void worker_on_message(const struct message *message, void *arg);
static void worker_on_lost(int err, void *arg);

static void worker_destroy(void *object)
{
	struct worker *worker = object;

	mem_deref(worker->child);
	buf_reset(&worker->said);
	free(worker->seats);
}

static struct worker *worker_alloc(struct fleet *fleet)
{
	struct worker *worker = mem_zalloc(sizeof(*worker), worker_destroy);

	if (!worker)
		return NULL;
	worker->fleet = fleet;
	worker->serial = ++fleet->serial;
	worker->started_us = worker->waited_for_us = loop_now_us(fleet->loop);
	list_init(&worker->free_seats);
	list_init(&worker->owing);
	list_init(&worker->affinities);
	buf_init(&worker->said, FLEET_SAID_MAX);
	return worker;
}

/* For the log. */
static const char *worker_title(char title[WORKER_TITLE_SIZE], const struct worker *worker)
{
	if (worker->child)
		snprintf(title, WORKER_TITLE_SIZE, "worker of %s (pid %d)", worker->fleet->name,
			 (int)child_pid(worker->child));
	else
		snprintf(title, WORKER_TITLE_SIZE, "worker of %s (connected)", worker->fleet->name);
	return title;
}

/* Takes ownership of the stream, even on failure. */
static int worker_greet(struct worker *worker, struct stream *stream)
{
	const struct message hello = {
		.type = MESSAGE_HELLO,
		.hello = {.version_min = MESSAGE_VERSION, .version_max = MESSAGE_VERSION},
	};
	int err = endpoint_alloc(&worker->endpoint, stream, worker_on_message, worker_on_lost,
				 worker);

	if (err)
		return err;
	err = endpoint_send(worker->endpoint, &hello);
	if (err) {
		endpoint_close(worker->endpoint);
		return err;
	}
	endpoint_push(worker->endpoint); /* the loop may not be running yet */
	list_append(&worker->fleet->workers, &worker->link);
	++worker->fleet->starting;
	memory_expect(worker);
	return 0;
}

int worker_connect(struct fleet *fleet, struct stream *stream)
{
	struct worker *worker = worker_alloc(fleet);
	int err = ENOMEM;

	if (worker) {
		err = worker_greet(worker, stream);
	} else {
		stream_set_handlers(stream, NULL, NULL);
		stream_abort(stream, ENOMEM);
	}
	if (err)
		mem_deref(worker);
	return err;
}

/* The worker has died, or must be ended: its death is counted, and it is replaced. */
static void worker_fail(struct worker *worker)
{
	struct fleet *fleet = worker->fleet;
	bool is_old = loop_now_us(fleet->loop) - worker->started_us > WORKER_YOUNG_US;
	bool was_of_use = worker->state != WORKER_STARTING &&
			  (worker->seats_taken > 0 || worker->jobs_done > 0 || is_old);

	++fleet->deaths;
	metrics_add(METRIC_WORKER_DEATHS, 1);
	worker_end(worker);
	fleet_worker_failed(fleet, was_of_use);
	fleet->ops->changed(fleet->arg);
}

static void worker_on_exit(int err, int status, int signal, void *arg)
{
	struct worker *worker = arg;
	struct fleet *fleet = worker->fleet;

	if (err) { /* There was no process, so this is not counted as a death. */
		log_error("workers", "cannot start %s: %s", fleet->program, strerror(err));
		worker_end(worker);
		fleet_worker_failed(fleet, false);
		return;
	}
	log_warn("workers", "worker of %s ended: %s %d", fleet->name, signal ? "signal" : "status",
		 signal ? signal : status);
	worker_fail(worker);
}

int worker_launch(struct fleet *fleet, bool temporary)
{
	struct worker *worker = worker_alloc(fleet);
	struct stream *stream;
	int fd;
	int err;

	if (!worker)
		return ENOMEM;
	worker->temporary = temporary;
	err = launch_worker(&worker->child, &fd, fleet->loop, fleet->name, fleet->program,
			    &fleet->options.launch, worker->serial == 1, worker_on_exit, worker);
	if (!err)
		err = stream_alloc(&stream, fleet->loop, fd, NULL, NULL, NULL);
	if (!err)
		err = worker_greet(worker, stream);
	if (err)
		mem_deref(worker);
	return err;
}

/* The worker is lost, and no longer counts as starting or ready. */
static void worker_leave_state(struct worker *worker)
{
	if (worker->state == WORKER_STARTING)
		--worker->fleet->starting;
	else if (worker->state == WORKER_READY)
		worker->fleet->slots -= worker->batch;
	worker->state = WORKER_LOST;
}

/* A user that loses its seat may call off another user's seat on this worker, so the worker is freed
 * only after all have lost theirs. */
void worker_end(struct worker *worker)
{
	struct fleet *fleet = worker->fleet;

	list_remove(&fleet->workers, &worker->link);
	worker_leave_state(worker);
	memory_forget(worker);
	endpoint_close(worker->endpoint);
	worker->endpoint = NULL;
	worker->child = mem_deref(worker->child);
	affinity_lose_all(worker);
	for (unsigned i = 0; i < worker->seat_count && worker->seats_taken > 0; ++i) {
		struct seat *seat = &worker->seats[i];
		void *user = seat->user;

		if (seat->id == 0)
			continue;
		seat_free(seat);
		if (user)
			fleet->ops->lost(user, worker->serial);
	}
	mem_deref(worker);
}

static void worker_on_lost(int err, void *arg)
{
	struct worker *worker = arg;
	char title[WORKER_TITLE_SIZE];

	log_warn("workers", "%s lost: %s", worker_title(title, worker), strerror(err));
	worker_fail(worker);
}

void worker_end_stalled(struct worker *worker)
{
	char title[WORKER_TITLE_SIZE];

	log_warn("workers", "%s is silent: ended", worker_title(title, worker));
	worker_fail(worker);
}

void worker_lose(struct worker *worker, int err)
{
	char title[WORKER_TITLE_SIZE];

	if (worker->state == WORKER_LOST)
		return;
	log_warn("workers", "%s does not take messages: %s", worker_title(title, worker),
		 strerror(err));
	worker_leave_state(worker);
	endpoint_abort(worker->endpoint, err);
}

/* A worker that connected from elsewhere cannot be replaced. */
bool worker_is_worn(const struct worker *worker)
{
	unsigned jobs_max = worker->fleet->options.recycle_jobs;

	return jobs_max > 0 && worker->child && worker->jobs_done >= jobs_max;
}

bool worker_is_staff(const struct worker *worker)
{
	return worker->state != WORKER_LOST && !worker->temporary && !worker->leaving &&
	       !worker_is_worn(worker);
}

bool worker_must_go(const struct worker *worker)
{
	return worker->leaving && (worker->affinities.count == 0 ||
				   loop_now_us(worker->fleet->loop) >= worker->leave_by_us);
}

static void worker_on_ready(struct worker *worker, const struct message_ready *ready)
{
	struct fleet *fleet = worker->fleet;
	unsigned seats = ready->jobs_max < 1 ? 1 : ready->jobs_max;
	int err;

	if (ready->version != MESSAGE_VERSION) {
		log_error("workers", "%s speaks version %u of the worker protocol", fleet->name,
			  ready->version);
		worker_fail(worker);
		return;
	}
	seats = seats < SEATS_MAX ? seats : SEATS_MAX;
	worker->batch = ready->batch;
	worker->turns_max = affinity_limit(ready, seats);
	err = seat_make_all(worker, seats);
	if (!err)
		err = fleet_worker_ready(fleet, worker, ready);
	if (err) {
		log_error("workers", "a worker of %s cannot be used: %s", fleet->name,
			  strerror(err));
		worker_fail(worker);
	}
}

/* Keeps a message that was sent before READY.  When half of the room is used up, further messages
 * are left out: the other half is for the message that crosses that line, and for READY.  If there
 * is no memory, the worker is replaced, and the next one sends its messages again. */
static void worker_hear(struct worker *worker, const struct message *message)
{
	bool is_full = worker->said.len > FLEET_SAID_MAX / 2;
	int err = 0;

	if (is_full && !worker->says_too_much)
		log_warn("workers", "%s says more about itself than is kept", worker->fleet->name);
	worker->says_too_much = is_full;
	if (!is_full || message->type == MESSAGE_READY)
		err = message_encode(&worker->said, message);
	if (err == ENOMEM || (err && message->type == MESSAGE_READY)) {
		log_error("workers", "no memory for what %s says about itself",
			  worker->fleet->name);
		worker_fail(worker);
	} else if (message->type == MESSAGE_READY) {
		worker_on_ready(worker, &message->ready);
	}
}

static void worker_on_done(struct worker *worker, struct seat *seat, const struct message *message)
{
	const struct fleet_ops *ops = worker->fleet->ops;
	void *user = seat->user;

	seat_free(seat);
	++worker->jobs_done;
	fleet_worker_freed(worker->fleet, worker);
	if (user)
		ops->done(user, message);
}

static void worker_on_message(const struct message *message, void *arg)
{
	struct worker *worker = arg;
	const struct fleet_ops *ops = worker->fleet->ops;
	struct seat *seat = seat_find(worker, message->job);
	uint32_t cost = ops->cost(message);
	const char *breach = NULL;
	char title[WORKER_TITLE_SIZE];

	if (cost > (seat ? seat->credit : 0)) {
		breach = "more than it was granted";
	} else if (worker->state == WORKER_STARTING) {
		worker_hear(worker, message);
	} else if (seat && message->type == MESSAGE_DONE) {
		worker_on_done(worker, seat, message);
	} else if (seat) {
		seat_use(seat, cost);
		if (seat->user)
			breach = ops->message(seat->user, message);
	}
	if (breach) {
		log_warn("workers", "%s sends %s: ended", worker_title(title, worker), breach);
		worker_fail(worker);
	}
}
