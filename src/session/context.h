/*
 * context.h: one conversation on /ws/tts/multi.
 *
 * A queue of turns with an id, a voice and an idle time: a flush ends a turn,
 * the next text begins another, and each is a row of the ledger.  Its life is a
 * table of states and events (context.c), which docs/context-states.md shows.
 * It belongs to its connection until it is closed, and ends with
 * context_closed.
 */
#ifndef SESSION_CONTEXT_H
#define SESSION_CONTEXT_H

#include "session/services.h"
#include "wire/error.h"
#include "wire/settings.h"

/* Flushes that may wait behind the one that is spoken.  More than on
 * /ws/tts/stream: frameworks flush each sentence of an answer, and write them
 * faster than they are spoken. */
#define CONTEXT_FLUSHES_MAX 64

/* Text of one context that was not spoken yet, as on /ws/tts/stream. */
#define CONTEXT_UNSPOKEN_MAX (256 * 1024)

/* Rows that context_closed names; those of a longer talk are booked as well. */
#define CONTEXT_TURN_IDS_MAX 1000

#define CONTEXT_STATES(X)                                                                          \
	X(OPEN) /* takes text */                                                                   \
	X(CLOSING) /* takes no more; speaks what it has */                                         \
	X(BOOKING) /* nothing more is spoken; waits for the ledger */                              \
	X(CLOSED) /* over */

#define CONTEXT_EVENTS(X)                                                                          \
	X(INPUT) /* text, flush or keep-alive */                                                   \
	X(CLOSE) /* close_context, close_socket */                                                 \
	X(IDLE) /* nothing came and nothing was spoken for too long */                             \
	X(FAULT) /* a turn has failed */                                                           \
	X(SPOKEN) /* no turn is left to speak */                                                   \
	X(BOOKED) /* no row is under way */                                                        \
	X(CANCEL) /* barge-in */                                                                   \
	X(CUT) /* the same, and nothing is waited for */

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
	unsigned idle_ms; /* until it closes by itself */
	/* It is closed: called before context_closed is sent, so that its place
	 * is free when the client hears of it; and after. */
	void (*leave)(void *arg, struct context *context);
	void (*left)(void *arg);
	/* It ends with this error, which was told. */
	void (*failed)(void *arg, enum wire_error_id id);
	void *arg;
};

/* Says context_created.  The settings in force; voice_id among them is its
 * own, or that of the session, or none yet. */
int context_alloc(struct context **contextp, const struct context_owner *owner, const char *id,
		  size_t id_len, const struct settings *settings);

/* What a client may tell it.  None has an effect when it takes no more input
 * (context_takes_input), but for close and cancel. */

/* Text beyond `room` bytes is a fault. */
void context_text(struct context *context, const char *text, size_t len, size_t room);
void context_flush(struct context *context);
void context_keep_alive(struct context *context);
void context_close(struct context *context);
/* Where a flush ends no turn: speaks what it has, or whole sentences of it; and closes, speaking
 * what was flushed.  What was not is dropped, the sentence that is being spoken with it; when
 * nothing was flushed that is a context_cut. */
void context_emit(struct context *context);
void context_release(struct context *context);
void context_stop(struct context *context);
/* Barge-in: says `interrupted` at once, and context_closed when its rows are durable. */
void context_cancel(struct context *context);
/* Barge-in whose acknowledgement is context_closed: at once. */
void context_cut(struct context *context);

/* Another context of its connection begins: if this one is closed and was heard already, its
 * listener may be gone (turn_yield). */
void context_yield(struct context *context);

/* Settings for the turns that have not begun: those of the session, of which
 * its own voice, cfg_scale and max_new_tokens are left alone; and its own, of
 * which a voice counts when it has none. */
void context_configure(struct context *context, const struct settings *settings);
void context_configure_voice(struct context *context, const struct settings *voice);
void context_set_idle_ms(struct context *context, unsigned idle_ms); /* from its next input */

/* The high half of a pair that its last text ended in. */
uint16_t context_surrogate(const struct context *context);
void context_set_surrogate(struct context *context, uint16_t surrogate);

/* From the peer. */
void context_filled(struct context *context);
void context_drained(struct context *context);
void context_sent(struct context *context, uint64_t tag);

/* The server is going away: what waits is not begun, and one that speaks closes
 * when it has spoken. */
void context_go_away(struct context *context);

enum context_state context_state(const struct context *context);
bool context_takes_input(const struct context *context);
/* It was interrupted or has failed, and only its rows are waited for: whoever wants its
 * id or its place has it cut. */
bool context_is_dropped(const struct context *context);
bool context_is_idle(const struct context *context); /* nothing is spoken or owed */
bool context_has_id(const struct context *context, const char *id, size_t len);
size_t context_unspoken(const struct context *context); /* bytes of text */
double context_audio_seconds(const struct context *context); /* of its turns that are over */

/* The table: where an event leads, false when it has no meaning there. */
bool context_edge(enum context_state *to, enum context_state from, enum context_event event);
const char *context_state_name(enum context_state state);
const char *context_event_name(enum context_event event);

#endif
