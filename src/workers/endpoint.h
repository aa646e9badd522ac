/*
 * endpoint.h: the server's end of a connection to a worker.
 *
 * Puts messages on a stream and takes them off it.  The stream may be one end of
 * a socket pair whose other end a child process has, or a connection over TCP or
 * TLS that was made elsewhere: the bytes are the same.
 *
 * An endpoint belongs to its loop's thread and owns its stream.  Messages arrive
 * in order.  What is sent during one callback leaves in one write when the
 * callback has ended, and what a worker does not read waits in a bounded queue.
 */
#ifndef WORKERS_ENDPOINT_H
#define WORKERS_ENDPOINT_H

#include "net/stream.h"
#include "workers/message.h"

/* What may wait for a worker that does not read: a text or two and credits. */
#define ENDPOINT_UNSENT_MAX (2 * MESSAGE_PAYLOAD_MAX)

struct endpoint;

/* The message's strings and samples are valid during the call. */
typedef void(endpoint_message_h)(const struct message *message, void *arg);
/* The peer has gone, or has sent something that is not a message (EPROTO).  This is the last
 * call; the endpoint still has to be closed. */
typedef void(endpoint_lost_h)(int err, void *arg);

/* Takes the stream over, also when it fails: then the stream is closed. */
int endpoint_alloc(struct endpoint **endpointp, struct stream *stream,
		   endpoint_message_h *message_handler, endpoint_lost_h *lost_handler, void *arg);

/* Ends the connection at once; allowed inside the handlers.  No handler is called any more. */
void endpoint_close(struct endpoint *endpoint);

/* Ends the connection because of an error: the loop tells the lost handler of it later. */
void endpoint_abort(struct endpoint *endpoint, int err);

/* ENOBUFS when the worker has not read for long; ENOMEM. */
int endpoint_send(struct endpoint *endpoint, const struct message *message);

/* Writes what was sent so far without waiting for the end of the callback: for a caller that is
 * not inside one. */
void endpoint_push(struct endpoint *endpoint);

#endif
