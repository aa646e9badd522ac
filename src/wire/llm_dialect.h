/*
 * llm_dialect.h: the ways to communicate with a language model over HTTP.
 *
 * A dialect is a table row: where requests are sent, which headers they have, how the body is
 * written and what the events mean.  Pure: no socket, no clock.
 */
#ifndef WIRE_LLM_DIALECT_H
#define WIRE_LLM_DIALECT_H

#include <stddef.h>

enum llm_dialect {
	LLM_OPENAI, /* /chat/completions: OpenAI, vLLM, Ollama, llama.cpp's server */
	LLM_RESPONSES, /* /responses: OpenAI */
	LLM_ANTHROPIC, /* /messages: Anthropic */
	LLM_ECHO /* no network: repeats what was said */
};

enum llm_role { LLM_USER, LLM_AGENT };

/* What one side said.  The text is borrowed from the caller. */
struct llm_turn {
	enum llm_role role;
	const char *text;
	size_t len;
};

#endif
