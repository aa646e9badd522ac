/*
 * llm_private.h: what the files of this folder share.
 */
#ifndef LLM_LLM_PRIVATE_H
#define LLM_LLM_PRIVATE_H

#include "base/buf.h"
#include "llm/llm.h"
#include "loop/loop.h"
#include "net/http_client.h"
#include "net/url.h"
#include "wire/llm_body.h"
#include "wire/sse.h"

enum { LLM_TARGETS_MAX = 2 }; /* the model and the fallback model */

/* A model that can be asked. */
struct llm_target {
	char *url_text;
	struct url url; /* parsed from url_text */
	const char *path; /* appended to the URL's path; NULL: the URL has it already */
	char *model;
	char *key; /* NULL: none; kept so that it can be removed from log messages */
	char *headers; /* each ends with CR LF */
};

struct llm_agent {
	enum llm_dialect dialect;
	char *name;
	struct llm_target targets[LLM_TARGETS_MAX];
	size_t target_count;
	char *prompt;
	char *sentence;
	struct llm_extra *extra;
	double temperature;
	uint32_t max_tokens;
	uint32_t connect_ms, first_token_ms, begin_ms, between_ms, whole_ms;
	unsigned retries;
	size_t history_max;
};

struct llm_client {
	struct llm llm; /* first member: callers hold a pointer to it */
	struct loop *loop;
	struct http_client *http;
};

enum llm_state {
	LLM_WAITING, /* for the first word, or for the pause before an attempt */
	LLM_STREAMING,
	LLM_ENDED
};

struct llm_answer {
	struct llm_client *client;
	struct llm_agent *agent;
	const struct llm_handlers *handlers;
	void *arg;
	enum llm_state state;
	/* the request bodies; for echo, the text that is sent back */
	struct buf bodies[LLM_TARGETS_MAX];
	size_t target;
	unsigned retries_left;
	struct http_call *call;
	unsigned status; /* HTTP status of the response to this attempt */
	uint32_t busy_ms; /* from Retry-After; 0: the server sent none */
	struct buf refusal; /* the body of an unsuccessful response */
	struct sse sse;
	/* until the first word, the next event, or the end of the pause before an attempt */
	struct timer try_timer;
	struct timer answer_timer; /* until the first word, then until the end of the answer */
	uint64_t began_us;
	size_t said; /* bytes sent so far */
	uint32_t asked_tokens; /* estimate of the tokens in the request */
	uint64_t said_characters; /* in the current attempt */
	uint32_t deltas;
	bool is_finished, is_cut; /* as reported by the model */
	bool *is_gone; /* set when the answer is freed inside one of its handlers */
	struct llm_figures figures;
};

/* Sends text to the handler, which may end the answer: false when it was freed or has ended. */
bool llm_answer_say(struct llm_answer *answer, const char *text, size_t len);

/* Ends the answer; it must not be used afterwards. */
void llm_answer_end(struct llm_answer *answer, enum llm_end end);

/* Begins to send back the last turn. */
int llm_echo_start(struct llm_answer *answer, const struct llm_turn *turn);

#endif
