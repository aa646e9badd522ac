/*
 * agents.h: who answers speech engines, by path, as the configuration has it.
 *
 * An agent never changes: a reload makes new ones, and conversations keep theirs
 * until they end.  What became of an agent's conversations is summed up under
 * its name and outlives reloads.  On the loop.
 */
#ifndef SERVER_AGENTS_H
#define SERVER_AGENTS_H

#include <stddef.h>
#include <stdint.h>

#include "account/account_key.h"
#include "account/engine_token.h"
#include "llm/llm.h"
#include "server/config.h"
#include "server/door.h"
#include "session/conversation.h"

/* A prompt in a file: some ten thousand words. */
#define AGENTS_PROMPT_MAX (64u * 1024u)

/* Of one name; refcounted. */
struct agent_totals {
	char name[PARAM_NAME_SIZE];
	uint64_t conversations; /* begun */
	uint64_t refused; /* tokens */
	struct conversation_figures figures; /* of those that are over */
};

struct agent {
	char path[PARAM_STRING_SIZE];
	char language[CONFIG_WORD_SIZE]; /* "": it is told none */
	struct engine_token_keys keys;
	char account_key[ACCOUNT_KEY_LEN +
			 1]; /* whose account pays for its engines; "": nobody's */
	struct llm_agent *llm;
	struct agent_totals *totals;
};

struct agents;

/* Those of the configuration.  EINVAL or an errno, with a line per mistake in
 * errors. */
int agents_alloc(struct agents **agentsp, const struct config *config,
		 const struct door *const *doors, struct buf *errors);

/* The same anew: on failure nothing has changed. */
int agents_reload(struct agents *agents, const struct config *config, struct buf *errors);

/* Lent; NULL: no agent's path. */
struct agent *agents_find(const struct agents *agents, const char *path);

struct agent *agents_find_name(const struct agents *agents, const char *name);

size_t agents_count(const struct agents *agents);
const struct agent *agents_at(const struct agents *agents, size_t index);

/* Those of every name there was since the start, in order of appearance; NULL
 * behind the last. */
const struct agent_totals *agents_totals(const struct agents *agents, size_t index);

#endif
