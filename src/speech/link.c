/*
 * link.c: the server's end of a connection to a worker (see link.h).
 */
#include "speech/link.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

/* What may wait for a worker that does not read: a text or two and credits. */
#define UNSENT_MAX (2 * MESSAGE_PAYLOAD_MAX)

/* One read takes what a socketpair holds at most by default. */
#define READ_SIZE (208 * 1024)

struct link_to_worker {
	struct watch watch;
	int fd;
	bool closed;
	struct buf in; /* the beginning of a message whose rest is to come */
	struct buf out; /* unsent */
	link_message_h *message_handler;
	link_lost_h *lost_handler;
	void *arg;
};

/* All links of a thread read through one buffer: nothing stays in it. */
static _Thread_local unsigned char scratch[READ_SIZE];

static int flush(struct link_to_worker *link)
{
	while (link->out.len > 0) {
		ssize_t n =
			send(link->fd, link->out.bytes, link->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			watch_set(&link->watch, WATCH_READ | WATCH_WRITE);
			return 0;
		}
		if (n < 0)
			return errno;
		buf_consume(&link->out, (size_t)n);
	}
	watch_set(&link->watch, WATCH_READ);
	return 0;
}

/* Hands over every whole message of n bytes; *usedp is how far it got. */
static int deliver(struct link_to_worker *link, size_t *usedp, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t used = 0;
	int err = 0;

	while (!err && !link->closed) {
		struct message message;
		size_t len;

		err = message_decode(&message, &len, p + used, n - used);
		if (err)
			break;
		used += len;
		link->message_handler(&message, link->arg);
	}
	*usedp = used;
	return err == EAGAIN ? 0 : err;
}

/* New bytes: most reads hold whole messages and are decoded where they lie. */
static int take(struct link_to_worker *link, size_t n)
{
	size_t used;
	int err;

	if (link->in.len == 0) {
		err = deliver(link, &used, scratch, n);
		if (err || link->closed)
			return err;
		return buf_append(&link->in, scratch + used, n - used);
	}
	err = buf_append(&link->in, scratch, n);
	if (err)
		return err;
	err = deliver(link, &used, link->in.bytes, link->in.len);
	if (link->closed)
		return err;
	buf_consume(&link->in, used);
	if (link->in.len == 0)
		buf_reset(&link->in);
	return err;
}

static void on_watch(void *arg, int events)
{
	struct link_to_worker *link = arg;
	ssize_t n;
	int err = 0;

	if (events & WATCH_WRITE)
		err = flush(link);
	if (!err && (events & WATCH_READ)) {
		n = recv(link->fd, scratch, sizeof(scratch), MSG_DONTWAIT);
		if (n > 0)
			err = take(link, (size_t)n);
		else if (n == 0)
			err = ECONNRESET;
		else if (errno != EAGAIN && errno != EINTR)
			err = errno;
	}
	if (err && !link->closed) {
		watch_set(&link->watch, 0);
		link->lost_handler(err, link->arg);
	}
}

int link_open(struct link_to_worker **linkp, struct loop *loop, int fd,
	      link_message_h *message_handler, link_lost_h *lost_handler, void *arg)
{
	struct link_to_worker *link = mem_zalloc(sizeof(*link), NULL);
	int err;

	if (!link)
		return ENOMEM;
	err = watch_open(&link->watch, loop, fd, on_watch, link);
	if (err) {
		mem_deref(link);
		return err;
	}
	link->fd = fd;
	/* One message that is not whole yet, and what a read adds to it. */
	buf_init(&link->in, MESSAGE_HEADER_LEN + MESSAGE_PAYLOAD_MAX + READ_SIZE);
	buf_init(&link->out, UNSENT_MAX);
	link->message_handler = message_handler;
	link->lost_handler = lost_handler;
	link->arg = arg;
	watch_set(&link->watch, WATCH_READ);
	*linkp = link;
	return 0;
}

/* Only now: a handler that closed the link may have been called from inside
 * deliver, over the bytes of `in`. */
static void on_watch_closed(void *arg)
{
	struct link_to_worker *link = arg;

	buf_reset(&link->in);
	mem_deref(link);
}

void link_close(struct link_to_worker *link)
{
	link->closed = true;
	watch_close(&link->watch, on_watch_closed);
	close(link->fd);
	buf_reset(&link->out);
}

int link_send(struct link_to_worker *link, const struct message *message)
{
	bool waiting = link->out.len > 0;
	int err = message_encode(&link->out, message);

	if (err || waiting) /* the rest goes when the socket is writable again */
		return err;
	return flush(link);
}
