/*
 * upstream_peer.c: a developer's server for tests (see upstream_peer.h).
 */
#include "upstream_peer.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "net/pump.h"
#include "net/ws_handshake.h"

static void say(struct upstream_peer_conn *conn, const char *json)
{
	struct outgoing *message = outgoing_copy(json, strlen(json));

	if (message && conn->ws)
		ws_send_text(conn->ws, message);
	else
		outgoing_free(message);
}

static void on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	struct upstream_peer_conn *conn = arg;

	assert_false(is_binary);
	if (conn->got.len > 0)
		conn->got.bytes[conn->got.len - 1] = '\n';
	assert_int_equal(buf_append(&conn->got, bytes, len), 0);
	assert_int_equal(buf_append(&conn->got, "", 1), 0);
	if (len == 15 && memcmp(bytes, "{\"type\":\"ping\"}", len) == 0 &&
	    conn->peer->answers_pings)
		say(conn, "{\"type\":\"pong\"}");
}

static void on_ws_closed(void *arg, uint16_t code)
{
	struct upstream_peer_conn *conn = arg;

	conn->ws = NULL;
	conn->is_over = true;
	conn->code = code;
}

static const struct ws_handlers ws_handlers = {.message = on_message, .closed = on_ws_closed};

static void accept_request(struct upstream_peer_conn *conn)
{
	const char *key = strstr(conn->request.bytes, "Sec-WebSocket-Key: ");
	char accept[WS_ACCEPT_SIZE];
	char text[256];
	struct outgoing *message;

	assert_non_null(key);
	ws_handshake_accept(accept, key + 19);
	snprintf(text, sizeof(text),
		 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
		 "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		 accept);
	message = outgoing_copy(text, strlen(text));
	assert_non_null(message);
	stream_queue(conn->stream, message);
	if (ws_alloc(&conn->ws, conn->stream, WS_SERVER, 32u << 20, &ws_handlers, conn) == 0)
		conn->stream = NULL;
	else
		stream_abort(conn->stream, 0); /* a test simulates a lack of memory */
}

static void on_read(void *arg, char *bytes, size_t n)
{
	static const char refusal[] = "HTTP/1.1 401 Unauthorized\r\n\r\nno\n";
	struct upstream_peer_conn *conn = arg;

	if (n == 0) {
		stream_abort(conn->stream, 0);
		return;
	}
	assert_int_equal(buf_append(&conn->request, bytes, n), 0);
	assert_int_equal(buf_append(&conn->request, "", 1), 0);
	--conn->request.len;
	if (!strstr(conn->request.bytes, "\r\n\r\n"))
		return;
	switch (conn->peer->ways[conn - conn->peer->conns]) {
	case PEER_ACCEPTS:
		accept_request(conn);
		break;
	case PEER_REFUSES:
		stream_queue(conn->stream, outgoing_copy(refusal, sizeof(refusal) - 1));
		stream_close(conn->stream);
		break;
	case PEER_HANGS_UP:
		stream_close(conn->stream);
		break;
	case PEER_IGNORES:
		break;
	}
}

static void on_closed(void *arg, int err)
{
	struct upstream_peer_conn *conn = arg;

	(void)err;
	conn->stream = NULL;
	conn->is_over = true;
}

static const struct stream_handlers stream_handlers = {.read = on_read, .closed = on_closed};

static void on_accept(void *arg, int fd)
{
	struct upstream_peer *peer = arg;
	struct upstream_peer_conn *conn = &peer->conns[peer->count];

	assert_true(peer->count < UPSTREAM_PEER_MAX);
	conn->peer = peer;
	buf_init(&conn->request, 64 * 1024);
	buf_init(&conn->got, 64u << 20);
	if (stream_alloc(&conn->stream, peer->loop, fd, NULL, &stream_handlers, conn) == 0)
		++peer->count;
}

void upstream_peer_start(struct upstream_peer *peer, struct loop *loop)
{
	*peer = (struct upstream_peer){.loop = loop, .answers_pings = true};
	assert_int_equal(listener_alloc(&peer->listener, loop, "127.0.0.1:0", on_accept, peer), 0);
}

void upstream_peer_stop(struct upstream_peer *peer)
{
	if (peer->listener)
		listener_close(peer->listener);
	for (unsigned i = 0; i < peer->count; ++i) {
		struct upstream_peer_conn *conn = &peer->conns[i];

		if (conn->ws)
			ws_abort(conn->ws);
		if (conn->stream)
			stream_abort(conn->stream, 0);
		buf_reset(&conn->request);
		buf_reset(&conn->got);
	}
}

void upstream_peer_expect(struct upstream_peer *peer, unsigned conn, const char *text)
{
	while (peer->conns[conn].got.len == 0 || !strstr(peer->conns[conn].got.bytes, text))
		pump(peer->loop);
}

void upstream_peer_await(struct upstream_peer *peer, unsigned count)
{
	while (peer->count < count || !peer->conns[count - 1].ws)
		pump(peer->loop);
}

void upstream_peer_say(struct upstream_peer *peer, unsigned conn, const char *json)
{
	assert_non_null(peer->conns[conn].ws);
	say(&peer->conns[conn], json);
	pump(peer->loop);
}

void upstream_peer_answer(struct upstream_peer *peer, unsigned conn, int64_t id, const char *words)
{
	char json[512];

	snprintf(json, sizeof(json),
		 "{\"type\":\"agent_response\",\"content\":\"%s\",\"event_id\":%" PRId64
		 ",\"is_final\":%s}",
		 words ? words : "", id, words ? "false" : "true");
	upstream_peer_say(peer, conn, json);
}

uint16_t upstream_peer_end_of(struct upstream_peer *peer, unsigned conn)
{
	while (!peer->conns[conn].is_over)
		pump(peer->loop);
	return peer->conns[conn].code;
}
