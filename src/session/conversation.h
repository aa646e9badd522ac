/*
 * conversation.h: one conversation of a speech engine, whose agent answers with a language model.
 *
 *   transcript → llm → agent_response, as the words arrive
 *
 * The engine sends everything that was said so far, with an event_id that increases.  The
 * conversation asks the agent's language model, sends the model's words under that id, and ends
 * them with one empty final.  Invariants, each with a test:
 *
 *   1. Nothing is sent under an id that is not the newest: messages that wait for the socket are
 *      dropped when the next turn begins.
 *   2. An answer that is superseded is cancelled before anything of the next one is sent; its
 *      connection to the model is closed.
 *   3. Each turn that is neither superseded nor dropped ends with exactly one final.
 *   4. A turn that the engine repeats (the same history under a higher id) is answered with the
 *      same answer from its start; the model is not asked twice.
 *   5. Of an engine's messages, only `close` and `error` end the conversation.
 *   6. The model is asked only if the caller has permission and credit; its input and output are
 *      booked once, however the answer ends (answer_bill.h).
 *
 * Its states and events are a table (conversation.c), which docs/conversation-states.md shows.
 * Runs on the loop's thread.
 */
#ifndef SESSION_CONVERSATION_H
#define SESSION_CONVERSATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "llm/llm.h"
#include "loop/timers.h"
#include "session/answer_bill.h"
#include "session/services.h"

/* How much of an answer is kept to be repeated. A longer one, half an hour of speech, is requested
 * again. */
#define CONVERSATION_KEPT_MAX (32u * 1024u)

#define CONVERSATION_ID_SIZE 64 /* longer ids are truncated */

#define CONVERSATION_STATES(X)                                                                     \
	X(IDLE) /* nothing has been asked yet */                                                   \
	X(WAITING) /* waits for permission to ask the model */                                     \
	X(ASKED) /* the model has been asked and has not answered yet */                           \
	X(SPEAKING) /* words arrive */                                                             \
	X(SAID) /* the answer is complete, or was dropped */                                       \
	X(CLOSED) /* over */

#define CONVERSATION_EVENTS(X)                                                                     \
	X(TURN) /* the user has said something new */                                              \
	X(RETRY) /* the engine requests the same answer under a new id */                          \
	X(PERMITTED) /* the caller has permission */                                               \
	X(DENIED) /* the caller has no permission, or lost it */                                   \
	X(WORDS) /* the model has sent words */                                                    \
	X(DONE) /* the model has finished, or failed */                                            \
	X(DROP) /* the answer is not wanted any more */                                            \
	X(HANG_UP) /* close, error, or the engine has disconnected */

enum conversation_state {
#define X(name) CONVERSATION_##name,
	CONVERSATION_STATES(X)
#undef X
		CONVERSATION_STATE_COUNT
};

enum conversation_event {
#define X(name) CONVERSATION_EVENT_##name,
	CONVERSATION_EVENTS(X)
#undef X
		CONVERSATION_EVENT_COUNT
};

/* Counts of an agent's turns, for a conversation or summed by agent. */
struct conversation_figures {
	uint64_t turns; /* that were answered, or are being answered */
	uint64_t retries; /* answers that were repeated */
	uint64_t cancels; /* ended by the next turn, or by the end of the connection */
	uint64_t ignored; /* messages without an effect: repeated, outdated, not understood */
	uint64_t llm_errors; /* requests that failed */
	uint64_t fallbacks; /* turns that ended with the fallback sentence, or without words */
	uint64_t broken; /* turns whose stream broke in the middle, or was cut */
	uint64_t denied; /* turns for which the caller had no permission or no credit */
	uint64_t tokens_in, tokens_out;
	uint64_t firsts; /* turns in which the model sent a word */
	uint64_t first_ms_sum, first_ms_max; /* from the transcript to the first word */
};

struct conversation;

struct conversation_options {
	struct timers *timers; /* the clock of the figures */
	struct llm *llm;
	/* A reference is taken, so a reload affects only later conversations. */
	struct llm_agent *agent;
	const char *agent_name; /* copied */
	const struct peer *peer; /* not copied */
	bool log_texts;
	/* NULL: nobody is charged, and nothing is recorded.  Copied; a reference to its caller is
	 * taken, and its agent becomes agent_name. */
	const struct answer_billing *billing;
	/* The client has an API key of this server and is sent the reason when there is no answer.
	 * Otherwise the agent's fallback sentence is sent, because an engine understands nothing
	 * else. */
	bool sends_errors;
	bool sends_usage; /* the client is also sent the usage of each answer, once it is durable */
};

/* Release it with mem_deref when the engine has disconnected. */
int conversation_alloc(struct conversation **conversationp,
		       const struct conversation_options *options);

/* Handles a message, in a buffer that it may write to.  Some engines' libraries send JSON in binary
 * frames, which is treated the same. */
void conversation_message(struct conversation *conversation, char *json, size_t len);

/* The answer is not wanted any more, because the user interrupts: the model is cancelled, and nothing
 * more is sent for it, not even a final.  Only for users in the same process (agent/own_answerer.c):
 * an engine has no message for it. */
void conversation_drop(struct conversation *conversation);

/* The engine has disconnected: running requests are cancelled. */
void conversation_hang_up(struct conversation *conversation);

/* From the peer: it has room again. */
void conversation_drained(struct conversation *conversation);

void conversation_figures(const struct conversation *conversation,
			  struct conversation_figures *figures);
void conversation_figures_add(struct conversation_figures *sum,
			      const struct conversation_figures *figures);

/* The engine's id ("conv_…"); "-" before it is known. */
const char *conversation_id(const struct conversation *conversation);

enum conversation_state conversation_state(const struct conversation *conversation);

/* Reads the table: the state that an event leads to; false when it has no meaning there. */
bool conversation_edge(enum conversation_state *to, enum conversation_state from,
		       enum conversation_event event);
const char *conversation_state_name(enum conversation_state state);
const char *conversation_event_name(enum conversation_event event);

#endif
