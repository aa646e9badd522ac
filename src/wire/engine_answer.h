/*
 * engine_answer.h: what a speech engine is told, read: for tools that play the
 * engine's part.
 */
#ifndef WIRE_ENGINE_ANSWER_H
#define WIRE_ENGINE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/engine_message.h"

enum engine_answer_kind { ENGINE_ANSWER_OTHER, ENGINE_ANSWER_WORDS, ENGINE_ANSWER_PONG };

struct engine_answer {
	enum engine_answer_kind kind;
	const char *text; /* of WORDS; a slice of the message, UTF-8, "" when there are none */
	size_t len;
	bool is_final;
	struct engine_event event;
};

/* Parses in place, as engine_message_parse does.  EINVAL. */
int engine_answer_parse(struct engine_answer *answer, char *json, size_t len);

#endif
