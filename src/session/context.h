/*
 * context.h: one of the independent streams of text on a connection of /ws/tts/multi.
 *
 * A context is a queue of turns with an id, a voice and an idle timeout: a flush ends a turn, the
 * next text begins another one, and each turn is a row of the ledger.  Its states and events are a
 * table (context.c), which docs/context-states.md shows.  It belongs to its connection until it is
 * closed, which context_closed reports to the client.  Runs on the loop's thread.
 */
#ifndef SESSION_CONTEXT_H
#define SESSION_CONTEXT_H

#include "session/services.h"
#include "wire/error.h"
#include "wire/settings.h"

/* Flushes that may wait while one is being spoken.  More than on /ws/tts/stream, because frameworks
 * flush each sentence of an answer faster than it is spoken. */
#define CONTEXT_FLUSHES_MAX 64

/* The most text of one context that has not been spoken yet, as on /ws/tts/stream. */
#define CONTEXT_UNSPOKEN_MAX (256 * 1024)

/* How many row ids context_closed lists; further rows are booked as well. */
#define CONTEXT_TURN_IDS_MAX 1000

#define CONTEXT_STATES(X)                                                                          \
	X(OPEN) /* takes text */                                                                   \
	X(CLOSING) /* accepts no more input; speaks what it has */                                 \
	X(BOOKING) /* nothing more is spoken; waits for the ledger */                              \
	X(CLOSED) /* over */

#define CONTEXT_EVENTS(X)                                                                          \
	X(INPUT) /* text, flush or keep-alive */                                                   \
	X(CLOSE) /* close_context, close_socket */                                                 \
	X(IDLE) /* nothing was received or spoken for too long */                                  \
	X(FAULT) /* a turn has failed */                                                           \
	X(SPOKEN) /* no turn is left to speak */                                                   \
	X(BOOKED) /* all rows are durable */                                                       \
	X(CANCEL) /* barge-in */                                                                   \
	X(CUT) /* an immediate end: nothing is waited for */

enum context_state {
#define X(name) CONTEXT_##name,
	CONTEXT_STATES(X)
#undef X
		CONTEXT_STATE_COUNT
};

enum context_event {
#define X(name) CONTEXT_EVENT_##name,
	CONTEXT_EVENTS(X)
#undef X
		CONTEXT_EVENT_COUNT
};

struct context;
struct session;

struct context_owner {
	struct session *session;
	unsigned idle_ms; /* it closes after this time without input and speech */
	/* Called before context_closed is sent: the owner must release the context (mem_deref), so
	 * that its slot is free when the client reads the message. */
	void (*closing)(void *arg, struct context *context);
	/* Called when context_closed has been sent. */
	void (*closed)(void *arg);
	/* Called when the context ends with this error, which was sent to the client. */
	void (*failed)(void *arg, enum wire_error_id id);
	void *arg;
};

/* Makes a context and sends context_created.  `settings` are the settings of the session with those
 * of the context; voice_id may be unset.  The owner, the id and the settings are copied. */
int context_alloc(struct context **contextp, const struct context_owner *owner, const char *id,
		  size_t id_len, const struct settings *settings);

/* The commands of a client.  Except for closing and cancelling, they have no effect when the
 * context takes no more input (context_takes_input). */

/* Adds text to the open turn, or begins one.  More than `room` bytes are an error. */
void context_text(struct context *context, const char *text, size_t len, size_t room);
void context_flush(struct context *context);
void context_keep_alive(struct context *context);
void context_close(struct context *context);
/* For APIs in which a flush does not end the turn.  context_emit speaks all text so far,
 * context_release only whole sentences.  context_stop closes the context and speaks only what was
 * flushed: other text is dropped, even the sentence that is being spoken.  If nothing was flushed,
 * it is the same as context_cut. */
void context_emit(struct context *context);
void context_release(struct context *context);
void context_stop(struct context *context);
/* Barge-in: sends `interrupted` at once, and context_closed when the rows are durable. */
void context_cancel(struct context *context);
/* Barge-in that is acknowledged with context_closed at once. */
void context_cut(struct context *context);

/* Another context of the connection begins.  If this one is closing and some of it has been heard,
 * its listener may not be listening any more, so it gives way to others (turn_yield). */
void context_yield(struct context *context);

/* Change the settings of turns that have not begun.  context_configure merges settings of the
 * session, except those that the context has set itself; context_configure_voice merges the
 * context's own.  Neither replaces a voice that is already set. */
void context_configure(struct context *context, const struct settings *settings);
void context_configure_voice(struct context *context, const struct settings *voice);
/* Takes effect at the next input. */
void context_set_idle_ms(struct context *context, unsigned idle_ms);

/* The high half of a surrogate pair with which the last text ended; 0: none. */
uint16_t context_surrogate(const struct context *context);
void context_set_surrogate(struct context *context, uint16_t surrogate);

/* From the peer. */
void context_filled(struct context *context);
void context_drained(struct context *context);
void context_sent(struct context *context, uint64_t tag);

/* The server is shutting down: turns that wait do not begin, and a context that is speaking closes
 * afterwards. */
void context_go_away(struct context *context);

enum context_state context_state(const struct context *context);
bool context_takes_input(const struct context *context);
/* It was interrupted or has failed, and only waits until its rows are durable.  It is cut when its
 * id or its slot is needed. */
bool context_is_dropped(const struct context *context);
/* Nothing is being spoken, and no reply is due. */
bool context_is_idle(const struct context *context);
bool context_has_id(const struct context *context, const char *id, size_t len);
size_t context_unspoken(const struct context *context); /* bytes of text */
/* The sum of the turns that are over. */
double context_audio_seconds(const struct context *context);

/* Reads the table: the state that an event leads to; false when it has no meaning there. */
bool context_edge(enum context_state *to, enum context_state from, enum context_event event);
const char *context_state_name(enum context_state state);
const char *context_event_name(enum context_event event);

#endif
