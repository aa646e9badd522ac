/*
 * connection.c: the worker's end of the socket to the server (see connection.h).
 */
#include "engine/connection.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECEIVE_SIZE 65536u

void connection_init(struct connection *connection, int fd)
{
	*connection = (struct connection){.fd = fd};
	buf_init(&connection->in, MESSAGE_HEADER_LEN + MESSAGE_PAYLOAD_MAX + RECEIVE_SIZE);
	buf_init(&connection->out, CONNECTION_FLUSH_LEN + MESSAGE_HEADER_LEN + MESSAGE_PAYLOAD_MAX);
}

void connection_reset(struct connection *connection)
{
	buf_reset(&connection->in);
	buf_reset(&connection->out);
}

int connection_read(struct connection *connection)
{
	struct buf *in = &connection->in;
	ssize_t n;
	int err = buf_reserve(in, RECEIVE_SIZE);

	if (err)
		return err;
	do
		n = recv(connection->fd, in->bytes + in->len, RECEIVE_SIZE, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : errno;
	if (n == 0)
		connection->closed = true;
	in->len += (size_t)n;
	return 0;
}

int connection_take(struct connection *connection, connection_message_h *each, void *arg)
{
	size_t taken = 0;
	int err = 0;

	while (!err) {
		struct message message;
		size_t used;

		err = message_decode(&message, &used, connection->in.bytes + taken,
				     connection->in.len - taken);
		if (err)
			break;
		taken += used;
		err = each(&message, arg);
	}
	buf_consume(&connection->in, taken);
	return err == EAGAIN ? 0 : err;
}

int connection_wait(struct connection *connection, bool out, int wake_fd)
{
	struct pollfd fds[2] = {
		{.fd = connection->fd, .events = (short)(POLLIN | (out ? POLLOUT : 0))},
		{.fd = wake_fd, .events = POLLIN}, /* poll ignores negative numbers */
	};
	uint64_t wakes;

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return errno;
	if (fds[1].revents && read(wake_fd, &wakes, sizeof(wakes)) < 0)
		return errno;
	return fds[0].revents & (POLLIN | POLLHUP | POLLERR) ? connection_read(connection) : 0;
}

int connection_wait_to_send(const struct connection *connection)
{
	struct pollfd poll_fd = {.fd = connection->fd, .events = POLLOUT};

	while (poll(&poll_fd, 1, -1) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

int connection_send(struct connection *connection)
{
	struct buf *out = &connection->out;
	size_t sent = 0;
	int err = 0;

	while (!err && sent < out->len) {
		ssize_t n = send(connection->fd, out->bytes + sent, out->len - sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno != EINTR)
			err = errno;
	}
	buf_consume(out, sent);
	return err == EAGAIN ? 0 : err;
}
