/*
 * agents.h: the agents of the configuration, which answer speech engines at their paths.
 *
 * An agent never changes: a reload creates new agents, and conversations keep theirs until they
 * end.  The statistics of an agent's conversations are collected under its name and survive
 * reloads.  Runs on the loop's thread.
 */
#ifndef SERVER_AGENTS_H
#define SERVER_AGENTS_H

#include <stddef.h>
#include <stdint.h>

#include "account/api_key.h"
#include "account/engine_token.h"
#include "call/call_settings.h"
#include "llm/llm.h"
#include "server/config.h"
#include "server/door.h"
#include "session/conversation.h"

/* The largest prompt file: about ten thousand words. */
#define AGENTS_PROMPT_MAX (64u * 1024u)

/* Statistics of all agents that have had the same name.  Refcounted. */
struct agent_totals {
	char name[PARAM_NAME_SIZE];
	uint64_t conversations; /* that have begun */
	uint64_t refused; /* connections whose token was refused */
	struct conversation_figures figures; /* of conversations that have ended */
};

struct agent {
	char path[PARAM_STRING_SIZE];
	char language[CONFIG_WORD_SIZE]; /* "" means that the model is not given a language */
	struct engine_token_keys keys;
	/* The API key whose account pays for the agent's conversations; "" means that no account
	 * does. */
	char account_key[API_KEY_LEN + 1];
	struct llm_agent *llm;
	struct agent_totals *totals;
	struct call_settings call; /* how it behaves in calls */
	bool is_public; /* callers need no key */
	/* The secret with which a provider of telephone calls signs its requests; "": there are no such
	 * calls. */
	char telephone_token[PARAM_STRING_SIZE];
};

struct agents;

/* Creates the agents of the configuration.  Returns EINVAL or another errno, with one line per
 * mistake in `errors`. */
int agents_alloc(struct agents **agentsp, const struct config *config,
		 const struct door *const *doors, struct buf *errors);

/* Replaces the agents with those of the new configuration.  On failure nothing changes. */
int agents_reload(struct agents *agents, const struct config *config, struct buf *errors);

/* Returns a borrowed pointer, or NULL if no agent has this path or name, respectively. */
struct agent *agents_find(const struct agents *agents, const char *path);
struct agent *agents_find_name(const struct agents *agents, const char *name);

size_t agents_count(const struct agents *agents);
const struct agent *agents_at(const struct agents *agents, size_t index);

/* Returns the statistics of each agent name since the start, in order of first appearance; NULL
 * after the last. */
const struct agent_totals *agents_totals(const struct agents *agents, size_t index);

#endif
