/*
 * llm.h: asks a language model and gives its words as they come.
 *
 * An answer has one life: llm_ask begins it, deltas come, `done` ends it, and
 * mem_deref(answer) at any time before that cancels it: the connection to the
 * model is closed at once.  Whatever goes wrong before the first word is tried
 * again, then asked of the other model, then the fallback sentence is said, so
 * that a caller never hears nothing; what goes wrong later ends the answer with
 * what was said.
 *
 * `struct llm` is a table of verbs: conversations are tested with a fake
 * that puts its own functions there.  All on the loop's thread.
 */
#ifndef LLM_LLM_H
#define LLM_LLM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/llm_dialect.h"

struct loop;

/* Said when every try failed and the options have no sentence of their own. */
#define LLM_SORRY "I am sorry, I cannot answer right now. Please try again in a moment."

/* Engines give up on an answer after about four seconds. */
enum {
	LLM_CONNECT_MS = 1500,
	LLM_FIRST_TOKEN_MS = 3000,
	LLM_BEGIN_MS = 3500,
	LLM_BETWEEN_MS = 10000,
	LLM_WHOLE_MS = 120000,
	LLM_RETRIES = 1,
	LLM_HISTORY_MAX = 32000 /* characters; about 8,000 tokens */
};

/* A turn of the user's; half an hour of speech is 30,000 characters. */
#define LLM_TURN_MAX (256u * 1024u)

/* How one agent asks its model.  Zero and NULL stand for the defaults above
 * unless it says otherwise. */
struct llm_options {
	enum llm_dialect dialect;
	const char *name; /* of the agent, for the log */
	const char *url; /* base, such as http://127.0.0.1:11434/v1; not for echo */
	const char *model;
	const char *key; /* NULL: none is sent */
	const char *prompt; /* NULL: none */
	const char *sentence; /* said when all fails; "": none, then the end is LLM_SILENT */
	const char *fallback_url; /* NULL: the same as url */
	const char *fallback_model; /* NULL: no other model is asked */
	const char *fallback_key; /* NULL: that of key, if the origin is the same */
	const char *headers; /* NULL, or more of them: "Name: value", one a line */
	const char *body; /* NULL, or a JSON object whose members join the request's; null
			   * takes one of ours out */
	double temperature; /* below 0: the model's own; 0 is 0 */
	uint32_t max_tokens; /* 0: the model's own, Anthropic's 1024 */
	uint32_t connect_ms; /* a connection, with its name and TLS */
	uint32_t first_token_ms; /* of each try, from its beginning */
	uint32_t begin_ms; /* all tries: without a word by then the sentence has been said */
	uint32_t between_ms; /* without another word, once there was one */
	uint32_t whole_ms; /* the answer; cut there */
	int retries; /* before the first word; below 0: LLM_RETRIES */
	size_t history_max; /* characters of the turns, the oldest go first */
};

/* The same, checked and copied.  Immutable: answers keep a reference, so that
 * a reload changes only those that begin later. */
struct llm_agent;

/* EINVAL with a sentence in `why` for what cannot be. */
int llm_agent_alloc(struct llm_agent **agentp, const struct llm_options *options, char *why,
		    size_t why_size);

/* What this agent says when it cannot even ask; never "". */
const char *llm_agent_sentence(const struct llm_agent *agent);

/* The model that is asked first, or the one that is asked when the first fails; lent. */
const char *llm_agent_model(const struct llm_agent *agent, bool is_other);

/* The maximum length of an answer, in tokens; 0: the model's own limit. */
uint32_t llm_agent_max_tokens(const struct llm_agent *agent);

/* Characters per token, for estimates of tokens that a model does not count. */
#define LLM_TOKEN_CHARACTERS 4u
uint32_t llm_estimate(uint64_t characters);

/* An estimate of how many tokens would be sent to the model: the prompt, and as much of the
 * history as fits. */
uint32_t llm_agent_estimate(const struct llm_agent *agent, const struct llm_turn *history,
			    size_t count);

/* How an answer ended: the model said that it was finished; it was cut by
 * max_tokens, whole_ms or our limit of its size; it broke in mid-stream, what
 * was said stands; every try failed and the sentence was said; every try failed
 * and there is no sentence. */
#define LLM_ENDS(X)                                                                                \
	X(LLM_WHOLE, "whole")                                                                      \
	X(LLM_CUT, "cut")                                                                          \
	X(LLM_BROKEN, "broken")                                                                    \
	X(LLM_FALLBACK, "fallback")                                                                \
	X(LLM_SILENT, "silent")

enum llm_end {
#define X(id, name) id,
	LLM_ENDS(X)
#undef X
};

/* "whole", "cut" …: for logs and metrics. */
const char *llm_end_name(enum llm_end end);

struct llm_figures {
	uint32_t first_delta_ms; /* from llm_ask; UINT32_MAX: there was none */
	uint32_t whole_ms;
	/* As counted by the model in the attempt that succeeded, otherwise estimated from the
	 * characters that were sent and received. */
	uint32_t tokens_in, tokens_out;
	bool is_in_estimated, is_out_estimated;
	uint16_t tries; /* requests begun, including the successful one; 0 for echo */
	uint16_t errors; /* of them, how many failed */
	bool is_other_model; /* the fallback model spoke */
};

/* Never called from inside llm_ask, never after the answer was given up.  A delta
 * is whole UTF-8 characters, never empty, and lent.  `failed` tells of each request
 * that fails, as figures.errors counts them; there may be another.  `done` comes
 * once and last; the answer is still to be dereferenced.  All but `failed` may give
 * it up. */
struct llm_handlers {
	void (*delta)(const char *text, size_t len, void *arg);
	void (*failed)(void *arg);
	void (*done)(enum llm_end end, const struct llm_figures *figures, void *arg);
};

struct llm_answer;

struct llm {
	int (*ask)(struct llm_answer **answerp, struct llm *llm, struct llm_agent *agent,
		   const struct llm_turn *history, size_t count,
		   const struct llm_handlers *handlers, void *arg);
	/* Figures of an answer in progress, for one that is about to be abandoned. */
	void (*figures)(struct llm_figures *figures, const struct llm_answer *answer);
};

/* The real one.  ca_file is NULL for the system's certificate authorities.
 * mem_deref ends it, when its answers are gone. */
int llm_alloc(struct llm **llmp, struct loop *loop, const char *ca_file, char *why,
	      size_t why_size);

/* The history is read before it returns.  EINVAL when its last turn that is not
 * blank is not the user's, EMSGSIZE when that turn is past LLM_TURN_MAX. */
static inline int llm_ask(struct llm_answer **answerp, struct llm *llm, struct llm_agent *agent,
			  const struct llm_turn *history, size_t count,
			  const struct llm_handlers *handlers, void *arg)
{
	return llm->ask(answerp, llm, agent, history, count, handlers, arg);
}

#endif
