/*
 * drain.c: the end in good order.
 *
 * From the first signal on /ready says 503, idle sockets are told to reconnect
 * (1012) and busy ones after their turn.  When another server of ours serves the
 * address (an upgrade, or one that was started beside this one), we stop listening so
 * that new callers go there; else they are let in and told to come back (1013), and
 * a server that starts meanwhile takes the socket.  Who was let in
 * and has not asked yet is waited for, and all who have asked are answered.  A
 * second signal, or the configured time, ends it: the turns that are being spoken are
 * cut and recorded.  A drain is not taken back, also when the successor ends before
 * it is over: clients were sent away already, and a service manager watches the successor,
 * not this process.  A speech engine's
 * conversation is a call and has nowhere to go on: it lasts until its end or
 * that time.
 */
#include <string.h>

#include "base/log.h"
#include "server/server_private.h"

/* Who was let in at the last moment sends his request after two round trips, one
 * of them TLS': so long for the slowest network. */
#define LAST_REQUESTS_MS 2000

static void finish(void *arg)
{
	struct server *server = arg;

	loop_stop(server->loop);
}

void drain_close_doors(struct server *server)
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
	drain_close_doors(server);
}

/* Nobody else is let in: else callers without end could keep us. */
static void on_last_requests(void *arg)
{
	struct server *server = arg;

	drain_close_doors(server);
	http_server_close_unasked(server->http);
}

void drain_check(struct server *server)
{
	if (!server->draining || server->sockets.count > 0 || server->conversations.count > 0 ||
	    server->speeches.count > 0 || server->samples > 0)
		return;
	if (http_conn_count(server->http) == 0)
		finish(server);
	else if (!timer_is_set(&server->last_requests_timer))
		timer_set(&server->loop->timers, &server->last_requests_timer,
			  LAST_REQUESTS_MS * 1000u, on_last_requests, server);
}

/* Noted before the others are looked for: of two that are told to end together, each then sees
 * that the other one drains, and both keep answering those who come. */
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
		finish(server);
		return;
	}
	log_info("server", "draining: %zu connections, %zu conversations", server->sockets.count,
		 server->conversations.count);
	server->draining = true;
	drain_leave_to_sibling(server);
	http_server_drain(server->http);
	timer_set(&server->loop->timers, &server->drain_timer,
		  (uint64_t)server->config->drain_seconds * 1000000u, finish, server);
	tts_socket_go_away_all(server);
	drain_check(server);
}
