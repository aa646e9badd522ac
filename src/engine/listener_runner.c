/*
 * listener_runner.c: connects an engine in C that listens to the server (see listener_runner.h).
 *
 *   messages ──▶ main thread ──▶ streams ──▶ score ──▶ ACTIVITY ──┐
 *                    │                                             ▼
 *                    └──▶ pieces ──▶ crew ──▶ recognizer ──▶ WORDS ▶ out ──▶ server
 *
 * The main thread owns the streams. One lock guards what it shares with the crew's threads: the
 * messages for the server, the list of streams, and what they are owed. It is not held while a frame
 * is scored or a piece is recognized.
 *
 * Frames come before everything else, because callers are interrupted by what they decide, and cost
 * little. One frame of each stream is scored in turn, so that a stream whose audio arrives at once
 * does not delay the others.
 */
#include "engine/listener_runner.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "engine/connection.h"
#include "engine/listener_crew.h"
#include "engine/listener_stream.h"
#include "engine/program.h"

/* The most threads that recognize at once. */
#define PROCESSORS_MAX 32

/* The most pieces of a stream that are not answered; the server sends fewer. */
#define OWED_MAX 128u

/* While a stream has more frames to score, its activity is reported for this many at a time: a
 * second. */
#define REPORT_FRAMES 32u

struct listener_runner {
	const struct listener *listener;
	void *state;
	struct connection connection;
	unsigned cpu_seconds;
	bool greeted; /* HELLO was read */
	struct listener_model *models; /* an array, with copies of the names */
	size_t model_count;
	struct list streams;
	struct list
		unscored; /* streams that have a complete frame to score; only the main thread's */
	struct listener_crew *crew;
	pthread_mutex_t lock;
	pthread_cond_t drained; /* the server has read messages */
	int wake_fd; /* makes the main thread send, and look at the streams */
	bool main_sends; /* the main thread waits for room in the socket, or is about to */
	bool has_ended; /* a stream may have ended */
};

static struct listener_stream *listener_runner_next(const struct list *list,
						    const struct listener_stream *stream)
{
	struct link *link = stream ? list_next(list, &stream->link) : list_first(list);

	return link ? LIST_OBJECT(link, struct listener_stream, link) : NULL;
}

static struct listener_stream *listener_runner_find(const struct listener_runner *runner,
						    uint32_t job)
{
	struct listener_stream *stream = NULL;

	while ((stream = listener_runner_next(&runner->streams, stream)) && stream->job != job)
		;
	return stream;
}

static void listener_runner_wake(const struct listener_runner *runner)
{
	const uint64_t one = 1;

	if (write(runner->wake_fd, &one, sizeof(one)) < 0)
		program_leave(runner->listener->name, errno);
}

/* Restarts the limit on CPU time whenever a piece begins to wait or is answered. It ends a process in
 * which no thread makes progress; if only one hangs, the server notices that. */
static void listener_runner_renew_limit(const struct listener_runner *runner)
{
	unsigned limit = runner->cpu_seconds * listener_crew_processors(runner->crew);
	int err = 0;

	if (runner->cpu_seconds > 0)
		err = program_limit_cpu(listener_crew_busy(runner->crew) > 0 ? limit : 0);
	if (err)
		program_leave(runner->listener->name, err);
}

static int listener_runner_put_words(struct listener_runner *runner,
				     const struct listener_piece *piece,
				     const struct recognizer_result *result)
{
	struct message message = {
		.type = MESSAGE_WORDS,
		.job = piece->job,
		.words = {.number = piece->number,
			  .busy_us = (uint32_t)piece->busy_us,
			  .language = message_str_of(result->language),
			  .language_probability = result->language_probability,
			  .flags = result->times_are_approximate ? MESSAGE_WORDS_APPROXIMATE : 0,
			  .text = {result->text.bytes, (uint32_t)result->text.len}},
	};
	size_t count = piece->want_times ? result->word_count : 0;
	struct buf words;
	int err = 0;

	buf_init(&words, MESSAGE_PAYLOAD_MAX);
	for (size_t i = 0; i < count && i < MESSAGE_WORDS_MAX && !err; ++i) {
		const struct recognizer_word *word = &result->words[i];
		const struct message_heard heard = {
			.word = {.byte_start = (uint32_t)word->byte_start,
				 .byte_end = (uint32_t)word->byte_end,
				 .sample_start = piece->from + word->sample_start,
				 .sample_end = piece->from + word->sample_end},
			.probability = word->probability,
		};

		err = message_heard_put(&words, &heard);
		++message.words.words.count;
	}
	message.words.words.bytes = (const unsigned char *)words.bytes;
	message.words.words.len = (uint32_t)words.len;
	if (!err)
		err = message_encode(&runner->connection.out, &message);
	buf_reset(&words);
	return err;
}

/* Sends what the socket accepts, and leaves the rest to the main thread. */
static int listener_runner_send(struct listener_runner *runner)
{
	int err = connection_send(&runner->connection);

	if (!err && runner->connection.out.len > 0 && !runner->main_sends) {
		runner->main_sends = true;
		listener_runner_wake(runner);
	}
	return err;
}

static void listener_runner_answer(struct listener_runner *runner,
				   const struct listener_piece *piece,
				   const struct recognizer_result *result, int failure,
				   const char *why)
{
	struct listener_stream *stream = listener_runner_find(runner, piece->job);
	int err = 0;

	if (piece->is_dropped || !stream || stream->failure)
		return;
	--stream->owed;
	if (failure) {
		log_error(runner->listener->name, "%s: %s", piece->recognizer->title, why);
		stream->failure = strdup(why);
		err = stream->failure ? 0 : ENOMEM;
	} else {
		err = listener_runner_put_words(runner, piece, result);
	}
	if (!err)
		err = listener_runner_send(runner);
	if (err)
		program_leave(runner->listener->name, err);
	if (stream->failure || (stream->is_finished && stream->owed == 0)) {
		runner->has_ended = true;
		listener_runner_wake(runner);
	}
}

/* On a thread of the crew, which waits while there is much that the server has not read. */
static void listener_runner_on_answer(const struct listener_piece *piece,
				      const struct recognizer_result *result, int failure,
				      const char *why, void *arg)
{
	struct listener_runner *runner = arg;

	listener_runner_renew_limit(runner);
	while (runner->connection.out.len >= CONNECTION_FLUSH_LEN && !piece->is_dropped)
		pthread_cond_wait(&runner->drained, &runner->lock);
	listener_runner_answer(runner, piece, result, failure, why);
}

static const struct recognizer *listener_runner_find_model(const struct listener_runner *runner,
							   const struct message_str *name)
{
	for (size_t i = 0; i < runner->model_count; ++i) {
		const struct listener_model *model = &runner->models[i];

		if (name->len == 0 || (strlen(model->name) == name->len &&
				       memcmp(model->name, name->bytes, name->len) == 0))
			return model->recognizer;
	}
	return NULL;
}

static int listener_runner_put_done(struct listener_runner *runner, uint32_t job,
				    enum message_done status, uint64_t samples, const char *detail)
{
	const struct message message = {
		.type = MESSAGE_DONE,
		.job = job,
		.done = {.status = status, .samples = samples, .detail = message_str_of(detail)},
	};

	return message_encode(&runner->connection.out, &message);
}

static void listener_runner_free(struct listener_runner *runner, struct listener_stream *stream)
{
	struct link *link;

	while ((link = list_first(&stream->waiting))) {
		list_remove(&stream->waiting, link);
		mem_deref(LIST_OBJECT(link, struct listener_piece, link));
	}
	if (link_is_on_list(&stream->unscored))
		list_remove(&runner->unscored, &stream->unscored);
	list_remove(&runner->streams, &stream->link);
	mem_deref(stream);
}

/* Ends a stream, with everything that waits for it. */
static int listener_runner_end(struct listener_runner *runner, struct listener_stream *stream,
			       enum message_done status)
{
	int err = listener_runner_put_done(runner, stream->job, status, stream->end - stream->first,
					   stream->failure ? stream->failure : "");

	listener_crew_drop(runner->crew, stream->job);
	pthread_cond_broadcast(&runner->drained);
	listener_runner_free(runner, stream);
	if (runner->streams.count == 0)
		malloc_trim(0); /* the busiest time must not determine what an idle worker keeps */
	return err;
}

static int listener_runner_put_room(struct listener_runner *runner, struct listener_stream *stream)
{
	const struct message message = {
		.type = MESSAGE_ROOM, .job = stream->job, .room = listener_stream_grant(stream)};

	return message.room > 0 ? message_encode(&runner->connection.out, &message) : 0;
}

static int listener_runner_on_listen(struct listener_runner *runner, uint32_t job,
				     const struct message_listen *listen)
{
	const struct recognizer *recognizer = listener_runner_find_model(runner, &listen->model);
	struct listener_stream *stream;
	int err;

	if (job == 0 || listener_runner_find(runner, job) ||
	    runner->streams.count >= runner->listener->jobs_max)
		return EPROTO;
	if (!recognizer)
		return listener_runner_put_done(runner, job, MESSAGE_DONE_UNKNOWN_VOICE, 0, "");
	err = listener_stream_alloc(&stream, job, listen);
	if (err)
		return err;
	stream->recognizer = recognizer;
	list_append(&runner->streams, &stream->link);
	return listener_runner_put_room(runner, stream);
}

/* A piece without any speech is answered at once: recognizers invent words for silence. */
static void listener_runner_put_piece(struct listener_runner *runner, struct listener_piece *piece)
{
	struct recognizer_result nothing;

	if (piece->has_speech) {
		listener_crew_put(runner->crew, piece);
		listener_runner_renew_limit(runner);
		return;
	}
	recognizer_result_init(&nothing);
	listener_runner_answer(runner, piece, &nothing, 0, "");
	recognizer_result_reset(&nothing);
	mem_deref(piece);
}

static int listener_runner_on_recognize(struct listener_runner *runner,
					struct listener_stream *stream,
					const struct message_recognize *request)
{
	uint64_t from = request->from_sample;
	uint64_t to = request->to_sample;
	struct listener_piece *piece;
	int err;

	if (!listener_stream_has(stream, from, to) || stream->is_finished ||
	    stream->owed >= OWED_MAX)
		return EPROTO;
	err = listener_piece_alloc(&piece, (size_t)(to - from), stream->language, stream->prompt);
	if (err)
		return err;
	piece->job = stream->job;
	piece->number = request->number;
	piece->from = from;
	piece->to = to;
	piece->is_final = request->is_final;
	piece->has_speech = listener_stream_has_speech(stream, from, to);
	piece->due_us = clock_monotonic_us() + UINT64_C(1000) * request->deadline_ms;
	piece->recognizer = stream->recognizer;
	piece->want_times = stream->want_times;
	listener_stream_read(stream, piece->samples, from, to);
	++stream->owed;
	if (listener_stream_is_scored(stream, to))
		listener_runner_put_piece(runner, piece);
	else
		list_append(&stream->waiting, &piece->link);
	return 0;
}

static int listener_runner_on_samples(struct listener_runner *runner,
				      struct listener_stream *stream,
				      const struct message_samples *samples)
{
	int err = listener_stream_write(stream, samples);

	if (!err && !link_is_on_list(&stream->unscored) && listener_stream_frame(stream))
		list_append(&runner->unscored, &stream->unscored);
	return err;
}

static int listener_runner_on_release(struct listener_runner *runner,
				      struct listener_stream *stream, uint64_t sample)
{
	listener_stream_release(stream, sample);
	return listener_runner_put_room(runner, stream);
}

static int listener_runner_on_hello(struct listener_runner *runner,
				    const struct message_hello *hello);

/* Messages about a job that has ended are ignored: the server sent them before it read DONE. */
static int listener_runner_on_message(const struct message *message, void *arg)
{
	struct listener_runner *runner = arg;
	struct listener_stream *stream;

	if (message->type == MESSAGE_HELLO)
		return listener_runner_on_hello(runner, &message->hello);
	if (!runner->greeted)
		return EPROTO;
	if (message->type == MESSAGE_LISTEN)
		return listener_runner_on_listen(runner, message->job, &message->listen);
	stream = listener_runner_find(runner, message->job);
	if (!stream)
		return 0;
	switch (message->type) {
	case MESSAGE_SAMPLES:
		return listener_runner_on_samples(runner, stream, &message->samples);
	case MESSAGE_RECOGNIZE:
		return listener_runner_on_recognize(runner, stream, &message->recognize);
	case MESSAGE_RELEASE:
		return listener_runner_on_release(runner, stream, message->release_sample);
	case MESSAGE_FINISH:
		stream->is_finished = true;
		runner->has_ended = true;
		return 0;
	case MESSAGE_CANCEL:
		return listener_runner_end(runner, stream, MESSAGE_DONE_CANCELLED);
	default:
		return 0; /* message types of later versions */
	}
}

/* Ends streams that were finished and are owed nothing, and those that have failed. */
static int listener_runner_end_streams(struct listener_runner *runner)
{
	struct listener_stream *stream = NULL;
	int err = 0;

	if (!runner->has_ended)
		return 0;
	runner->has_ended = false;
	stream = listener_runner_next(&runner->streams, NULL);
	while (stream && !err) {
		struct listener_stream *next = listener_runner_next(&runner->streams, stream);

		if (stream->failure)
			err = listener_runner_end(runner, stream, MESSAGE_DONE_FAILED);
		else if (stream->is_finished && stream->owed == 0 &&
			 stream->told == stream->scored && !listener_stream_frame(stream))
			err = listener_runner_end(runner, stream, MESSAGE_DONE_OK);
		stream = next;
	}
	return err;
}

/* Scores the next frame of as many streams as fit into a batch, without the lock. */
static int listener_runner_score(struct listener_runner *runner, struct listener_stream **batch,
				 size_t *count)
{
	struct vad_frame frames[VAD_BATCH_MAX];
	char why[RUNTIME_WHY_SIZE] = "";
	struct link *link;
	int err;

	*count = 0;
	while (*count < VAD_BATCH_MAX && (link = list_first(&runner->unscored))) {
		struct listener_stream *stream =
			LIST_OBJECT(link, struct listener_stream, unscored);

		list_remove(&runner->unscored, link);
		frames[*count] = (struct vad_frame){.memory = &stream->memory,
						    .samples = listener_stream_frame(stream)};
		batch[(*count)++] = stream;
	}
	if (*count == 0)
		return 0;
	err = runner->listener->score(runner->state, frames, *count, why);
	if (err)
		log_error(runner->listener->name, "voice activity: %s", why);
	for (size_t i = 0; i < *count && !err; ++i) {
		err = listener_stream_score(batch[i], frames[i].probability);
		if (listener_stream_frame(batch[i]))
			list_append(&runner->unscored, &batch[i]->unscored);
	}
	return err;
}

/* Passes on the pieces whose frames have all been scored. */
static void listener_runner_put_scored(struct listener_runner *runner,
				       struct listener_stream *stream)
{
	struct link *link = list_first(&stream->waiting);

	while (link) {
		struct listener_piece *piece = LIST_OBJECT(link, struct listener_piece, link);

		link = list_next(&stream->waiting, link);
		if (stream->scored <= piece->to && stream->scored > piece->from)
			piece->has_speech |= listener_stream_has_speech(
				stream, stream->scored - VAD_FRAME, stream->scored);
		if (!listener_stream_is_scored(stream, piece->to))
			continue;
		list_remove(&stream->waiting, &piece->link);
		listener_runner_put_piece(runner, piece);
	}
}

/* Reports what was found out about a stream, with the lock held. */
static int listener_runner_report(struct listener_runner *runner, struct listener_stream *stream)
{
	struct message message = {.type = MESSAGE_ACTIVITY, .job = stream->job};
	int err;

	listener_runner_put_scored(runner, stream);
	if (link_is_on_list(&stream->unscored) &&
	    stream->scored - stream->told < (uint64_t)REPORT_FRAMES * VAD_FRAME)
		return 0;
	if (!listener_stream_tell(stream, &message.activity))
		return 0;
	err = message_encode(&runner->connection.out, &message);
	listener_stream_trim(stream);
	if (stream->is_finished)
		runner->has_ended = true;
	return err ? err : listener_runner_put_room(runner, stream);
}

/* One round: what the server sent is handled, one batch of frames scored, and what there is to say
 * sent. While there is much that the server has not read, only the last. */
static int listener_runner_round(struct listener_runner *runner, bool *is_full, bool *has_output)
{
	struct listener_stream *batch[VAD_BATCH_MAX];
	size_t count = 0;
	int err = 0;

	pthread_mutex_lock(&runner->lock);
	if (!*is_full)
		err = connection_take(&runner->connection, listener_runner_on_message, runner);
	if (!err)
		err = connection_send(&runner->connection);
	*is_full = runner->connection.out.len >= CONNECTION_FLUSH_LEN;
	pthread_mutex_unlock(&runner->lock);
	if (!err && !*is_full)
		err = listener_runner_score(runner, batch, &count);
	pthread_mutex_lock(&runner->lock);
	for (size_t i = 0; i < count && !err; ++i)
		err = listener_runner_report(runner, batch[i]);
	if (!err)
		err = listener_runner_end_streams(runner);
	if (!err)
		err = connection_send(&runner->connection);
	if ((err || runner->connection.closed) && listener_crew_busy(runner->crew) > 0)
		program_leave(runner->listener->name, err);
	*is_full = runner->connection.out.len >= CONNECTION_FLUSH_LEN;
	*has_output = runner->main_sends = runner->connection.out.len > 0;
	if (!*is_full)
		pthread_cond_broadcast(&runner->drained);
	pthread_mutex_unlock(&runner->lock);
	return err;
}

int listener_runner_run(struct listener_runner *runner)
{
	struct connection *connection = &runner->connection;
	bool is_full = false;
	bool has_output = false;
	int err = 0;

	while (!err && !connection->closed) {
		if (is_full)
			err = connection_wait_to_send(connection);
		else if (list_first(&runner->unscored))
			err = connection_read(connection);
		else
			err = connection_wait(connection, has_output, runner->wake_fd);
		if (!err)
			err = listener_runner_round(runner, &is_full, &has_output);
	}
	return err == EPIPE || err == ECONNRESET ? 0 : err;
}

static int listener_runner_announce_model(const struct listener_model *model, void *arg)
{
	struct listener_runner *runner = arg;
	const struct recognizer *recognizer = model->recognizer;
	const struct message message = {
		.type = MESSAGE_MODEL,
		.model = {.name = message_str_of(model->name),
			  .title = message_str_of(recognizer->title),
			  .languages = message_str_of(recognizer->languages),
			  .licence = message_str_of(recognizer->licence),
			  .capabilities = recognizer->capabilities,
			  .piece_max = (uint32_t)recognizer->longest},
	};

	return message_encode(&runner->connection.out, &message);
}

static int listener_runner_announce_note(const struct engine_note *note, void *arg)
{
	struct listener_runner *runner = arg;
	const struct message message = {
		.type = MESSAGE_NOTE,
		.note = {message_str_of(note->about), message_str_of(note->text)},
	};

	return message_encode(&runner->connection.out, &message);
}

static int listener_runner_on_hello(struct listener_runner *runner,
				    const struct message_hello *hello)
{
	const struct listener *listener = runner->listener;
	const struct message message = {
		.type = MESSAGE_READY,
		.ready = {.version = MESSAGE_VERSION,
			  .jobs_max = listener->jobs_max,
			  .capabilities = MESSAGE_LISTENS,
			  .engine = message_str_of(listener->name)},
	};
	int err;

	if (runner->greeted)
		return EPROTO;
	if (hello->version_min > MESSAGE_VERSION || hello->version_max < MESSAGE_VERSION) {
		log_error(listener->name,
			  "the server speaks protocol versions %u to %u, this engine %u",
			  hello->version_min, hello->version_max, MESSAGE_VERSION);
		return EPROTO;
	}
	runner->greeted = true;
	err = listener->models(runner->state, listener_runner_announce_model, runner);
	if (!err && listener->notes)
		err = listener->notes(runner->state, listener_runner_announce_note, runner);
	return err ? err : message_encode(&runner->connection.out, &message);
}

static int listener_runner_add_model(const struct listener_model *model, void *arg)
{
	struct listener_runner *runner = arg;
	struct listener_model *models =
		realloc(runner->models, (runner->model_count + 1) * sizeof(*models));
	char *name = strdup(model->name);

	if (models)
		runner->models = models;
	if (!models || !name) {
		free(name);
		return ENOMEM;
	}
	models[runner->model_count++] =
		(struct listener_model){.name = name, .recognizer = model->recognizer};
	return 0;
}

static void listener_runner_destroy(void *object)
{
	struct listener_runner *runner = object;
	struct listener_stream *stream;

	runner->crew = mem_deref(runner->crew);
	while ((stream = listener_runner_next(&runner->streams, NULL)))
		listener_runner_free(runner, stream);
	for (size_t i = 0; i < runner->model_count; ++i)
		free((void *)(uintptr_t)runner->models[i].name);
	free(runner->models);
	connection_reset(&runner->connection);
	pthread_cond_destroy(&runner->drained);
	pthread_mutex_destroy(&runner->lock);
	if (runner->wake_fd >= 0)
		close(runner->wake_fd);
}

/* Those that this process may use. */
static unsigned listener_runner_processors(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return count > PROCESSORS_MAX ? PROCESSORS_MAX : (unsigned)count;
}

int listener_runner_alloc(struct listener_runner **runnerp, const struct listener *listener,
			  void *state, int fd, unsigned cpu_seconds)
{
	struct listener_runner *runner = mem_zalloc(sizeof(*runner), NULL);
	int err = 0;

	if (!runner)
		return ENOMEM;
	runner->listener = listener;
	runner->state = state;
	runner->cpu_seconds = cpu_seconds;
	connection_init(&runner->connection, fd);
	list_init(&runner->streams);
	list_init(&runner->unscored);
	pthread_mutex_init(&runner->lock, NULL);
	pthread_cond_init(&runner->drained, NULL);
	mem_set_destructor(runner, listener_runner_destroy);
	runner->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (runner->wake_fd < 0)
		err = errno;
	if (!err)
		err = listener->models(state, listener_runner_add_model, runner);
	if (!err)
		err = listener_crew_alloc(&runner->crew, &runner->lock,
					  listener_runner_processors(), listener_runner_on_answer,
					  runner);
	if (err)
		mem_deref(runner);
	else
		*runnerp = runner;
	return err;
}
