/*
 * llm_dialect.h: how to speak to a language model over HTTP.
 *
 * A dialect is a table row: where a request goes, which headers it has, how its
 * body is written and what its events mean.  Pure: no socket, no clock.
 */
#ifndef WIRE_LLM_DIALECT_H
#define WIRE_LLM_DIALECT_H

#include <stddef.h>

enum llm_dialect {
	LLM_OPENAI, /* /chat/completions: OpenAI, vLLM, Ollama, llama.cpp's server */
	LLM_RESPONSES, /* /responses: OpenAI */
	LLM_ANTHROPIC, /* /messages: Anthropic */
	LLM_ECHO /* no network: says back what was said */
};

enum llm_role { LLM_USER, LLM_AGENT };

/* What somebody said; of the caller, and only lent. */
struct llm_turn {
	enum llm_role role;
	const char *text;
	size_t len;
};

#endif
