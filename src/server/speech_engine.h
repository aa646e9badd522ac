/*
 * speech_engine.h: the WebSockets of speech engines, at the paths of agents.
 *
 * This connects net to conversation: a token is checked before the upgrade; then the engine's
 * messages are passed to the conversation, and its words to the engine.  Runs on the loop's thread.
 */
#ifndef SERVER_SPEECH_ENGINE_H
#define SERVER_SPEECH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

struct agent;
struct agent_totals;
struct connection_permit;
struct caller;
struct route_call;
struct server;

/* A transcript contains everything that was said: an hour of it is 100 KB, and engines are
 * authenticated before they may send anything.  A longer message closes the connection (1009). */
#define SPEECH_ENGINE_MESSAGE_MAX (4u * 1024u * 1024u)

/* Returns true if the path is an agent's; the request has then been answered. */
bool speech_engine_open(const struct route_call *call);

/* Starts a conversation.  The caller's account pays for it (NULL: no account does).  `permit`
 * counts as one of that account's connections and is taken over (NULL: none was requested).  A
 * client that has an API key of this server instead of a token is sent errors and, if it asks for
 * it, usage. */
struct speech_engine_caller {
	struct caller *caller;
	struct connection_permit *permit;
	bool has_key;
	bool wants_usage;
};
void speech_engine_admit(const struct route_call *call, struct agent *agent,
			 const struct speech_engine_caller *caller);

/* Closes the conversations whose keys are no longer valid. */
void speech_engine_close_invalid(struct server *server);

void speech_engine_abort_all(struct server *server);

/* Logs the current and past conversations of each agent. */
void speech_engine_log(const struct server *server);

/* Adds the open conversations to an entry of agents_totals; returns false after the last entry. */
bool speech_engine_totals(const struct server *server, size_t index, struct agent_totals *totals);

#endif
