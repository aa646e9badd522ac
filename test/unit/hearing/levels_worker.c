/*
 * levels_worker.c: an engine that listens, for tests.
 *
 * It hears levels: audio whose samples are near 3000 is the word "w3", and a sample near 0 is
 * silence.  So what it hears is known exactly, and words that are lost or heard twice are noticed.
 *
 * With --test-hooks the prompt of a stream says what it does with that stream:
 *
 *   die-level V N     dies when it recognizes a piece with the level V
 *   die-frame F N     dies when it hears frame F of the stream
 *   die-listen N      dies when the stream begins
 *   hang-level V N    does not answer for a piece with the level V, and listens on
 *   hang-frame F N    stops to do anything at frame F
 *   hang-listen N     stops to do anything when the stream begins
 *   slow MS           takes this long for each piece
 *   deaf MS           takes this long for each frame
 *   room SAMPLES      keeps only this many samples
 *   breach WHAT       breaks the protocol; see the table `breaches`
 *
 * N is how often it happens: the file PROGRAM.deaths has a byte for each time.  PROGRAM.starts has
 * one for each start.  Its name selects how it starts: hear-mute has no models, hear-broken dies,
 * hear-loud says that it speaks, hear-single has one seat, hear-batch has slots of its own, hear-slow
 * takes a while to load (seconds, for the third process and later ones), hear-other has other models.
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

#include "base/buf.h"
#include "workers/message.h"

#define SOCKET_FD 3
#define JOBS_MAX 64
#define PIECES_MAX 64
#define STEP 160 /* samples between two looks at the level */
#define ROOM_MAX (120u * 16000u)

struct piece {
	bool is_used;
	bool hangs;
	uint64_t due_ms;
	struct message_recognize asked;
};

struct job {
	uint32_t id; /* 0: free */
	char prompt[128];
	uint32_t wants;
	int16_t *audio; /* from `first` on */
	uint64_t first, end, released, scored;
	uint64_t granted; /* the position up to which room was granted */
	uint64_t keeps; /* samples */
	bool is_finished;
	struct piece pieces[PIECES_MAX];
};

static struct job jobs[JOBS_MAX];
static struct buf in, out;
static const char *program;
static bool has_hooks;
static long starts; /* counts the processes of this program */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* Adds a byte to a file beside the program, and returns how many it has. */
static long note(const char *suffix)
{
	char path[4096];
	struct stat status = {0};
	int fd;

	snprintf(path, sizeof(path), "%s.%s", program, suffix);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return 0; /* where it is confined */
	if (write(fd, ".", 1) != 1 || fstat(fd, &status) != 0)
		_exit(5);
	close(fd);
	return (long)status.st_size;
}

static void tell(struct message message)
{
	size_t sent = 0;

	out.len = 0;
	if (message_encode(&out, &message) != 0)
		_exit(3);
	while (sent < out.len) {
		ssize_t n = send(SOCKET_FD, out.bytes + sent, out.len - sent, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			_exit(0);
		sent += n > 0 ? (size_t)n : 0;
	}
}

/* The argument of a hook; -1: the stream does not have it, or it has happened often enough. */
static long hook(const struct job *job, const char *name, bool is_counted)
{
	size_t len = strlen(name);
	char *rest;
	char path[4096];
	struct stat status = {0};
	long value;

	if (!has_hooks || strncmp(job->prompt, name, len) != 0 || job->prompt[len] != ' ')
		return -1;
	value = strtol(job->prompt + len, &rest, 10);
	if (!is_counted)
		return value;
	snprintf(path, sizeof(path), "%s.deaths", program);
	(void)stat(path, &status);
	return status.st_size < strtol(*rest ? rest : job->prompt + len, NULL, 10) ? value : -1;
}

static void die(void)
{
	note("deaths");
	_exit(9);
}

static void hang(void)
{
	note("deaths");
	for (;;)
		pause();
}

static int level_at(const struct job *job, uint64_t position)
{
	int sample = job->audio[position - job->first];

	return (sample < 0 ? 0 : sample + 500) / 1000;
}

static bool has_level(const struct job *job, const struct message_recognize *asked, long level)
{
	for (uint64_t at = asked->from_sample; at < asked->to_sample; at += STEP) {
		if (level_at(job, at) == level)
			return true;
	}
	return false;
}

static void tell_words(const struct job *job, const struct message_recognize *asked)
{
	struct message message = {.type = MESSAGE_WORDS, .job = job->id};
	struct message_heard heard = {.probability = 0.75f};
	static char text[65536];
	static struct buf list;
	int before = 0;
	uint32_t len = 0;

	if (list.max == 0)
		buf_init(&list, 1u << 20);
	list.len = 0;
	for (uint64_t at = asked->from_sample;; at += STEP) {
		int level = at < asked->to_sample ? level_at(job, at) : 0;

		if (level != before && before > 0) {
			heard.word.sample_end = at < asked->to_sample ? at : asked->to_sample;
			if (message_heard_put(&list, &heard) != 0)
				_exit(3);
			++message.words.words.count;
		}
		if (level != before && level > 0) {
			len += (uint32_t)(len > 0 ? snprintf(text + len, 2, " ") : 0);
			heard.word.byte_start = len;
			len += (uint32_t)snprintf(text + len, 16, "w%d", level);
			heard.word.byte_end = len;
			heard.word.sample_start = at;
		}
		before = level;
		if (at >= asked->to_sample)
			break;
	}
	message.words.number = asked->number;
	message.words.busy_us = 1000;
	message.words.language = (struct message_str){"en", 2};
	message.words.language_probability = 0.5f;
	message.words.text = (struct message_str){text, len};
	if (job->wants & MESSAGE_WANT_TIMES) {
		message.words.words.bytes = (const unsigned char *)list.bytes;
		message.words.words.len = (uint32_t)list.len;
	} else {
		message.words.words.count = 0;
	}
	tell(message);
}

static void tell_done(struct job *job, uint32_t status, const char *detail)
{
	tell((struct message){.type = MESSAGE_DONE,
			      .job = job->id,
			      .done = {.status = status,
				       .samples = job->end - job->first,
				       .detail = message_str_of(detail)}});
	free(job->audio);
	*job = (struct job){0};
}

static void grant(struct job *job)
{
	uint64_t to = job->released + job->keeps;

	if (to <= job->granted)
		return;
	tell((struct message){
		.type = MESSAGE_ROOM, .job = job->id, .room = (uint32_t)(to - job->granted)});
	job->granted = to;
}

static void breach_words(struct job *job)
{
	tell((struct message){.type = MESSAGE_WORDS,
			      .job = job->id,
			      .words = {.number = 999, .language = {"", 0}, .text = {"", 0}}});
}

static void breach_activity(struct job *job)
{
	tell((struct message){.type = MESSAGE_ACTIVITY,
			      .job = job->id,
			      .activity = {512, (const unsigned char *)"\0", 1}});
}

static void breach_greedy(struct job *job)
{
	static const unsigned char values[1000];

	tell((struct message){
		.type = MESSAGE_ACTIVITY, .job = job->id, .activity = {0, values, sizeof(values)}});
}

static void breach_end(struct job *job)
{
	tell_done(job, MESSAGE_DONE_OK, "early");
}

static void breach_refuse(struct job *job)
{
	tell_done(job, MESSAGE_DONE_UNKNOWN_VOICE, "no such model");
}

static void breach_unknown(struct job *job)
{
	tell((struct message){.type = 999, .job = job->id});
}

/* What it does when the first whole frame has arrived. */
static const struct {
	const char *name;
	void (*tell)(struct job *job);
} breaches[] = {
	{"breach words", breach_words},   {"breach activity", breach_activity},
	{"breach greedy", breach_greedy}, {"breach end", breach_end},
	{"breach refuse", breach_refuse}, {"breach unknown", breach_unknown},
};

static void score(struct job *job)
{
	unsigned char values[4096];
	struct message message = {
		.type = MESSAGE_ACTIVITY, .job = job->id, .activity = {job->scored, values, 0}};
	long slow_ms = hook(job, "deaf", false);

	for (; job->end - job->scored >= MESSAGE_FRAME_SAMPLES &&
	       message.activity.count < sizeof(values);
	     job->scored += MESSAGE_FRAME_SAMPLES) {
		long frame = (long)(job->scored / MESSAGE_FRAME_SAMPLES);

		if (frame == hook(job, "die-frame", true))
			die();
		if (frame == hook(job, "hang-frame", true))
			hang();
		values[message.activity.count++] =
			level_at(job, job->scored + MESSAGE_FRAME_SAMPLES / 2) > 0 ? 230 : 5;
		for (size_t i = 0; i < sizeof(breaches) / sizeof(*breaches); ++i) {
			if (frame == 0 && has_hooks && strcmp(job->prompt, breaches[i].name) == 0) {
				breaches[i].tell(job);
				if (job->id == 0)
					return;
			}
		}
		if (slow_ms > 0)
			usleep((useconds_t)slow_ms * 1000u);
	}
	if (message.activity.count > 0)
		tell(message);
}

static void recognize(struct job *job)
{
	for (size_t i = 0; i < PIECES_MAX; ++i) {
		struct piece *piece = &job->pieces[i];

		if (!piece->is_used || piece->hangs || piece->due_ms > now_ms())
			continue;
		if (has_level(job, &piece->asked, hook(job, "die-level", true)))
			die();
		if (has_level(job, &piece->asked, hook(job, "hang-level", true))) {
			note("deaths");
			piece->hangs = true;
			continue;
		}
		piece->is_used = false;
		tell_words(job, &piece->asked);
	}
}

static void finish(struct job *job)
{
	for (size_t i = 0; i < PIECES_MAX; ++i) {
		if (job->pieces[i].is_used)
			return;
	}
	tell_done(job, MESSAGE_DONE_OK, "");
}

static struct job *job_of(uint32_t id)
{
	for (size_t i = 0; i < JOBS_MAX; ++i) {
		if (jobs[i].id == id)
			return &jobs[i];
	}
	return NULL;
}

static bool is_model(const struct message_str *name)
{
	return (name->len == 6 && memcmp(name->bytes, "levels", 6) == 0) ||
	       (name->len == 5 && memcmp(name->bytes, "other", 5) == 0);
}

static void take_listen(const struct message *message)
{
	struct job *job = job_of(0);
	long keeps;

	if (!job)
		_exit(4);
	*job = (struct job){.id = message->job, .wants = message->listen.wants};
	message_str_copy(job->prompt, sizeof(job->prompt), &message->listen.prompt);
	job->first = job->end = job->released = job->scored = job->granted =
		message->listen.first_sample;
	keeps = hook(job, "room", false);
	job->keeps = keeps > 0 ? (uint64_t)keeps : ROOM_MAX;
	job->audio = calloc(2 * ROOM_MAX, sizeof(*job->audio));
	if (!job->audio)
		_exit(4);
	if (message->listen.model.len > 0 && !is_model(&message->listen.model)) {
		tell_done(job, MESSAGE_DONE_UNKNOWN_VOICE, "no such model");
		return;
	}
	if (hook(job, "die-listen", true) > 0)
		die();
	if (hook(job, "hang-listen", true) > 0)
		hang();
	grant(job);
}

static void take_samples(struct job *job, const struct message_samples *samples)
{
	if (job->end + samples->count > job->granted || job->is_finished)
		_exit(6); /* more than there is room for */
	if (job->end - job->first + samples->count > 2 * ROOM_MAX) {
		uint64_t cut = job->released - job->first;

		memmove(job->audio, job->audio + cut,
			(size_t)(job->end - job->released) * sizeof(*job->audio));
		job->first = job->released;
	}
	for (size_t i = 0; i < samples->count; ++i, ++job->end)
		job->audio[job->end - job->first] =
			(int16_t)(samples->samples[2 * i] | samples->samples[2 * i + 1] << 8);
}

static void take_recognize(struct job *job, const struct message_recognize *asked)
{
	long slow_ms = hook(job, "slow", false);

	if (asked->from_sample < job->released || asked->to_sample > job->end || job->is_finished)
		_exit(7); /* audio that it does not have */
	for (size_t i = 0; i < PIECES_MAX; ++i) {
		if (job->pieces[i].is_used)
			continue;
		job->pieces[i] =
			(struct piece){.is_used = true,
				       .asked = *asked,
				       .due_ms = now_ms() + (uint64_t)(slow_ms > 0 ? slow_ms : 0)};
		return;
	}
	_exit(4);
}

static bool is_called(const char *name)
{
	const char *own = strrchr(program, '/');

	return own && strcmp(own + strlen("/syrinx-"), name) == 0;
}

static void tell_model(const char *name, const char *languages, uint32_t capabilities)
{
	tell((struct message){.type = MESSAGE_MODEL,
			      .model = {.name = message_str_of(name),
					.title = message_str_of("Levels"),
					.languages = message_str_of(languages),
					.licence = message_str_of("none"),
					.capabilities = capabilities,
					.piece_max = 30 * MESSAGE_HEARING_RATE}});
}

static void greet(void)
{
	struct message ready = {
		.type = MESSAGE_READY,
		.ready = {.version = MESSAGE_VERSION,
			  .jobs_max = is_called("hear-single") ? 1 : JOBS_MAX,
			  .capabilities = is_called("hear-loud") ? 0 : MESSAGE_LISTENS,
			  .engine = message_str_of("levels"),
			  .batch = is_called("hear-batch") ? 3 : 0},
	};

	if (is_called("hear-broken"))
		_exit(8);
	if (is_called("hear-slow"))
		usleep(starts > 2 ? 5000000 : 300000);
	if (is_called("hear-mute"))
		tell((struct message){.type = MESSAGE_NOTE,
				      .note = {message_str_of(""), message_str_of("no models")}});
	else if (is_called("hear-other"))
		tell_model("other", "", MESSAGE_MODEL_DETECTS_LANGUAGE);
	else
		tell_model("levels", "en",
			   MESSAGE_MODEL_TIMES | MESSAGE_MODEL_PROBABILITIES |
				   MESSAGE_MODEL_PARTIALS);
	tell(ready);
}

static void take(const struct message *message)
{
	struct job *job = message->job ? job_of(message->job) : NULL;

	if (message->type == MESSAGE_HELLO) {
		if (message->hello.version_min > MESSAGE_VERSION)
			_exit(1);
		greet();
	} else if (message->type == MESSAGE_LISTEN)
		take_listen(message);
	else if (message->type == MESSAGE_SAMPLES && job)
		take_samples(job, &message->samples);
	else if (message->type == MESSAGE_RECOGNIZE && job)
		take_recognize(job, &message->recognize);
	else if (message->type == MESSAGE_CANCEL && job)
		tell_done(job, MESSAGE_DONE_CANCELLED, "");
	else if (message->type == MESSAGE_FINISH && job)
		job->is_finished = true;
	else if (message->type == MESSAGE_RELEASE && job) {
		if (message->release_sample > job->end)
			_exit(7);
		job->released = message->release_sample;
		grant(job);
	}
}

static void receive(void)
{
	static char bytes[65536];
	struct message message;
	size_t used;
	ssize_t n = recv(SOCKET_FD, bytes, sizeof(bytes), MSG_DONTWAIT);
	int err;

	if (n == 0)
		_exit(0);
	if (n < 0 || buf_append(&in, bytes, (size_t)n) != 0)
		return;
	while ((err = message_decode(&message, &used, in.bytes, in.len)) == 0) {
		take(&message);
		buf_consume(&in, used);
	}
	if (err != EAGAIN)
		_exit(1);
}

int main(int argc, char **argv)
{
	struct pollfd poll_fd = {.fd = SOCKET_FD, .events = POLLIN};

	if (argc < 1)
		return 2;
	program = argv[0];
	for (int i = 1; i < argc; ++i)
		has_hooks = has_hooks || strcmp(argv[i], "--test-hooks") == 0;
	starts = note("starts");
	buf_init(&in, 4u << 20);
	buf_init(&out, 1u << 20);
	for (;;) {
		poll(&poll_fd, 1, 5);
		if (poll_fd.revents)
			receive();
		for (size_t i = 0; i < JOBS_MAX; ++i) {
			if (jobs[i].id)
				score(&jobs[i]);
			if (jobs[i].id)
				recognize(&jobs[i]);
			if (jobs[i].id && jobs[i].is_finished)
				finish(&jobs[i]);
		}
	}
}
