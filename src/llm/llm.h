/*
 * llm.h: asks a language model and passes its words on as they arrive.
 *
 * llm_ask begins an answer, deltas follow, and `done` ends it. mem_deref(answer) at any
 * earlier time cancels it and closes the connection to the model at once. A failure before
 * the first word is retried, then the fallback model is asked, then the fallback sentence is
 * used, so that a caller always hears something; a later failure ends the answer with the
 * words received so far.
 *
 * `struct llm` is a table of functions: conversations are tested with a fake that supplies
 * its own. Everything runs on the loop's thread.
 */
#ifndef LLM_LLM_H
#define LLM_LLM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/llm_dialect.h"

struct loop;

/* The sentence that is used if every attempt fails and the options have no sentence. */
#define LLM_SORRY "I am sorry, I cannot answer right now. Please try again in a moment."

/* Speech engines abandon an answer after about four seconds. */
enum {
	LLM_CONNECT_MS = 1500,
	LLM_FIRST_TOKEN_MS = 3000,
	LLM_BEGIN_MS = 3500,
	LLM_BETWEEN_MS = 10000,
	LLM_WHOLE_MS = 120000,
	LLM_RETRIES = 1,
	LLM_HISTORY_MAX = 32000 /* characters; about 8,000 tokens */
};

/* The maximum length of a user's turn in bytes; half an hour of speech is 30,000 characters. */
#define LLM_TURN_MAX (256u * 1024u)

/* How one agent asks its model. Zero and NULL select the defaults above unless a field says
 * otherwise. */
struct llm_options {
	enum llm_dialect dialect;
	const char *name; /* the agent's name, for the log */
	const char *url; /* base, such as http://127.0.0.1:11434/v1; not for echo */
	const char *model;
	const char *key; /* NULL: none is sent */
	const char *prompt; /* NULL: none */
	const char *sentence; /* used when all attempts fail; "": none, and the end is LLM_SILENT */
	const char *fallback_url; /* NULL: the same as url */
	const char *fallback_model; /* NULL: there is no fallback model */
	const char *fallback_key; /* NULL: the same as key, if the origin is the same */
	const char *headers; /* additional headers, "Name: value", one per line; or NULL */
	/* NULL, or a JSON object whose members are added to the request's; null removes a
	 * member */
	const char *body;
	double temperature; /* below 0: the model's default */
	uint32_t max_tokens; /* 0: the model's default, for Anthropic 1024 */
	uint32_t connect_ms; /* for connecting, including name resolution and TLS */
	uint32_t first_token_ms; /* for each attempt, from its beginning */
	/* for all attempts: without a word by then the fallback sentence is used */
	uint32_t begin_ms;
	uint32_t between_ms; /* the longest gap between words */
	uint32_t whole_ms; /* for the whole answer, which is cut off then */
	int retries; /* attempts after the first, before the first word; below 0: LLM_RETRIES */
	size_t history_max; /* characters of the turns; the oldest are dropped first */
};

/* The options, checked and copied. Immutable: answers hold a reference, so a reload of the
 * configuration affects only answers that begin later. */
struct llm_agent;

/* EINVAL for invalid options, with a sentence in `why`. */
int llm_agent_alloc(struct llm_agent **agentp, const struct llm_options *options, char *why,
		    size_t why_size);

/* The sentence of this agent for when the model cannot even be asked; never "". */
const char *llm_agent_sentence(const struct llm_agent *agent);

/* The model that is asked first, or with is_other the fallback model; borrowed. */
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

/* How an answer ended: the model finished it; it was cut off by max_tokens, whole_ms or the
 * size limit; it broke off in mid-stream, and the words sent so far remain; every attempt
 * failed and the fallback sentence was used; every attempt failed and there is no sentence. */
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

/* "whole", "cut" and so on, for logs and metrics. */
const char *llm_end_name(enum llm_end end);

struct llm_figures {
	uint32_t first_delta_ms; /* from llm_ask to the first delta; UINT32_MAX: there was none */
	uint32_t whole_ms;
	/* As counted by the model in the attempt that succeeded, otherwise estimated from the
	 * characters that were sent and received. */
	uint32_t tokens_in, tokens_out;
	bool is_in_estimated, is_out_estimated;
	uint16_t tries; /* requests begun, including the successful one; 0 for echo */
	uint16_t errors; /* the requests among them that failed */
	bool is_other_model; /* the fallback model answered */
};

/* Handlers are not called from inside llm_ask or after the answer was dereferenced. A delta
 * consists of whole UTF-8 characters, is never empty, and is borrowed. `failed` is called for
 * each request that fails, as counted in figures.errors; another attempt may follow. `done` is
 * called once, last; the answer must still be dereferenced. All handlers except `failed` may
 * dereference it. The struct is not copied, and must exist as long as the answer. */
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
	/* The figures of an answer in progress, for one that is about to be cancelled. */
	void (*figures)(struct llm_figures *figures, const struct llm_answer *answer);
};

/* The real implementation. ca_file is NULL for the system's certificate authorities. On failure
 * `why` says what is wrong. mem_deref is allowed at any time: answers hold a reference. */
int llm_alloc(struct llm **llmp, struct loop *loop, const char *ca_file, char *why,
	      size_t why_size);

/* The history is needed only during the call. EINVAL when its last turn that is not blank is
 * not the user's, EMSGSIZE when that turn exceeds LLM_TURN_MAX. */
static inline int llm_ask(struct llm_answer **answerp, struct llm *llm, struct llm_agent *agent,
			  const struct llm_turn *history, size_t count,
			  const struct llm_handlers *handlers, void *arg)
{
	return llm->ask(answerp, llm, agent, history, count, handlers, arg);
}

#endif
