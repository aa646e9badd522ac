/*
 * hearing_stream.c: one stream: what its session may ask, and on which worker it is.
 *
 * Runs on the loop's thread.  A session owns its stream until it cancels it or is told its end; it may
 * cancel it at any time, also in a callback of the stream.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "hearing/hearing_private.h"

/* A stream that lost its worker waits at least this long for another one: longer than any engine takes
 * to load. */
#define STREAM_WAIT_AGAIN_MS 30000

/* This much audio is kept before what a session may ask for.  After a retry, the new worker hears it
 * first, so that it has a context for what follows. */
#define STREAM_CONTEXT HEARING_RATE

static void hearing_stream_destroy(void *object)
{
	struct hearing_stream *stream = object;
	struct loop *loop = stream->pool->loop;

	timer_clear(&loop->timers, &stream->start_timer);
	loop_undefer(loop, &stream->end);
	loop_undefer(loop, &stream->room);
	hearing_stream_move(stream, STREAM_NEW);
	suspect_leave(stream);
	piece_drop_all(stream);
	tape_reset(&stream->tape);
	--stream->pool->streams;
}

void hearing_stream_move(struct hearing_stream *stream, enum stream_state state)
{
	struct recognizer *recognizer = stream->recognizer;

	if (stream->list)
		list_remove(stream->list, &stream->link);
	stream->state = state;
	stream->list = state == STREAM_QUEUED   ? &recognizer->queued
		       : state == STREAM_ALONE  ? &recognizer->alone
		       : state == STREAM_SEATED ? &recognizer->seated
						: NULL;
	if (!stream->list)
		return;
	/* A stream that has been interrupted comes before those that begin. */
	if (state == STREAM_QUEUED && stream->was_seated)
		list_prepend(stream->list, &stream->link);
	else
		list_append(stream->list, &stream->link);
}

void hearing_stream_end(struct hearing_stream *stream, enum hearing_end how, const char *detail)
{
	const struct hearing_listener *listener = stream->listener;

	assert(!stream->seat);
	stream->listener = NULL;
	hearing_stream_move(stream, STREAM_OVER);
	hearing_pool_run_soon(stream->pool);
	if (listener)
		listener->end(stream->arg, how, detail);
	mem_deref(stream);
}

static void hearing_stream_on_end(void *arg)
{
	hearing_stream_end(arg, HEARING_DONE, "");
}

static void hearing_stream_on_start_timeout(void *arg)
{
	hearing_stream_end(arg, HEARING_UNAVAILABLE, "no worker was free in time");
}

void hearing_stream_wait_anew(struct hearing_stream *stream)
{
	const struct hearing_pool_options *options = &stream->pool->options;
	bool is_loading = !fleet_has_answered(stream->recognizer->fleet);
	unsigned ms = options->start_timeout_ms;

	if (is_loading && options->load_timeout_ms > ms)
		ms = options->load_timeout_ms;
	if (stream->was_seated && ms < STREAM_WAIT_AGAIN_MS)
		ms = STREAM_WAIT_AGAIN_MS;
	timer_set(&stream->pool->loop->timers, &stream->start_timer, ms * UINT64_C(1000),
		  hearing_stream_on_start_timeout, stream);
}

bool hearing_stream_is_complete(const struct hearing_stream *stream)
{
	return stream->is_finished && stream->pieces.count == 0;
}

void hearing_stream_requeue(struct hearing_stream *stream)
{
	hearing_stream_move(stream, stream->deaths > 1 ? STREAM_ALONE : STREAM_QUEUED);
	hearing_stream_wait_anew(stream);
	hearing_pool_run_soon(stream->pool);
}

static const char *hearing_stream_keep(char **at, const char *string)
{
	char *copy = *at;
	size_t size = strlen(string) + 1;

	memcpy(copy, string, size);
	*at += size;
	return copy;
}

static int hearing_stream_start(struct hearing_stream **streamp, struct hearing *hearing,
				const struct hearing_request *request,
				const struct hearing_listener *listener, void *arg)
{
	struct hearing_pool *pool = (struct hearing_pool *)(void *)hearing;
	struct recognizer *recognizer = hearing_pool_find(pool, request->model->engine);
	size_t strings_len = strlen(request->model->name) + strlen(request->language) +
			     strlen(request->prompt) + 3;
	struct hearing_stream *stream;
	char *at;

	if (!recognizer)
		return ENOENT;
	if (pool->streams >= pool->options.streams_max)
		return ENOBUFS;
	stream = mem_zalloc(sizeof(*stream) + strings_len, NULL);
	if (!stream)
		return ENOMEM;
	at = stream->strings;
	stream->pool = pool;
	stream->recognizer = recognizer;
	stream->listener = listener;
	stream->arg = arg;
	stream->piece_max = request->model->piece_max;
	stream->want_times = request->want_times;
	stream->model = hearing_stream_keep(&at, request->model->name);
	stream->language = hearing_stream_keep(&at, request->language);
	stream->prompt = hearing_stream_keep(&at, request->prompt);
	list_init(&stream->pieces);
	++pool->streams;
	mem_set_destructor(stream, hearing_stream_destroy);
	hearing_stream_requeue(stream);
	*streamp = stream;
	return 0;
}

static int hearing_stream_send(struct hearing_stream *stream, const int16_t *samples, size_t count)
{
	int err = tape_append(&stream->tape, samples, count);

	assert(!stream->is_finished);
	if (err)
		stream->wants_room = err == ENOBUFS || stream->wants_room;
	else
		feed_push(stream);
	return err;
}

static size_t hearing_stream_room(const struct hearing_stream *stream)
{
	return tape_room(&stream->tape);
}

static void hearing_stream_on_room(void *arg)
{
	struct hearing_stream *stream = arg;

	stream->wants_room = false;
	stream->listener->room(stream->arg);
}

void hearing_stream_trim(struct hearing_stream *stream)
{
	bool was_full = stream->wants_room || tape_room(&stream->tape) < HEARING_RATE;
	uint64_t to = piece_needs_from(stream);

	if (to > stream->released)
		to = stream->released;
	if (to > stream->heard)
		to = stream->heard;
	stream->needed = to;
	if (stream->seat && to > stream->sent)
		to = stream->sent; /* after a retry, when it is sent again */
	/* Frames are counted from the beginning of a try: whole frames stay whole. */
	to = to > STREAM_CONTEXT ? (to - STREAM_CONTEXT) / HEARING_FRAME * HEARING_FRAME : 0;
	if (to <= stream->tape.start)
		return;
	tape_release(&stream->tape, to);
	if (was_full && tape_room(&stream->tape) >= HEARING_RATE)
		loop_defer(stream->pool->loop, &stream->room, hearing_stream_on_room, stream);
}

static int hearing_stream_recognize(struct hearing_stream *stream,
				    const struct hearing_piece *piece)
{
	int err = piece_ask(stream, piece);

	if (!err)
		feed_push(stream); /* it may end within a frame */
	return err;
}

static void hearing_stream_release(struct hearing_stream *stream, uint64_t sample)
{
	if (sample <= stream->released)
		return;
	stream->released = sample < stream->tape.end ? sample : stream->tape.end;
	hearing_stream_trim(stream);
	feed_push(stream);
}

static void hearing_stream_finish(struct hearing_stream *stream)
{
	stream->is_finished = true;
	if (stream->seat) {
		feed_push(stream);
	} else if (hearing_stream_is_complete(stream)) {
		hearing_stream_move(stream, STREAM_OVER);
		loop_defer(stream->pool->loop, &stream->end, hearing_stream_on_end, stream);
	}
}

static void hearing_stream_cancel(struct hearing_stream *stream)
{
	struct seat *seat = stream->seat;

	stream->listener = NULL;
	if (seat) {
		feed_end(stream);
		seat_call_off(seat);
	}
	hearing_stream_move(stream, STREAM_OVER);
	hearing_pool_run_soon(stream->pool);
	mem_deref(stream);
}

const struct hearing_ops hearing_stream_ops = {
	.start = hearing_stream_start,
	.send = hearing_stream_send,
	.room = hearing_stream_room,
	.recognize = hearing_stream_recognize,
	.release = hearing_stream_release,
	.finish = hearing_stream_finish,
	.cancel = hearing_stream_cancel,
	.state = hearing_pool_state,
};

static void hearing_stream_seat_one(struct hearing_stream *stream, struct worker *worker)
{
	if (!feed_begin(stream, worker))
		return;
	timer_clear(&stream->pool->loop->timers, &stream->start_timer);
	stream->was_seated = true;
	hearing_stream_move(stream, STREAM_SEATED);
	feed_push(stream);
}

/* Streams may last for hours, and a worker that is leaving does not wait for them.  A stream that waits
 * for words stays until it has them, and one whose model is gone stays to its end. */
static void hearing_stream_leave_all(struct recognizer *recognizer)
{
	const struct hearing_models *models = recognizer->pool->models;
	struct link *next;

	for (struct link *l = list_first(&recognizer->seated); l; l = next) {
		struct hearing_stream *stream = LIST_OBJECT(l, struct hearing_stream, link);
		const struct hearing_model *model = hearing_models_find(models, stream->model);
		struct worker *worker;
		struct seat *seat = stream->seat;

		next = list_next(&recognizer->seated, l);
		if (!seat_is_leaving(seat) || stream->pieces.count > 0 || stream->is_finished ||
		    !model || strcmp(model->engine, recognizer->name) != 0)
			continue;
		worker = fleet_pick(recognizer->fleet);
		if (!worker)
			return;
		feed_end(stream);
		seat_call_off(seat);
		hearing_stream_requeue(stream);
		hearing_stream_seat_one(stream, worker);
	}
}

void hearing_stream_seat_all(struct recognizer *recognizer)
{
	struct link *next;
	struct link *link;
	struct worker *worker;

	if (fleet_has_leaving(recognizer->fleet))
		hearing_stream_leave_all(recognizer);
	for (struct link *l = list_first(&recognizer->alone); l; l = next) {
		struct hearing_stream *stream = LIST_OBJECT(l, struct hearing_stream, link);

		next = list_next(&recognizer->alone, l);
		worker = fleet_find(recognizer->fleet, stream->claimed);
		if (worker && fleet_has_seat(worker))
			hearing_stream_seat_one(stream, worker);
	}
	while ((link = list_first(&recognizer->queued)) &&
	       (worker = fleet_pick(recognizer->fleet))) {
		struct hearing_stream *stream = LIST_OBJECT(link, struct hearing_stream, link);

		hearing_stream_seat_one(stream, worker);
		if (stream->state != STREAM_SEATED)
			return; /* that worker is lost, or there is no memory: it is tried again later */
	}
}
