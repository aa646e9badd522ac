/*
 * connection.h: the worker's end of the socket to the server.
 *
 * Bytes that arrive are collected until they are messages; messages for the server are collected
 * until they are sent. The functions are called by one thread at a time.
 */
#ifndef ENGINE_CONNECTION_H
#define ENGINE_CONNECTION_H

#include "base/buf.h"
#include "workers/message.h"

struct connection {
	int fd;
	bool closed; /* the server closed the socket */
	struct buf in;
	struct buf out; /* collected, to be sent together */
};

/* The most that may be collected before a message is added to it: three quarters of a second of
 * speech. `out` has room for this and the longest message. */
#define CONNECTION_FLUSH_LEN 32768u

void connection_init(struct connection *connection, int fd);

/* Frees the buffers; the socket remains open. */
void connection_reset(struct connection *connection);

/* Reads what has arrived into `in`, without waiting. */
int connection_read(struct connection *connection);

/* Calls the handler for each complete message in `in`. A nonzero return value of it ends that and is
 * returned. EPROTO: the bytes are not a message. The message points into `in`, which must not change
 * during the call. */
typedef int(connection_message_h)(const struct message *message, void *arg);
int connection_take(struct connection *connection, connection_message_h *each, void *arg);

/* Waits until the socket is readable or, if `out`, writable, and then reads. An eventfd, if there is
 * one (-1: none), ends the waiting as well, and is reset. */
int connection_wait(struct connection *connection, bool out, int wake_fd);

/* Waits until the socket is writable, and does not read: for a worker that has so much to say that it
 * takes no more work. */
int connection_wait_to_send(const struct connection *connection);

/* Sends as much of `out` as the socket accepts, without waiting; the rest stays. */
int connection_send(struct connection *connection);

#endif
