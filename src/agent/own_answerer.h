/*
 * own_answerer.h: an answerer (answerer.h) that is an agent of this server's configuration.
 *
 *   question ─> session/conversation.c ─> the agent's language model ─> words, final
 *
 * It is the other end of a conversation, without a connection in between.  The messages are the same
 * as on one, although that means that JSON is written and read: conversations then have a single
 * interface, and what is true for engines that connect is true for calls.  A history of an hour takes
 * a millisecond.
 *
 * When the caller's credit is used up or the key has ended, the question fails as refused, and
 * `closed` follows; the answerer must still be released by its `close`.
 */
#ifndef AGENT_OWN_ANSWERER_H
#define AGENT_OWN_ANSWERER_H

#include <stdbool.h>

#include "agent/answerer.h"
#include "loop/loop.h"
#include "session/conversation.h"

struct own_answerer_options {
	struct loop *loop;
	struct llm *llm; /* must outlive the answerer */
	struct llm_agent *agent; /* a reference is taken */
	const char *agent_name; /* copied */
	const char *conversation_id; /* copied; for the log */
	bool log_texts;
	/* See struct conversation_options; NULL: nobody is charged. */
	const struct answer_billing *billing;
	/* The figures of the conversation are added to it when the answerer is closed; it must exist
	 * until then.  May be NULL. */
	struct conversation_figures *totals;
};

/* The answerer is released by its `close`.  ENOMEM. */
int own_answerer_alloc(struct answerer **answererp, const struct own_answerer_options *options,
		       const struct answerer_listener *listener, void *arg);

#endif
