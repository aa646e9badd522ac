/*
 * handover.c: passes a listening socket to the process that replaces this one (see handover.h).
 *
 * A process that connects receives one packet: the address as it is configured, with the descriptor
 * attached.  Runs on the loop's thread, except handover_take, which runs before the loop.
 */
#include "net/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"

#define NAME "syrinx.listener"
#define NAME_SIZE 32 /* the socket's name, including the number of a slot */
#define ADDRESS_SIZE 512 /* longer than any address in a configuration */
#define BACKLOG 4

struct handover {
	struct watch watch;
	handover_taken_h *taken;
	void *arg;
	int listen_fd; /* the Unix socket that other processes connect to */
	int fd; /* the socket that is offered; owned by the caller */
	char address[ADDRESS_SIZE];
};

/* A packet with room for one descriptor. */
struct handover_packet {
	struct msghdr header;
	struct iovec text;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
};

static void handover_packet_init(struct handover_packet *packet, char *text, size_t size)
{
	memset(packet, 0, sizeof(*packet));
	packet->text = (struct iovec){.iov_base = text, .iov_len = size};
	packet->header.msg_iov = &packet->text;
	packet->header.msg_iovlen = 1;
	packet->header.msg_control = packet->control;
	packet->header.msg_controllen = sizeof(packet->control);
}

static void handover_name(char name[NAME_SIZE], int slot)
{
	if (slot == HANDOVER_ANY)
		snprintf(name, NAME_SIZE, NAME);
	else
		snprintf(name, NAME_SIZE, NAME ".%d", slot);
}

/* Names the socket through a descriptor of its directory, because the directory's path may be
 * longer than the address of a Unix socket can be. */
static void handover_fill_address(struct sockaddr_un *address, int dir, const char *name)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%s", dir, name);
}

static int handover_open_dir(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Makes the socket `name` the one that is found without a number.  If another server does the same
 * concurrently, either of them may be found afterwards. */
static int handover_link(int dir, const char *name)
{
	if (strcmp(name, NAME) == 0)
		return 0;
	if (unlinkat(dir, NAME, 0) != 0 && errno != ENOENT)
		return errno;
	return linkat(dir, name, dir, NAME, 0) == 0 || errno == EEXIST ? 0 : errno;
}

/* Restricts the socket to our own user before any process can connect. */
static int handover_listen_in(int fd, int dir, int slot)
{
	struct sockaddr_un address;
	char name[NAME_SIZE];

	handover_name(name, slot);
	handover_fill_address(&address, dir, name);
	if (unlinkat(dir, name, 0) != 0 && errno != ENOENT)
		return errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    fchmodat(dir, name, S_IRUSR | S_IWUSR, 0) != 0 || listen(fd, BACKLOG) != 0)
		return errno;
	return handover_link(dir, name);
}

static int handover_open_socket(int *listen_fdp, const char *path, int slot)
{
	int dir = handover_open_dir(path);
	int fd = -1;
	int err = dir < 0 ? errno : 0;

	if (!err) {
		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		err = fd < 0 ? errno : handover_listen_in(fd, dir, slot);
	}
	if (dir >= 0)
		close(dir);
	if (err && fd >= 0)
		close(fd);
	if (!err)
		*listen_fdp = fd;
	return err;
}

static int handover_give(struct handover *handover, int to)
{
	struct handover_packet packet;
	struct cmsghdr *control;

	handover_packet_init(&packet, handover->address, strlen(handover->address));
	control = CMSG_FIRSTHDR(&packet.header);
	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_RIGHTS;
	control->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(control), &handover->fd, sizeof(int));
	return sendmsg(to, &packet.header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

static void handover_on_asked(void *arg, int events)
{
	struct handover *handover = arg;
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);
	int to = accept4(handover->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	int err;

	(void)events;
	if (to < 0)
		return;
	getsockopt(to, SOL_SOCKET, SO_PEERCRED, &peer, &len);
	err = handover_give(handover, to);
	close(to);
	if (!err)
		handover->taken(handover->arg, peer.pid);
}

int handover_offer(struct handover **handoverp, struct loop *loop, const char *dir, int slot,
		   const char *address, int fd, handover_taken_h *taken, void *arg)
{
	struct handover *handover;
	int err;

	if (strlen(address) >= ADDRESS_SIZE)
		return ENAMETOOLONG;
	handover = mem_zalloc(sizeof(*handover), NULL);
	if (!handover)
		return ENOMEM;
	handover->fd = fd;
	handover->taken = taken;
	handover->arg = arg;
	memcpy(handover->address, address, strlen(address));
	err = handover_open_socket(&handover->listen_fd, dir, slot);
	if (err)
		goto out;
	err = watch_open(&handover->watch, loop, handover->listen_fd, handover_on_asked, handover);
	if (err) {
		close(handover->listen_fd);
		goto out;
	}
	watch_set(&handover->watch, WATCH_READ);
	*handoverp = handover;
	return 0;
out:
	mem_deref(handover);
	return err;
}

static void handover_on_closed(void *arg)
{
	mem_deref(arg);
}

void handover_close(struct handover *handover)
{
	watch_close(&handover->watch, handover_on_closed);
	close(handover->listen_fd);
}

int handover_point(const char *path, int slot)
{
	char name[NAME_SIZE];
	int dir = handover_open_dir(path);
	int err;

	if (dir < 0)
		return errno;
	handover_name(name, slot);
	err = handover_link(dir, name);
	close(dir);
	return err;
}

static int handover_ask(int *askedp, const char *path, int slot)
{
	const struct timeval patience = {.tv_sec = HANDOVER_MS / 1000};
	struct sockaddr_un address;
	char name[NAME_SIZE];
	int dir = handover_open_dir(path);
	int fd;
	int err = 0;

	if (dir < 0)
		return errno;
	handover_name(name, slot);
	handover_fill_address(&address, dir, name);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) != 0 ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		err = errno == ECONNREFUSED ? ENOENT
					    : errno; /* the server that bound it has ended */
	close(dir);
	if (err && fd >= 0)
		close(fd);
	if (!err)
		*askedp = fd;
	return err;
}

static int handover_descriptor_of(struct handover_packet *packet)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(&packet->header);
	int fd = -1;

	if (control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
	    control->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(control), sizeof(int));
	return fd;
}

static int handover_receive(int *fdp, int from, const char *address)
{
	char text[ADDRESS_SIZE];
	struct handover_packet packet;
	ssize_t n;
	int fd;

	handover_packet_init(&packet, text, sizeof(text));
	n = recvmsg(from, &packet.header, MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno;
	fd = handover_descriptor_of(&packet);
	if (fd < 0)
		return ENOENT;
	if ((size_t)n != strlen(address) || memcmp(text, address, (size_t)n) != 0) {
		close(fd);
		return ENOENT;
	}
	*fdp = fd;
	return 0;
}

int handover_take(int *fdp, const char *dir, int slot, const char *address)
{
	int from = -1;
	int err = handover_ask(&from, dir, slot);

	if (err)
		return err;
	err = handover_receive(fdp, from, address);
	close(from);
	return err;
}
