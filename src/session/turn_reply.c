/*
 * turn_reply.c: the messages of a turn to its client (see turn_reply.h).
 */
#include "session/turn_reply.h"

#include <errno.h>
#include <string.h>

/* Before it is in front, a turn has at most a warning or an error and its session_closed to
 * send. */
#define PENDING_MAX 8192

void turn_reply_init(struct turn_reply *reply, const struct turn_owner *owner,
		     const struct settings *settings, const struct audio_format *format,
		     uint64_t tag)
{
	*reply = (struct turn_reply){
		.session = owner->session,
		.context = owner->context,
		.settings = settings,
		.format = *format,
		.tag = tag,
		.counters = owner->counters ? owner->counters : &reply->own_counters,
	};
	buf_init(&reply->pending, PENDING_MAX);
}

void turn_reply_reset(struct turn_reply *reply)
{
	buf_reset(&reply->pending);
}

static struct buf *turn_reply_begin(const struct turn_reply *reply, struct buf *message)
{
	return session_begin(reply->session, message);
}

/* Moves a message to `pending`: its length, then its bytes. */
static int turn_reply_keep(struct turn_reply *reply, struct buf *message)
{
	uint32_t len = (uint32_t)message->len;

	message->len = 0; /* so that peer_send sends nothing */
	if (buf_reserve(&reply->pending, sizeof(len) + len) != 0)
		return ENOMEM;
	buf_append(&reply->pending, &len, sizeof(len));
	return buf_append(&reply->pending, message->bytes, len);
}

/* Sends or keeps a message of turn_reply_begin; err: it could not be written. */
static void turn_reply_send(struct turn_reply *reply, struct buf *message, int err, uint64_t tag,
			    uint32_t samples)
{
	if (!err && message->len > 0 && !reply->is_open)
		err = turn_reply_keep(reply, message);
	peer_send(reply->session->peer, message, err, tag, samples);
}

void turn_reply_open(struct turn_reply *reply)
{
	size_t at = 0;

	reply->is_open = true;
	while (at < reply->pending.len) {
		struct buf message;
		uint32_t len;

		memcpy(&len, reply->pending.bytes + at, sizeof(len));
		at += sizeof(len);
		turn_reply_send(reply, &message,
				buf_append(turn_reply_begin(reply, &message),
					   reply->pending.bytes + at, len),
				0, 0);
		at += len;
	}
	buf_reset(&reply->pending);
}

/* The number of the chunk that is being spoken. */
static unsigned turn_reply_chunk_id(const struct turn_reply *reply)
{
	return reply->counters->chunks - 1;
}

static double turn_reply_seconds(const struct turn_reply *reply, uint64_t samples)
{
	return (double)samples / reply->format.sample_rate;
}

int turn_reply_began(struct turn_reply *reply, const struct text_chunk *chunk)
{
	const struct dialect *dialect = reply->session->dialect;
	struct buf message;
	int err;

	++reply->text_chunks;
	++reply->counters->chunks;
	if (!dialect->generation_started)
		return 0;
	err = dialect->generation_started(turn_reply_begin(reply, &message), reply->context,
					  turn_reply_chunk_id(reply), chunk->text, chunk->len);
	turn_reply_send(reply, &message, err, reply->tag, 0);
	return err;
}

int turn_reply_frame(struct turn_reply *reply, const struct audio_frame *frame)
{
	struct buf message;
	int err = reply->session->dialect->audio(turn_reply_begin(reply, &message), reply->context,
						 frame, &reply->format, reply->counters->frames,
						 turn_reply_chunk_id(reply));

	if (err) {
		buf_reset(&message);
		return err;
	}
	if (!reply->first_audio_us)
		reply->first_audio_us = reply->session->services->timers->now_us;
	++reply->audio_chunks;
	++reply->counters->frames;
	turn_reply_send(reply, &message, 0, reply->tag, (uint32_t)frame->samples);
	return 0;
}

void turn_reply_ended(struct turn_reply *reply, const struct speech_chunk_end *end)
{
	const struct dialect *dialect = reply->session->dialect;
	const struct dialect_words words = {
		.words = end->words,
		.count = end->words_count,
		.text = end->chunk->text,
		.text_len = end->chunk->len,
		.audio_ms = (unsigned)(end->samples * 1000 / reply->format.sample_rate),
		.before_ms = reply->settings->context_times
				     ? (unsigned)(reply->counters->audio_us / 1000)
				     : 0,
		.markup = reply->settings->markup,
	};
	struct buf message;

	if (words.count > 0 && dialect->words)
		turn_reply_send(reply, &message,
				dialect->words(turn_reply_begin(reply, &message), reply->context,
					       turn_reply_chunk_id(reply), &words),
				reply->tag, 0);
	if (dialect->chunk_complete)
		turn_reply_send(reply, &message,
				dialect->chunk_complete(turn_reply_begin(reply, &message),
							reply->context, turn_reply_chunk_id(reply),
							turn_reply_seconds(reply, end->samples),
							(double)end->busy_us / 1000.0),
				reply->tag, 0);
	if (!end->is_cut)
		reply->counters->audio_us += end->samples * 1000000u / reply->format.sample_rate;
}

void turn_reply_idle(struct turn_reply *reply)
{
	const struct dialect *dialect = reply->session->dialect;
	struct buf message;

	if (dialect->idle_warning)
		turn_reply_send(reply, &message,
				dialect->idle_warning(turn_reply_begin(reply, &message)), 0, 0);
}

void turn_reply_error(struct turn_reply *reply, const struct wire_notice *notice)
{
	const struct dialect *dialect = reply->session->dialect;
	struct buf message;

	if (!dialect->error)
		return;
	session_note_error(notice);
	turn_reply_send(reply, &message,
			dialect->error(turn_reply_begin(reply, &message), reply->context, notice),
			0, 0);
}

static struct reply_totals turn_reply_totals(const struct turn_reply *reply, uint64_t samples)
{
	return (struct reply_totals){
		.audio_seconds = turn_reply_seconds(reply, samples),
		.text_chunks = reply->text_chunks,
		.audio_chunks = reply->audio_chunks,
	};
}

void turn_reply_final(struct turn_reply *reply, uint64_t samples)
{
	const struct dialect *dialect = reply->session->dialect;
	const struct reply_totals totals = turn_reply_totals(reply, samples);
	struct buf message;

	if (dialect->final)
		turn_reply_send(
			reply, &message,
			dialect->final(turn_reply_begin(reply, &message), reply->context, &totals),
			0, 0);
}

static void turn_reply_close(struct turn_reply *reply, const struct reply_totals *totals,
			     const struct reply_usage *usage)
{
	const struct dialect *dialect = reply->session->dialect;
	struct buf message;

	if (dialect->closed)
		turn_reply_send(reply, &message,
				dialect->closed(turn_reply_begin(reply, &message), totals, usage),
				0, 0);
}

void turn_reply_closed(struct turn_reply *reply, uint64_t samples, const struct reply_usage *usage)
{
	const struct reply_totals totals = turn_reply_totals(reply, samples);

	turn_reply_close(reply, &totals, usage);
}

void turn_reply_closed_empty(struct turn_reply *reply, const struct reply_usage *usage)
{
	static const struct reply_totals nothing = {0};

	turn_reply_close(reply, &nothing, usage);
}

uint64_t turn_reply_drop(struct turn_reply *reply)
{
	const struct peer *peer = reply->session->peer;

	return peer->ops->drop(peer->peer, reply->tag);
}

bool turn_reply_notify_when_sent(struct turn_reply *reply)
{
	const struct peer *peer = reply->session->peer;

	return peer->ops->notify_when_sent(peer->peer, reply->tag);
}
