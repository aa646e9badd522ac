/*
 * worker.c: one worker process, as the pool sees it.
 *
 * A worker has seats, as many as its engine can speak jobs at once.  A seat is
 * taken by SPEAK and free again after DONE; a job that was called off leaves
 * its seat at once, the seat waits for the worker's DONE.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "speech/pool_private.h"

/* Of an engine, in Hz: what the audio pipeline takes. */
#define RATE_MIN 8000
#define RATE_MAX 48000

/* Each sample that a worker sends extends the stall limit by this many times its own
 * duration: an engine a hundred times slower than real time is never considered silent, but
 * one that sends a single sample now and then to look alive is. */
#define PROGRESS_WORTH 1000

/* What a second of audio may cost, as an engine says it: far too much, and still
 * a number that can be worked with. */
#define COST_MAX_US 1000000000u

/* A worker that dies so young, and idle, would do so again at once. */
#define YOUNG_US 5000000

static void on_message(const struct message *message, void *arg);
static void on_lost(int err, void *arg);
static void worker_on_exit(int err, int status, int signal, void *arg);

static struct seat *seat_by_id(struct worker *worker, uint32_t id)
{
	for (unsigned i = 0; id && i < SEATS_MAX; ++i) {
		if (worker->seats[i].id == id)
			return &worker->seats[i];
	}
	return NULL;
}

static struct seat *free_seat(struct worker *worker)
{
	for (unsigned i = 0; i < worker->seat_count; ++i) {
		if (worker->seats[i].id == 0)
			return &worker->seats[i];
	}
	return NULL;
}

int worker_spawn(struct fleet *fleet, bool reserved)
{
	struct worker *worker = mem_zalloc(sizeof(*worker), NULL);
	struct message hello = {
		.type = MESSAGE_HELLO,
		.hello = {.version_min = MESSAGE_VERSION, .version_max = MESSAGE_VERSION},
	};
	struct stream *stream;
	int fd;
	int err;

	if (!worker)
		return ENOMEM;
	worker->fleet = fleet;
	worker->reserved = reserved;
	worker->serial = ++fleet->pool->worker_serial;
	worker->started_us = worker->waited_for_us = loop_now_us(fleet->pool->loop);
	err = launch_worker(&worker->child, &fd, fleet, worker_on_exit, worker);
	if (err)
		goto out;
	err = stream_alloc(&stream, fleet->pool->loop, fd, NULL, NULL, NULL);
	if (err)
		goto out;
	err = endpoint_alloc(&worker->endpoint, stream, on_message, on_lost, worker);
	if (err)
		goto out;
	err = endpoint_send(worker->endpoint, &hello);
	if (err) {
		endpoint_close(worker->endpoint);
		goto out;
	}
	endpoint_push(worker->endpoint); /* the loop may not be running yet */
	list_append(&fleet->workers, &worker->link);
	++fleet->starting;
	return 0;
out:
	mem_deref(worker->child);
	mem_deref(worker);
	return err;
}

/* Ends the process and the object.  Jobs that sat on it are made again. */
static void worker_end(struct worker *worker)
{
	struct fleet *fleet = worker->fleet;
	struct speech_job *jobs[SEATS_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < SEATS_MAX; ++i) {
		if (worker->seats[i].job)
			jobs[count++] = worker->seats[i].job;
	}
	list_remove(&fleet->workers, &worker->link);
	if (worker->state == WORKER_STARTING)
		--fleet->starting;
	endpoint_close(worker->endpoint);
	greeting_reset(&worker->greeting);
	mem_deref(worker->child);
	mem_deref(worker);
	for (unsigned i = 0; i < count; ++i)
		job_worker_died(jobs[i]);
}

/* Replaced for its age, or at the end: nobody sits on it. */
void worker_retire(struct worker *worker)
{
	worker_end(worker);
}

static bool is_of_use(const struct worker *worker)
{
	uint64_t age_us = loop_now_us(worker->fleet->pool->loop) - worker->started_us;

	return worker->state != WORKER_STARTING &&
	       (worker->seats_taken > 0 || worker->jobs_done > 0 || age_us > YOUNG_US);
}

/* It died, or must: counted, and a new one takes its place. */
static void worker_failed(struct worker *worker)
{
	struct fleet *fleet = worker->fleet;
	bool was_of_use = is_of_use(worker);

	++fleet->pool->worker_deaths;
	metrics_add(METRIC_WORKER_DEATHS, 1);
	worker_end(worker);
	fleet_worker_failed(fleet, was_of_use);
	pool_schedule_soon(fleet->pool); /* its slots are free */
}

static void worker_on_exit(int err, int status, int signal, void *arg)
{
	struct worker *worker = arg;
	struct fleet *fleet = worker->fleet;

	if (err) { /* there was no process that could have died */
		log_error("speech", "cannot start %s: %s", fleet->program, strerror(err));
		worker_end(worker);
		fleet_worker_failed(fleet, false);
		return;
	}
	log_warn("speech", "worker of %s ended: %s %d", fleet->name, signal ? "signal" : "status",
		 signal ? signal : status);
	worker_failed(worker);
}

static void on_lost(int err, void *arg)
{
	struct worker *worker = arg;

	log_warn("speech", "worker of %s (pid %d) lost: %s", worker->fleet->name,
		 (int)child_pid(worker->child), strerror(err));
	worker_failed(worker);
}

void worker_kill_stalled(struct worker *worker)
{
	log_warn("speech", "worker of %s (pid %d) is silent: killed", worker->fleet->name,
		 (int)child_pid(worker->child));
	worker_failed(worker);
}

/* Seats that will be free when the worker has answered a cancel. */
unsigned worker_seats_coming(const struct worker *worker)
{
	unsigned coming = 0;

	for (unsigned i = 0; i < SEATS_MAX; ++i)
		coming += worker->seats[i].id && !worker->seats[i].job;
	return coming;
}

/* The job on it that has waited longest for its listener, or NULL. */
struct speech_job *worker_longest_held(const struct worker *worker)
{
	struct speech_job *longest = NULL;

	for (unsigned i = 0; i < SEATS_MAX; ++i) {
		struct speech_job *job = worker->seats[i].job;

		if (job && job->state == JOB_HELD &&
		    (!longest || job->state_since_us < longest->state_since_us))
			longest = job;
	}
	return longest;
}

/* It takes no messages any more: it gets no new jobs, and its end, which sends
 * those it has to another, is told by the loop. */
static void worker_lose(struct worker *worker, int err)
{
	log_warn("speech", "worker of %s (pid %d) does not listen: %s", worker->fleet->name,
		 (int)child_pid(worker->child), strerror(err));
	worker->state = WORKER_LOST;
	child_kill(worker->child, SIGKILL);
}

static struct message_str str(const char *bytes, size_t len)
{
	return (struct message_str){.bytes = bytes, .len = (uint32_t)len};
}

static uint32_t deadline_ms(const struct speech_job *job)
{
	uint64_t now = loop_now_us(job->pool->loop);
	uint64_t due = job_due_us(job);

	return due > now ? (uint32_t)((due - now) / 1000u) : 0;
}

int worker_seat_job(struct worker *worker, struct speech_job *job, uint32_t credit)
{
	struct pool *pool = worker->fleet->pool;
	struct seat *seat = free_seat(worker);
	struct message speak = {.type = MESSAGE_SPEAK};
	int err;

	assert(seat);
	if (++pool->next_seat_id == 0)
		++pool->next_seat_id; /* 0 is no job */
	speak.job = pool->next_seat_id;
	speak.speak = (struct message_speak){
		.voice = str(job->voice, strlen(job->voice)),
		.language = str(job->language, strlen(job->language)),
		.text = str(job->text, job->text_len),
		.text_before = str(job->before, job->before_len),
		.turn = job->turn,
		.skip_samples = job_skip(job),
		.credit_samples = credit,
		.deadline_ms = deadline_ms(job),
		.speed = job->speed,
		.temperature = job->temperature,
		.want_words = true,
		.seed = job->seed,
	};
	if (worker->fleet->capabilities & MESSAGE_PHONEMES)
		speak.speak.phonemes = job_phonemes(job);
	speak.speak.variant = str("", 0);
	if (worker->fleet->capabilities & MESSAGE_OWN_PITCH)
		speak.speak.pitch = job->pitch;
	if (worker->fleet->capabilities & MESSAGE_VARIANTS)
		speak.speak.variant = str(job->variant, strlen(job->variant));
	err = endpoint_send(worker->endpoint, &speak);
	if (err) {
		worker_lose(worker, err);
		return err;
	}
	job_begin_try(job);
	*seat = (struct seat){
		.id = speak.job,
		.job = job,
		.heard_us = loop_now_us(pool->loop),
	};
	++worker->seats_taken;
	job->worker = worker;
	job->seat = seat;
	seat->credit = credit;
	return 0;
}

static void worker_owes_from_now(const struct worker *worker, struct seat *seat)
{
	seat->heard_us = loop_now_us(worker->fleet->pool->loop);
	seat->excused_us = 0;
}

static void worker_made_progress(const struct worker *worker, struct seat *seat,
				 const struct message_audio *audio)
{
	uint64_t worth_us = audio->count * UINT64_C(1000000) * PROGRESS_WORTH / audio->sample_rate;
	uint64_t now_us = loop_now_us(worker->fleet->pool->loop);

	seat->heard_us = watchdog_later(seat->heard_us, worth_us, now_us);
	if (seat->heard_us == now_us)
		seat->excused_us = 0; /* else it still excuses the rest of the silence */
}

void worker_credit(struct worker *worker, struct speech_job *job, uint32_t credit)
{
	struct seat *seat = job->seat;
	struct message message = {
		.type = MESSAGE_CREDIT,
		.job = seat->id,
		.credit_samples = credit,
	};
	int err;

	if (seat->credit == 0)
		worker_owes_from_now(worker, seat);
	seat->credit += credit;
	err = endpoint_send(worker->endpoint, &message);
	if (err)
		worker_lose(worker, err);
}

/* The seat stays taken until the worker has said DONE. */
void worker_call_off(struct worker *worker, struct speech_job *job)
{
	struct seat *seat = job->seat;
	struct message message = {.type = MESSAGE_CANCEL, .job = seat->id};
	int err;

	assert(seat->job == job);
	seat->job = NULL;
	worker_owes_from_now(worker, seat);
	err = endpoint_send(worker->endpoint, &message);
	if (err)
		worker_lose(worker, err);
}

/* It has had its share of jobs: it goes when another can take its place. */
bool worker_is_worn(const struct worker *worker)
{
	unsigned share = worker->fleet->pool->options.recycle_jobs;

	return share > 0 && worker->jobs_done >= share;
}

static void free_up(struct worker *worker, struct seat *seat)
{
	*seat = (struct seat){0};
	--worker->seats_taken;
	++worker->jobs_done;
	fleet_worker_freed(worker->fleet, worker);
}

/* What a second of audio costs, for the size of a slice. */
static void measure(struct fleet *fleet, const struct speech_job *job,
		    const struct message_done_report *done)
{
	uint64_t made = done->samples;
	uint64_t cost;

	if (done->status != MESSAGE_DONE_OK || !job->sample_rate || made < job->sample_rate / 2 ||
	    job->busy_before_us > 0)
		return; /* too short to tell, or partly made elsewhere */
	cost = (uint64_t)done->busy_us * job->sample_rate / made;
	if (cost > COST_MAX_US)
		cost = COST_MAX_US;
	fleet->busy_us_per_second =
		(uint32_t)((7 * (uint64_t)fleet->busy_us_per_second + cost) / 8);
}

static void on_done(struct worker *worker, struct seat *seat,
		    const struct message_done_report *done)
{
	struct speech_job *job = seat->job;

	if (job) {
		measure(worker->fleet, job, done);
		if (done->status != MESSAGE_DONE_OK)
			log_warn("speech", "%s could not speak a chunk: %.*s", worker->fleet->name,
				 (int)done->detail.len, done->detail.bytes);
		job->worker = NULL; /* before it is told: the end may start the next chunk */
		job->seat = NULL;
	}
	free_up(worker, seat);
	if (job)
		job_done(job, done);
}

bool worker_is_rate(uint32_t sample_rate)
{
	return sample_rate >= RATE_MIN && sample_rate <= RATE_MAX;
}

/* What is wrong with this audio; NULL: nothing. */
static const char *breach_of(const struct seat *seat, const struct message_audio *audio)
{
	const struct speech_job *job = seat ? seat->job : NULL;

	if (!seat || audio->count > seat->credit)
		return "audio without credit";
	if (!worker_is_rate(audio->sample_rate))
		return "audio at a rate that is none";
	if (job && job->sample_rate && audio->sample_rate != job->sample_rate)
		return "audio at two rates in one job";
	return NULL;
}

/* A job has used its credit up.  What its engine has made beyond it costs nobody
 * anything and is sent for at once; the rest is decided anew. */
static void on_spent(struct worker *worker, struct speech_job *job)
{
	uint32_t more = job->held ? 0 : slice_stock(job);

	if (more > 0)
		worker_credit(worker, job, more);
	else
		job_move(job, job->held ? JOB_HELD : JOB_PARKED);
}

static void on_audio(struct worker *worker, struct seat *seat, const struct message_audio *audio)
{
	struct pool *pool = worker->fleet->pool;
	const char *breach = breach_of(seat, audio);
	struct speech_job *job;

	if (breach) {
		log_warn("speech", "worker of %s (pid %d) sends %s: killed", worker->fleet->name,
			 (int)child_pid(worker->child), breach);
		worker_failed(worker);
		return;
	}
	seat->credit -= (uint32_t)audio->count;
	job = mem_ref(seat->job);
	if (!job)
		return; /* cancelled: these samples were on their way, and only DONE is owed */
	worker_made_progress(worker, seat, audio);
	job_audio(job, audio);
	if (job->listener && job->state == JOB_RUNNING && job->seat->credit == 0)
		on_spent(worker, job);
	pool_schedule_soon(pool);
	mem_deref(job);
}

static void on_note(struct worker *worker, const struct message_note *note)
{
	if (worker->state == WORKER_STARTING && greeting_add_note(&worker->greeting, note) != 0)
		log_error("speech", "no memory for a note of %s", worker->fleet->name);
}

static void on_voice(struct worker *worker, const struct message_voice *offered)
{
	const char *engine = worker->fleet->name;

	if (worker->state != WORKER_STARTING)
		return;
	if (greeting_add_voice(&worker->greeting, engine, offered) != 0) {
		log_error("speech", "no memory for a voice of %s", engine);
		worker_failed(worker); /* the next one tells it again */
	}
}

static void on_ready(struct worker *worker, const struct message_ready *ready)
{
	struct fleet *fleet = worker->fleet;

	if (worker->state != WORKER_STARTING)
		return;
	if (ready->version != MESSAGE_VERSION) {
		log_error("speech", "%s speaks version %u of the worker protocol", fleet->name,
			  ready->version);
		worker_failed(worker);
		return;
	}
	worker->seat_count = ready->jobs_max < 1 ? 1 : ready->jobs_max;
	if (worker->seat_count > SEATS_MAX)
		worker->seat_count = SEATS_MAX;
	greeting_set_features(&worker->greeting, ready->capabilities);
	if (fleet_worker_ready(fleet, worker, ready) != 0) {
		log_error("speech", "no memory for the voices of %s", fleet->name);
		worker_failed(worker);
	}
}

static void on_message(const struct message *message, void *arg)
{
	struct worker *worker = arg;
	struct seat *seat = seat_by_id(worker, message->job);

	switch (message->type) {
	case MESSAGE_READY:
		on_ready(worker, &message->ready);
		break;
	case MESSAGE_VOICE:
		on_voice(worker, &message->voice);
		break;
	case MESSAGE_NOTE:
		on_note(worker, &message->note);
		break;
	case MESSAGE_AUDIO:
		on_audio(worker, seat, &message->audio);
		break;
	case MESSAGE_MADE:
		if (seat && seat->job)
			seat->job->stock = message->made_samples;
		break;
	case MESSAGE_WORD:
		if (seat && seat->job)
			job_word(seat->job, &message->word);
		break;
	case MESSAGE_DONE:
		if (seat)
			on_done(worker, seat, &message->done);
		break;
	default: /* of a later version: not for us */
		break;
	}
}
