/*
 * decoding_pool.c: the worker processes that decode files, and their jobs (see decoding_pool.h).
 *
 * A job waits in `queued` until it has a seat; `seated` are those that have one.  The bytes of a file
 * go straight to its worker, as far as the worker has room, and a copy of the first ones is kept.  As
 * long as that copy is the whole file so far, another worker can take the job over: it gets the copy,
 * and what it decodes again is dropped.
 *
 * Credit of a seat is counted in samples, and 1 for the ROOM that a worker owes when it has none left.
 * Samples are granted only after FINISH: before, the worker has nothing to deliver, and would seem to
 * hang.  Runs on the loop's thread.
 */
#include "hearing/decoding_pool.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "workers/fleet.h"
#include "workers/installed.h"
#include "workers/seat.h"

_Static_assert(DECODING_RATE == MESSAGE_HEARING_RATE, "samples are passed on as they are");
_Static_assert(DECODING_FILE_MAX == MESSAGE_FILE_MAX, "a worker takes the longest file");

/* Files that are no longer than this are kept, and can be decoded again: voice messages of half a minute
 * without compression, or several minutes with.  Keeping longer ones would take the memory that is
 * saved by sending files on as they arrive. */
#define HELD_MAX (512u << 10)

/* Workers that a job may lose: a file that ends two is not given to a third. */
#define TRIES_MAX 2

/* What a worker may grant at a time (docs/worker-protocol.md).  More could fill its connection. */
#define ROOM_MAX (256u << 10)

/* Samples that a worker may owe. */
#define CREDIT_MAX (UINT32_MAX / 2)

#define FORMAT_MAX 32
#define DETAIL_MAX 256

/* Samples that are passed on at once. */
#define BLOCK 4096u

struct decoding_job {
	struct decoding_pool *pool;
	struct list *list; /* the list that it is on; NULL: none */
	struct link link;
	const struct decoding_listener *listener; /* NULL: it has been cancelled, or has ended */
	void *arg;
	struct timer start_timer;
	char format[FORMAT_MAX];
	struct buf held; /* the first bytes of the file */
	size_t len; /* of the file so far */
	bool is_finished;
	bool wants_room; /* the listener is told when there is some */
	uint64_t granted; /* samples that were wanted so far */
	uint64_t delivered; /* samples */
	unsigned tries; /* workers that it has had */

	struct seat *seat; /* NULL: it has none, and the following means nothing */
	size_t worker_room; /* bytes that may be sent to the worker */
	size_t room_total; /* bytes that it has granted in all */
	size_t sent; /* bytes of the file that it has been sent */
	uint64_t skip; /* samples that were delivered by an earlier worker, still to be dropped */
	uint64_t granted_there; /* samples that it has been asked for */
	bool owes_room;
	bool is_finish_sent;
};

struct decoding_pool {
	struct decoding decoding; /* first, because decoding_pool_decoding returns it */
	struct loop *loop;
	struct decoding_pool_options options;
	char **launcher;
	char **environment;
	struct fleet *fleet; /* NULL: the program is not installed */
	struct list queued, seated;
	bool is_ending;
	uint64_t retries;
};

static void decoding_pool_move(struct decoding_job *job, struct list *list)
{
	if (job->list)
		list_remove(job->list, &job->link);
	job->list = list;
	if (list)
		list_append(list, &job->link);
}

static void decoding_pool_destroy_job(void *object)
{
	struct decoding_job *job = object;

	if (job->pool)
		timer_clear(&job->pool->loop->timers, &job->start_timer);
	decoding_pool_move(job, NULL);
	buf_reset(&job->held);
}

/* Ends a job that has no seat. */
static void decoding_pool_end(struct decoding_job *job, enum decoding_end how, const char *detail)
{
	const struct decoding_listener *listener = job->listener;

	assert(!job->seat);
	job->listener = NULL;
	decoding_pool_move(job, NULL);
	timer_clear(&job->pool->loop->timers, &job->start_timer);
	listener->end(job->arg, how, detail);
	mem_deref(job);
}

static void decoding_pool_on_late(void *arg)
{
	decoding_pool_end(arg, DECODING_UNAVAILABLE,
			  "no process that decodes files was free in time");
}

static void decoding_pool_wait_anew(struct decoding_job *job)
{
	timer_set(&job->pool->loop->timers, &job->start_timer,
		  job->pool->options.start_timeout_ms * UINT64_C(1000), decoding_pool_on_late, job);
}

/* Sends bytes of the file, which the worker has room for.  If it has none left afterwards and can
 * grant more, it owes ROOM. */
static void decoding_pool_send_bytes(struct decoding_job *job, const void *bytes, size_t len)
{
	struct message message = {.type = MESSAGE_BYTES, .bytes = {bytes, len}};

	job->sent += len;
	job->worker_room -= len;
	if (job->worker_room == 0 && job->room_total < DECODING_FILE_MAX) {
		job->owes_room = true;
		seat_ask(job->seat, &message, 1);
	} else {
		seat_send(job->seat, &message);
	}
}

/* Sends what is kept here and the worker does not have, after another one has died. */
static void decoding_pool_send_held(struct decoding_job *job)
{
	while (job->seat && job->sent < job->held.len && job->worker_room > 0) {
		size_t n = job->held.len - job->sent;

		decoding_pool_send_bytes(job, job->held.bytes + job->sent,
					 n < job->worker_room ? n : job->worker_room);
	}
}

/* Asks for the samples that are wanted, including those that will be dropped. */
static void decoding_pool_grant_there(struct decoding_job *job)
{
	uint64_t more = job->granted - job->granted_there;
	uint32_t most = CREDIT_MAX - seat_credit(job->seat);

	if (more > most)
		more = most; /* the rest follows when some of it has been delivered */
	if (more == 0)
		return;
	job->granted_there += more;
	seat_grant(job->seat, (uint32_t)more);
}

/* Sends FINISH when the worker has the whole file, and then grants samples. */
static void decoding_pool_push(struct decoding_job *job)
{
	struct message finish = {.type = MESSAGE_FINISH,
				 .finish_format = message_str_of(job->format)};

	decoding_pool_send_held(job);
	if (!job->is_finished || job->sent < job->len)
		return;
	if (!job->is_finish_sent)
		seat_send(job->seat, &finish);
	job->is_finish_sent = true;
	decoding_pool_grant_there(job);
}

/* False: the worker is lost. */
static bool decoding_pool_take_seat(struct decoding_job *job, struct worker *worker)
{
	struct message decode = {.type = MESSAGE_DECODE,
				 .decode = {.format = message_str_of(job->format)}};

	/* The answer that it owes is the first ROOM. */
	if (seat_take(&job->seat, worker, &decode, 1, job) != 0) {
		job->seat = NULL;
		return false;
	}
	++job->tries;
	job->worker_room = job->room_total = job->sent = 0;
	job->skip = job->delivered;
	job->granted_there = 0;
	job->owes_room = true;
	job->is_finish_sent = false;
	timer_clear(&job->pool->loop->timers, &job->start_timer);
	decoding_pool_move(job, &job->pool->seated);
	return true;
}

/* Gives seats to the jobs that wait. */
static void decoding_pool_seat_all(struct decoding_pool *pool)
{
	struct link *link;
	struct worker *worker;

	while ((link = list_first(&pool->queued)) && (worker = fleet_pick(pool->fleet))) {
		if (!decoding_pool_take_seat(LIST_OBJECT(link, struct decoding_job, link), worker))
			break; /* the loop ends that worker, and then calls again */
	}
}

static void decoding_pool_on_demand(void *arg, struct fleet_demand *demand)
{
	const struct decoding_pool *pool = arg;

	*demand = (struct fleet_demand){.waiting = pool->queued.count};
}

static int decoding_pool_on_ready(void *arg, const struct message_ready *ready,
				  const struct buf *said)
{
	(void)arg;
	(void)said;
	if (ready->capabilities & MESSAGE_DECODES)
		return 0;
	log_error("hearing", "syrinx-decode does not decode: another program has its name");
	return EPROTO;
}

static void decoding_pool_on_changed(void *arg)
{
	decoding_pool_seat_all(arg);
}

static void decoding_pool_on_restarting(void *arg)
{
	struct decoding_pool *pool = arg;

	for (struct link *l = list_first(&pool->queued); l; l = list_next(&pool->queued, l))
		decoding_pool_wait_anew(LIST_OBJECT(l, struct decoding_job, link));
}

/* Ends the jobs that wait.  A listener may begin another one meanwhile. */
static void decoding_pool_end_queued(struct decoding_pool *pool, const char *detail)
{
	struct list ending;
	struct link *link;

	list_init(&ending);
	while ((link = list_first(&pool->queued)))
		decoding_pool_move(LIST_OBJECT(link, struct decoding_job, link), &ending);
	while ((link = list_first(&ending)))
		decoding_pool_end(LIST_OBJECT(link, struct decoding_job, link),
				  DECODING_UNAVAILABLE, detail);
}

static void decoding_pool_on_given_up(void *arg)
{
	decoding_pool_end_queued(arg, "syrinx-decode does not start");
}

static uint32_t decoding_pool_cost(const struct message *message)
{
	return message->type == MESSAGE_AUDIO ? (uint32_t)message->audio.count : 0;
}

static size_t decoding_pool_room(const struct decoding_job *job)
{
	return job->seat && !job->is_finished && job->sent == job->len ? job->worker_room : 0;
}

static const char *decoding_pool_take_room(struct decoding_job *job, uint32_t room)
{
	if (room > ROOM_MAX - job->worker_room || room > DECODING_FILE_MAX - job->room_total)
		return "too much room";
	if (room == 0)
		return NULL;
	job->worker_room += room;
	job->room_total += room;
	if (job->owes_room) {
		job->owes_room = false;
		seat_use(job->seat, 1);
		seat_progress(job->seat, UINT64_MAX);
	}
	decoding_pool_push(job);
	if (job->wants_room && decoding_pool_room(job) > 0) {
		job->wants_room = false;
		job->listener->room(job->arg);
	}
	return NULL;
}

/* Passes samples on, except those that were delivered before.  They may not be aligned. */
static const char *decoding_pool_take_audio(struct decoding_job *job,
					    const struct message_audio *audio)
{
	const unsigned char *at = audio->samples;
	size_t left = audio->count;
	int16_t block[BLOCK];

	if (audio->sample_rate != DECODING_RATE)
		return "samples of another rate";
	if (!job->is_finish_sent || left > job->granted - job->delivered + job->skip)
		return "samples that nobody wants";
	if (left > 0)
		seat_progress(job->seat, left * UINT64_C(1000000000) / DECODING_RATE);
	mem_ref(job); /* the listener may cancel it */
	while (left > 0 && job->listener) {
		size_t n = left < BLOCK ? left : BLOCK;

		if (job->skip > 0) {
			n = n < job->skip ? n : (size_t)job->skip;
			job->skip -= n;
		} else {
			memcpy(block, at, n * sizeof(*block));
			job->delivered += n;
			job->listener->samples(job->arg, block, n);
		}
		at += n * sizeof(*block);
		left -= n;
	}
	if (job->listener && job->seat)
		decoding_pool_grant_there(job);
	mem_deref(job);
	return NULL;
}

static const char *decoding_pool_on_message(void *user, const struct message *message)
{
	struct decoding_job *job = user;

	if (message->type == MESSAGE_ROOM)
		return decoding_pool_take_room(job, message->room);
	if (message->type == MESSAGE_AUDIO)
		return decoding_pool_take_audio(job, &message->audio);
	return NULL; /* may be part of a later version */
}

static void decoding_pool_on_done(void *user, const struct message *message)
{
	struct decoding_job *job = user;
	const struct message_done_report *done = &message->done;
	bool is_complete = job->is_finish_sent && job->skip == 0;
	char detail[DETAIL_MAX];

	job->seat = NULL;
	message_str_copy(detail, sizeof(detail), &done->detail);
	if (done->status == MESSAGE_DONE_FAILED || done->status == MESSAGE_DONE_UNKNOWN_VOICE)
		decoding_pool_end(job, DECODING_REFUSED, detail);
	else if (done->status == MESSAGE_DONE_OK && is_complete)
		decoding_pool_end(job, DECODING_DONE, detail);
	else
		decoding_pool_end(job, DECODING_FAILED, "the decoder ended the job early");
}

static void decoding_pool_on_lost(void *user, uint64_t serial)
{
	struct decoding_job *job = user;

	(void)serial;
	job->seat = NULL;
	if (job->pool->is_ending) {
		decoding_pool_end(job, DECODING_UNAVAILABLE, "the server is ending");
		return;
	}
	if (job->held.len == job->len && job->tries < TRIES_MAX) {
		++job->pool->retries;
		job->wants_room = true;
		decoding_pool_move(job, &job->pool->queued);
		decoding_pool_wait_anew(job);
		return;
	}
	log_warn("hearing", "a decoder died with a file of %zu bytes%s", job->len,
		 job->is_finished ? "" : ", of which more was to come");
	decoding_pool_end(job, DECODING_FAILED,
			  job->is_finish_sent ? "the decoder died of the file"
					      : "the decoder died before the file was complete");
}

static const struct fleet_ops decoding_pool_fleet_ops = {
	.demand = decoding_pool_on_demand,
	.ready = decoding_pool_on_ready,
	.changed = decoding_pool_on_changed,
	.restarting = decoding_pool_on_restarting,
	.given_up = decoding_pool_on_given_up,
	.cost = decoding_pool_cost,
	.message = decoding_pool_on_message,
	.done = decoding_pool_on_done,
	.lost = decoding_pool_on_lost,
};

static int decoding_pool_start(struct decoding_job **jobp, struct decoding *decoding,
			       const char *format, const struct decoding_listener *listener,
			       void *arg)
{
	struct decoding_pool *pool = (struct decoding_pool *)decoding;
	struct decoding_job *job;

	if (!pool->fleet)
		return ENOENT;
	if (pool->queued.count + pool->seated.count >= pool->options.jobs_max)
		return ENOBUFS;
	job = mem_zalloc(sizeof(*job), decoding_pool_destroy_job);
	if (!job)
		return ENOMEM;
	job->pool = pool;
	job->listener = listener;
	job->arg = arg;
	job->wants_room = true;
	snprintf(job->format, sizeof(job->format), "%s", format);
	buf_init(&job->held, HELD_MAX);
	decoding_pool_move(job, &pool->queued);
	decoding_pool_wait_anew(job);
	decoding_pool_seat_all(pool);
	fleet_staff(pool->fleet);
	*jobp = job;
	return 0;
}

static int decoding_pool_send(struct decoding_job *job, const void *bytes, size_t len)
{
	size_t room = decoding_pool_room(job);

	assert(!job->is_finished);
	if (len > DECODING_FILE_MAX - job->len)
		return EFBIG;
	if (len >= room)
		job->wants_room = true;
	if (len > room)
		return ENOBUFS;
	if (len == 0)
		return 0;
	/* What does not fit is not kept, and then neither is what follows. */
	if (job->held.len == job->len && buf_append(&job->held, bytes, len) != 0)
		buf_reset(&job->held);
	job->len += len;
	decoding_pool_send_bytes(job, bytes, len);
	return 0;
}

static void decoding_pool_finish(struct decoding_job *job, const char *format)
{
	assert(!job->is_finished);
	job->is_finished = true;
	if (format[0] != '\0')
		snprintf(job->format, sizeof(job->format), "%s", format);
	if (job->seat)
		decoding_pool_push(job);
}

static void decoding_pool_grant(struct decoding_job *job, uint32_t samples)
{
	job->granted += samples;
	if (job->seat && job->is_finish_sent)
		decoding_pool_grant_there(job);
}

static void decoding_pool_cancel(struct decoding_job *job)
{
	struct seat *seat = job->seat;

	job->listener = NULL;
	job->seat = NULL;
	decoding_pool_move(job, NULL);
	if (seat)
		seat_call_off(seat);
	mem_deref(job);
}

static enum decoding_state decoding_pool_state(const struct decoding *decoding)
{
	const struct decoding_pool *pool = (const struct decoding_pool *)decoding;

	if (!pool->fleet)
		return DECODING_NO_ENGINE;
	return fleet_is_given_up(pool->fleet) ? DECODING_BROKEN : DECODING_READY;
}

static const struct decoding_ops decoding_pool_ops = {
	.start = decoding_pool_start,
	.room = decoding_pool_room,
	.send = decoding_pool_send,
	.finish = decoding_pool_finish,
	.grant = decoding_pool_grant,
	.cancel = decoding_pool_cancel,
	.state = decoding_pool_state,
};

static void decoding_pool_destroy(void *object)
{
	struct decoding_pool *pool = object;

	pool->is_ending = true;
	mem_deref(pool->fleet);
	decoding_pool_end_queued(pool, "the server is ending");
	launch_free_words(pool->launcher);
	launch_free_words(pool->environment);
}

static int decoding_pool_add_fleet(const char *name, const char *path, void *arg)
{
	struct decoding_pool *pool = arg;
	const struct decoding_pool_options *options = &pool->options;
	const struct fleet_options fleet = {
		.name = name,
		.program = path,
		.launch = {.launcher = pool->launcher,
			   .environment = pool->environment,
			   .memory_mb = options->memory_mb,
			   .cpu_seconds = options->cpu_seconds},
		.workers_max = options->workers_max,
		.memory = options->memory,
		.cores = options->cores,
		.stall_ms = options->stall_ms,
		.recycle_jobs = options->recycle_jobs,
	};

	return fleet_alloc(&pool->fleet, pool->loop, &fleet, &decoding_pool_fleet_ops, pool);
}

int decoding_pool_alloc(struct decoding_pool **poolp, struct loop *loop,
			const struct decoding_pool_options *options)
{
	struct decoding_pool *pool = mem_zalloc(sizeof(*pool), NULL);
	int err;

	if (!pool)
		return ENOMEM;
	pool->decoding.ops = &decoding_pool_ops;
	pool->loop = loop;
	pool->options = *options;
	list_init(&pool->queued);
	list_init(&pool->seated);
	mem_set_destructor(pool, decoding_pool_destroy);
	err = launch_copy_words(&pool->launcher, options->launcher);
	if (!err)
		err = launch_copy_words(&pool->environment, options->environment);
	if (!err)
		err = installed_each(options->engines_dir, INSTALLED_DECODES,
				     decoding_pool_add_fleet, pool);
	if (err)
		mem_deref(pool);
	else
		*poolp = pool;
	return err;
}

struct decoding *decoding_pool_decoding(struct decoding_pool *pool)
{
	return &pool->decoding;
}

void decoding_pool_stats(const struct decoding_pool *pool, struct decoding_pool_stats *stats)
{
	struct fleet_stats fleet = {0};

	if (pool->fleet)
		fleet_add_stats(pool->fleet, &fleet);
	*stats = (struct decoding_pool_stats){
		.workers = fleet.workers,
		.starting = fleet.starting,
		.jobs = (unsigned)(pool->queued.count + pool->seated.count),
		.jobs_queued = (unsigned)pool->queued.count,
		.worker_deaths = fleet.deaths,
		.retries = pool->retries,
	};
}
