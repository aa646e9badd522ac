/*
 * drain.c: the end in good order.
 *
 * From the first signal on /ready says 503, idle sockets are told to reconnect
 * (1012) and busy ones after their turn.  When another process of ours has
 * taken the address over (an upgrade), we stop listening so that new callers
 * go there; else they are let in and told to come back (1013).  Who was let in
 * and has not asked yet is waited for, and all who have asked are answered.  A
 * second signal, or the configured time, ends it.  A speech engine's
 * conversation is a call and has nowhere to go on: it lasts until its end or
 * that time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "server/server_private.h"

/* Who was let in at the last moment sends his request after two round trips, one
 * of them TLS': so long for the slowest network. */
#define LAST_REQUESTS_MS 2000

static void pid_path(const struct server *server, char *path, size_t size)
{
	snprintf(path, size, "%s/syrinx.pid", server->config->data_dir);
}

/* Every server of a data directory holds a share of this lock while it lives:
 * unlike a process id, it cannot outlive the process or become another's. */
static int open_lock(const struct server *server)
{
	char path[PARAM_STRING_SIZE + 16];

	snprintf(path, sizeof(path), "%s/syrinx.lock", server->config->data_dir);
	return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static bool others_live(const struct server *server)
{
	int fd = open_lock(server);
	bool live;

	if (fd < 0)
		return false;
	if (server->lock_fd >= 0)
		flock(server->lock_fd, LOCK_UN); /* our own share does not count */
	live = flock(fd, LOCK_EX | LOCK_NB) != 0;
	close(fd);
	if (server->lock_fd >= 0)
		flock(server->lock_fd, LOCK_SH | LOCK_NB);
	return live;
}

/* "PID ADDRESS": who serves this address from this directory. */
int drain_note_pid(struct server *server)
{
	char path[PARAM_STRING_SIZE + 16];
	FILE *file;
	int fd;

	if (server->lock_fd < 0)
		server->lock_fd = open_lock(server);
	if (server->lock_fd < 0 || flock(server->lock_fd, LOCK_SH | LOCK_NB) != 0)
		return errno;
	pid_path(server, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		int err = errno;

		if (fd >= 0)
			close(fd);
		return err;
	}
	fprintf(file, "%ld %s\n", (long)getpid(), server->config->listen);
	return fclose(file) == 0 ? 0 : errno;
}

/* Port 0 is another one for each process. */
static bool is_chosen_by_kernel(const char *address)
{
	const char *colon = strrchr(address, ':');

	return colon && strcmp(colon, ":0") == 0;
}

/* Another living process of ours that serves this address from this directory:
 * the one before us when we start, the one after us when we end. */
bool drain_has_sibling(const struct server *server)
{
	char path[PARAM_STRING_SIZE + 16];
	char address[PARAM_STRING_SIZE];
	long pid = 0;
	FILE *file;
	int n;

	pid_path(server, path, sizeof(path));
	file = fopen(path, "re");
	if (!file)
		return false;
	n = fscanf(file, "%ld %511s", &pid, address);
	fclose(file);
	return n == 2 && pid != (long)getpid() && strcmp(address, server->config->listen) == 0 &&
	       !is_chosen_by_kernel(address) && others_live(server);
}

static void finish(void *arg)
{
	struct server *server = arg;

	loop_stop(server->loop);
}

void drain_close_doors(struct server *server)
{
	if (server->handover)
		handover_close(server->handover);
	if (server->listener)
		listener_close(server->listener);
	server->handover = NULL;
	server->listener = NULL;
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

void drain_begin(struct server *server)
{
	if (server->draining) {
		log_warn("server", "second signal: ending now");
		finish(server);
		return;
	}
	log_info("server", "draining: %zu connections, %zu conversations", server->sockets.count,
		 server->conversations.count);
	server->draining = true;
	if (drain_has_sibling(server))
		drain_close_doors(server);
	http_server_drain(server->http);
	timer_set(&server->loop->timers, &server->drain_timer,
		  (uint64_t)server->config->drain_seconds * 1000000u, finish, server);
	tts_socket_go_away_all(server);
	drain_check(server);
}
