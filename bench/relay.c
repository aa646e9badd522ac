/*
 * relay.c: a raw relay (see relay.h).
 */
#include "bench/relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void relay_send_at_once(int fd)
{
	const int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void relay_pass_on(int from, int to)
{
	char bytes[4096];
	ssize_t n = read(from, bytes, sizeof(bytes));

	if (n <= 0 || write(to, bytes, (size_t)n) != n)
		_exit(0);
}

/* Runs in the child. Connections arrive in the order in which the parent opens them, so each two
 * are a pair. */
static void relay_serve(int listener, size_t count)
{
	int *fds = calloc(2 * count, sizeof(*fds));
	int poll_fd = epoll_create1(EPOLL_CLOEXEC);

	for (size_t i = 0; fds && i < 2 * count; ++i) {
		struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};

		fds[i] = accept(listener, NULL, NULL);
		relay_send_at_once(fds[i]);
		epoll_ctl(poll_fd, EPOLL_CTL_ADD, fds[i], &event);
	}
	while (fds) {
		struct epoll_event events[64];
		int n = epoll_wait(poll_fd, events, 64, -1);

		for (int i = 0; i < n; ++i)
			relay_pass_on(fds[events[i].data.u64], fds[events[i].data.u64 ^ 1]);
	}
	_exit(1);
}

static int relay_open_listener(struct sockaddr_in *address)
{
	socklen_t len = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*address = (struct sockaddr_in){.sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd >= 0 && bind(fd, (struct sockaddr *)address, len) == 0 && listen(fd, 128) == 0 &&
	    getsockname(fd, (struct sockaddr *)address, &len) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int relay_connect_to(const struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0) {
		close(fd);
		return -1;
	}
	relay_send_at_once(fd);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

int relay_start(struct relay *relay, size_t count)
{
	struct sockaddr_in address;
	int listener = relay_open_listener(&address);

	*relay = (struct relay){.count = count};
	if (listener < 0)
		return errno;
	relay->fds = calloc(count, sizeof(*relay->fds));
	if (!relay->fds) {
		close(listener);
		return ENOMEM;
	}
	for (size_t i = 0; i < count; ++i)
		relay->fds[i][0] = relay->fds[i][1] = -1;
	relay->pid = fork();
	if (relay->pid == 0)
		relay_serve(listener, count);
	close(listener);
	for (size_t i = 0; relay->pid > 0 && i < 2 * count; ++i) {
		int fd = relay_connect_to(&address);

		if (fd < 0)
			return errno;
		relay->fds[i / 2][i % 2] = fd;
	}
	return relay->pid > 0 ? 0 : errno;
}

void relay_stop(struct relay *relay)
{
	for (size_t i = 0; relay->fds && i < 2 * relay->count; ++i) {
		if (relay->fds[i / 2][i % 2] >= 0)
			close(relay->fds[i / 2][i % 2]);
	}
	free(relay->fds);
	relay->fds = NULL;
	if (relay->pid > 0) {
		kill(relay->pid, SIGKILL);
		waitpid(relay->pid, NULL, 0);
	}
	relay->pid = 0;
}
