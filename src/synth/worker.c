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
#include "synth/pool_private.h"

/* Of an engine, in Hz: what the audio pipeline takes. */
#define RATE_MIN 8000
#define RATE_MAX 48000

/* A worker that dies so young, and idle, would do so again at once. */
#define YOUNG_US 5000000

static void on_message(const struct message *message, void *arg);
static void on_lost(int err, void *arg);
static void on_exit(int status, int signal, void *arg);

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
	for (unsigned i = 0; i < worker->fleet->seats; ++i) {
		if (worker->seats[i].id == 0)
			return &worker->seats[i];
	}
	return NULL;
}

int worker_spawn(struct fleet *fleet)
{
	struct worker *worker = mem_zalloc(sizeof(*worker), NULL);
	struct message hello = {
		.type = MESSAGE_HELLO,
		.hello = {.version_min = MESSAGE_VERSION, .version_max = MESSAGE_VERSION},
	};
	int fd;
	int err;

	if (!worker)
		return ENOMEM;
	worker->fleet = fleet;
	worker->serial = ++fleet->pool->worker_serial;
	worker->started_us = loop_now_us(fleet->pool->loop);
	err = launch_worker(&worker->child, &fd, fleet, on_exit, worker);
	if (err)
		goto out;
	err = link_open(&worker->socket, fleet->pool->loop, fd, on_message, on_lost, worker);
	if (err) {
		close(fd);
		goto out;
	}
	err = link_send(worker->socket, &hello);
	if (err) {
		link_close(worker->socket);
		goto out;
	}
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
	link_close(worker->socket);
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
	worker_end(worker);
	fleet_worker_failed(fleet, was_of_use);
	pool_schedule_soon(fleet->pool); /* its slots are free */
}

static void on_exit(int status, int signal, void *arg)
{
	struct worker *worker = arg;

	log_warn("synth", "worker of %s ended: %s %d", worker->fleet->name,
		 signal ? "signal" : "status", signal ? signal : status);
	worker_failed(worker);
}

static void on_lost(int err, void *arg)
{
	struct worker *worker = arg;

	log_warn("synth", "worker of %s (pid %d) lost: %s", worker->fleet->name,
		 (int)child_pid(worker->child), strerror(err));
	worker_failed(worker);
}

/* Each seat by itself: that a neighbour is heard says nothing of this job. */
static uint64_t owes_since(const struct seat *seat)
{
	return seat->id && (!seat->job || seat->credit > 0) ? seat->heard_us : UINT64_MAX;
}

void worker_kill_if_stalled(struct worker *worker, uint64_t now_us)
{
	uint64_t stall_us = worker->fleet->pool->options.stall_ms * UINT64_C(1000);
	uint64_t since = worker->state == WORKER_STARTING ? worker->started_us : UINT64_MAX;

	for (unsigned i = 0; i < SEATS_MAX; ++i) {
		if (owes_since(&worker->seats[i]) < since)
			since = owes_since(&worker->seats[i]);
	}
	if (now_us < stall_us || now_us - stall_us < since)
		return;
	log_warn("synth", "worker of %s (pid %d) is silent: killed", worker->fleet->name,
		 (int)child_pid(worker->child));
	worker_failed(worker);
}

/* We did not listen ourselves: its time begins anew. */
void worker_forgive(struct worker *worker, uint64_t now_us)
{
	worker->started_us = now_us;
	for (unsigned i = 0; i < SEATS_MAX; ++i)
		worker->seats[i].heard_us = now_us;
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
	log_warn("synth", "worker of %s (pid %d) does not listen: %s", worker->fleet->name,
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
	};
	err = link_send(worker->socket, &speak);
	if (err) {
		worker_lose(worker, err);
		return err;
	}
	job_begin_try(job);
	*seat = (struct seat){
		.id = speak.job,
		.job = job,
		.credit = credit,
		.heard_us = loop_now_us(pool->loop),
	};
	++worker->seats_taken;
	worker->exclusive = job->retried;
	job->worker = worker;
	job->seat = seat;
	return 0;
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
		seat->heard_us = loop_now_us(worker->fleet->pool->loop);
	seat->credit += credit;
	err = link_send(worker->socket, &message);
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
	seat->heard_us = loop_now_us(worker->fleet->pool->loop);
	err = link_send(worker->socket, &message);
	if (err)
		worker_lose(worker, err);
}

/* It has had its share of jobs: it gets no more, and goes when the last is done. */
bool worker_is_worn(const struct worker *worker)
{
	unsigned share = worker->fleet->pool->options.recycle_jobs;

	return share > 0 && worker->jobs_done >= share;
}

/* Freed workers go to the front: the warmest is taken next. */
static void free_up(struct worker *worker, struct seat *seat)
{
	struct fleet *fleet = worker->fleet;

	*seat = (struct seat){0};
	if (--worker->seats_taken == 0)
		worker->exclusive = false;
	fleet->failures = 0;
	list_remove(&fleet->workers, &worker->link);
	list_prepend(&fleet->workers, &worker->link);
	++worker->jobs_done;
	if (worker_is_worn(worker) && worker->seats_taken == 0)
		worker_retire(worker);
	fleet_keep_staffed(fleet);
	pool_schedule_soon(fleet->pool);
}

/* What a second of audio costs, for the size of a slice. */
static void measure(struct fleet *fleet, const struct speech_job *job,
		    const struct message_done_report *done)
{
	uint64_t made = done->samples;
	uint64_t cost;

	if (done->status != MESSAGE_DONE_OK || !job->sample_rate || made < job->sample_rate / 2)
		return; /* too short to tell */
	cost = (uint64_t)done->busy_us * job->sample_rate / made;
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
			log_warn("synth", "%s could not speak a chunk: %.*s", worker->fleet->name,
				 (int)done->detail.len, done->detail.bytes);
		job->worker = NULL; /* before it is told: the end may start the next chunk */
		job->seat = NULL;
	}
	free_up(worker, seat);
	if (job)
		job_done(job, done);
}

static bool is_rate(uint32_t sample_rate)
{
	return sample_rate >= RATE_MIN && sample_rate <= RATE_MAX;
}

/* What is wrong with this audio; NULL: nothing. */
static const char *breach_of(const struct seat *seat, const struct message_audio *audio)
{
	const struct speech_job *job = seat ? seat->job : NULL;

	if (!seat || audio->count > seat->credit)
		return "audio without credit";
	if (!is_rate(audio->sample_rate))
		return "audio at a rate that is none";
	if (job && job->sample_rate && audio->sample_rate != job->sample_rate)
		return "audio at two rates in one job";
	return NULL;
}

static void on_audio(struct worker *worker, struct seat *seat, const struct message_audio *audio)
{
	struct pool *pool = worker->fleet->pool;
	const char *breach = breach_of(seat, audio);
	struct speech_job *job;

	if (breach) {
		log_warn("synth", "worker of %s (pid %d) sends %s: killed", worker->fleet->name,
			 (int)child_pid(worker->child), breach);
		worker_failed(worker);
		return;
	}
	seat->credit -= (uint32_t)audio->count;
	job = mem_ref(seat->job);
	if (!job)
		return; /* called off: it was on its way */
	job_audio(job, audio);
	if (job->listener && job->state == JOB_RUNNING && job->seat->credit == 0)
		job_move(job, job->held ? JOB_HELD : JOB_PARKED);
	pool_schedule_soon(pool);
	mem_deref(job);
}

/* What fits of it, up to the last whole character. */
static size_t title_len(const struct message_str *title)
{
	size_t len = title->len;

	if (len < VOICE_NAME_MAX)
		return len;
	len = VOICE_NAME_MAX - 1;
	while (len > 0 && ((uint8_t)title->bytes[len] & 0xc0) == 0x80)
		--len;
	return len;
}

static void on_voice(struct worker *worker, const struct message_voice *offered)
{
	struct voice voice = {
		.sex = offered->sex <= VOICE_MALE ? (enum voice_sex)offered->sex
						  : VOICE_SEX_UNKNOWN,
		.quality = offered->quality <= VOICE_HIGH ? (enum voice_quality)offered->quality
							  : VOICE_LOW,
	};

	if (worker->fleet->has_voices)
		return; /* an earlier worker of this engine has told all */
	if (offered->name.len >= sizeof(voice.engine_voice) ||
	    offered->language.len >= sizeof(voice.language)) {
		log_warn("synth", "%s offers a voice with too long a name", worker->fleet->name);
		return;
	}
	if (!is_rate(offered->sample_rate)) {
		log_warn("synth", "%s offers a voice at %u Hz", worker->fleet->name,
			 offered->sample_rate);
		return;
	}
	memcpy(voice.engine, worker->fleet->name, sizeof(voice.engine));
	memcpy(voice.engine_voice, offered->name.bytes, offered->name.len);
	memcpy(voice.language, offered->language.bytes, offered->language.len);
	memcpy(voice.name, offered->title.bytes, title_len(&offered->title));
	worker->fleet->sample_rate = offered->sample_rate;
	if (voices_add(worker->fleet->pool->voices, &voice) != 0) {
		log_error("synth", "no memory for a voice of %s", worker->fleet->name);
		worker_failed(worker); /* the next one tells it again */
	}
}

static void on_ready(struct worker *worker, const struct message_ready *ready)
{
	struct fleet *fleet = worker->fleet;

	if (worker->state != WORKER_STARTING)
		return;
	if (ready->version != MESSAGE_VERSION) {
		log_error("synth", "%s speaks version %u of the worker protocol", fleet->name,
			  ready->version);
		worker_failed(worker);
		return;
	}
	worker->state = WORKER_READY;
	--fleet->starting;
	fleet->seats = ready->jobs_max < 1 ? 1 : ready->jobs_max;
	if (fleet->seats > SEATS_MAX)
		fleet->seats = SEATS_MAX;
	fleet->capabilities = ready->capabilities;
	fleet->answered = true;
	fleet->has_voices = true;
	fleet_keep_staffed(fleet);
	pool_check_ready(fleet->pool);
	pool_schedule_soon(fleet->pool);
}

static void on_message(const struct message *message, void *arg)
{
	struct worker *worker = arg;
	struct seat *seat = seat_by_id(worker, message->job);

	if (seat && seat->job) /* of one that was called off only DONE counts */
		seat->heard_us = loop_now_us(worker->fleet->pool->loop);
	switch (message->type) {
	case MESSAGE_READY:
		on_ready(worker, &message->ready);
		break;
	case MESSAGE_VOICE:
		on_voice(worker, &message->voice);
		break;
	case MESSAGE_AUDIO:
		on_audio(worker, seat, &message->audio);
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
