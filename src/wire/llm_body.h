/*
 * llm_body.h: what is sent to a language model: the path, the headers and the body.
 *
 * Each dialect is one row of a table.  Members that the operator has configured are added to the
 * body: one with the name of a member that we would write replaces it, and null removes it, because
 * servers differ in which members they accept ("stream_options": null).  Pure.
 */
#ifndef WIRE_LLM_BODY_H
#define WIRE_LLM_BODY_H

#include <stdint.h>

#include "base/buf.h"
#include "wire/llm_dialect.h"

/* The members that the operator has configured.  Released by mem_deref. */
struct llm_extra;

/* More would be a mistake: requests have about 30 members in total. */
#define LLM_EXTRA_MAX 32u

/* Parses a JSON object.  Returns EINVAL with *why if it is not one, if a key needs escapes, and if
 * a key would break the conversation: "stream" and the history. */
int llm_extra_parse(struct llm_extra **extrap, const char *text, const char **why);

struct llm_request {
	const char *model;
	const char *prompt; /* NULL or "": none */
	const struct llm_extra *extra; /* may be NULL */
	double temperature; /* negative: not sent */
	uint32_t max_tokens; /* 0: not sent, or the dialect's default if it is mandatory */
	const struct llm_turn *turns;
	size_t count;
};

/* The vendor's base URL: "https://api.openai.com/v1". */
const char *llm_body_url(enum llm_dialect dialect);

/* The path of requests, below the base URL: "/chat/completions". */
const char *llm_body_path(enum llm_dialect dialect);

/* Appends the dialect's headers, each with its CR LF; `key` may be NULL. */
int llm_body_headers(struct buf *out, enum llm_dialect dialect, const char *key);

/* Consecutive turns of the same role are merged, blank ones are left out, and the first is the
 * user's, because some models and templates refuse anything else. */
int llm_body_write(struct buf *out, enum llm_dialect dialect, const struct llm_request *request);

/* Returns the index of the first turn to send so that the history has at most `max` characters.
 * The user's last turn and what follows it are always included. */
size_t llm_body_first_turn(const struct llm_turn *turns, size_t count, size_t max);

#endif
