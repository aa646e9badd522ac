/*
 * odd_worker.c: an engine that behaves in unusual ways, and breaks the worker
 * protocol as tests ask for.
 *
 * Its name (syrinx-NAME) selects how it starts, and the text of a job selects what
 * it does with that job; see the tables `greeters` and `speakers`.  Each start adds
 * a byte to the file PROGRAM.starts, which tests count.  Under the names "vits" and
 * "flite" it offers the voices in SYRINX_ENGINE_ODD_VITS and
 * SYRINX_ENGINE_ODD_FLITE.  It has one thread, which goes through all jobs every
 * few milliseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "workers/message.h"

#define SOCKET_FD 3
#define JOBS_MAX 512
#define RATE 24000
#define CHUNK_SAMPLES RATE /* every job is a second long */
#define PIECE 1200
#define MESSAGE_MAX (10 * CHUNK_SAMPLES)
#define TICK_MS 5
#define WORK_US 30000 /* processor time before the first sample of "after work" */

/* See speak_a_little_less_dearly. */
#define DEAR_US 2535408328u

struct job {
	uint32_t id; /* 0: free */
	bool cancelled;
	uint64_t credit;
	uint64_t sent; /* samples, including skipped ones */
	uint64_t made; /* samples that exist, for jobs "in windows" */
	uint32_t busy_us;
	void (*speak)(struct job *job);
};

static struct job jobs[JOBS_MAX];
static struct buf in, out;
static long start_number; /* counts the processes of this program */

/* Sends a message.  Exits if the server has closed the socket. */
static void tell(const struct message *message)
{
	size_t sent = 0;

	out.len = 0;
	if (message_encode(&out, message) != 0)
		_exit(3);
	while (sent < out.len) {
		ssize_t n = send(SOCKET_FD, out.bytes + sent, out.len - sent, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			_exit(0);
		sent += n > 0 ? (size_t)n : 0;
	}
}

static void tell_audio(struct job *job, size_t count, unsigned rate)
{
	static unsigned char bytes[2 * MESSAGE_MAX];
	struct message message = {
		.type = MESSAGE_AUDIO,
		.job = job->id,
		.audio = {.busy_us = job->busy_us,
			  .sample_rate = rate,
			  .samples = bytes,
			  .count = count},
	};

	if (count > MESSAGE_MAX)
		_exit(3);
	/* Each process has another level, so that no two tries are alike. */
	for (size_t i = 0; i < count; ++i) {
		bytes[2 * i] = 0;
		bytes[2 * i + 1] = (unsigned char)(8 * start_number);
	}
	tell(&message);
	job->sent += count;
}

static void tell_done(struct job *job, uint32_t status)
{
	struct message message = {
		.type = MESSAGE_DONE,
		.job = job->id,
		.done = {.status = status,
			 .busy_us = job->busy_us,
			 .samples = job->sent,
			 .detail = {"odd", 3}},
	};

	tell(&message);
}

/* How many samples may be sent now: what is left of the chunk and of the credit, at most a piece. */
static size_t allowed(const struct job *job, size_t piece)
{
	uint64_t n = CHUNK_SAMPLES - job->sent;

	if (n > piece)
		n = piece;
	return (size_t)(n < job->credit ? n : job->credit);
}

static void speak_in_pieces(struct job *job, unsigned rate, size_t piece)
{
	size_t n = allowed(job, piece);

	if (job->cancelled || job->sent >= CHUNK_SAMPLES) {
		tell_done(job, job->cancelled ? MESSAGE_DONE_CANCELLED : MESSAGE_DONE_OK);
		job->id = 0;
	} else if (n > 0) {
		job->credit -= n;
		tell_audio(job, n, rate);
	}
}

static void speak_at(struct job *job, unsigned rate)
{
	speak_in_pieces(job, rate, PIECE);
}

static void speak_well(struct job *job)
{
	speak_at(job, RATE);
}

/* A test that is not scheduled for a while can still interrupt it. */
static void speak_slowly(struct job *job)
{
	speak_in_pieces(job, RATE, PIECE / 10);
}

static void speak_past_the_credit(struct job *job)
{
	tell_audio(job, (size_t)job->credit + 1, RATE);
}

static void speak_at_two_rates(struct job *job)
{
	speak_at(job, job->sent == 0 ? RATE : RATE / 2);
}

static void speak_at_no_rate(struct job *job)
{
	speak_at(job, 1);
}

static void speak_after_the_end(struct job *job)
{
	uint32_t id = job->id;

	speak_at(job, RATE);
	if (job->id == 0) {
		job->id = id;
		tell_done(job, MESSAGE_DONE_OK);
		tell_audio(job, PIECE, RATE);
		job->id = 0;
	}
}

/* Never answers a cancel, but keeps sending words. */
static void speak_on_after_cancel(struct job *job)
{
	struct message word = {.type = MESSAGE_WORD, .job = job->id, .word = {0, 1, 0, 1}};

	if (job->cancelled)
		tell(&word);
	else
		speak_at(job, RATE);
}

static void tell_made(const struct job *job, uint64_t samples)
{
	struct message made = {
		.type = MESSAGE_MADE, .job = job->id, .made_samples = (uint32_t)samples};

	tell(&made);
}

/* Makes half a second at a time, and keeps the samples for which there is no credit. */
static void speak_in_windows(struct job *job)
{
	if (!job->cancelled && job->credit > 0 && job->sent == job->made &&
	    job->made < CHUNK_SAMPLES) {
		poll(NULL, 0, 50);
		job->made += CHUNK_SAMPLES / 2;
		job->busy_us += 50000;
		tell_made(job, job->made - job->sent - job->credit);
	}
	if (job->cancelled || job->sent < job->made || job->made == CHUNK_SAMPLES)
		speak_at(job, RATE);
}

/* Claims that its work was expensive.  DONE reports only half of its samples, which makes it look
 * twice as expensive. */
static void speak_dearly(struct job *job, uint32_t busy_us)
{
	if (job->sent >= CHUNK_SAMPLES) {
		job->busy_us = busy_us;
		job->sent = CHUNK_SAMPLES / 2;
		tell_done(job, MESSAGE_DONE_OK);
		job->id = 0;
	} else {
		speak_at(job, RATE);
	}
}

static void speak_most_dearly(struct job *job)
{
	speak_dearly(job, UINT32_MAX);
}

/* After five of those and one of these, the average would be the highest value of 32 bits if it were
 * not limited: it begins at 100,000. */
static void speak_a_little_less_dearly(struct job *job)
{
	speak_dearly(job, DEAR_US);
}

static void die(struct job *job)
{
	(void)job;
	_exit(1);
}

static void know_no_such_voice(struct job *job)
{
	tell_done(job, MESSAGE_DONE_UNKNOWN_VOICE);
	job->id = 0;
}

/* Looks busy and delivers nothing: sends empty audio, MADE and words. */
static void send_no_samples(struct job *job)
{
	struct message word = {.type = MESSAGE_WORD, .job = job->id, .word = {0, 1, 0, 1}};

	tell_audio(job, 0, RATE);
	tell_made(job, RATE);
	tell(&word);
}

/* Sends about six samples a second. */
static void send_a_sample_now_and_then(struct job *job)
{
	if (job->credit > 0 && ++job->made % 32 == 0) {
		--job->credit;
		tell_audio(job, 1, RATE);
	}
}

/* Computes for a while before the first sample. */
static void speak_after_work(struct job *job)
{
	clock_t begin = clock();

	while (job->sent == 0 && clock() - begin < WORK_US * CLOCKS_PER_SEC / 1000000)
		;
	speak_at(job, RATE);
}

static void say_nothing(struct job *job)
{
	(void)job;
}

static const struct {
	const char *text;
	void (*speak)(struct job *job);
} speakers[] = {
	{"slowly", speak_slowly},
	{"past the credit", speak_past_the_credit},
	{"two rates", speak_at_two_rates},
	{"no rate", speak_at_no_rate},
	{"after the end", speak_after_the_end},
	{"on after cancel", speak_on_after_cancel},
	{"nothing", say_nothing},
	{"no samples", send_no_samples},
	{"a sample now and then", send_a_sample_now_and_then},
	{"after work", speak_after_work},
	{"in windows", speak_in_windows},
	{"most dearly", speak_most_dearly},
	{"dearly", speak_a_little_less_dearly},
	{"die", die},
	{"no such voice", know_no_such_voice},
};

static void tell_voice_of(const char *name, const char *title, unsigned rate)
{
	struct message voice = {
		.type = MESSAGE_VOICE,
		.voice = {.name = message_str_of(name),
			  .language = {"en", 2},
			  .title = message_str_of(title),
			  .sample_rate = rate,
			  .licence = {"none", 4}},
	};

	tell(&voice);
}

static void tell_voice_called(const char *title, unsigned rate)
{
	tell_voice_of("odd", title, rate);
}

static void tell_note(const char *about, const char *text)
{
	struct message note = {
		.type = MESSAGE_NOTE,
		.note = {.about = message_str_of(about), .text = message_str_of(text)},
	};

	tell(&note);
}

static void tell_voice(unsigned rate)
{
	tell_voice_called("Odd", rate);
}

static void tell_ready_for_batches(uint16_t jobs_max, uint16_t batch)
{
	struct message ready = {
		.type = MESSAGE_READY,
		.ready = {MESSAGE_VERSION, jobs_max, 0, {"odd", 3}, batch},
	};

	tell(&ready);
}

static void tell_ready(uint16_t jobs_max)
{
	tell_ready_for_batches(jobs_max, 0);
}

static void greet_well(void)
{
	tell_voice(RATE);
	tell_ready(1);
}

static void greet_for_two(void)
{
	tell_voice(RATE);
	tell_ready(2);
}

static void greet_for_many(void)
{
	tell_voice(RATE);
	tell_ready(32);
}

static void greet_for_a_crowd(void)
{
	tell_voice(RATE);
	tell_ready(JOBS_MAX);
}

static void greet_for_batches(void)
{
	tell_voice(RATE);
	tell_ready_for_batches(32, 8);
}

static void greet_for_many_slowly(void)
{
	poll(NULL, 0, 700);
	greet_for_many();
}

static void greet_with_one_more_each_time(void)
{
	char name[24];

	for (long i = 0; i < start_number; ++i) {
		snprintf(name, sizeof(name), "odd%ld", i);
		tell_voice_of(name, name, RATE);
	}
	tell_ready(32);
}

static void greet_with_nothing(void)
{
	tell_note("x.onnx", "is no model");
	tell_note("", "there are no voices");
	tell_ready(1);
}

/* `voices` is "die" or the names of voices; NULL or "": there are none. */
static void greet_as_told(const char *voices)
{
	char name[64];

	if (voices && strcmp(voices, "die") == 0)
		_exit(1);
	while (voices && *voices) {
		size_t len = strcspn(voices, " ");

		snprintf(name, sizeof(name), "%.*s", (int)len, voices);
		tell_voice_of(name, name, RATE);
		voices += len + strspn(voices + len, " ");
	}
	tell_ready(1);
}

static void greet_as_vits(void)
{
	greet_as_told(getenv("SYRINX_ENGINE_ODD_VITS"));
}

static void greet_as_flite(void)
{
	greet_as_told(getenv("SYRINX_ENGINE_ODD_FLITE"));
}

static void greet_without_rate(void)
{
	tell_voice(0);
	tell_ready(1);
}

static void greet_at_length(void)
{
	tell_voice_called("Señora Ñandú ñññññññññññññññññññññññññññññññññññññññññ", RATE);
	tell_ready(1);
}

static void greet_and_die(void)
{
	greet_well();
	_exit(1);
}

static void greet_at_the_fifth_start(void)
{
	if (start_number < 5)
		_exit(1);
	greet_well();
}

static void greet_without_end(void)
{
	for (;;) {
		tell_voice(RATE);
		poll(NULL, 0, TICK_MS);
	}
}

static void greet_twice(void)
{
	greet_well();
	tell_ready(1);
}

static const struct {
	const char *name;
	void (*greet)(void);
} greeters[] = {
	{"two", greet_for_two},
	{"many", greet_for_many},
	{"crowd", greet_for_a_crowd},
	{"batch", greet_for_batches},
	{"manyslow", greet_for_many_slowly},
	{"growing", greet_with_one_more_each_time},
	{"empty", greet_with_nothing},
	{"vits", greet_as_vits},
	{"flite", greet_as_flite},
	{"norate", greet_without_rate},
	{"brief", greet_and_die},
	{"lengthy", greet_at_length},
	{"late", greet_at_the_fifth_start},
	{"endless", greet_without_end},
	{"twice", greet_twice},
};

static void greet(const char *program)
{
	const char *dash = strrchr(program, '-');

	for (size_t i = 0; i < COUNT(greeters); ++i) {
		if (dash && strcmp(dash + 1, greeters[i].name) == 0) {
			greeters[i].greet();
			return;
		}
	}
	greet_well();
}

static struct job *job_of(uint32_t id)
{
	for (size_t i = 0; i < JOBS_MAX; ++i) {
		if (jobs[i].id == id)
			return &jobs[i];
	}
	return NULL;
}

static void take_job(const struct message *message)
{
	const struct message_str *text = &message->speak.text;
	struct job *job = job_of(0);

	if (!job)
		_exit(4);
	*job = (struct job){
		.id = message->job,
		.credit = message->speak.credit_samples,
		.sent = message->speak.skip_samples,
		.speak = speak_well,
	};
	for (size_t i = 0; i < COUNT(speakers); ++i) {
		if (strlen(speakers[i].text) == text->len &&
		    memcmp(speakers[i].text, text->bytes, text->len) == 0)
			job->speak = speakers[i].speak;
	}
}

static void take(const struct message *message, const char *program)
{
	struct job *job = message->job ? job_of(message->job) : NULL;

	if (message->type == MESSAGE_HELLO)
		greet(program);
	else if (message->type == MESSAGE_SPEAK)
		take_job(message);
	else if (message->type == MESSAGE_CREDIT && job)
		job->credit += message->credit_samples;
	else if (message->type == MESSAGE_CANCEL && job)
		job->cancelled = true;
	else if (message->type == MESSAGE_END_TURN || message->type == MESSAGE_REPLAY)
		_exit(4); /* it has not said that it keeps state */
}

static void receive(const char *program)
{
	char bytes[65536];
	struct message message;
	size_t used;
	ssize_t n = recv(SOCKET_FD, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n == 0)
		_exit(0);
	if (n < 0 || buf_append(&in, bytes, (size_t)n) != 0)
		return;
	while (message_decode(&message, &used, in.bytes, in.len) == 0) {
		take(&message, program);
		buf_consume(&in, used);
	}
}

static void note_start(const char *program)
{
	char path[4096];
	struct stat notes = {0};
	int fd;

	snprintf(path, sizeof(path), "%s.starts", program);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, ".", 1) != 1 || fstat(fd, &notes) != 0)
		_exit(5);
	start_number = (long)notes.st_size;
	close(fd);
}

int main(int argc, char **argv)
{
	struct pollfd poll_fd = {.fd = SOCKET_FD, .events = POLLIN};

	if (argc < 1)
		return 2;
	note_start(argv[0]);
	buf_init(&in, 4u << 20);
	buf_init(&out, 1u << 20);
	for (;;) {
		poll(&poll_fd, 1, TICK_MS);
		if (poll_fd.revents)
			receive(argv[0]);
		for (size_t i = 0; i < JOBS_MAX; ++i) {
			if (jobs[i].id)
				jobs[i].speak(&jobs[i]);
		}
	}
}
