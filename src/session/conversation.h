/*
 * conversation.h: one conversation of a speech engine, whose words we give.
 *
 *   transcript → llm → agent_response, as the words come
 *
 * The engine sends all that was said so far, with an event_id that grows; we ask
 * the agent's language model and send its words under that id, then one empty
 * final.  Invariants, each with a test:
 *
 *   1. Nothing leaves under an id that is not the newest: what waits for the
 *      socket is taken back when the next turn begins.
 *   2. An answer that is not wanted any more is given up before anything of the
 *      next one leaves; its connection to the model is closed.
 *   3. Each turn that is not overtaken ends with exactly one final.
 *   4. A turn that the engine sends again (the same history under a higher id) is
 *      answered from the start of the same answer; the model is not asked twice.
 *   5. Nothing that an engine says ends the conversation but `close` and `error`.
 * 6.  The model is asked only when the payer has permission and credit; its input and output
 * are booked once, however the answer ends (answer_bill.h).
 *
 * Its life is a table of states and events (conversation.c), which
 * docs/conversation-states.md shows.
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

/* What is kept of an answer so that it can be said again.  One that is longer,
 * half an hour of speech, is asked for again instead. */
#define CONVERSATION_KEPT_MAX (32u * 1024u)

#define CONVERSATION_ID_SIZE 64 /* of the log's; longer ones are cut */

#define CONVERSATION_STATES(X)                                                                     \
	X(IDLE) /* nothing was asked yet */                                                        \
	X(WAITING) /* for permission to ask */                                                     \
	X(ASKED) /* the model is asked; it has said nothing */                                     \
	X(SPEAKING) /* words come */                                                               \
	X(SAID) /* the answer is whole */                                                          \
	X(CLOSED) /* over */

#define CONVERSATION_EVENTS(X)                                                                     \
	X(TURN) /* the user has said something new */                                              \
	X(RETRY) /* the engine asks for the same answer under a new id */                          \
	X(LEAVE) /* the payer has permission */                                                    \
	X(DENIED) /* the payer has no permission, or lost it */                                    \
	X(WORDS) /* from the model */                                                              \
	X(DONE) /* the model has finished, or failed */                                            \
	X(HANG_UP) /* close, error, or the engine is gone */

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

/* What became of an agent's turns; of a conversation, and summed up by agent. */
struct conversation_figures {
	uint64_t turns; /* answered or begun */
	uint64_t retries; /* said again */
	uint64_t cancels; /* overtaken by the next, or hung up on */
	uint64_t ignored; /* messages without an effect: repeated, outdated, not understood */
	uint64_t llm_errors; /* requests that failed */
	uint64_t fallbacks; /* turns that ended with the fallback sentence, or silent */
	uint64_t broken; /* turns whose stream broke in the middle, or was cut */
	uint64_t denied; /* turns for which the payer had no permission or no credit */
	uint64_t tokens_in, tokens_out;
	uint64_t firsts; /* turns with a word */
	uint64_t first_ms_sum, first_ms_max; /* from the transcript to the first word */
};

struct conversation;

struct conversation_options {
	struct timers *timers; /* the clock of the figures */
	struct llm *llm;
	struct llm_agent *agent; /* a reference is taken: a reload changes later ones */
	const char *agent_name; /* copied */
	const struct peer *peer; /* not copied */
	bool log_texts;
	/* NULL: nobody pays, and nothing is recorded.  Copied; a reference to its member is
	 * taken, and its agent is agent_name. */
	const struct answer_payer *payer;
	/* The client has an API key of this server and is told why there is no answer;
	 * otherwise the agent's fallback sentence is said, because an engine understands
	 * nothing else. */
	bool tells_errors;
	bool tells_usage; /* also send the usage of each answer, once it is durable */
};

/* mem_deref when the engine is gone. */
int conversation_alloc(struct conversation **conversationp,
		       const struct conversation_options *options);

/* A message, in a buffer that it may write to.  Some engines' libraries put their
 * JSON into binary frames: it is the same. */
void conversation_message(struct conversation *conversation, char *json, size_t len);

/* The engine is gone: what runs is given up. */
void conversation_hang_up(struct conversation *conversation);

/* From the peer: it has room again. */
void conversation_drained(struct conversation *conversation);

void conversation_figures(const struct conversation *conversation,
			  struct conversation_figures *figures);
void conversation_figures_add(struct conversation_figures *sum,
			      const struct conversation_figures *figures);

/* "conv_…", as the engine calls it; "-" before it has. */
const char *conversation_id(const struct conversation *conversation);

enum conversation_state conversation_state(const struct conversation *conversation);

/* The table: where an event leads, false when it has no meaning there. */
bool conversation_edge(enum conversation_state *to, enum conversation_state from,
		       enum conversation_event event);
const char *conversation_state_name(enum conversation_state state);
const char *conversation_event_name(enum conversation_event event);

#endif
