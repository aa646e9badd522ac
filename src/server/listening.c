/*
 * listening.c: when this process listens, and with which socket.
 *
 * A server that nobody precedes binds its address before it does anything else, and accepts
 * callers as soon as its loop runs.  One that is to replace a server of its data directory leaves
 * callers to that server until all its own engines have loaded, and is then handed the socket
 * (net/handover.h).  If its predecessor ends before that, it listens at once.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "server/server_private.h"
#include "server/successor.h"

/* How often a successor that is loading looks whether its predecessor is still there. */
#define PREDECESSOR_CHECK_MS 100

/* Together a second: a process that was killed is gone long before. */
#define BIND_TRIES 20
#define BIND_PAUSE_MS 50

#define COMMAND_MAX 16384 /* of a command line that is shown */

bool listening_has_predecessor(const struct server *server)
{
	struct sibling sibling;

	return siblings_find_serving(&sibling, &server->siblings);
}

static size_t connection_count(const struct server *server)
{
	return http_conn_count(server->http) + server->sockets.count + server->conversations.count;
}

static void on_accept(void *arg, int fd)
{
	static const char busy[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
				   "Content-Length: 0\r\nConnection: close\r\n\r\n";
	struct server *server = arg;

	/* When all connections are taken, an unauthenticated one is closed; otherwise a few
	 * programs that hold connections open would shut out every client that has a key. */
	if (connection_count(server) < (size_t)server->config->max_connections ||
	    keyless_evict_oldest(http_keyless(server->http))) {
		http_accept(server->http, fd);
		return;
	}
	if (write(fd, busy, strlen(busy)) < 0) /* it may have gone itself */
		log_debug("server", "refused a connection that was gone");
	close(fd);
}

static void tell_listening(const struct server *server)
{
	const char *configured = server->config->listen;
	char address[PARAM_STRING_SIZE + 8];

	snprintf(address, sizeof(address), "%.*s:%u", (int)(strrchr(configured, ':') - configured),
		 configured, listener_port(server->listener));
	log_info("server", "listening on %s", address);
	if (server->events->listening)
		server->events->listening(address, server->events->arg);
}

/* Shows a command with a free port if the address is in use, most often by another program. */
static void log_failure(const struct server *server, int err)
{
	const struct server_events *events = server->events;
	char address[PARAM_STRING_SIZE];
	struct buf command;

	buf_init(&command, COMMAND_MAX);
	if (err == EADDRINUSE && events->command &&
	    listener_find_free(address, sizeof(address), server->config->listen) == 0 &&
	    events->command(&command, address, events->arg) == 0)
		log_error("server", "cannot listen on %s: %s; to use another address: %.*s",
			  server->config->listen, strerror(err), (int)command.len, command.bytes);
	else
		log_error("server", "cannot listen on %s: %s", server->config->listen,
			  strerror(err));
	buf_reset(&command);
}

/* The kernel may need a moment to close the socket of a server of ours that was killed. */
static int bind_address(struct server *server)
{
	unsigned tries = siblings_has_been(&server->siblings) ? BIND_TRIES : 1;
	int err;

	do {
		err = listener_alloc(&server->listener, server->loop, server->config->listen,
				     on_accept, server);
	} while (err == EADDRINUSE && --tries > 0 && poll(NULL, 0, BIND_PAUSE_MS) == 0);
	if (err)
		log_failure(server, err);
	return err;
}

/* If another server of this data directory listens on the address, its socket is used. */
static int take_listener(struct server *server)
{
	const struct config *config = server->config;
	struct sibling sibling = {0};
	int fd;

	while (siblings_next(&sibling, &server->siblings)) {
		int err = handover_take(&fd, config->data_dir, sibling.slot, config->listen);

		if (!err) {
			successor_tell_taken(config->listen, sibling.pid, sibling.is_draining);
			return listener_adopt(&server->listener, server->loop, fd, on_accept,
					      server);
		}
		log_warn("server", "process %ld does not hand over its socket: %s", sibling.pid,
			 strerror(err));
	}
	return bind_address(server);
}

/* Another process accepts connections now, so this one can end without refusing any; a draining
 * server has only waited for that. */
static void on_handed_over(void *arg, pid_t pid)
{
	struct server *server = arg;

	if (server->draining)
		drain_succeeded(server);
	log_info("server", "process %ld listens on %s too", (long)pid, server->config->listen);
}

void listening_offer(struct server *server)
{
	int err = siblings_join(&server->siblings);

	if (err)
		log_warn("server", "cannot join the servers of %s: %s", server->config->data_dir,
			 strerror(err));
	if (server->handover)
		handover_close(server->handover);
	server->handover = NULL;
	err = handover_offer(&server->handover, server->loop, server->config->data_dir,
			     server->siblings.slot, server->config->listen,
			     listener_fd(server->listener), on_handed_over, server);
	if (err)
		log_warn("server", "no other process can take over while this one listens: %s",
			 strerror(err));
}

/* From now on this is the server of its data directory: others that start find it. */
static void join_siblings(struct server *server)
{
	int err;

	listening_offer(server);
	siblings_set_url(&server->siblings, server->config->tls_certificate[0] != '\0',
			 listener_port(server->listener));
	err = siblings_note(&server->siblings, false);
	if (err)
		log_warn("server", "cannot write the pid file: %s", strerror(err));
}

static int open_listener(struct server *server)
{
	int err = take_listener(server);

	if (!err)
		join_siblings(server);
	return err;
}

static void begin_service(struct server *server)
{
	tell_listening(server);
	pool_keep_records(server->pool);
}

/* If the predecessor ends while this process is loading, nobody else accepts callers. */
static void check_predecessor(void *arg)
{
	struct server *server = arg;

	if (server->listener || server->draining)
		return;
	if (listening_has_predecessor(server)) {
		timer_set(&server->loop->timers, &server->predecessor_timer,
			  PREDECESSOR_CHECK_MS * UINT64_C(1000), check_predecessor, server);
		return;
	}
	server->failure = open_listener(server);
	if (server->failure)
		loop_stop(server->loop);
	else
		begin_service(server);
}

int listening_bind(struct server *server)
{
	return listening_has_predecessor(server) ? 0 : open_listener(server);
}

void listening_begin(struct server *server)
{
	if (server->listener)
		begin_service(server);
	else
		check_predecessor(server);
}

int listening_take_over(struct server *server)
{
	const char *lost = pool_lost(server->pool);
	int err;

	if (server->listener)
		return 0;
	server->replaces = listening_has_predecessor(server);
	if (lost && server->replaces) {
		log_error("server",
			  "the engine %s works in the server that is running and does not start "
			  "in this one: this one ends, the other continues",
			  lost);
		return ECANCELED;
	}
	err = open_listener(server);
	if (!err)
		begin_service(server);
	return err;
}
