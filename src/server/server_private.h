/*
 * server_private.h: what the files of the server share.
 *
 *   server.c      start, signals, end
 *   drain.c       the end in good order
 *   routes.c      path → handler
 *   auth.c        whose request it is
 *   health.c      GET /health, GET /ready
 *   tts_socket.c  a WebSocket and the session on it
 */
#ifndef SERVER_SERVER_PRIVATE_H
#define SERVER_SERVER_PRIVATE_H

#include "account/account.h"
#include "base/buf.h"
#include "base/list.h"
#include "loop/folder.h"
#include "loop/loop.h"
#include "net/http.h"
#include "net/listener.h"
#include "net/tls.h"
#include "server/config.h"
#include "server/server.h"
#include "session/services.h"
#include "synth/pool.h"
#include "wire/error.h"

#define SERVER_SIGNALS 3 /* that are watched */
#define REQUEST_ID_LEN 20 /* "req_" and 16 hex digits */

struct server {
	const struct config *config;
	const struct server_events *events;
	struct loop *loop;
	struct account *account;
	struct pool *pool;
	struct folder *voices_folder;
	struct tls *tls;
	struct http_server *http;
	struct listener *listener;
	struct voices_fetch *voices_fetch; /* NULL: there is nothing to fetch */
	struct session_services services;
	struct buf scratch;
	struct list sockets; /* struct tts_socket */
	int failure; /* errno that ended it */
	int lock_fd; /* see drain.c; -1: not held */
	bool draining;
	struct timer doors_timer;
	struct timer drain_timer;
	struct timer last_answers_timer;
	uv_signal_t signals[SERVER_SIGNALS];
};

/* routes.c */
void routes_handle(struct http_request *request, void *arg);

/* auth.c: calls `next` with the key's row when the request carries a good key,
 * answers 401 or 403 otherwise. */
typedef void(auth_next_h)(struct server *server, struct http_request *request,
			  const struct store_key *key, const char *request_id);
void auth_request(struct server *server, struct http_request *request, auth_next_h *next);

/* answer.c */
void answer_json(struct http_request *request, int status, const char *json, size_t len);
void answer_error(struct server *server, struct http_request *request, enum wire_error_id id,
		  const char *request_id);
void answer_make_request_id(char id[REQUEST_ID_LEN + 1]);

/* health.c */
void health_get(struct server *server, struct http_request *request);
void health_ready(struct server *server, struct http_request *request);

/* tts_socket.c */
auth_next_h tts_socket_open_stream, tts_socket_open_multi;
void tts_socket_go_away_all(struct server *server);
void tts_socket_abort_all(struct server *server);

/* drain.c */
void drain_begin(struct server *server);
void drain_check(struct server *server); /* a socket has gone */
int drain_note_pid(struct server *server);
bool drain_has_sibling(const struct server *server);

#endif
