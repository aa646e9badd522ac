/*
 * listener.c: accepts connections on one address (see listener.h).  Runs on the loop's thread.
 */
#include "net/listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

/* How many connections are accepted per wake-up, so that many new clients do not keep the others
 * waiting: 64 accepts take about a millisecond. */
#define ACCEPTS_MAX 64

#define BACKLOG 4096 /* the kernel limits it to net.core.somaxconn */

struct listener {
	struct watch watch;
	struct timer pause;
	listener_accept_h *accept;
	void *arg;
	int fd;
	bool is_closed;
};

static void listener_on_pause_over(void *arg)
{
	struct listener *listener = arg;

	watch_set(&listener->watch, WATCH_READ);
}

static void listener_pause_accepting(struct listener *listener, int err)
{
	log_warn("net", "accepting connections is paused for %d ms: %s", LISTENER_PAUSE_MS,
		 strerror(err));
	timer_set(&listener->watch.loop->timers, &listener->pause, LISTENER_PAUSE_MS * 1000u,
		  listener_on_pause_over, listener);
	watch_set(&listener->watch, 0);
}

static void listener_on_readable(void *arg, int events)
{
	struct listener *listener = arg;

	(void)events;
	for (int i = 0; i < ACCEPTS_MAX && !listener->is_closed; ++i) {
		int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			listener->accept(listener->arg, fd);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			listener_pause_accepting(listener, errno);
		else if (errno != EAGAIN)
			continue; /* the client has disconnected, or its network has failed */
		break;
	}
}

/* Splits "HOST:PORT" at the last colon; IPv6 addresses are in brackets. */
static int listener_split_address(const char *address, char *host, size_t size, const char **port)
{
	const char *colon = strrchr(address, ':');
	size_t len;

	if (!colon || colon[1] == '\0')
		return EINVAL;
	len = (size_t)(colon - address);
	if (len >= 2 && address[0] == '[' && colon[-1] == ']') {
		++address;
		len -= 2;
	} else if (memchr(address, ':', len)) {
		return EINVAL;
	}
	if (len >= size)
		return EINVAL;
	memcpy(host, address, len);
	host[len] = '\0';
	*port = colon + 1;
	return 0;
}

static int listener_resolve(struct addrinfo **found, const char *address)
{
	struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
				 .ai_socktype = SOCK_STREAM};
	char host[256];
	const char *port;
	int err = listener_split_address(address, host, sizeof(host), &port);

	if (err)
		return err;
	/* getaddrinfo would read 65537 as 1. */
	if (strspn(port, "0123456789") != strlen(port) || strlen(port) > 5 || atoi(port) > 65535)
		return EINVAL;
	switch (getaddrinfo(host[0] ? host : NULL, port, &hints, found)) {
	case 0:
		return 0;
	case EAI_MEMORY:
		return ENOMEM;
	case EAI_SERVICE:
		return EINVAL;
	default:
		return EADDRNOTAVAIL;
	}
}

static int listener_open_socket(int *fdp, const struct addrinfo *to, bool listens)
{
	const int on = 1;
	const int off = 0;
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (to->ai_family == AF_INET6) /* [::] accepts IPv4 clients too */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, to->ai_addr, to->ai_addrlen) == 0 && (!listens || listen(fd, BACKLOG) == 0)) {
		*fdp = fd;
		return 0;
	}
	err = errno;
	close(fd);
	return err;
}

/* Listens on the first address that is available.  For ":PORT" IPv6 is tried first, because such a
 * socket also accepts IPv4; for a name such as localhost IPv4 is tried first, because every client
 * tries it. */
static int listener_open_first(int *fdp, const struct addrinfo *found, int family, bool listens)
{
	int err = EADDRNOTAVAIL;

	for (int pass = 0; pass < 2; ++pass) {
		for (const struct addrinfo *a = found; a; a = a->ai_next) {
			if ((a->ai_family == family) != (pass == 0))
				continue;
			err = listener_open_socket(fdp, a, listens);
			if (err == 0)
				return 0;
		}
	}
	return err;
}

int listener_adopt(struct listener **listenerp, struct loop *loop, int fd,
		   listener_accept_h *accept, void *arg)
{
	struct listener *listener = mem_zalloc(sizeof(*listener), NULL);
	int err = listener ? watch_open(&listener->watch, loop, fd, listener_on_readable, listener)
			   : ENOMEM;

	if (err) {
		mem_deref(listener);
		close(fd);
		return err;
	}
	listener->fd = fd;
	listener->accept = accept;
	listener->arg = arg;
	watch_set(&listener->watch, WATCH_READ);
	*listenerp = listener;
	return 0;
}

static int listener_open(int *fdp, const char *address, bool listens)
{
	struct addrinfo *found = NULL;
	int err = listener_resolve(&found, address);

	if (err)
		return err;
	err = listener_open_first(fdp, found, address[0] == ':' ? AF_INET6 : AF_INET, listens);
	freeaddrinfo(found);
	return err;
}

int listener_try(const char *address)
{
	int fd = -1;
	int err = listener_open(&fd, address, false);

	if (!err)
		close(fd);
	return err;
}

int listener_alloc(struct listener **listenerp, struct loop *loop, const char *address,
		   listener_accept_h *accept, void *arg)
{
	int fd = -1;
	int err = listener_open(&fd, address, true);

	return err ? err : listener_adopt(listenerp, loop, fd, accept, arg);
}

int listener_find_free(char *free_address, size_t size, const char *address)
{
	const char *colon = strrchr(address, ':');
	int port = colon ? atoi(colon + 1) : 0;

	if (port <= 0)
		return EINVAL;
	for (int i = 1; i <= LISTENER_FREE_MAX && port + i <= 65535; ++i) {
		int n = snprintf(free_address, size, "%.*s:%d", (int)(colon - address), address,
				 port + i);

		if (n < 0 || (size_t)n >= size)
			return EINVAL;
		if (listener_try(free_address) == 0)
			return 0;
	}
	return EADDRNOTAVAIL;
}

int listener_fd(const struct listener *listener)
{
	return listener->fd;
}

uint16_t listener_port(const struct listener *listener)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address = {0};
	socklen_t len = sizeof(address);

	if (getsockname(listener->fd, &address.any, &len) != 0)
		return 0;
	return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port
						       : address.v4.sin_port);
}

static void listener_on_closed(void *arg)
{
	mem_deref(arg);
}

void listener_close(struct listener *listener)
{
	if (listener->is_closed)
		return;
	listener->is_closed = true;
	timer_clear(&listener->watch.loop->timers, &listener->pause);
	watch_close(&listener->watch, listener_on_closed);
	close(listener->fd);
}
