/*
 * fake_llm.h: a language model whose answers a test controls.
 */
#ifndef PROTO_FAKE_LLM_H
#define PROTO_FAKE_LLM_H

#include "base/list.h"
#include "llm/llm.h"

#define FAKE_LLM_HISTORY_SIZE 512
#define FAKE_LLM_TOKENS_IN 5 /* per question; an answer has one token for each delta */

struct fake_llm {
	struct llm llm;
	struct list answers; /* the running answers, oldest first */
	unsigned asked; /* how often it was asked */
	unsigned cancelled; /* how many answers ended before `done` */
	int fails; /* the error that the next request returns, once */
	size_t history_len; /* the number of turns in the last question */
	char history[FAKE_LLM_HISTORY_SIZE]; /* "user: a|agent: b|…", truncated */
	void (*on_cancel)(void *arg); /* may be NULL */
	void *arg;
};

void fake_llm_init(struct fake_llm *fake);

/* The newest running answer sends words, has a request that fails, or ends. */
void fake_llm_say(struct fake_llm *fake, const char *text);
void fake_llm_fail(struct fake_llm *fake);
void fake_llm_finish(struct fake_llm *fake, enum llm_end end);

#endif
