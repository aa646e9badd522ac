/*
 * endpoint.c: the server's end of a connection to a worker (see endpoint.h).
 *
 *   endpoint_send -> out --endpoint_flush (deferred)--> one write on the stream
 *   stream -> endpoint_on_read -> whole messages, decoded in the stream's read buffer
 *
 * An incoming message is copied only if it does not end within one read: its beginning
 * is kept until the rest has arrived.
 */
#include "workers/endpoint.h"

#include <errno.h>

#include "base/mem.h"

/* A buffer for messages that has become larger than this is freed after use. */
#define ENDPOINT_KEPT_MAX (64u * 1024)

struct endpoint {
	struct stream *stream; /* NULL once it has ended */
	bool is_over; /* no handler is called any more */
	struct buf in; /* the beginning of a message whose rest has not arrived */
	struct buf out; /* messages that were sent during this callback */
	struct deferred flush;
	endpoint_message_h *message_handler;
	endpoint_lost_h *lost_handler;
	void *arg;
};

static void endpoint_destroy(void *object)
{
	struct endpoint *endpoint = object;

	buf_reset(&endpoint->in);
	buf_reset(&endpoint->out);
}

static void endpoint_lose(struct endpoint *endpoint, int err)
{
	if (endpoint->is_over)
		return;
	endpoint->is_over = true;
	endpoint->lost_handler(err, endpoint->arg);
}

/* Completes the message whose beginning is kept, and hands it over.  *used is how many of the n
 * bytes belong to it. */
static int endpoint_complete(struct endpoint *endpoint, size_t *used, const char *bytes, size_t n)
{
	struct buf *in = &endpoint->in;
	struct message message;
	size_t len;
	int err = 0;

	*used = 0;
	/* The header first, because it says how long the message is. */
	while (!err && *used < n) {
		size_t missing = message_missing(in->bytes, in->len);
		size_t part = missing < n - *used ? missing : n - *used;

		if (missing == 0)
			break;
		err = buf_append(in, bytes + *used, part);
		*used += part;
	}
	if (!err)
		err = message_decode(&message, &len, in->bytes, in->len);
	if (err)
		return err == EAGAIN ? 0 : err;
	endpoint->message_handler(&message, endpoint->arg);
	in->len = 0;
	if (in->size > ENDPOINT_KEPT_MAX)
		buf_reset(in);
	return 0;
}

static int endpoint_take(struct endpoint *endpoint, const char *bytes, size_t n)
{
	size_t at = 0;
	int err = 0;

	if (endpoint->in.len > 0)
		err = endpoint_complete(endpoint, &at, bytes, n);
	while (!err && !endpoint->is_over && at < n) {
		struct message message;
		size_t len;

		err = message_decode(&message, &len, bytes + at, n - at);
		if (err == EAGAIN)
			return buf_append(&endpoint->in, bytes + at, n - at);
		if (err)
			return err;
		at += len;
		endpoint->message_handler(&message, endpoint->arg);
	}
	return err;
}

static void endpoint_on_read(void *arg, char *bytes, size_t n)
{
	struct endpoint *endpoint = mem_ref(arg); /* a handler may close it */
	int err = n == 0 ? ECONNRESET : 0;

	if (!err && !endpoint->is_over)
		err = endpoint_take(endpoint, bytes, n);
	if (err)
		endpoint_lose(endpoint, err);
	mem_deref(endpoint);
}

static void endpoint_on_drained(void *arg)
{
	(void)arg; /* endpoint_send refuses beyond a limit of its own */
}

static void endpoint_on_closed(void *arg, int err)
{
	struct endpoint *endpoint = arg;

	endpoint->stream = NULL;
	endpoint_lose(endpoint, err ? err : ECONNRESET);
}

static const struct stream_handlers endpoint_handlers = {
	.read = endpoint_on_read,
	.drained = endpoint_on_drained,
	.closed = endpoint_on_closed,
};

int endpoint_alloc(struct endpoint **endpointp, struct stream *stream,
		   endpoint_message_h *message_handler, endpoint_lost_h *lost_handler, void *arg)
{
	struct endpoint *endpoint = mem_zalloc(sizeof(*endpoint), endpoint_destroy);

	if (!endpoint) {
		stream_set_handlers(stream, NULL, NULL);
		stream_abort(stream, ENOMEM);
		return ENOMEM;
	}
	buf_init(&endpoint->in, MESSAGE_HEADER_LEN + MESSAGE_PAYLOAD_MAX);
	buf_init(&endpoint->out, ENDPOINT_UNSENT_MAX);
	endpoint->stream = stream;
	endpoint->message_handler = message_handler;
	endpoint->lost_handler = lost_handler;
	endpoint->arg = arg;
	stream_set_uncounted(stream);
	stream_set_read_max(stream, STREAM_READ_BULK);
	stream_set_handlers(stream, &endpoint_handlers, endpoint);
	*endpointp = endpoint;
	return 0;
}

void endpoint_close(struct endpoint *endpoint)
{
	endpoint->is_over = true;
	if (endpoint->stream) {
		loop_undefer(stream_loop(endpoint->stream), &endpoint->flush);
		stream_set_handlers(endpoint->stream, NULL, NULL);
		stream_abort(endpoint->stream, 0);
		endpoint->stream = NULL;
	}
	mem_deref(endpoint);
}

void endpoint_abort(struct endpoint *endpoint, int err)
{
	if (endpoint->stream)
		stream_abort(endpoint->stream, err);
}

/* If there is no memory the messages are lost, so the connection ends. */
static void endpoint_flush(void *arg)
{
	struct endpoint *endpoint = arg;
	struct outgoing *outgoing;

	if (!endpoint->stream || endpoint->out.len == 0)
		return;
	outgoing = outgoing_copy(endpoint->out.bytes, endpoint->out.len);
	if (outgoing)
		stream_queue(endpoint->stream, outgoing);
	else
		stream_abort(endpoint->stream, ENOMEM);
	endpoint->out.len = 0;
	if (endpoint->out.size > ENDPOINT_KEPT_MAX)
		buf_reset(&endpoint->out);
}

size_t endpoint_unsent(const struct endpoint *endpoint)
{
	return endpoint->out.len +
	       (endpoint->stream ? stream_queued_memory(endpoint->stream, OUTGOING_PACED) : 0);
}

int endpoint_send(struct endpoint *endpoint, const struct message *message)
{
	size_t before = endpoint->out.len;
	int err;

	if (!endpoint->stream)
		return ENOTCONN;
	err = message_encode(&endpoint->out, message);
	if (err)
		return err;
	if (endpoint_unsent(endpoint) > ENDPOINT_UNSENT_MAX) {
		endpoint->out.len = before;
		return ENOBUFS;
	}
	loop_defer(stream_loop(endpoint->stream), &endpoint->flush, endpoint_flush, endpoint);
	return 0;
}

void endpoint_push(struct endpoint *endpoint)
{
	endpoint_flush(endpoint);
	if (endpoint->stream)
		stream_push(endpoint->stream);
}
