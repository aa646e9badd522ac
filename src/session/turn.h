/*
 * turn.h: one utterance, from its first text to its end.
 *
 *   text → chunker → reader → speech jobs → pipeline → frames → peer
 *
 * A turn takes text and commands, speaks chunk after chunk, and ends with its row in the ledger.
 * Its states and events are a table (turn.c), which docs/turn-states.md shows.  Its owner queues
 * turns (turn_queue.h): only the front turn speaks; the messages of others wait inside them.
 *
 * A turn of a context sends only `final` when it ends, and no session_closed.
 *
 * Runs on the loop's thread.
 */
#ifndef SESSION_TURN_H
#define SESSION_TURN_H

#include "session/session.h"
#include "wire/dialect.h"
#include "wire/error.h"
#include "wire/stream_message.h"

#define TURN_IDLE_MS 5000 /* turn_owner.idle_ms on /ws/tts/stream */

#define TURN_STATES(X)                                                                             \
	X(OPEN) /* takes text */                                                                   \
	X(DRAINING) /* accepts no more text; speaks what it has */                                 \
	X(BOOKING) /* nothing more is spoken; waits for the ledger */                              \
	X(FAILED) /* the error was sent; discards text until its end */                            \
	X(CLOSED) /* over */

#define TURN_EVENTS(X)                                                                             \
	X(TEXT) /* more text */                                                                    \
	X(FLUSH) /* all text so far is to be spoken; more may follow */                            \
	X(END) /* no more text follows: flush or close */                                          \
	X(IDLE) /* no text and no flush for too long */                                            \
	X(CURTAIL) /* credit or a limit ends it after the current chunk */                         \
	X(FAULT) /* it fails */                                                                    \
	X(SENT) /* the last audio was handed to the kernel */                                      \
	X(BOOKED) /* the ledger has its row, or took too long */                                   \
	X(CANCEL) /* barge-in, or the client is gone */                                            \
	X(DROP) /* like CANCEL, but its owner waits until its row is durable */

enum turn_state {
#define X(name) TURN_##name,
	TURN_STATES(X)
#undef X
		TURN_STATE_COUNT
};

enum turn_event {
#define X(name) TURN_EVENT_##name,
	TURN_EVENTS(X)
#undef X
		TURN_EVENT_COUNT
};

/* What a turn waits for before it continues to speak. */
#define TURN_WAITS(X)                                                                              \
	X(NOTHING) /* it speaks */                                                                 \
	X(FRONT) /* another turn is speaking, or it was cancelled */                               \
	X(OVER) /* nothing: it has failed, was refused, or has finished */                         \
	X(CREDIT) /* permission to speak, or credit for the next chunk */                          \
	X(ENGINE) /* the samples of the chunk that is being spoken */                              \
	X(TEXT) /* more text; at the end, the last audio to be handed to the kernel */             \
	X(PEER) /* the client to read what was sent */                                             \
	X(LEAD) /* playback: audio is max_lead_ms ahead of it */                                   \
	X(ENCODER) /* audio that the encoder has */

enum turn_wait {
#define X(name) TURN_WAIT_##name,
	TURN_WAITS(X)
#undef X
		TURN_WAIT_COUNT
};

struct turn;
struct transcript;
struct playback_clock;

/* Counts frames and chunks. */
struct turn_counters {
	unsigned chunks;
	unsigned frames;
	/* The audio of chunks that were spoken to their end.  It is counted as time because turns
	 * of one owner may differ in their sample rates. */
	uint64_t audio_us;
};

/* Notifications of the owner of turns. */
struct turn_owner_ops {
	void (*over)(void *arg); /* a turn that was in front is over, or booked */
	/* Called in addition to the dialect's error when the turn fails; may be NULL. */
	void (*failed)(void *arg, const struct wire_notice *notice);
};

struct turn_owner {
	struct session *session; /* its peer, dialect, services and caller are used */
	const char *context; /* its context_id (see reply.h); NULL: it has no context */
	unsigned idle_ms; /* it ends after this time without text; 0: never */
	struct turn_counters *counters; /* shared by all turns; NULL: each turn counts from 0 */
	const struct turn_owner_ops *ops;
	void *arg;
};

/* Makes a turn.  The owner and the settings are copied.  `voice` is the voice of the settings; the
 * turn keeps a reference to it, so that it speaks to its end with the same voice even if the
 * catalogue changes.  If `voice` is NULL the turn fails at once, and sends the error when it is in
 * front. */
int turn_alloc(struct turn **turnp, const struct turn_owner *owner, const struct settings *settings,
	       const struct voice *voice);

/* Makes it the front turn, which may speak if its caller has permission.  Permission is requested
 * here, because a turn that waits for another one does not count in the limit of concurrent
 * turns. */
void turn_come_to_front(struct turn *turn);

/* Counts blank characters that were received before its first text; they are charged with it. */
void turn_count_blanks(struct turn *turn, uint64_t characters);

/* Adds text; the turn must still take some (turn_takes_text). */
void turn_text(struct turn *turn, const char *text, size_t len);
void turn_fail(struct turn *turn, enum wire_error_id id, const char *detail);
void turn_end(struct turn *turn);

/* Speaks all text so far; more may follow. */
void turn_flush(struct turn *turn);
/* Speaks whole sentences that only wait for the schedule. */
void turn_release(struct turn *turn);
/* Ends the turn, and speaks only the text before the last turn_flush: a later chunk that is being
 * spoken is cut. */
void turn_stop(struct turn *turn);
/* It is speaking, or about to speak, and none of it was flushed: after turn_stop nothing would be
 * left to speak. */
bool turn_is_unflushed(const struct turn *turn);

/* Lets other turns go first, because its listener may not be listening any more. */
void turn_yield(struct turn *turn);

/* Drops what was not sent and books the rest.  EBUSY if `final` was sent: then session_closed
 * follows, as without the cancel. */
int turn_cancel(struct turn *turn);

/* For a turn of a context: drops what was not sent.  The turn is then BOOKING until its row is
 * durable; a turn that has failed is CLOSED. */
void turn_drop(struct turn *turn);

/* After turn_cancel: what its listener has heard of what was sent, after playback_ms (-1: estimated
 * from the clock).  The text that was not spoken is moved into the transcript.  Strings belong to
 * the turn. */
struct turn_heard {
	const char *text_spoken, *text_remaining;
	size_t text_spoken_len, text_remaining_len;
	double audio_seconds;
};
void turn_heard(struct turn *turn, struct turn_heard *heard, int64_t playback_ms);
/* After turn_cancel: what was booked. */
void turn_usage(const struct turn *turn, struct reply_usage *usage);

/* Notifications of the peer: no more audio should be produced; it has room again; all messages with
 * a tag, which may be this turn's, were handed to the kernel.  turn_filled may be called from inside
 * the sending of a message. */
void turn_filled(struct turn *turn);
void turn_drained(struct turn *turn);
void turn_sent(struct turn *turn, uint64_t tag);

/* The audio of the turn so far. */
struct turn_figures {
	uint64_t samples; /* how many were sent */
	unsigned sample_rate;
	unsigned frames; /* how many were sent */
	double gen_ms; /* how long engines have worked on it */
	double first_audio_ms; /* from the turn's beginning to its first audio; -1: none was sent */
};
void turn_figures(const struct turn *turn, struct turn_figures *figures);
/* Its chunks, and how much its listener has heard; only for a turn with a voice. */
const struct transcript *turn_transcript(const struct turn *turn);
const struct playback_clock *turn_playback(const struct turn *turn);

enum turn_state turn_state(const struct turn *turn);
/* What it waits for.  If it waits for an engine whose job is held, it is the reason to hold. */
enum turn_wait turn_wait(const struct turn *turn);

/* It has sent its last message, and the next turn may speak: it is closed.  In a context also when
 * it has failed, or only waits for the ledger. */
bool turn_is_over(const struct turn *turn);
bool turn_has_failed(const struct turn *turn);
enum wire_error_id turn_fault(const struct turn *turn); /* WIRE_ERROR_NONE: it has not */
/* The credit of its caller or a limit ended it after it had begun to speak: it finishes the chunk
 * that is being spoken, and its owner reports the fault after its last messages. */
bool turn_was_curtailed(const struct turn *turn, struct stream_fault *fault);
bool turn_has_spoken(const struct turn *turn); /* a chunk of it has begun */
bool turn_was_refused(const struct turn *turn); /* it got no permission, and has no row */

/* A chunk is being spoken or waits to be, or the last audio is being sent. */
bool turn_is_busy(const struct turn *turn);
uint64_t turn_quiet_since_us(const struct turn *turn); /* when its last chunk ended; 0: none has */
bool turn_takes_text(const struct turn *turn); /* open or failed */
bool turn_is_finished(const struct turn *turn); /* spoken to its end */
size_t turn_unspoken(const struct turn *turn); /* bytes of text */

/* Reads the table: the state that an event leads to; false when it has no meaning there. */
bool turn_edge(enum turn_state *to, enum turn_state from, enum turn_event event);
const char *turn_state_name(enum turn_state state);
const char *turn_event_name(enum turn_event event);
const char *turn_wait_name(enum turn_wait wait);

#endif
