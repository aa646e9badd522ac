/*
 * listening.c: when this process listens, and with which socket.
 *
 * A server without a predecessor binds its address before it does anything else, and accepts
 * connections as soon as its loop runs.  One that is to replace a server of its data directory
 * leaves new clients to that server until all its own engines have loaded, and is then handed the
 * socket (net/handover.h).  If its predecessor ends before that, it listens immediately.  Runs on
 * the loop's thread.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "server/server_private.h"
#include "server/successor.h"

/* How often a successor that is loading checks whether its predecessor still runs. */
#define PREDECESSOR_CHECK_MS 100

/* One second in total: the kernel closes the socket of a killed process well within it. */
#define BIND_TRIES 20
#define BIND_PAUSE_MS 50

#define COMMAND_MAX 16384 /* the longest command line that is shown */

bool listening_has_predecessor(const struct server *server)
{
	struct sibling sibling;

	return siblings_find_serving(&sibling, &server->siblings);
}

static size_t listening_count_connections(const struct server *server)
{
	return http_conn_count(server->http) + server->sockets.count + server->conversations.count +
	       server->calls.count;
}

static void listening_on_accept(void *arg, int fd)
{
	static const char busy[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
				   "Content-Length: 0\r\nConnection: close\r\n\r\n";
	struct server *server = arg;

	/* When all connections are in use, an unauthenticated one is closed; otherwise a few
	 * programs that hold connections open would lock out every client that has a key. */
	if (listening_count_connections(server) < (size_t)server->config->max_connections ||
	    keyless_evict_oldest(http_keyless(server->http))) {
		http_accept(server->http, fd);
		return;
	}
	if (write(fd, busy, strlen(busy)) < 0) /* the client may have disconnected already */
		log_debug("server", "refused a connection that was already closed");
	close(fd);
}

static void listening_announce(const struct server *server)
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
static void listening_log_failure(const struct server *server, int err)
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

/* Retries if the last server of this data directory had the same address: the kernel may need a
 * moment to close the socket of a process that was killed. */
static int listening_bind_address(struct server *server)
{
	unsigned tries = siblings_had_address(&server->siblings) ? BIND_TRIES : 1;
	int err;

	do {
		err = listener_alloc(&server->listener, server->loop, server->config->listen,
				     listening_on_accept, server);
	} while (err == EADDRINUSE && --tries > 0 && poll(NULL, 0, BIND_PAUSE_MS) == 0);
	if (err)
		listening_log_failure(server, err);
	return err;
}

/* If another server of this data directory listens on the address, its socket is used. */
static int listening_take_socket(struct server *server)
{
	const struct config *config = server->config;
	struct sibling sibling = {0};
	int fd;

	while (siblings_next(&sibling, &server->siblings)) {
		int err = handover_take(&fd, config->data_dir, sibling.slot, config->listen);

		if (!err) {
			successor_log_taken(config->listen, sibling.pid, sibling.is_draining);
			return listener_adopt(&server->listener, server->loop, fd,
					      listening_on_accept, server);
		}
		log_warn("server", "process %ld does not hand over its socket: %s", sibling.pid,
			 strerror(err));
	}
	return listening_bind_address(server);
}

/* Another process accepts connections from now on, so a draining server can stop listening without
 * refusing any. */
static void listening_on_handed_over(void *arg, pid_t pid)
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
			     listener_fd(server->listener), listening_on_handed_over, server);
	if (err)
		log_warn("server", "no other process can take over while this one listens: %s",
			 strerror(err));
}

/* Makes this server known to others of its data directory, and to commands. */
static void listening_join_siblings(struct server *server)
{
	int err;

	listening_offer(server);
	siblings_set_url(&server->siblings, server->config->tls_certificate[0] != '\0',
			 listener_port(server->listener));
	err = siblings_note(&server->siblings, false);
	if (err)
		log_warn("server", "cannot write the pid file: %s", strerror(err));
}

static int listening_open(struct server *server)
{
	int err = listening_take_socket(server);

	if (!err)
		listening_join_siblings(server);
	return err;
}

static void listening_begin_service(struct server *server)
{
	listening_announce(server);
	pool_keep_records(server->pool);
	hearing_pool_keep_records(server->hearing_pool);
}

/* Checks at intervals, while this process is loading, whether its predecessor still runs.  If not,
 * this process listens immediately, because no other one does. */
static void listening_check_predecessor(void *arg)
{
	struct server *server = arg;

	if (server->listener || server->draining)
		return;
	if (listening_has_predecessor(server)) {
		timer_set(&server->loop->timers, &server->predecessor_timer,
			  PREDECESSOR_CHECK_MS * UINT64_C(1000), listening_check_predecessor,
			  server);
		return;
	}
	server->failure = listening_open(server);
	if (server->failure)
		loop_stop(server->loop);
	else
		listening_begin_service(server);
}

int listening_bind(struct server *server)
{
	return listening_has_predecessor(server) ? 0 : listening_open(server);
}

void listening_begin(struct server *server)
{
	if (server->listener)
		listening_begin_service(server);
	else
		listening_check_predecessor(server);
}

int listening_take_over(struct server *server)
{
	const char *lost = pool_lost(server->pool);
	int err;

	if (server->listener)
		return 0;
	if (!lost)
		lost = hearing_pool_lost(server->hearing_pool);
	server->replaces = listening_has_predecessor(server);
	if (lost && server->replaces) {
		log_error("server",
			  "the engine %s works in the server that is running and does not start "
			  "in this one: this one ends, the other continues",
			  lost);
		return ECANCELED;
	}
	err = listening_open(server);
	if (!err)
		listening_begin_service(server);
	return err;
}
