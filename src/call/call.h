/*
 * call.h: a conversation between a caller and an agent.
 *
 *   the caller's audio --> ear --> words --> answerer --> words --> mouth --> audio for the caller
 *
 * The call decides whose turn it is.  When the caller pauses, the agent is asked at once, but what it says
 * is held back until it is certain that the caller has finished (turn_end.h); if the caller goes on, the
 * agent is asked again with all of it.  When the caller speaks while the agent does, the agent becomes
 * quieter, and is cut off if it is more than a cough or an acknowledgement (barge_in.h).  Invariants,
 * each with a test:
 *
 *   1. Nothing is sent of an answer before the turn was decided.
 *   2. After `interrupted` nothing more of that answer is sent, and later ones have a higher event_id.
 *   3. The history has what the user has heard of an answer, not what was written.
 *   4. Words that were said while the agent spoke belong to the turn that interrupts it.
 *   5. The first reply is sent alone, before anything else.
 *
 * Its states and events are a table (call.c), which docs/call-states.md shows.  Runs on the loop's
 * thread.
 */
#ifndef CALL_CALL_H
#define CALL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/answerer.h"
#include "call/call_api.h"
#include "call/call_figures.h"
#include "session/services.h"

#define CALL_STATES(X)                                                                             \
	X(OPENING) /* the client has not said that it is ready */                                  \
	X(QUIET) /* nobody speaks */                                                               \
	X(HEARING) /* the caller speaks */                                                         \
	X(PAUSED) /* the caller has paused, and may go on */                                       \
	X(ANSWERING) /* it is the agent's turn, and it has not been heard yet */                   \
	X(SPEAKING) /* the agent is heard */                                                       \
	X(DUCKED) /* the agent is heard, more quietly, because the caller may be interrupting */   \
	X(CLOSED) /* over */

#define CALL_EVENTS(X)                                                                             \
	X(START) /* the client is ready, and the caller speaks first */                            \
	X(GREET) /* the client is ready, and the agent speaks first */                             \
	X(SPEECH) /* the caller begins to speak, or goes on */                                     \
	X(PAUSE) /* the caller pauses */                                                           \
	X(WORDS) /* it is known what the caller has said */                                        \
	X(NOTHING) /* the caller has said nothing: it was noise */                                 \
	X(NOISE) /* the same, while an answer waits */                                             \
	X(DECIDED) /* the caller has finished */                                                   \
	X(TEXT) /* the user has typed something */                                                 \
	X(CONTINUE) /* the agent goes on after the end of its answer */                            \
	X(SOUND) /* the agent's first sound is made */                                             \
	X(SPOKEN) /* the agent was heard to its end */                                             \
	X(FAILED) /* there is no answer */                                                         \
	X(DUCK) /* the caller may be interrupting */                                               \
	X(RESUME) /* it was nothing */                                                             \
	X(CUT) /* the caller interrupts, and is speaking */                                        \
	X(CUT_PAUSED) /* the caller has interrupted, and pauses */                                 \
	X(HANG_UP) /* the call ends */

enum call_state {
#define X(name) CALL_##name,
	CALL_STATES(X)
#undef X
		CALL_STATE_COUNT
};

enum call_event {
#define X(name) CALL_EVENT_##name,
	CALL_EVENTS(X)
#undef X
		CALL_EVENT_COUNT
};

/* How long a client may take to begin: some ask for permission to use the microphone first. */
#define CALL_OPENING_S 60u

/* How often the client is pinged, which measures the delay of what it hears. */
#define CALL_PING_MS 5000

/* The longest message of a client: audio of a few seconds. */
#define CALL_MESSAGE_MAX (1024u * 1024u)

/* The longest text that a user may type, or a client may add to the context. */
#define CALL_TEXT_MAX (32u * 1024u)

struct call;

struct call_options {
	const struct session_services *services; /* not copied */
	struct caller *caller; /* who pays; a reference is taken */
	const struct peer *peer; /* the client; not copied */
	const struct call_api *api; /* not copied */
	const struct call_settings *settings; /* copied */
	const char *id; /* of the conversation; copied */
	const char *request_id; /* copied */
	/* Finds the voice that the client has named (voice_name).  An errno: there is none.  May be
	 * NULL: clients cannot name one. */
	int (*find_voice)(void *arg, struct call_settings *settings);
	/* Makes who answers, when the client is ready.  An errno: nobody can. */
	int (*open_answerer)(void *arg, struct answerer **answererp,
			     const struct call_settings *settings,
			     const struct answerer_listener *listener, void *listener_arg);
	/* The call has ended, and its peer was closed; may be NULL. */
	void (*over)(void *arg);
	void *arg;
};

/* Release it with mem_deref when the client has disconnected. */
int call_alloc(struct call **callp, const struct call_options *options);

/* Handles a client's message, in a buffer that it may write to. */
void call_message(struct call *call, char *json, size_t len);

/* The client does not read what was sent, or does so again (see struct peer). */
void call_filled(struct call *call);
void call_drained(struct call *call);

/* Ends the call: the agent is cut off, everything is booked, and the connection closes with this code. */
void call_hang_up(struct call *call, uint16_t code, const char *reason);

/* The server is shutting down: the call ends with 1012 as soon as nobody speaks. */
void call_go_away(struct call *call, const char *reason);

void call_figures(const struct call *call, struct call_figures *figures);
const char *call_id(const struct call *call);
enum call_state call_state(const struct call *call);

/* Reads the table: the state that an event leads to; false when it has no meaning there. */
bool call_edge(enum call_state *to, enum call_state from, enum call_event event);
const char *call_state_name(enum call_state state);
const char *call_event_name(enum call_event event);

#endif
