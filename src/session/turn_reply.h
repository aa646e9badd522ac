/*
 * turn_reply.h: what a turn says to its client.
 *
 * Writes what has happened in the words of the session's dialect, numbers chunks and frames, and
 * sends the messages to the peer.  Until the turn is in front, its messages are kept here.
 *
 * A member of its turn; runs on the loop's thread.
 */
#ifndef SESSION_TURN_REPLY_H
#define SESSION_TURN_REPLY_H

#include "session/speech_stream.h"
#include "session/turn.h"

struct turn_reply {
	const struct session *session; /* whose peer and dialect are used */
	const char *context; /* its context_id (see reply.h); NULL: it has no context */
	const struct settings *settings; /* the turn's */
	struct audio_format format;
	uint64_t tag; /* of the messages that a cancel takes back */
	bool is_open; /* messages are sent, not kept */
	struct buf pending; /* what is kept: each message with its length before it */
	struct turn_counters own_counters;
	struct turn_counters *counters; /* the owner's, or its own */
	unsigned text_chunks; /* that have begun */
	unsigned audio_chunks; /* frames that were sent */
	uint64_t first_audio_us; /* 0: none was sent */
};

void turn_reply_init(struct turn_reply *reply, const struct turn_owner *owner,
		     const struct settings *settings, const struct audio_format *format,
		     uint64_t tag);
void turn_reply_reset(struct turn_reply *reply);

/* Sends what was kept, and from now on everything at once. */
void turn_reply_open(struct turn_reply *reply);

/* The speech of the turn.  An errno: the message could not be written. */
int turn_reply_began(struct turn_reply *reply, const struct text_chunk *chunk);
int turn_reply_frame(struct turn_reply *reply, const struct audio_frame *frame);
void turn_reply_ended(struct turn_reply *reply, const struct speech_chunk_end *end);

/* Its states; `samples` were sent in all. */
void turn_reply_idle(struct turn_reply *reply);
void turn_reply_error(struct turn_reply *reply, const struct wire_notice *notice);
void turn_reply_final(struct turn_reply *reply, uint64_t samples);
void turn_reply_closed(struct turn_reply *reply, uint64_t samples, const struct reply_usage *usage);
/* The same for a turn that has failed: nothing was said. */
void turn_reply_closed_empty(struct turn_reply *reply, const struct reply_usage *usage);

/* Takes back what was not handed over, and says how many samples that were. */
uint64_t turn_reply_drop(struct turn_reply *reply);
/* turn_sent will be called; false: everything was handed over. */
bool turn_reply_tell_when_sent(struct turn_reply *reply);

#endif
