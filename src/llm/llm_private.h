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

enum { LLM_TARGETS_MAX = 2 }; /* the model, and the one that is asked when it fails */

/* A model that can be asked. */
struct llm_target {
	char *url_text;
	struct url url; /* of url_text */
	const char *path; /* behind it; NULL: the url has it already */
	char *model;
	char *key; /* NULL: none; here so that the log can be kept clean of it */
	char *headers; /* each with its CR LF */
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
	struct llm llm; /* first: it is what others hold */
	struct loop *loop;
	struct http_client *http;
};

enum llm_state {
	LLM_WAITING, /* for the first word, or to try again */
	LLM_STREAMING,
	LLM_ENDED
};

struct llm_answer {
	struct llm_client *client;
	struct llm_agent *agent;
	const struct llm_handlers *handlers;
	void *arg;
	enum llm_state state;
	struct buf bodies[LLM_TARGETS_MAX]; /* the requests'; of echo, what is said */
	size_t target;
	unsigned retries_left;
	struct http_call *call;
	unsigned status; /* of this try's answer */
	uint32_t busy_ms; /* how long its server wants to be left alone; 0: it did not say */
	struct buf refusal; /* the body of one that is no success */
	struct sse sse;
	struct timer try_timer; /* first word, then the next event, or the pause before a try */
	struct timer answer_timer; /* until the first word, then all of it */
	uint64_t began_us;
	size_t said; /* bytes */
	uint32_t asked_tokens; /* estimate for the question */
	uint64_t said_characters; /* in the current attempt */
	uint32_t deltas;
	bool is_finished, is_cut; /* as the model told */
	bool *is_gone; /* set when the answer is given up inside one of its handlers */
	struct llm_figures figures;
};

/* Says something, which may end the answer: false when it is gone or ended. */
bool llm_answer_say(struct llm_answer *answer, const char *text, size_t len);

/* The last thing that is done with it. */
void llm_answer_end(struct llm_answer *answer, enum llm_end end);

/* Begins to say back the last turn. */
int llm_echo_start(struct llm_answer *answer, const struct llm_turn *turn);

#endif
