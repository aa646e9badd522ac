/*
 * attack_attempts.c: attempts that an engine of a server makes (see attack_attempts.h).
 */
#include "attack_attempts.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attack.h"

#define SOCKET 3
#define DESCRIPTORS 16 /* in one message */

/* A message of a type that the server skips, with descriptors that it has not
 * asked for. */
static int attack_attempts_send_descriptors(void)
{
	static const unsigned char header[12] = {[4] = 99};
	union {
		char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec bytes = {(void *)(uintptr_t)header, sizeof(header)};
	struct msghdr message = {.msg_iov = &bytes,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
	int fds[DESCRIPTORS];

	for (int i = 0; i < DESCRIPTORS; ++i)
		fds[i] = i % 4;
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(rights), fds, sizeof(fds));
	for (int sent = 0; sent < 500; ++sent) {
		while (sendmsg(SOCKET, &message, 0) < 0) {
			if (errno != ETOOMANYREFS) /* until the server has read some */
				return errno;
		}
	}
	return 0;
}

static void attack_attempts_try(const char *name)
{
	const char *target = getenv("SYRINX_ENGINE_TARGET");
	const struct attack *attack = attack_find(name);
	const char *argument = target ? strchr(target, '/') : NULL;
	int err = ENOENT;

	if (strcmp(name, "send_descriptors") == 0)
		err = attack_attempts_send_descriptors();
	else if (attack)
		err = attack->run(argument ? argument : "/nowhere");
	fprintf(stderr, "attack: %s %s%s\n", name, err ? "refused " : "done",
		err ? strerrorname_np(err) : "");
}

void attack_attempts_make(const char *variable)
{
	char names[512];
	char *rest = names;
	char *name;

	snprintf(names, sizeof(names), "%s", getenv(variable) ? getenv(variable) : "");
	while ((name = strsep(&rest, " "))) {
		if (name[0] != '\0')
			attack_attempts_try(name);
	}
}
