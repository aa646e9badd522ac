/*
 * engine_answer.h: parses what this server sends to a speech engine, for tools that act as an
 * engine.
 */
#ifndef WIRE_ENGINE_ANSWER_H
#define WIRE_ENGINE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/engine_message.h"

enum engine_answer_kind {
	ENGINE_ANSWER_OTHER,
	ENGINE_ANSWER_WORDS,
	ENGINE_ANSWER_PONG,
	ENGINE_ANSWER_ERROR /* why this server does not answer; see engine_reply_error */
};

struct engine_answer {
	enum engine_answer_kind kind;
	const char *text; /* for WORDS: a slice of the message, UTF-8; "" if there are no words */
	size_t len;
	bool is_final;
	const char *reason; /* for ERROR, a slice too; "" if there is none */
	size_t reason_len;
	struct engine_event event;
};

/* Parses in place, as engine_message_parse does.  Returns 0 or EINVAL. */
int engine_answer_parse(struct engine_answer *answer, char *json, size_t len);

#endif
