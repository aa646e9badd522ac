/*
 * echo.c: a raw socket echo (see echo.h).
 */
#include "bench/echo.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The same length as a message with one token. */
#define MESSAGE_LEN 40

static void echo_serve(int listener)
{
	char bytes[256];
	const int on = 1;
	int fd = accept(listener, NULL, NULL);
	ssize_t n;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		if (write(fd, bytes, (size_t)n) != n)
			break;
	}
	_exit(0);
}

int echo_start(struct echo *echo)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(address);
	const int on = 1;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (listener < 0 || bind(listener, (struct sockaddr *)&address, len) != 0 ||
	    listen(listener, 1) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &len) != 0)
		return errno;
	echo->pid = fork();
	if (echo->pid == 0)
		echo_serve(listener);
	echo->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (echo->pid < 0 || connect(echo->fd, (struct sockaddr *)&address, len) != 0)
		return errno;
	setsockopt(echo->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	close(listener);
	return 0;
}

double echo_round_trip_us(struct echo *echo)
{
	char bytes[MESSAGE_LEN] = {0};
	struct timespec before;
	struct timespec after;
	size_t got = 0;

	clock_gettime(CLOCK_MONOTONIC, &before);
	if (write(echo->fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		return 0;
	while (got < sizeof(bytes)) {
		ssize_t n = read(echo->fd, bytes, sizeof(bytes) - got);

		if (n <= 0)
			return 0;
		got += (size_t)n;
	}
	clock_gettime(CLOCK_MONOTONIC, &after);
	return (double)(after.tv_sec - before.tv_sec) * 1e6 +
	       (double)(after.tv_nsec - before.tv_nsec) / 1e3;
}

void echo_stop(struct echo *echo)
{
	if (echo->pid <= 0)
		return; /* it was never started, and kill treats 0 and -1 specially */
	close(echo->fd);
	kill(echo->pid, SIGKILL);
	waitpid(echo->pid, NULL, 0);
}
