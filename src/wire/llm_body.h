/*
 * llm_body.h: what is sent to a language model: the path, the headers, the body.
 *
 * One row of a table for each dialect.  Members that the operator adds join the
 * body; one of a name that we would write takes its place, and null leaves it
 * out, because servers differ in what they know ("stream_options": null).
 * Pure.
 */
#ifndef WIRE_LLM_BODY_H
#define WIRE_LLM_BODY_H

#include <stdint.h>

#include "base/buf.h"
#include "wire/llm_dialect.h"

/* The operator's own members; mem_deref. */
struct llm_extra;

/* More would be a mistake: requests have about 30 members, all together. */
#define LLM_EXTRA_MAX 32u

/* A JSON object's members.  EINVAL, with *why, for what is none, for keys that
 * need escapes, and for those that would break the conversation: "stream" and
 * the history. */
int llm_extra_parse(struct llm_extra **extrap, const char *text, const char **why);

struct llm_request {
	const char *model;
	const char *prompt; /* NULL or "": none */
	const struct llm_extra *extra; /* or NULL */
	double temperature; /* below 0: not said */
	uint32_t max_tokens; /* 0: not said, or the dialect's default if it must be */
	const struct llm_turn *turns;
	size_t count;
};

/* The vendor's base address: "https://api.openai.com/v1". */
const char *llm_body_url(enum llm_dialect dialect);

/* Where requests go, below the base address: "/chat/completions". */
const char *llm_body_path(enum llm_dialect dialect);

/* The dialect's headers, each with its CR LF; key may be NULL. */
int llm_body_headers(struct buf *out, enum llm_dialect dialect, const char *key);

/* Turns of one role that follow each other are one, blank ones none, and the
 * first is the user's: some models and templates refuse anything else. */
int llm_body_write(struct buf *out, enum llm_dialect dialect, const struct llm_request *request);

/* From which turn on the history has at most max characters.  The last turn of
 * the user's and what follows is always in it. */
size_t llm_body_first(const struct llm_turn *turns, size_t count, size_t max);

#endif
