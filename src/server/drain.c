/*
 * drain.c: the orderly shutdown.
 *
 * After the first signal, /ready answers 503.  Idle WebSockets are closed with 1012 (reconnect),
 * busy ones after their turn.  If another server of the same data directory serves the address (a
 * successor, or one that was started next to this one), this one stops listening so that new clients
 * connect to the other.  Otherwise it accepts new clients, whose WebSockets are closed with 1013 (try
 * again later), and a server that starts meanwhile takes over the listening socket.  Connections
 * that have not sent their request yet get a little time to do so (LAST_REQUESTS_MS), and every
 * request is answered.  A second signal, or the configured time, ends the drain: the turns that are
 * being spoken are cut off and recorded.
 *
 * A drain is not reversed, even if the successor ends before it is over: clients have already been
 * sent away, and the service manager watches the successor, not this process.  A speech engine's
 * conversation is a call that cannot continue elsewhere, so it lasts until its end or the
 * configured time.  A caller's own connection to an agent ends when nobody is speaking.
 *
 * Runs on the loop's thread.
 */
#include <string.h>

#include "base/log.h"
#include "server/call_socket.h"
#include "server/server_private.h"

/* A client that was accepted at the last moment sends its request after two round trips, one of
 * them for TLS.  This is enough even on a slow network. */
#define LAST_REQUESTS_MS 2000

static void drain_finish(void *arg)
{
	struct server *server = arg;

	loop_stop(server->loop);
}

void drain_stop_listening(struct server *server)
{
	struct sibling heir;

	if (server->handover)
		handover_close(server->handover);
	if (server->listener)
		listener_close(server->listener);
	server->handover = NULL;
	server->listener = NULL;
	if (siblings_leave(&server->siblings, &heir))
		handover_point(server->config->data_dir, heir.slot);
}

void drain_succeeded(struct server *server)
{
	server->services.has_successor = true;
	drain_stop_listening(server);
}

/* No more connections are accepted, because an endless series of clients could keep the server from
 * ending. */
static void drain_on_last_requests(void *arg)
{
	struct server *server = arg;

	drain_stop_listening(server);
	http_server_close_unasked(server->http);
}

void drain_check(struct server *server)
{
	if (!server->draining || server->sockets.count > 0 || server->conversations.count > 0 ||
	    server->calls.count > 0 || server->speeches.count > 0 ||
	    server->transcriptions.count > 0 || server->samples > 0)
		return;
	if (http_conn_count(server->http) == 0)
		drain_finish(server);
	else if (!timer_is_set(&server->last_requests_timer))
		timer_set(&server->loop->timers, &server->last_requests_timer,
			  LAST_REQUESTS_MS * 1000u, drain_on_last_requests, server);
}

/* Stops listening if another server serves the address.  This server's own entry is marked as
 * draining first: if two servers are signalled at the same time, each sees that the other one is
 * draining, and neither relies on the other to answer new clients. */
static void drain_leave_to_sibling(struct server *server)
{
	struct sibling sibling;
	int err = server->listener ? siblings_note(&server->siblings, true) : 0;

	if (err)
		log_warn("server", "cannot tell other servers that this one is draining: %s",
			 strerror(err));
	if (siblings_find_serving(&sibling, &server->siblings)) {
		log_info("server", "new clients are served by process %ld", sibling.pid);
		drain_succeeded(server);
	}
}

void drain_begin(struct server *server)
{
	if (server->draining) {
		log_warn("server",
			 "second signal: stopping now, without waiting for %zu "
			 "connections and %zu conversations",
			 server->sockets.count, server->conversations.count);
		drain_finish(server);
		return;
	}
	log_info("server", "draining: %zu connections, %zu conversations", server->sockets.count,
		 server->conversations.count);
	server->draining = true;
	drain_leave_to_sibling(server);
	http_server_drain(server->http);
	timer_set(&server->loop->timers, &server->drain_timer,
		  (uint64_t)server->config->drain_seconds * 1000000u, drain_finish, server);
	tts_socket_go_away_all(server);
	call_socket_go_away_all(server);
	drain_check(server);
}
