/* Requests of ours: answers come whole or with a reason, connections are used
 * again, and one that is given up is closed at once. */
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
#include "net/http_client.h"
#include "origin.h"
#include "pump.h"

#define HELLO "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

struct world {
	struct loop *loop;
	struct http_client *client;
	struct origin origin;
	const char *script[4]; /* of each request in turn; NULL: no answer */
	bool hangs_up[4]; /* after it */
	char request[512]; /* the last */
	size_t answer_max; /* 0: plenty */
};

struct heard {
	struct world *world;
	struct http_call *call;
	struct buf body;
	unsigned status;
	char location[64];
	int heads, dones;
	int err;
	char why[256];
	bool is_done; /* for pump_until */
	bool gives_up_at_head, gives_up_at_body, gives_up_at_done;
	bool in_call;
};

static void answer(struct origin_peer *peer, const char *request, void *arg)
{
	struct world *world = arg;
	unsigned nth = peer->origin->requests - 1;

	snprintf(world->request, sizeof(world->request), "%s", request);
	if (nth >= COUNT(world->script))
		return;
	if (world->script[nth])
		origin_say_text(peer, world->script[nth]);
	if (world->hangs_up[nth])
		origin_close(peer);
}

static void set_up_tls(struct world *world, struct tls *server, struct tls *client)
{
	*world = (struct world){0};
	assert_int_equal(loop_alloc(&world->loop), 0);
	assert_int_equal(http_client_alloc(&world->client, world->loop, client), 0);
	origin_start(&world->origin, world->loop, server, answer, world);
}

static void set_up(struct world *world)
{
	set_up_tls(world, NULL, NULL);
}

static void tear_down(struct world *world)
{
	mem_deref(world->client);
	origin_stop(&world->origin);
	pump(world->loop);
	mem_deref(world->loop);
	assert_int_equal(mem_live(), 0);
}

static void give_up(struct heard *heard)
{
	heard->call = mem_deref(heard->call);
}

static void on_head(const struct http_client_parse *head, void *arg)
{
	struct heard *heard = arg;
	const char *location = http_client_parse_header(head, "Location");

	assert_false(heard->in_call);
	heard->status = head->status;
	++heard->heads;
	snprintf(heard->location, sizeof(heard->location), "%s", location ? location : "");
	if (heard->gives_up_at_head)
		give_up(heard);
}

static void on_body(const char *bytes, size_t n, void *arg)
{
	struct heard *heard = arg;

	assert_non_null(heard->call);
	assert_int_equal(buf_append(&heard->body, bytes, n), 0);
	if (heard->gives_up_at_body)
		give_up(heard);
}

static void on_done(int err, const char *why, void *arg)
{
	struct heard *heard = arg;

	assert_false(heard->in_call);
	assert_non_null(heard->call);
	++heard->dones;
	heard->err = err;
	heard->is_done = true;
	assert_int_equal(err != 0, why != NULL);
	snprintf(heard->why, sizeof(heard->why), "%s", why ? why : "");
	if (heard->gives_up_at_done)
		give_up(heard);
}

static const struct http_call_handlers handlers = {
	.head = on_head, .body = on_body, .done = on_done};

static void ask_url(struct heard *heard, struct world *world, const char *text)
{
	struct url url;
	struct http_call_options options = {.url = &url,
					    .method = "POST",
					    .path = "/say",
					    .headers = "X-One: 1\r\n",
					    .body = "body",
					    .body_len = 4,
					    .connect_ms = 1000,
					    .answer_max =
						    world->answer_max ? world->answer_max : 65536};

	heard->world = world;
	buf_init(&heard->body, 65536);
	assert_int_equal(url_parse(&url, text), 0);
	heard->in_call = true;
	assert_int_equal(http_client_call(&heard->call, world->client, &options, &handlers, heard),
			 0);
	heard->in_call = false;
}

static void ask(struct heard *heard, struct world *world)
{
	char url[128];

	origin_url(&world->origin, url, sizeof(url));
	strcat(url, "/v1/");
	ask_url(heard, world, url);
}

static void expect_body(struct heard *heard, const char *body)
{
	assert_int_equal(heard->err, 0);
	assert_int_equal(heard->dones, 1);
	assert_int_equal(heard->body.len, strlen(body));
	assert_memory_equal(heard->body.bytes, body, heard->body.len);
}

static void forget(struct heard *heard)
{
	mem_deref(heard->call);
	buf_reset(&heard->body);
}

static void a_request_is_answered(void **state)
{
	struct heard heard = {0};
	struct world world;
	char host[64];

	(void)state;
	set_up(&world);
	world.script[0] = HELLO;
	ask(&heard, &world);
	pump_until(world.loop, &heard.is_done);
	expect_body(&heard, "hello");
	assert_int_equal(heard.status, 200);
	snprintf(host, sizeof(host), "\r\nHost: 127.0.0.1:%u\r\n",
		 listener_port(world.origin.listener));
	assert_non_null(strstr(world.request, host));
	assert_ptr_equal(strstr(world.request, "POST /v1/say HTTP/1.1\r\n"), world.request);
	assert_non_null(strstr(world.request, "\r\nContent-Length: 4\r\n"));
	assert_non_null(strstr(world.request, "\r\nX-One: 1\r\n\r\nbody"));
	forget(&heard);
	tear_down(&world);
}

/* Chunks, a body until the end, an interim answer, no body at all. */
static void bodies_come_in_every_form(void **state)
{
	static const struct {
		const char *answer, *body;
		bool hangs_up;
	} rows[] = {
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		 "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nTrailer: t\r\n\r\n",
		 "hello", false},
		{"HTTP/1.1 200 OK\r\n\r\nhello", "hello", true},
		{"HTTP/1.0 200 OK\r\n\r\nhello", "hello", true},
		{"HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 103 Early\r\n\r\n" HELLO, "hello",
		 false},
		{"HTTP/1.1 204 No Content\r\n\r\n", "", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct heard heard = {0};
		struct world world;

		set_up(&world);
		world.script[0] = rows[i].answer;
		world.hangs_up[0] = rows[i].hangs_up;
		ask(&heard, &world);
		pump_until(world.loop, &heard.is_done);
		expect_body(&heard, rows[i].body);
		assert_int_equal(heard.heads, 1);
		pump(world.loop);
		assert_int_equal(http_client_idle(world.client), !rows[i].hangs_up);
		forget(&heard);
		tear_down(&world);
	}
}

static void what_cannot_be_read_has_a_reason(void **state)
{
	static char large[HTTP_CLIENT_HEAD_MAX + 64] = "HTTP/1.1 200 OK\r\nX: ";
	static const struct {
		const char *answer, *why;
	} rows[] = {
		{"garbage\r\n\r\n", "it is not HTTP"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "it ended early"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "it ended early"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "it is not HTTP"},
		{"HTTP/1.1 200", "it ended early"},
		{"", "it ended early"},
		{"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
		 "it changes the protocol"},
		{"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
		 "it is compressed"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx", "transfer coding"},
		{large, "its head is too large"},
	};

	(void)state;
	memset(large + strlen(large), 'x', HTTP_CLIENT_HEAD_MAX);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct heard heard = {0};
		struct world world;

		set_up(&world);
		world.script[0] = rows[i].answer;
		world.hangs_up[0] = true;
		ask(&heard, &world);
		pump_until(world.loop, &heard.is_done);
		assert_int_equal(heard.err, EPROTO);
		if (!strstr(heard.why, rows[i].why))
			fail_msg("%s: %s", rows[i].answer, heard.why);
		assert_int_equal(http_client_idle(world.client), 0);
		forget(&heard);
		tear_down(&world);
	}
}

static void an_answer_has_a_longest(void **state)
{
	(void)state;
	for (size_t over = 0; over < 2; ++over) {
		struct heard heard = {0};
		struct world world;

		set_up(&world);
		world.script[0] = HELLO;
		world.answer_max = strlen(HELLO) - over;
		ask(&heard, &world);
		pump_until(world.loop, &heard.is_done);
		assert_int_equal(heard.err, over ? EMSGSIZE : 0);
		pump(world.loop);
		assert_int_equal(world.origin.open, !over);
		forget(&heard);
		tear_down(&world);
	}
}

static void redirects_are_told_not_followed(void **state)
{
	struct heard heard = {0};
	struct world world;

	(void)state;
	set_up(&world);
	world.script[0] = "HTTP/1.1 302 Found\r\nlocation:  http://other/ \r\n"
			  "Content-Length: 0\r\n\r\n";
	ask(&heard, &world);
	pump_until(world.loop, &heard.is_done);
	expect_body(&heard, "");
	assert_int_equal(heard.status, 302);
	assert_string_equal(heard.location, "http://other/");
	assert_int_equal(world.origin.requests, 1);
	forget(&heard);
	tear_down(&world);
}

static void connections_are_used_again(void **state)
{
	struct heard first = {0};
	struct heard second = {0};
	struct world world;

	(void)state;
	set_up(&world);
	world.script[0] = world.script[1] = HELLO;
	ask(&first, &world);
	pump_until(world.loop, &first.is_done);
	assert_int_equal(http_client_idle(world.client), 1);
	ask(&second, &world);
	pump_until(world.loop, &second.is_done);
	expect_body(&second, "hello");
	assert_int_equal(world.origin.connections, 1);
	pump_ahead(world.loop, HTTP_CLIENT_IDLE_MS + 1);
	assert_int_equal(http_client_idle(world.client), 0);
	assert_int_equal(world.origin.open, 0);
	forget(&first);
	forget(&second);
	tear_down(&world);
}

static void an_answer_may_forbid_to_use_it_again(void **state)
{
	static const char *const answers[] = {
		"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
		HELLO "HTTP/1.1 400 Bad\r\n\r\n", /* more than was asked for */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(answers); ++i) {
		struct heard heard = {0};
		struct world world;

		set_up(&world);
		world.script[0] = answers[i];
		ask(&heard, &world);
		pump_until(world.loop, &heard.is_done);
		expect_body(&heard, "hello");
		assert_int_equal(http_client_idle(world.client), 0);
		forget(&heard);
		tear_down(&world);
	}
}

/* The server ends a waiting connection: seen before it is used, or just then. */
static void a_stale_connection_is_replaced(void **state)
{
	struct heard first = {0};
	struct heard second = {0};
	struct heard third = {0};
	struct world world;

	(void)state;
	set_up(&world);
	world.script[0] = world.script[2] = HELLO;
	world.hangs_up[1] = true; /* without an answer */
	world.hangs_up[2] = true;
	world.script[3] = HELLO;
	ask(&first, &world);
	pump_until(world.loop, &first.is_done);
	ask(&second, &world);
	pump_until(world.loop, &second.is_done);
	expect_body(&second, "hello");
	assert_int_equal(world.origin.requests, 3);
	assert_int_equal(world.origin.connections, 2);
	pump(world.loop);
	assert_int_equal(http_client_idle(world.client), 0);
	ask(&third, &world);
	pump_until(world.loop, &third.is_done);
	expect_body(&third, "hello");
	forget(&first);
	forget(&second);
	forget(&third);
	tear_down(&world);
}

static void waiting_connections_have_a_most(void **state)
{
	struct heard heard[HTTP_CLIENT_IDLE_OF_ORIGIN + 1] = {0};
	struct world world;

	(void)state;
	set_up(&world);
	for (size_t i = 0; i < COUNT(heard); ++i)
		ask(&heard[i], &world);
	while (world.origin.requests < COUNT(heard))
		pump(world.loop);
	for (size_t i = 0; i < COUNT(heard); ++i)
		origin_say_text(&world.origin.peers[i], HELLO);
	for (size_t i = 0; i < COUNT(heard); ++i)
		pump_until(world.loop, &heard[i].is_done);
	assert_int_equal(http_client_idle(world.client), HTTP_CLIENT_IDLE_OF_ORIGIN);
	for (size_t i = 0; i < COUNT(heard); ++i)
		forget(&heard[i]);
	tear_down(&world);
}

/* At any time, from outside and from every handler. */
static void giving_up_closes_the_connection_at_once(void **state)
{
	(void)state;
	for (int when = 0; when < 5; ++when) {
		struct heard heard = {.gives_up_at_head = when == 1,
				      .gives_up_at_body = when == 2,
				      .gives_up_at_done = when == 3};
		struct world world;

		set_up(&world);
		world.script[0] = when ? HELLO : NULL;
		ask(&heard, &world);
		if (when == 4)
			give_up(&heard); /* before it has begun */
		while (when != 4 && world.origin.requests == 0)
			pump(world.loop);
		if (when == 0)
			give_up(&heard);
		pump(world.loop);
		assert_null(heard.call);
		assert_int_equal(heard.dones, when == 3);
		assert_int_equal(world.origin.open, when == 3);
		buf_reset(&heard.body);
		tear_down(&world);
	}
}

static void what_cannot_be_reached_has_a_reason(void **state)
{
	static const struct {
		const char *url, *why;
		int err;
	} rows[] = {
		{"http://127.0.0.1:1", "127.0.0.1:1: Connection refused", ECONNREFUSED},
		{"http://no-such-host.invalid", "no-such-host.invalid: ", EADDRNOTAVAIL},
		{"https://127.0.0.1:1", "not supported", EPROTONOSUPPORT},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct heard heard = {0};
		struct world world;

		set_up(&world);
		ask_url(&heard, &world, rows[i].url);
		pump_until(world.loop, &heard.is_done);
		assert_int_equal(heard.err, rows[i].err);
		assert_non_null(strstr(heard.why, rows[i].why));
		forget(&heard);
		tear_down(&world);
	}
}

/* localhost may be ::1 first, where nobody listens. */
static void the_next_address_is_tried(void **state)
{
	struct heard heard = {0};
	struct world world;
	char url[64];

	(void)state;
	set_up(&world);
	world.script[0] = HELLO;
	snprintf(url, sizeof(url), "http://localhost:%u/a?b=c#d",
		 listener_port(world.origin.listener));
	ask_url(&heard, &world, url);
	pump_until(world.loop, &heard.is_done);
	expect_body(&heard, "hello");
	assert_ptr_equal(strstr(world.request, "POST /a/say?b=c HTTP/1.1\r\n"), world.request);
	forget(&heard);
	tear_down(&world);
}

/* What is left ends by itself, or after a second, or with the client. */
static void a_call_that_is_left_gives_its_connection_back(void **state)
{
	(void)state;
	for (int how = 0; how < 4; ++how) {
		struct heard heard = {0};
		struct world world;

		set_up(&world);
		world.script[0] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel";
		ask(&heard, &world);
		while (heard.body.len < 3)
			pump(world.loop);
		http_client_detach(heard.call);
		pump(world.loop);
		assert_int_equal(world.origin.open, 1);
		if (how < 2)
			origin_say_text(&world.origin.peers[0], how ? "lo and more" : "lo");
		if (how == 2)
			pump_ahead(world.loop, HTTP_CLIENT_DETACH_MS);
		pump(world.loop);
		assert_int_equal(http_client_idle(world.client), how == 0);
		assert_int_equal(world.origin.open, how == 0 || how == 3);
		assert_int_equal(heard.dones, 0);
		assert_int_equal(heard.body.len, 3);
		buf_reset(&heard.body);
		tear_down(&world);
	}
}

/* TLS that never shakes hands: a listener that does not know it. */
static void connecting_has_a_limit(void **state)
{
	struct heard heard = {0};
	struct world world;
	struct tls *tls;
	char why[128];
	char url[64];

	(void)state;
	assert_int_equal(tls_client_alloc(&tls, NULL, why, sizeof(why)), 0);
	set_up_tls(&world, NULL, tls);
	snprintf(url, sizeof(url), "https://127.0.0.1:%u", listener_port(world.origin.listener));
	ask_url(&heard, &world, url);
	while (world.origin.open == 0)
		pump(world.loop);
	pump_ahead(world.loop, 900);
	assert_int_equal(heard.dones, 0);
	pump_ahead(world.loop, 200);
	assert_int_equal(heard.err, ETIMEDOUT);
	assert_int_equal(world.origin.open, 0);
	forget(&heard);
	mem_deref(tls);
	tear_down(&world);
}

static char dir[] = "/tmp/test_http_client_XXXXXX";
static char cert[64], key[64], wrong_cert[64], wrong_key[64];

static int make_files(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(cert, sizeof(cert), "%s/cert.pem", dir);
	snprintf(key, sizeof(key), "%s/key.pem", dir);
	snprintf(wrong_cert, sizeof(wrong_cert), "%s/wrong.pem", dir);
	snprintf(wrong_key, sizeof(wrong_key), "%s/wrong-key.pem", dir);
	return certificate_make("IP:127.0.0.1", cert, key) &&
			       certificate_make("DNS:elsewhere", wrong_cert, wrong_key)
		       ? 0
		       : -1;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(cert);
	unlink(key);
	unlink(wrong_cert);
	unlink(wrong_key);
	return rmdir(dir);
}

static void over_tls_the_server_proves_its_name(void **state)
{
	static const struct {
		char *cert, *key, *ca;
		int err;
		const char *why;
	} rows[] = {
		{cert, key, cert, 0, NULL},
		{wrong_cert, wrong_key, wrong_cert, ENOKEY, "is not for this name"},
		{wrong_cert, wrong_key, cert, EKEYREJECTED, "is not signed by an authority"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct heard first = {0};
		struct heard second = {0};
		struct world world;
		struct tls *server, *client;
		char why[128];

		assert_int_equal(
			tls_server_alloc(&server, rows[i].cert, rows[i].key, why, sizeof(why)), 0);
		assert_int_equal(tls_client_alloc(&client, rows[i].ca, why, sizeof(why)), 0);
		set_up_tls(&world, server, client);
		world.script[0] = world.script[1] = HELLO;
		ask(&first, &world);
		pump_until(world.loop, &first.is_done);
		ask(&second, &world);
		pump_until(world.loop, &second.is_done);
		if (!rows[i].err) {
			expect_body(&first, "hello");
			expect_body(&second, "hello");
			assert_int_equal(world.origin.connections, 1);
		} else {
			assert_int_equal(first.err, rows[i].err);
			assert_non_null(strstr(first.why, rows[i].why));
			assert_int_equal(world.origin.requests, 0);
		}
		forget(&first);
		forget(&second);
		mem_deref(server);
		mem_deref(client);
		tear_down(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_answered),
		cmocka_unit_test(bodies_come_in_every_form),
		cmocka_unit_test(what_cannot_be_read_has_a_reason),
		cmocka_unit_test(an_answer_has_a_longest),
		cmocka_unit_test(redirects_are_told_not_followed),
		cmocka_unit_test(connections_are_used_again),
		cmocka_unit_test(an_answer_may_forbid_to_use_it_again),
		cmocka_unit_test(a_stale_connection_is_replaced),
		cmocka_unit_test(waiting_connections_have_a_most),
		cmocka_unit_test(giving_up_closes_the_connection_at_once),
		cmocka_unit_test(what_cannot_be_reached_has_a_reason),
		cmocka_unit_test(the_next_address_is_tried),
		cmocka_unit_test(a_call_that_is_left_gives_its_connection_back),
		cmocka_unit_test(connecting_has_a_limit),
		cmocka_unit_test(over_tls_the_server_proves_its_name),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
