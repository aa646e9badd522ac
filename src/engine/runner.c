/*
 * runner.c: the server's side of an engine in C (see runner.h).
 *
 * The job at the head of the list is the one that runs; the others wait, or
 * were cancelled before they began.  Reading messages only changes jobs and
 * never sends, so that it can be done in the middle of a send that the server
 * is slow to take.
 */
#include "engine/runner.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "synth/message.h"

/* The server counts jobs itself and sends the next one a little early at the
 * most; a long queue here would be out of its reach. */
#define WAITING_MAX 8

/* Samples in one AUDIO: at 16 kHz and more under a quarter of a second, so
 * that a cancel never waits behind much that is already in the socket. */
#define AUDIO_MAX 4096u

/* What is collected leaves at this length (three quarters of a second), or after
 * some time, in which a cancel waits to be read: little at first, while the
 * listener has little to hear yet, then twice as much each time. */
#define FLUSH_LEN 32768u
#define FLUSH_FIRST_US 1000u
#define FLUSH_LAST_US 8000u

#define RECEIVE_SIZE 65536u

struct voice {
	struct link link;
	char *name;
	uint32_t sample_rate;
};

struct job {
	struct link link;
	uint32_t id;
	const struct voice *voice; /* set when the job begins */
	char *strings[4]; /* what text points to */
	struct engine_text text;
	uint64_t credit; /* samples that may be sent now */
	uint64_t skip; /* samples still to be dropped */
	uint64_t samples; /* dropped or sent so far */
	uint64_t busy_us;
	uint64_t busy_since_us; /* when the engine got the processor back */
	bool cancelled;
	uint64_t flush_after_us; /* 0: its first samples have not left */
};

struct runner {
	struct sink sink; /* first: the engine's sink is the runner */
	const struct engine *engine;
	void *state;
	int fd;
	unsigned cpu_seconds;
	bool greeted; /* HELLO was read */
	bool closed; /* the server closed the socket */
	struct list voices;
	struct list jobs;
	struct buf in;
	struct buf out; /* collected, to be sent together */
	uint64_t flushed_us;
};

static void voice_destroy(void *object)
{
	struct voice *voice = object;

	free(voice->name);
}

static void job_destroy(void *object)
{
	struct job *job = object;

	for (size_t i = 0; i < 4; ++i)
		free(job->strings[i]);
}

static void runner_destroy(void *object)
{
	struct runner *runner = object;
	struct link *link;

	while ((link = list_first(&runner->jobs))) {
		list_remove(&runner->jobs, link);
		mem_deref(LIST_OBJECT(link, struct job, link));
	}
	while ((link = list_first(&runner->voices))) {
		list_remove(&runner->voices, link);
		mem_deref(LIST_OBJECT(link, struct voice, link));
	}
	buf_reset(&runner->in);
	buf_reset(&runner->out);
}

static struct job *first_job(const struct runner *runner)
{
	struct link *link = list_first(&runner->jobs);

	return link ? LIST_OBJECT(link, struct job, link) : NULL;
}

/* An engine uses its sink inside speak only. */
static struct job *running_job(const struct runner *runner)
{
	struct job *job = first_job(runner);

	assert(job);
	return job;
}

static struct job *find_job(const struct runner *runner, uint32_t id)
{
	for (struct link *l = list_first(&runner->jobs); l; l = list_next(&runner->jobs, l)) {
		struct job *job = LIST_OBJECT(l, struct job, link);

		if (job->id == id)
			return job;
	}
	return NULL;
}

static const struct voice *find_voice(const struct runner *runner, const char *name)
{
	for (struct link *l = list_first(&runner->voices); l; l = list_next(&runner->voices, l)) {
		struct voice *voice = LIST_OBJECT(l, struct voice, link);

		if (strcmp(voice->name, name) == 0)
			return voice;
	}
	return NULL;
}

/* Control characters have no sound, and a NUL would end the text: engines get
 * spaces, which keep every byte at its place. */
static char *copy_text(const struct message_str *str)
{
	char *copy = malloc((size_t)str->len + 1);

	if (!copy)
		return NULL;
	for (uint32_t i = 0; i < str->len; ++i)
		copy[i] = (unsigned char)str->bytes[i] < ' ' || str->bytes[i] == 0x7f
				  ? ' '
				  : str->bytes[i];
	copy[str->len] = '\0';
	return copy;
}

/* Without an own speed the server stretches, and a speed here would count
 * twice. */
static float speed_for(const struct engine *engine, float speed)
{
	if (!(engine->capabilities & MESSAGE_OWN_SPEED))
		return 1;
	return speed < 0.25f ? 0.25f : speed > 4 ? 4 : speed;
}

static int take_speak(struct runner *runner, uint32_t id, const struct message_speak *speak)
{
	const struct message_str *const strings[4] = {&speak->voice, &speak->language, &speak->text,
						      &speak->text_before};
	struct job *job;

	if (id == 0 || find_job(runner, id) || runner->jobs.count > WAITING_MAX)
		return EPROTO;
	job = mem_zalloc(sizeof(*job), job_destroy);
	if (!job)
		return ENOMEM;
	for (size_t i = 0; i < 4; ++i) {
		job->strings[i] = copy_text(strings[i]);
		if (!job->strings[i]) {
			mem_deref(job);
			return ENOMEM;
		}
	}
	job->id = id;
	job->credit = speak->credit_samples;
	job->skip = speak->skip_samples;
	job->text = (struct engine_text){
		.voice = job->strings[0],
		.language = job->strings[1],
		.text = job->strings[2],
		.text_len = speak->text.len,
		.text_before = job->strings[3],
		.turn = speak->turn,
		.speed = speed_for(runner->engine, speak->speed),
		.temperature = speak->temperature,
		.want_words = speak->want_words,
	};
	list_append(&runner->jobs, &job->link);
	return 0;
}

static int take_hello(struct runner *runner, const struct message_hello *hello)
{
	if (runner->greeted)
		return EPROTO;
	if (hello->version_min > MESSAGE_VERSION || hello->version_max < MESSAGE_VERSION) {
		log_error(runner->engine->name, "the server speaks versions %u to %u, this is %u",
			  hello->version_min, hello->version_max, MESSAGE_VERSION);
		return EPROTO;
	}
	runner->greeted = true;
	return 0;
}

/* Credit and cancel for a job that is over have crossed its DONE. */
static int take_message(struct runner *runner, const struct message *message)
{
	struct job *job = find_job(runner, message->job);

	if (message->type == MESSAGE_HELLO)
		return take_hello(runner, &message->hello);
	if (!runner->greeted)
		return EPROTO;
	if (message->type == MESSAGE_SPEAK)
		return take_speak(runner, message->job, &message->speak);
	if (message->type == MESSAGE_CREDIT && job)
		job->credit += message->credit_samples;
	if (message->type == MESSAGE_CANCEL && job)
		job->cancelled = true;
	return 0; /* other types are of a later version */
}

static int take_messages(struct runner *runner)
{
	size_t taken = 0;
	int err = 0;

	while (!err) {
		struct message message;
		size_t used;

		err = message_decode(&message, &used, runner->in.bytes + taken,
				     runner->in.len - taken);
		if (err)
			break;
		taken += used;
		err = take_message(runner, &message);
	}
	buf_consume(&runner->in, taken);
	return err == EAGAIN ? 0 : err;
}

/* Reads what is there without waiting for more. */
static int receive(struct runner *runner)
{
	ssize_t n;
	int err = buf_reserve(&runner->in, RECEIVE_SIZE);

	if (err)
		return err;
	do
		n = recv(runner->fd, runner->in.bytes + runner->in.len, RECEIVE_SIZE, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : errno;
	if (n == 0) {
		runner->closed = true;
		return 0;
	}
	runner->in.len += (size_t)n;
	return take_messages(runner);
}

/* Waits until the socket is readable, or writable too when out says so, and
 * reads. */
static int wait_and_receive(struct runner *runner, bool out)
{
	struct pollfd poll_fd = {.fd = runner->fd, .events = (short)(POLLIN | (out ? POLLOUT : 0))};

	while (poll(&poll_fd, 1, -1) < 0)
		if (errno != EINTR)
			return errno;
	return poll_fd.revents & (POLLIN | POLLHUP | POLLERR) ? receive(runner) : 0;
}

/* In the middle of a job: nobody is left to work for, or to be understood by. */
static void leave(const struct runner *runner, int err)
{
	if (err && err != EPIPE && err != ECONNRESET)
		log_error(runner->engine->name, "%s", strerror(err));
	_exit(err ? 1 : 0);
}

/* Sends all that was collected, reading meanwhile: two sides that only write
 * would wait for each other. */
static int flush(struct runner *runner)
{
	size_t sent = 0;
	int err = 0;

	while (!err && sent < runner->out.len) {
		ssize_t n = send(runner->fd, runner->out.bytes + sent, runner->out.len - sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno == EAGAIN)
			err = runner->closed ? EPIPE : wait_and_receive(runner, true);
		else if (errno != EINTR)
			err = errno;
	}
	runner->out.len = 0;
	runner->flushed_us = clock_monotonic_us();
	return err;
}

static int send_message(struct runner *runner, const struct message *message)
{
	int err = message_encode(&runner->out, message);

	return err ? err : flush(runner);
}

static uint32_t clip_u32(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* The samples go out as they lie in memory, which is little-endian where this
 * runs. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are sent as they are");

static int collect_audio(struct runner *runner, struct job *job, const int16_t *samples, size_t n)
{
	unsigned char head[MESSAGE_AUDIO_HEAD_LEN];
	const struct message_audio audio = {
		.busy_us = clip_u32(job->busy_us),
		.sample_rate = job->voice->sample_rate,
		.count = n,
	};
	int err;

	message_encode_audio_head(head, job->id, &audio);
	job->credit -= n;
	job->samples += n;
	err = buf_append(&runner->out, head, sizeof(head));
	return err ? err : buf_append(&runner->out, samples, n * sizeof(*samples));
}

static int send_done(struct runner *runner, const struct job *job, enum message_done status,
		     const char *detail)
{
	const struct message message = {
		.type = MESSAGE_DONE,
		.job = job->id,
		.done =
			{
				.status = status,
				.busy_us = clip_u32(job->busy_us),
				.samples = job->samples,
				.detail = {detail, (uint32_t)strlen(detail)},
			},
	};

	return send_message(runner, &message);
}

/* Jobs that were cancelled before they began are answered while another runs:
 * the server may need their ids back before that one ends. */
static int end_cancelled(struct runner *runner, struct link *from)
{
	int err = 0;

	while (from && !err) {
		struct job *job = LIST_OBJECT(from, struct job, link);

		from = list_next(&runner->jobs, from);
		if (!job->cancelled)
			continue;
		list_remove(&runner->jobs, &job->link);
		err = send_done(runner, job, MESSAGE_DONE_CANCELLED, "");
		mem_deref(job);
	}
	return err;
}

static void engine_pauses(struct job *job)
{
	job->busy_us += clock_monotonic_us() - job->busy_since_us;
}

static void engine_resumes(struct job *job)
{
	job->busy_since_us = clock_monotonic_us();
}

/* The first samples of a job leave at once; after that a system call a frame
 * would cost a fast engine a fifth of its speed, so what it makes in some
 * milliseconds leaves together. */
static bool is_time_to_flush(const struct runner *runner, const struct job *job)
{
	return job->flush_after_us == 0 || runner->out.len >= FLUSH_LEN ||
	       clock_monotonic_us() >= runner->flushed_us + job->flush_after_us;
}

static void flush_later(struct job *job)
{
	job->flush_after_us = job->flush_after_us ? 2 * job->flush_after_us : FLUSH_FIRST_US;
	if (job->flush_after_us > FLUSH_LAST_US)
		job->flush_after_us = FLUSH_LAST_US;
}

/* Talks to the server: sends what was collected and reads what has come. */
static int meet_server(struct runner *runner, struct job *job)
{
	int err = flush(runner);

	flush_later(job);
	if (!err)
		err = receive(runner);
	if (!err)
		err = end_cancelled(runner, list_next(&runner->jobs, &job->link));
	return err;
}

static int wait_for_credit(struct runner *runner, struct job *job)
{
	int err = flush(runner);

	if (!err)
		err = wait_and_receive(runner, false);
	if (!err)
		err = end_cancelled(runner, list_next(&runner->jobs, &job->link));
	return err;
}

static int push_audio(struct runner *runner, struct job *job, const int16_t *samples, size_t n)
{
	size_t skip = n < job->skip ? n : (size_t)job->skip;
	int err = 0;

	job->skip -= skip;
	job->samples += skip;
	samples += skip;
	n -= skip;
	while (n > 0 && !job->cancelled && !err) {
		size_t piece = n < AUDIO_MAX ? n : AUDIO_MAX;

		if (runner->closed)
			leave(runner, 0);
		if (piece > job->credit)
			piece = (size_t)job->credit;
		if (piece == 0) {
			err = wait_for_credit(runner, job);
			continue;
		}
		err = collect_audio(runner, job, samples, piece);
		if (!err && runner->out.len >= FLUSH_LEN)
			err = meet_server(runner, job);
		samples += piece;
		n -= piece;
	}
	return err;
}

/* The sink's audio: the place where a running engine meets the server. */
static int runner_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	struct runner *runner = (struct runner *)(void *)sink;
	struct job *job = running_job(runner);
	int err;

	engine_pauses(job);
	err = push_audio(runner, job, samples, n);
	if (!err && is_time_to_flush(runner, job))
		err = meet_server(runner, job);
	if (err || runner->closed)
		leave(runner, err);
	engine_resumes(job);
	return job->cancelled;
}

/* The sink's wait: what was collected leaves, because a costly block follows. */
static int runner_wait(struct sink *sink, uint64_t *skip)
{
	struct runner *runner = (struct runner *)(void *)sink;
	struct job *job = running_job(runner);
	int err;

	engine_pauses(job);
	err = meet_server(runner, job);
	while (!err && !runner->closed && !job->cancelled && job->skip == 0 && job->credit == 0)
		err = wait_for_credit(runner, job);
	if (err || runner->closed)
		leave(runner, err);
	*skip = job->skip;
	engine_resumes(job);
	return job->cancelled;
}

static int runner_word(struct sink *sink, size_t byte_start, size_t byte_end, uint64_t sample_start,
		       uint64_t sample_end)
{
	struct runner *runner = (struct runner *)(void *)sink;
	struct job *job = running_job(runner);
	const struct message message = {
		.type = MESSAGE_WORD,
		.job = job->id,
		.word = {(uint32_t)byte_start, (uint32_t)byte_end, sample_start, sample_end},
	};
	int err = 0;

	if (!job->text.want_words || job->cancelled)
		return job->cancelled;
	if (runner->out.len >= FLUSH_LEN)
		err = flush(runner);
	if (!err)
		err = message_encode(&runner->out, &message);
	if (err)
		leave(runner, err);
	return job->cancelled;
}

/* CPU time, not the clock's: an engine that loops dies of SIGPROF, one that
 * waits for credit lives as long as the server wants. */
static int limit_cpu(unsigned seconds)
{
	const struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};

	return setitimer(ITIMER_PROF, &timer, NULL) ? errno : 0;
}

static int speak(struct runner *runner, struct job *job)
{
	int err = limit_cpu(runner->cpu_seconds);
	int failure;

	if (err)
		return err;
	engine_resumes(job);
	failure = runner->engine->speak(runner->state, &job->text, &runner->sink);
	engine_pauses(job);
	err = limit_cpu(0);
	if (err)
		return err;
	if (job->cancelled)
		return send_done(runner, job, MESSAGE_DONE_CANCELLED, "");
	if (failure)
		return send_done(runner, job, MESSAGE_DONE_FAILED, strerror(failure));
	return send_done(runner, job, MESSAGE_DONE_OK, "");
}

static int run_jobs(struct runner *runner)
{
	struct job *job;
	int err = end_cancelled(runner, list_first(&runner->jobs));

	while (!err && (job = first_job(runner))) {
		job->voice = find_voice(runner, job->text.voice);
		if (job->voice)
			err = speak(runner, job);
		else
			err = send_done(runner, job, MESSAGE_DONE_UNKNOWN_VOICE, job->text.voice);
		list_remove(&runner->jobs, &job->link);
		mem_deref(job);
		if (!err)
			err = end_cancelled(runner, list_first(&runner->jobs));
	}
	return err;
}

/* Announces a voice, and keeps what SPEAK is checked against. */
static int announce_voice(const struct engine_voice *row, void *arg)
{
	struct runner *runner = arg;
	const struct message message = {
		.type = MESSAGE_VOICE,
		.voice = {message_str_of(row->name), message_str_of(row->language),
			  message_str_of(row->title), row->sample_rate, (uint8_t)row->sex,
			  (uint8_t)row->quality},
	};
	struct voice *voice = mem_zalloc(sizeof(*voice), voice_destroy);

	if (!voice)
		return ENOMEM;
	voice->sample_rate = row->sample_rate;
	voice->name = strdup(row->name);
	list_append(&runner->voices, &voice->link);
	return voice->name ? send_message(runner, &message) : ENOMEM;
}

static int answer_hello(struct runner *runner)
{
	const struct message message = {
		.type = MESSAGE_READY,
		.ready = {MESSAGE_VERSION, 1, runner->engine->capabilities,
			  message_str_of(runner->engine->name)},
	};
	int err = runner->engine->voices(runner->state, announce_voice, runner);

	return err ? err : send_message(runner, &message);
}

int runner_run(struct runner *runner)
{
	int err = 0;

	while (!err && !runner->closed) {
		bool was_greeted = runner->greeted;

		err = wait_and_receive(runner, false);
		if (!err && runner->greeted && !was_greeted)
			err = answer_hello(runner);
		if (!err)
			err = run_jobs(runner);
	}
	return err == EPIPE || err == ECONNRESET ? 0 : err;
}

int runner_alloc(struct runner **runnerp, const struct engine *engine, void *state, int fd,
		 unsigned cpu_seconds)
{
	struct runner *runner = mem_zalloc(sizeof(*runner), NULL);

	if (!runner)
		return ENOMEM;
	*runner = (struct runner){
		.sink = {.wait = runner_wait, .audio = runner_audio, .word = runner_word},
		.engine = engine,
		.state = state,
		.fd = fd,
		.cpu_seconds = cpu_seconds,
	};
	list_init(&runner->voices);
	list_init(&runner->jobs);
	buf_init(&runner->in, MESSAGE_HEADER_LEN + MESSAGE_PAYLOAD_MAX + RECEIVE_SIZE);
	buf_init(&runner->out, FLUSH_LEN + MESSAGE_HEADER_LEN + MESSAGE_PAYLOAD_MAX);
	mem_set_destructor(runner, runner_destroy);
	*runnerp = runner;
	return 0;
}
