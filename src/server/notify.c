/*
 * notify.c: reports the server's state to the service manager (see notify.h).
 */
#include "server/notify.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"

#define STATE_MAX 256

static void notify_send(const char *path, const char *state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t len = strlen(path);
	int fd;

	if (len >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@') /* an abstract socket address */
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		log_warn("server", "the service manager cannot be notified");
	close(fd);
}

void notify_manager(const char *format, ...)
{
	const char *path = getenv("NOTIFY_SOCKET");
	char state[STATE_MAX];
	va_list args;

	if (!path || (path[0] != '/' && path[0] != '@'))
		return;
	va_start(args, format);
	vsnprintf(state, sizeof(state), format, args);
	va_end(args);
	notify_send(path, state);
}
