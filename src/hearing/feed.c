/*
 * feed.c: the audio that the worker of a stream has been sent.
 *
 * A worker is sent whole frames, because it can do nothing with a part of one, unless a piece ends
 * within a frame.  It is sent no more than it has room for; no more of one stream than a window, so
 * that a stream that arrives at once does not delay the others; and nothing while much waits for it
 * that it has not read.
 */
#include "base/mem.h"
#include "hearing/hearing_private.h"

/* Frames of one stream that may be at a worker unanswered: two seconds, which takes a worker a few
 * milliseconds. */
#define FEED_WINDOW_FRAMES 64u

/* A worker that has not read this many bytes is sent no audio: half of what ends its connection, so
 * that there is room for all other messages (workers/endpoint.h). */
#define FEED_UNSENT_MAX (1024u * 1024u)

/* A worker is told that audio has been released when this much has been, or when it has no room for
 * more. */
#define FEED_RELEASE_STEP HEARING_RATE

static struct load *feed_find_load(const struct recognizer *recognizer, uint64_t serial)
{
	const struct list *loads = &recognizer->loads;

	for (struct link *l = list_first(loads); l; l = list_next(loads, l)) {
		struct load *load = LIST_OBJECT(l, struct load, link);

		if (load->serial == serial)
			return load;
	}
	return NULL;
}

static struct load *feed_enter(struct recognizer *recognizer, uint64_t serial)
{
	struct load *load = feed_find_load(recognizer, serial);

	if (!load) {
		load = mem_zalloc(sizeof(*load), NULL);
		if (!load)
			return NULL;
		load->serial = serial;
		list_init(&load->blocked);
		list_append(&recognizer->loads, &load->link);
	}
	++load->streams;
	return load;
}

static void feed_leave(struct recognizer *recognizer, struct load *load)
{
	if (--load->streams > 0)
		return;
	list_remove(&recognizer->loads, &load->link);
	mem_deref(load);
}

bool feed_begin(struct hearing_stream *stream, struct worker *worker)
{
	struct recognizer *recognizer = stream->recognizer;
	struct load *load = feed_enter(recognizer, fleet_serial(worker));
	struct message message = {
		.type = MESSAGE_LISTEN,
		.listen = {.model = message_str_of(stream->model),
			   .language = message_str_of(stream->language),
			   .first_sample = stream->tape.start,
			   .wants = stream->want_times ? MESSAGE_WANT_TIMES : 0,
			   .prompt = message_str_of(stream->prompt)},
	};

	if (!load)
		return false;
	/* The answer that it owes is the first ROOM. */
	if (seat_take(&stream->seat, worker, &message, 1, stream) != 0) {
		feed_leave(recognizer, load);
		return false;
	}
	stream->load = load;
	stream->base = stream->acked = stream->sent = stream->tape.start;
	stream->released_there = stream->tape.start;
	stream->worker_room = 0;
	stream->owes_room = true;
	stream->finish_sent = false;
	return true;
}

void feed_end(struct hearing_stream *stream)
{
	struct load *load = stream->load;

	piece_take_back(stream);
	if (link_is_on_list(&stream->blocked))
		list_remove(&load->blocked, &stream->blocked);
	stream->seat = NULL;
	stream->load = NULL;
	feed_leave(stream->recognizer, load);
}

/* The end of the last whole frame before this position. */
static uint64_t feed_frame_end(const struct hearing_stream *stream, uint64_t position)
{
	return position - (position - stream->base) % HEARING_FRAME;
}

/* How many samples can be sent now. */
static uint64_t feed_sendable(struct hearing_stream *stream)
{
	uint64_t to = feed_frame_end(stream, stream->tape.end);
	uint64_t needed = piece_needs_to(stream);
	uint64_t window = stream->acked + (uint64_t)FEED_WINDOW_FRAMES * HEARING_FRAME;

	if (needed > to)
		to = needed;
	if (to > window)
		to = window;
	if (to > stream->sent + stream->worker_room)
		to = stream->sent + stream->worker_room;
	if (to <= stream->sent)
		return 0;
	if (seat_unsent(stream->seat) < FEED_UNSENT_MAX)
		return to - stream->sent;
	if (!link_is_on_list(&stream->blocked))
		list_append(&stream->load->blocked, &stream->blocked);
	return 0;
}

/* Every frame that these samples complete is a frame whose activity is owed. */
static void feed_send(struct hearing_stream *stream, uint64_t most)
{
	uint64_t frames = (stream->sent - stream->base) / HEARING_FRAME;
	struct message message = {.type = MESSAGE_SAMPLES};

	message.samples.samples = tape_read(&stream->tape, stream->sent, &message.samples.count);
	if (message.samples.count > most)
		message.samples.count = (size_t)most;
	stream->sent += message.samples.count;
	stream->worker_room -= message.samples.count;
	frames = (stream->sent - stream->base) / HEARING_FRAME - frames;
	seat_ask(stream->seat, &message, (uint32_t)frames);
}

/* A worker without room owes more of it when audio is released.  It has answered all frames of what is
 * released: after a retry, frames that the session knows are sent and answered once more. */
static void feed_send_release(struct hearing_stream *stream)
{
	uint64_t needed = stream->needed < stream->acked ? stream->needed : stream->acked;
	bool lacks_room = stream->worker_room < HEARING_FRAME;
	struct message message = {.type = MESSAGE_RELEASE, .release_sample = needed};

	if (needed <= stream->released_there ||
	    (needed < stream->released_there + FEED_RELEASE_STEP && !lacks_room))
		return;
	stream->released_there = needed;
	seat_ask(stream->seat, &message, lacks_room && !stream->owes_room);
	stream->owes_room = stream->owes_room || lacks_room;
}

void feed_push(struct hearing_stream *stream)
{
	struct message finish = {.type = MESSAGE_FINISH};
	uint64_t most;

	if (!stream->seat || stream->finish_sent)
		return;
	feed_send_release(stream);
	while (!hearing_stream_is_complete(stream) && (most = feed_sendable(stream)) > 0)
		feed_send(stream, most);
	if (hearing_stream_is_complete(stream)) {
		stream->finish_sent = true;
		seat_ask(stream->seat, &finish, 1); /* DONE */
	}
	if (stream->pieces.count > 0)
		hearing_pool_run_soon(stream->pool); /* its worker may have all of one now */
}

void feed_unblock(struct load *load)
{
	struct link *link;

	while ((link = list_first(&load->blocked))) {
		struct hearing_stream *stream = LIST_OBJECT(link, struct hearing_stream, blocked);

		if (seat_unsent(stream->seat) >= FEED_UNSENT_MAX)
			return;
		list_remove(&load->blocked, link);
		feed_push(stream);
	}
}

void feed_take_room(struct hearing_stream *stream, uint32_t samples)
{
	if (stream->owes_room) {
		stream->owes_room = false;
		seat_use(stream->seat, 1);
		seat_progress(stream->seat, UINT64_MAX);
	}
	stream->worker_room += samples;
	suspect_check_progress(stream);
	feed_push(stream);
}

/* While a piece is being recognized only its words are a sign of life: a worker that hangs in it may
 * still report activity, from another thread. */
const char *feed_take_activity(struct hearing_stream *stream,
			       const struct message_activity *activity)
{
	uint64_t first = activity->first_sample;
	uint64_t end = first + (uint64_t)activity->count * HEARING_FRAME;
	size_t known;

	if (first != stream->acked || end > feed_frame_end(stream, stream->sent))
		return "activity of frames that it was not sent";
	stream->acked = end;
	if (stream->pieces_sent == 0)
		seat_progress(stream->seat, UINT64_MAX);
	mem_ref(stream); /* its session may cancel it */
	if (end > stream->heard) {
		known = stream->heard > first ? (size_t)(stream->heard - first) / HEARING_FRAME : 0;
		stream->heard = end;
		stream->listener->activity(stream->arg, first + known * HEARING_FRAME,
					   activity->probabilities + known,
					   activity->count - known);
	}
	if (stream->listener) {
		suspect_check_progress(stream);
		feed_push(stream);
	}
	if (stream->load)
		feed_unblock(stream->load);
	mem_deref(stream);
	return NULL;
}
