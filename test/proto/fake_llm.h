/*
 * fake_llm.h: a language model that says what a test tells it to, when it tells it.
 */
#ifndef PROTO_FAKE_LLM_H
#define PROTO_FAKE_LLM_H

#include "base/list.h"
#include "llm/llm.h"

#define FAKE_LLM_HISTORY_SIZE 512
#define FAKE_LLM_TOKENS_IN 5 /* of each question; of an answer as many as it had deltas */

struct fake_llm {
	struct llm llm;
	struct list answers; /* that run, oldest first */
	unsigned asked; /* times */
	unsigned cancelled; /* answers that ended before `done` */
	int fails; /* what the next ask gives, once */
	size_t history_len; /* turns of the last question */
	char history[FAKE_LLM_HISTORY_SIZE]; /* "user: a|agent: b|…", cut */
	void (*on_cancel)(void *arg); /* may be NULL */
	void *arg;
};

void fake_llm_init(struct fake_llm *fake);

/* The newest answer that runs says so, has a request that fails, or ends. */
void fake_llm_say(struct fake_llm *fake, const char *text);
void fake_llm_fail(struct fake_llm *fake);
void fake_llm_finish(struct fake_llm *fake, enum llm_end end);

#endif
