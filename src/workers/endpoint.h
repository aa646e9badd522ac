/*
 * endpoint.h: the server's end of a connection to a worker.
 *
 * Puts messages on a stream and takes them off it.  The stream may be one end of
 * a socket pair whose other end a child process has, or a connection over TCP or
 * TLS that was made elsewhere: the bytes are the same.
 *
 * An endpoint belongs to its loop's thread and owns its stream.  Messages arrive
 * in order.  What is sent during one callback is sent in one write when the
 * callback has ended, and what a worker does not read waits in a bounded queue.
 */
#ifndef WORKERS_ENDPOINT_H
#define WORKERS_ENDPOINT_H

#include "net/stream.h"
#include "workers/message.h"

/* How many bytes may wait for a worker that does not read: one or two of the longest texts, or many
 * small messages. */
#define ENDPOINT_UNSENT_MAX (2 * MESSAGE_PAYLOAD_MAX)

struct endpoint;

/* The message's strings and samples are valid only during the call. */
typedef void(endpoint_message_h)(const struct message *message, void *arg);
/* The connection has ended, or the worker has sent something that is not a message (EPROTO).  No
 * handler is called after this; the endpoint still has to be closed. */
typedef void(endpoint_lost_h)(int err, void *arg);

/* Takes ownership of the stream, even on failure: then the stream is closed. */
int endpoint_alloc(struct endpoint **endpointp, struct stream *stream,
		   endpoint_message_h *message_handler, endpoint_lost_h *lost_handler, void *arg);

/* Ends the connection at once; allowed inside the handlers.  No handler is called any more. */
void endpoint_close(struct endpoint *endpoint);

/* Ends the connection because of an error.  The loop calls the lost handler later. */
void endpoint_abort(struct endpoint *endpoint, int err);

/* ENOBUFS: too much waits for the worker, or the message is too long; ENOTCONN: the connection has
 * ended; ENOMEM. */
int endpoint_send(struct endpoint *endpoint, const struct message *message);

/* How many bytes have been sent and not been written. */
size_t endpoint_unsent(const struct endpoint *endpoint);

/* Writes at once what was sent so far, for a caller that is not inside a callback of the loop. */
void endpoint_push(struct endpoint *endpoint);

#endif
