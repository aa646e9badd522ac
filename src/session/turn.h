/*
 * turn.h: one utterance, from its first text to its end.
 *
 *   text → chunker → reader → speech jobs → pipeline → frames → peer
 *
 * A turn takes text and commands, speaks chunk after chunk, and ends with its
 * row in the ledger.  Its life is a table of states and events (turn.c), which
 * docs/turn-states.md shows.  Its owner queues turns (turn_queue.h): only the
 * front one speaks; what another has to say waits inside it.
 *
 * A turn of a context differs in what it says of its end: `final` alone, no
 * session_closed.
 */
#ifndef SESSION_TURN_H
#define SESSION_TURN_H

#include "session/session.h"
#include "wire/dialect.h"
#include "wire/error.h"
#include "wire/stream_message.h"

#define TURN_IDLE_MS 5000 /* on /ws/tts/stream */

#define TURN_STATES(X)                                                                             \
	X(OPEN) /* takes text */                                                                   \
	X(DRAINING) /* takes no more; speaks what it has */                                        \
	X(BOOKING) /* says no more; waits for the ledger */                                        \
	X(FAILED) /* error told; throws text away until its end */                                 \
	X(CLOSED) /* over */

#define TURN_EVENTS(X)                                                                             \
	X(TEXT) /* more to say */                                                                  \
	X(FLUSH) /* all that it has is to be heard; more may come */                               \
	X(END) /* flush, close */                                                                  \
	X(IDLE) /* too long without either */                                                      \
	X(CURTAIL) /* it may not go on: what is being spoken is its end */                         \
	X(FAULT) /* it cannot go on */                                                             \
	X(SENT) /* the last audio was handed to the kernel */                                      \
	X(BOOKED) /* the ledger has it, or took too long */                                        \
	X(CANCEL) /* barge-in, or the client is gone */                                            \
	X(DROP) /* the same, and its owner waits for its row */

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

/* Why a turn that has something to say begins nothing now: what it waits for. */
#define TURN_WAITS(X)                                                                              \
	X(NOTHING) /* it speaks */                                                                 \
	X(FRONT) /* another turn speaks, or it was called off */                                   \
	X(OVER) /* nothing: it has failed, was refused, or said its last word */                   \
	X(CREDIT) /* permission to speak, or credit for the next chunk */                          \
	X(ENGINE) /* the samples of the chunk that is being spoken */                              \
	X(TEXT) /* a chunk or, when all is spoken, the last audio to be handed over */             \
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

/* What frames and chunks are numbered by. */
struct turn_counters {
	unsigned chunks;
	unsigned frames;
	/* The audio of chunks that were spoken to their end.  It is counted as time because turns of
	 * one owner may differ in their sample rates. */
	uint64_t audio_us;
};

/* What the owner of turns is told. */
struct turn_owner_ops {
	void (*over)(void *arg); /* a turn that was in front is over, or booked */
	/* What it cannot go on for, beside what its dialect says of it; may be NULL. */
	void (*failed)(void *arg, const struct wire_notice *notice);
};

struct turn_owner {
	struct session *session; /* whose peer, dialect, services and member are its */
	const char *context; /* its context_id (see reply.h); NULL: it has no context */
	unsigned idle_ms; /* without text until it ends; 0: it does not by itself */
	struct turn_counters *counters; /* that count on; NULL: from 0 in each turn */
	const struct turn_owner_ops *ops;
	void *arg;
};

/* A turn with the settings in force; `voice` is theirs, and the turn's to its
 * end whatever becomes of the catalogue.  With no voice it is born failed, and
 * says so when it is in front. */
int turn_alloc(struct turn **turnp, const struct turn_owner *owner, const struct settings *settings,
	       const struct voice *voice);

/* It is the front one: from now on it may speak, if its member may.  Only now is
 * leave asked for: a turn that waits for another of its own speaks to nobody, and
 * does not count as one of those at once. */
void turn_come_to_front(struct turn *turn);

/* Characters that came before its first text and are counted with it. */
void turn_count_blanks(struct turn *turn, uint64_t characters);

/* Text of this turn; it must still take some (turn_takes_text). */
void turn_text(struct turn *turn, const char *text, size_t len);
void turn_fail(struct turn *turn, enum wire_error_id id, const char *detail);
void turn_end(struct turn *turn);

/* Speaks all that it has, and takes more. */
void turn_flush(struct turn *turn);
/* Speaks whole sentences that only wait for the schedule. */
void turn_release(struct turn *turn);
/* Ends it, and speaks only what came before its last turn_flush: a later chunk is
 * cancelled where it is. */
void turn_stop(struct turn *turn);
/* It is speaking, or about to speak, and none of it was flushed: turn_stop would leave nothing to
 * speak. */
bool turn_is_unflushed(const struct turn *turn);

/* Its listener may be gone: what it still has to speak is spoken when others can wait. */
void turn_yield(struct turn *turn);

/* Drops what was not sent and books the rest.  EBUSY when `final` has left:
 * then its session_closed is still to come. */
int turn_cancel(struct turn *turn);

/* For a turn of a context: drops what was not sent, and is then BOOKING until its
 * row is durable; one that has failed is CLOSED. */
void turn_drop(struct turn *turn);

/* After turn_cancel: what its listener heard of what was handed over.  The
 * text that was not spoken yet is used up.  playback_ms -1: reckoned from the
 * clock.  Strings are the turn's. */
struct turn_heard {
	const char *text_spoken, *text_remaining;
	size_t text_spoken_len, text_remaining_len;
	double audio_seconds;
};
void turn_heard(struct turn *turn, struct turn_heard *heard, int64_t playback_ms);
/* After turn_cancel: what was booked. */
void turn_usage(const struct turn *turn, struct reply_usage *usage);

/* From the peer: so much waits that nothing more should be made; it has room again; all messages
 * of a tag, which may be this turn's, were handed to the kernel.  The first of these may be called
 * from inside the sending of a message, and only takes note of it. */
void turn_filled(struct turn *turn);
void turn_drained(struct turn *turn);
void turn_sent(struct turn *turn, uint64_t tag);

/* What was made of it so far. */
struct turn_figures {
	uint64_t samples; /* handed over, at this rate: */
	unsigned sample_rate;
	unsigned frames;
	double gen_ms; /* engines' time */
	double first_audio_ms; /* from its beginning; -1: there was none */
};
void turn_figures(const struct turn *turn, struct turn_figures *figures);
/* Its chunks, and where its listener is; only of a turn with a voice. */
const struct transcript *turn_transcript(const struct turn *turn);
const struct playback_clock *turn_playback(const struct turn *turn);

enum turn_state turn_state(const struct turn *turn);
/* What it waited for when it last tried to go on, and whether what is spoken is held now. */
enum turn_wait turn_wait(const struct turn *turn);

/* It has said its last word, and the next may speak: without a context when it
 * is closed, in one also when it has failed, and when only the ledger is waited
 * for. */
bool turn_is_over(const struct turn *turn);
bool turn_has_failed(const struct turn *turn);
enum wire_error_id turn_fault(const struct turn *turn); /* WIRE_ERROR_NONE: it has not */
/* Its member's credit or a limit ended it after it had begun to speak: it says its
 * last words as any other, and its owner tells why behind them. */
bool turn_was_curtailed(const struct turn *turn, struct stream_fault *fault);
bool turn_has_spoken(const struct turn *turn); /* a chunk of it has begun */
bool turn_was_refused(const struct turn *turn); /* it had no leave, and has no row */

/* A chunk is spoken or waits for room, or the last audio is on its way. */
bool turn_is_busy(const struct turn *turn);
uint64_t turn_quiet_since_us(const struct turn *turn); /* its last chunk's end; 0: none */
bool turn_takes_text(const struct turn *turn); /* open or failed */
bool turn_is_finished(const struct turn *turn); /* spoken to its end */
size_t turn_unspoken(const struct turn *turn); /* bytes of text */

/* The table: where an event leads, false when it has no meaning there. */
bool turn_edge(enum turn_state *to, enum turn_state from, enum turn_event event);
const char *turn_state_name(enum turn_state state);
const char *turn_event_name(enum turn_event event);
const char *turn_wait_name(enum turn_wait wait);

#endif
