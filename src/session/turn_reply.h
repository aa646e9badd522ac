/*
 * turn_reply.h: the messages of a turn to its client.
 *
 * Writes messages in the session's dialect, numbers chunks and frames, and sends the messages to
 * the peer.  Until the turn is in front, its messages are kept here.
 *
 * A member of its turn; runs on the loop's thread.
 */
#ifndef SESSION_TURN_REPLY_H
#define SESSION_TURN_REPLY_H

#include "session/speech_stream.h"
#include "session/turn.h"

struct turn_reply {
	const struct session *session; /* its peer and dialect are used */
	const char *context; /* the context_id (see reply.h); NULL: there is no context */
	const struct settings *settings; /* the turn's */
	struct audio_format format;
	uint64_t tag; /* the tag of messages that a cancel can drop */
	bool is_open; /* messages are sent, not kept */
	struct buf pending; /* messages that are kept, each after its length */
	struct turn_counters own_counters;
	struct turn_counters *counters; /* the owner's, or own_counters */
	unsigned text_chunks; /* how many chunks have begun */
	unsigned audio_chunks; /* how many frames were sent */
	uint64_t first_audio_us; /* 0: none was sent */
};

void turn_reply_init(struct turn_reply *reply, const struct turn_owner *owner,
		     const struct settings *settings, const struct audio_format *format,
		     uint64_t tag);
void turn_reply_reset(struct turn_reply *reply);

/* Sends the messages that were kept; later ones are sent at once. */
void turn_reply_open(struct turn_reply *reply);

/* Report the speech of the turn.  An errno: the message could not be written. */
int turn_reply_began(struct turn_reply *reply, const struct text_chunk *chunk);
int turn_reply_frame(struct turn_reply *reply, const struct audio_frame *frame);
void turn_reply_ended(struct turn_reply *reply, const struct speech_chunk_end *end);

/* Report the states of the turn.  `samples` is how many were sent in all. */
void turn_reply_idle(struct turn_reply *reply);
void turn_reply_error(struct turn_reply *reply, const struct wire_notice *notice);
void turn_reply_final(struct turn_reply *reply, uint64_t samples);
void turn_reply_closed(struct turn_reply *reply, uint64_t samples, const struct reply_usage *usage);
/* The same for a turn that has failed: all totals are 0. */
void turn_reply_closed_empty(struct turn_reply *reply, const struct reply_usage *usage);

/* Drops messages that were not handed to the kernel and returns how many samples they had. */
uint64_t turn_reply_drop(struct turn_reply *reply);
/* Requests a call of turn_sent; false: everything was already handed to the kernel. */
bool turn_reply_notify_when_sent(struct turn_reply *reply);

#endif
