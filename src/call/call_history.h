/*
 * call_history.h: what was said in a call, in order: the user's words, and of the agent's what the user
 * has heard.
 */
#ifndef CALL_CALL_HISTORY_H
#define CALL_CALL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/answerer.h"
#include "base/buf.h"

/* The longest question: what a caller says in one turn (EAR_TEXT_MAX) or types. */
#define CALL_HISTORY_QUESTION_MAX (64u * 1024u)

struct call_history {
	struct buf text; /* of all entries, one after the other */
	struct buf entries; /* an array of struct call_history_entry */
};

void call_history_init(struct call_history *history);
void call_history_reset(struct call_history *history);

/* Adds an entry; empty text adds none.  If there are too many, the oldest are forgotten: an agent that
 * does not know how the call began can still go on with it.  EMSGSIZE: the text is too long.  ENOMEM. */
int call_history_add(struct call_history *history, bool by_agent, const char *text, size_t len);

size_t call_history_count(const struct call_history *history);

/* What the agent said last; "": nothing, or not since the user spoke. */
const char *call_history_agent_last(const struct call_history *history, size_t *len);

/* The entries, followed by one of the user that is not added, in memory to be freed by the caller; NULL:
 * there is no memory.  They are valid until the history changes. */
struct answerer_said *call_history_with(const struct call_history *history, const char *text,
					size_t len, size_t *count);

#endif
