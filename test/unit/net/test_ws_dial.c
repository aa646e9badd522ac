/* A WebSocket that is opened on the loop: it opens, or there is a reason; and it can be given up at
 * any time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "certificate.h"
#include "mem_fail.h"
#include "net/ws_dial.h"
#include "net/ws_handshake.h"
#include "origin.h"
#include "pump.h"

#define HELLO "\x81\x05hello" /* a server's frame */

/* What the server does when it has read the request. */
enum server_way {
	ACCEPTS,
	ACCEPTS_IN_PARTS, /* each byte on its own, and a frame directly after them */
	ACCEPTS_WRONGLY, /* with the accept key of another request */
	REFUSES,
	HANGS_UP, /* without a byte */
	IS_SILENT,
	NEVER_ENDS /* its head */
};

struct world {
	struct loop *loop;
	struct dialer *dialer;
	struct origin origin;
	enum server_way way;
	const char *after; /* sent together with the answer */
	char request[1024];
	struct ws_dial *dial;
	struct ws *ws;
	int err;
	char why[512];
	bool is_done, is_closed;
	bool gives_up_when_done;
	char message[64];
	bool has_message;
};

static void on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	struct world *world = arg;

	assert_false(is_binary);
	snprintf(world->message, sizeof(world->message), "%.*s", (int)len, bytes);
	world->has_message = true;
}

static void on_closed(void *arg, uint16_t code)
{
	struct world *world = arg;

	(void)code;
	world->ws = NULL;
	world->is_closed = true;
}

static const struct ws_handlers handlers = {.message = on_message, .closed = on_closed};

static void on_done(struct ws *ws, int err, const char *why, void *arg)
{
	struct world *world = arg;

	assert_false(world->is_done);
	assert_int_equal(err == 0, ws != NULL);
	assert_int_equal(err == 0, why == NULL);
	world->is_done = true;
	world->ws = ws;
	world->err = err;
	snprintf(world->why, sizeof(world->why), "%s", why ? why : "");
	if (world->gives_up_when_done)
		world->dial = mem_deref(world->dial);
}

static void write_accept(char *answer, size_t size, const char *request)
{
	const char *key = strstr(request, "Sec-WebSocket-Key: ");
	char accept[WS_ACCEPT_SIZE];

	assert_non_null(key);
	ws_handshake_accept(accept, key + 19);
	snprintf(answer, size,
		 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
		 "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		 accept);
}

static void answer(struct origin_peer *peer, const char *request, void *arg)
{
	struct world *world = arg;
	char text[512];

	snprintf(world->request, sizeof(world->request), "%s", request);
	write_accept(text, sizeof(text), request);
	switch (world->way) {
	case ACCEPTS:
		strncat(text, world->after ? world->after : "", 64);
		origin_say_text(peer, text);
		break;
	case ACCEPTS_IN_PARTS:
		strncat(text, HELLO, 64);
		for (size_t i = 0; text[i]; ++i) {
			origin_say(peer, text + i, 1);
			stream_push(peer->stream);
		}
		break;
	case ACCEPTS_WRONGLY:
		write_accept(text, sizeof(text), "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n");
		origin_say_text(peer, text);
		break;
	case REFUSES:
		origin_say_text(peer, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 20\r\n\r\n"
				      "no such key\r\nsecond");
		break;
	case HANGS_UP:
		origin_close(peer);
		break;
	case IS_SILENT:
		break;
	case NEVER_ENDS:
		memset(text, 'x', sizeof(text));
		for (int i = 0; i < 64; ++i)
			origin_say(peer, text, sizeof(text));
		break;
	}
}

static void set_up_tls(struct world *world, enum server_way way, struct tls *server,
		       struct tls *client)
{
	*world = (struct world){.way = way};
	assert_int_equal(loop_alloc(&world->loop), 0);
	assert_int_equal(dialer_alloc(&world->dialer, world->loop, client), 0);
	origin_start(&world->origin, world->loop, server, answer, world);
}

static void set_up(struct world *world, enum server_way way)
{
	set_up_tls(world, way, NULL, NULL);
}

static void tear_down(struct world *world)
{
	mem_deref(world->dial);
	if (world->ws)
		ws_abort(world->ws);
	origin_stop(&world->origin);
	pump(world->loop);
	mem_deref(world->dialer);
	mem_deref(world->loop);
	assert_int_equal(mem_live(), 0);
}

static int dial_to(struct world *world, const char *scheme, unsigned port)
{
	static const char *const headers[] = {"X-One: 1", "X-Two: 2", NULL};
	char url[64];
	struct ws_dial_options options = {
		.dialer = world->dialer,
		.url = url,
		.headers = headers,
		.timeout_ms = 5000,
		.handlers = &handlers,
	};
	int err;

	snprintf(url, sizeof(url), "%s://127.0.0.1:%u/way?a=b#c", scheme, port);
	err = ws_dial_start(&world->dial, &options, on_done, world);
	memset(url, 'x', sizeof(url) - 1); /* it is copied */
	assert_false(world->is_done);
	return err;
}

static void dial(struct world *world)
{
	assert_int_equal(dial_to(world, "ws", listener_port(world->origin.listener)), 0);
}

static void it_opens_with_the_headers_and_delivers_messages(void **state)
{
	struct world world;

	(void)state;
	set_up(&world, ACCEPTS);
	dial(&world);
	pump_until(world.loop, &world.is_done);
	assert_int_equal(world.err, 0);
	assert_memory_equal(world.request, "GET /way?a=b HTTP/1.1\r\nHost: 127.0.0.1:", 39);
	assert_non_null(strstr(world.request, "\r\nX-One: 1\r\nX-Two: 2\r\n\r\n"));
	assert_null(strstr(world.request, "Extensions"));
	origin_say_text(&world.origin.peers[0], HELLO);
	pump_until(world.loop, &world.has_message);
	assert_string_equal(world.message, "hello");
	ws_abort(world.ws);
	pump_until(world.loop, &world.is_closed);
	tear_down(&world);
}

static void bytes_that_arrive_with_the_handshake_are_delivered(void **state)
{
	static const enum server_way ways[] = {ACCEPTS, ACCEPTS_IN_PARTS};

	(void)state;
	for (size_t i = 0; i < COUNT(ways); ++i) {
		struct world world;

		set_up(&world, ways[i]);
		world.after = HELLO;
		world.gives_up_when_done = true;
		dial(&world);
		pump_until(world.loop, &world.has_message);
		assert_true(world.is_done);
		assert_string_equal(world.message, "hello");
		tear_down(&world);
	}
}

static void what_keeps_it_from_opening_is_said(void **state)
{
	static const struct {
		enum server_way way;
		int err;
		const char *why;
	} rows[] = {
		{ACCEPTS_WRONGLY, EPROTO, "its Sec-WebSocket-Accept does not fit the key"},
		{REFUSES, EPROTO, "HTTP 401: no such key"},
		{HANGS_UP, ECONNRESET, "Connection reset by peer; does it use TLS?"},
		{NEVER_ENDS, EPROTO, "the head of the server's answer is too long"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(rows); ++i) {
		struct world world;

		set_up(&world, rows[i / 2].way);
		world.gives_up_when_done = i % 2;
		dial(&world);
		pump_until(world.loop, &world.is_done);
		assert_int_equal(world.err, rows[i / 2].err);
		assert_non_null(strstr(world.why, rows[i / 2].why));
		assert_null(strchr(world.why, '\n'));
		pump(world.loop);
		assert_int_equal(world.origin.open, 0);
		assert_false(world.is_closed); /* there never was a WebSocket */
		tear_down(&world);
	}
}

static void a_port_without_a_server_is_refused(void **state)
{
	struct world world;
	unsigned port;

	(void)state;
	set_up(&world, ACCEPTS);
	port = listener_port(world.origin.listener);
	listener_close(world.origin.listener);
	pump(world.loop);
	assert_int_equal(dial_to(&world, "http", port), 0);
	pump_until(world.loop, &world.is_done);
	assert_int_equal(world.err, ECONNREFUSED);
	assert_non_null(strstr(world.why, "127.0.0.1:"));
	world.dial = mem_deref(world.dial);
	pump(world.loop);
	mem_deref(world.dialer);
	mem_deref(world.loop);
	assert_int_equal(mem_live(), 0);
}

static void a_server_that_never_answers_is_given_up(void **state)
{
	struct world world;

	(void)state;
	set_up(&world, IS_SILENT);
	dial(&world);
	while (world.origin.requests == 0)
		pump(world.loop);
	pump_ahead(world.loop, 2500);
	assert_false(world.is_done);
	pump_ahead(world.loop, 2500);
	assert_true(world.is_done);
	assert_int_equal(world.err, ETIMEDOUT);
	pump(world.loop);
	assert_int_equal(world.origin.open, 0);
	tear_down(&world);
}

/* At once, while it connects, and while it waits for the answer. */
static void it_can_be_given_up_at_any_time(void **state)
{
	(void)state;
	for (unsigned steps = 0; steps < 6; ++steps) {
		struct world world;

		set_up(&world, IS_SILENT);
		dial(&world);
		for (unsigned i = 0; i < steps; ++i) {
			loop_enter(world.loop);
			loop_leave(world.loop);
			uv_run(&world.loop->uv, UV_RUN_NOWAIT);
		}
		world.dial = mem_deref(world.dial);
		pump(world.loop);
		assert_false(world.is_done);
		assert_int_equal(world.origin.open, 0);
		tear_down(&world);
	}
}

static void what_cannot_be_sent_is_refused_at_once(void **state)
{
	static const char *const split[] = {"X-One: 1\r\nX-Two: 2", NULL};
	static char long_header[20000];
	static const char *const longs[] = {long_header, NULL};
	static const struct {
		const char *url;
		const char *const *headers;
		int err;
	} rows[] = {
		{"127.0.0.1", NULL, EINVAL},
		{"ftp://127.0.0.1/", NULL, EINVAL},
		{"ws://127.0.0.1/", split, EINVAL},
		{"ws://127.0.0.1/", longs, ENOBUFS},
		{"wss://127.0.0.1/", NULL, EPROTONOSUPPORT},
	};
	struct world world;

	(void)state;
	memset(long_header, 'x', sizeof(long_header) - 1);
	set_up(&world, ACCEPTS);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct ws_dial_options options = {.dialer = world.dialer,
						  .url = rows[i].url,
						  .headers = rows[i].headers,
						  .timeout_ms = 1000,
						  .handlers = &handlers};

		assert_int_equal(ws_dial_start(&world.dial, &options, on_done, &world),
				 rows[i].err);
		assert_null(world.dial);
	}
	tear_down(&world);
}

static void over_tls_the_server_proves_its_name(void **state)
{
	char dir[] = "/tmp/test_ws_dial_XXXXXX";
	static const char *const names[] = {"IP:127.0.0.1", "DNS:elsewhere"};
	char cert[64], key[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(cert, sizeof(cert), "%s/cert.pem", dir);
	snprintf(key, sizeof(key), "%s/key.pem", dir);
	for (size_t i = 0; i < COUNT(names); ++i) {
		struct tls *server, *client;
		struct world world;
		char why[128];

		assert_true(certificate_make(names[i], cert, key));
		assert_int_equal(tls_server_alloc(&server, cert, key, why, sizeof(why)), 0);
		assert_int_equal(tls_client_alloc(&client, cert, why, sizeof(why)), 0);
		set_up_tls(&world, ACCEPTS, server, client);
		world.after = HELLO;
		assert_int_equal(
			dial_to(&world, i ? "https" : "wss", listener_port(world.origin.listener)),
			0);
		pump_until(world.loop, i ? &world.is_done : &world.has_message);
		assert_int_equal(world.err, i ? ENOKEY : 0);
		mem_deref(server);
		mem_deref(client);
		tear_down(&world);
	}
	unlink(cert);
	unlink(key);
	rmdir(dir);
}

static void nothing_leaks_when_memory_runs_out(void **state)
{
	int opened = 0;

	(void)state;
	for (size_t n = 1; n < 12; ++n) {
		struct world world;
		int err;

		set_up(&world, ACCEPTS);
		mem_fail_after(n);
		err = dial_to(&world, "ws", listener_port(world.origin.listener));
		while (!err && !world.is_done && world.origin.open >= world.origin.connections)
			pump(world.loop);
		pump(world.loop);
		mem_fail_after(0);
		assert_true(err == 0 || err == ENOMEM);
		opened += !err && !world.err && world.is_done;
		tear_down(&world);
	}
	assert_true(opened > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_opens_with_the_headers_and_delivers_messages),
		cmocka_unit_test(bytes_that_arrive_with_the_handshake_are_delivered),
		cmocka_unit_test(what_keeps_it_from_opening_is_said),
		cmocka_unit_test(a_port_without_a_server_is_refused),
		cmocka_unit_test(a_server_that_never_answers_is_given_up),
		cmocka_unit_test(it_can_be_given_up_at_any_time),
		cmocka_unit_test(what_cannot_be_sent_is_refused_at_once),
		cmocka_unit_test(over_tls_the_server_proves_its_name),
		cmocka_unit_test(nothing_leaks_when_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
