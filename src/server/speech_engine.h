/*
 * speech_engine.h: the WebSockets of speech engines, at the paths of agents.
 *
 * The glue between net and conversation: a token is checked before the upgrade,
 * then messages go up and words go down.
 */
#ifndef SERVER_SPEECH_ENGINE_H
#define SERVER_SPEECH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

struct agent;
struct agent_totals;
struct connection_permit;
struct member;
struct route_call;
struct server;

/* A transcript has all that was said: an hour of it is 100 KB, and engines are
 * known to us before they may send anything.  A longer message closes (1009). */
#define SPEECH_ENGINE_MESSAGE_MAX (4u * 1024u * 1024u)

/* True when the path is an agent's: then the request was answered. */
bool speech_engine_open(const struct route_call *call);

/* Starts a conversation.  The member's account pays (NULL: nobody); `permit` is one of that
 * account's connections and is taken over (NULL: none was requested).  A client that has an
 * API key of this server instead of a token is told errors and, if it asks for it, usage. */
struct speech_engine_caller {
	struct member *member;
	struct connection_permit *permit;
	bool has_key;
	bool wants_usage;
};
void speech_engine_admit(const struct route_call *call, struct agent *agent,
			 const struct speech_engine_caller *caller);

/* Those whose keys are not good any more are closed. */
void speech_engine_shut_ended(struct server *server);

void speech_engine_abort_all(struct server *server);

/* What is alive and what there was, by agent, as log lines. */
void speech_engine_log(const struct server *server);

/* What an agent of agents_totals has done, in conversations that are open too; false
 * behind the last. */
bool speech_engine_totals(const struct server *server, size_t index, struct agent_totals *totals);

#endif
