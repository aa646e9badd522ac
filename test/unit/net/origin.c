/*
 * origin.c: an HTTP server for tests of clients (see origin.h).
 */
#include "origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The length of the first complete request, or 0. */
static size_t request_len(const char *text)
{
	const char *end = strstr(text, "\r\n\r\n");
	const char *length = strstr(text, "\r\nContent-Length: ");
	size_t len;

	if (!end)
		return 0;
	len = (size_t)(end + 4 - text);
	if (length && length < end)
		len += (size_t)strtoul(length + 18, NULL, 10);
	return strlen(text) >= len ? len : 0;
}

static void on_read(void *arg, char *bytes, size_t n)
{
	struct origin_peer *peer = arg;
	size_t len;

	if (n == 0) {
		stream_abort(peer->stream, 0);
		return;
	}
	assert_int_equal(buf_append(&peer->request, bytes, n), 0);
	assert_int_equal(buf_append(&peer->request, "", 1), 0);
	--peer->request.len;
	len = request_len(peer->request.bytes);
	if (len == 0)
		return;
	assert_int_equal(len, peer->request.len); /* the client never pipelines */
	++peer->requests;
	++peer->origin->requests;
	peer->request.len = 0;
	peer->origin->handler(peer, peer->request.bytes, peer->origin->arg);
}

static void on_closed(void *arg, int err)
{
	struct origin_peer *peer = arg;

	(void)err;
	peer->stream = NULL;
	--peer->origin->open;
	buf_reset(&peer->request);
}

static const struct stream_handlers handlers = {.read = on_read, .closed = on_closed};

static void on_accept(void *arg, int fd)
{
	struct origin *origin = arg;
	struct origin_peer *peer = origin->peers;

	while (peer < origin->peers + ORIGIN_PEERS && peer->stream)
		++peer;
	assert_true(peer < origin->peers + ORIGIN_PEERS);
	*peer = (struct origin_peer){.origin = origin};
	buf_init(&peer->request, 1024 * 1024);
	if (stream_alloc(&peer->stream, origin->loop, fd, origin->tls, &handlers, peer) != 0)
		return; /* a test may simulate a lack of memory */
	++origin->connections;
	++origin->open;
}

void origin_start(struct origin *origin, struct loop *loop, struct tls *tls, origin_h *handler,
		  void *arg)
{
	*origin = (struct origin){.loop = loop, .tls = tls, .handler = handler, .arg = arg};
	assert_int_equal(listener_alloc(&origin->listener, loop, "127.0.0.1:0", on_accept, origin),
			 0);
}

void origin_url(const struct origin *origin, char *url, size_t size)
{
	snprintf(url, size, "http%s://127.0.0.1:%u", origin->tls ? "s" : "",
		 listener_port(origin->listener));
}

void origin_stop(struct origin *origin)
{
	listener_close(origin->listener);
	for (size_t i = 0; i < ORIGIN_PEERS; ++i)
		if (origin->peers[i].stream)
			stream_abort(origin->peers[i].stream, 0);
}

void origin_say(struct origin_peer *peer, const char *bytes, size_t len)
{
	struct outgoing *message = outgoing_copy(bytes, len);

	assert_non_null(message);
	stream_queue(peer->stream, message);
}

void origin_say_text(struct origin_peer *peer, const char *text)
{
	origin_say(peer, text, strlen(text));
}

void origin_close(struct origin_peer *peer)
{
	stream_close(peer->stream);
}

void origin_reset(struct origin_peer *peer)
{
	stream_abort(peer->stream, 0);
}
