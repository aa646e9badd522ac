/*
 * call_socket.h: the WebSockets of callers, who talk with an agent.
 *
 * A vendor's API finds the agent and the caller's account for a request (src/doors) and passes them on;
 * here the call is admitted, and connected with its client and with whoever answers.  Runs on the loop's
 * thread.
 */
#ifndef SERVER_CALL_SOCKET_H
#define SERVER_CALL_SOCKET_H

#include "account/engine_token.h"
#include "call/call.h"
#include "server/door.h"

struct agent;
struct caller;
struct server;

/* Answers of APIs that differ. */
struct call_socket_api {
	const struct call_api *api;
	const char *subprotocol; /* selected if the client offers it; NULL: none */
};

/* What a call needs to know about its agent. */
struct call_plan {
	struct call_settings settings;
	struct agent *agent; /* of the configuration; NULL: settings.url answers.  A reference. */
	struct engine_token_keys keys; /* sign the token for settings.url */
	char conversation_id[CALL_ID_SIZE]; /* "": one is made */
};

/* Refcounted, with the defaults of calls. */
int call_plan_alloc(struct call_plan **planp);

/* Fills in an agent of the configuration. */
void call_plan_use_agent(struct call_plan *plan, struct agent *agent);

/* False: the request asks for no WebSocket, and has been answered with 426. */
bool call_socket_is_wanted(const struct route_call *call);

/* Whether one more call would be admitted (calls.max), for APIs that can say so before it connects. */
bool call_socket_has_room(const struct server *server);

/* Admits the call and answers the request: with a WebSocket, or with an error if there are too many
 * calls, or the caller may not connect.  Takes a reference to the caller and to the plan. */
void call_socket_admit(const struct route_call *call, const struct call_socket_api *api,
		       struct caller *caller, struct call_plan *plan);

/* The same for all calls: those whose key is not valid any more end; the server ends when nobody speaks;
 * it ends now. */
void call_socket_close_invalid(struct server *server);
void call_socket_go_away_all(struct server *server);
void call_socket_abort_all(struct server *server);

#endif
