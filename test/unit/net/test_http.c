/* The HTTP server over a socket pair: in order, within its limits, and no
 * request is left without an answer. */
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

#include "base/mem.h"
#include "mem_fail.h"
#include "net/http.h"
#include "pump.h"

#define HOST "Host: a\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST "\r\n"

static struct loop *loop;
static struct http_server *server;
static int peer;
static char got[1 << 20]; /* what the client read */
static size_t got_len;

static struct http_request *kept; /* of /later and /pieces */
static int gone;
static int requests; /* that the handler was given */
static int emptied; /* times that no connection was left */
static char seen[256]; /* what the handler saw */
static struct ws *ws;
static int ws_messages;
static int ws_closes;

static void on_gone(void *arg)
{
	(void)arg;
	++gone;
}

static void on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	(void)arg;
	(void)is_binary;
	assert_non_null(ws); /* never before http_upgrade has returned */
	++ws_messages;
	ws_send_text(ws, outgoing_copy(bytes, len));
}

static void on_ws_closed(void *arg, uint16_t code)
{
	(void)arg;
	(void)code;
	++ws_closes;
	ws = NULL;
}

static const struct ws_handlers ws_handlers = {.message = on_message, .closed = on_ws_closed};

static void reply_query(struct http_request *request)
{
	char value[32] = "";
	char peer_name[HTTP_PEER_SIZE];
	size_t len = 0;
	int err = http_query(request, "k", value, sizeof(value));
	const char *raw = http_query_raw(request, "k", &len);

	http_peer(request, peer_name);
	snprintf(seen, sizeof(seen), "%s %s %d [%s] [%.*s] [%s] %s %zu", request->method,
		 request->path, err, value, (int)len, raw ? raw : "", peer_name, request->body,
		 request->body_len);
	http_reply(request, 200, "text/plain", seen, strlen(seen));
}

/* /body: with settings.at_head, a handler that wants the body. */
static void on_body(void *arg)
{
	(void)arg;
	http_on_gone(kept, NULL, NULL);
	reply_query(kept);
	kept = mem_deref(kept);
}

static void on_body_gone(void *arg)
{
	(void)arg;
	++gone;
	kept = mem_deref(kept);
}

static void read_body(void)
{
	int err = http_read_body(kept, on_body, NULL);

	if (err == 0)
		on_body(NULL);
	else if (err != EINPROGRESS)
		kept = mem_deref(kept);
}

static void on_request(struct http_request *request, void *arg)
{
	const char *path = request->path;

	(void)arg;
	++requests;
	if (strcmp(path, "/refuse") == 0) {
		assert_int_equal(request->body_len, 0);
		http_reply(request, 401, NULL, NULL, 0);
		return;
	}
	if (strcmp(path, "/body") == 0 || strcmp(path, "/roomy room") == 0) {
		kept = mem_ref(request);
		http_on_gone(request, on_body_gone, NULL);
		read_body();
		return;
	}
	if (strcmp(path, "/key") == 0)
		http_present_key(request);
	if (strcmp(path, "/later") == 0) {
		kept = mem_ref(request);
		http_on_gone(request, on_gone, NULL);
	} else if (strcmp(path, "/pieces") == 0) {
		kept = mem_ref(request);
		assert_int_equal(http_reply_begin(request, 200, "audio/pcm"), 0);
	} else if (strcmp(path, "/silent") == 0) {
		return;
	} else if (strcmp(path, "/ws") == 0) {
		struct ws *made;

		http_reply_header(request, "X-Mark", "yes");
		if (http_upgrade(&made, request, &ws_handlers, NULL) == 0)
			ws = made;
	} else if (strcmp(path, "/header") == 0) {
		assert_int_equal(http_reply_header(request, "Retry-After", "3"), 0);
		assert_int_equal(http_reply_header(request, "Bad", "a\r\nSet-Cookie: b"), EINVAL);
		assert_int_equal(http_reply_header(request, "Bad Name", "a"), EINVAL);
		http_reply(request, 429, NULL, NULL, 0);
	} else if (strcmp(path, "/large") == 0) {
		char *large = calloc(1, 50000);

		assert_non_null(large);
		http_reply(request, 200, "text/plain", large, 50000);
		free(large);
	} else {
		reply_query(request);
	}
}

static void on_empty(void *arg)
{
	(void)arg;
	++emptied;
}

static size_t body_max_of(const char *method, const char *path, void *arg)
{
	(void)arg;
	return strcmp(method, "PUT") == 0 && strcmp(path, "/roomy room") == 0 ? 1000 : 100;
}

static int set_up_server(bool at_head)
{
	const struct http_settings settings = {
		.request = on_request,
		.body_max = at_head ? 100000 : 100,
		.body_max_of = at_head ? NULL : body_max_of,
		.empty = on_empty,
		.at_head = at_head,
	};
	int fd[2];

	got_len = 0;
	requests = gone = emptied = ws_messages = ws_closes = 0;
	kept = NULL;
	ws = NULL;
	socket_pair(fd);
	peer = fd[1];
	if (loop_alloc(&loop) != 0 || http_server_alloc(&server, loop, &settings) != 0)
		return -1;
	http_accept(server, fd[0]);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	return set_up_server(false);
}

static int set_up_at_head(void **state)
{
	(void)state;
	return set_up_server(true);
}

static size_t stranger_count(void)
{
	return http_keyless(server)->holding.count + http_keyless(server)->idle.count;
}

static int tear_down(void **state)
{
	(void)state;
	kept = mem_deref(kept);
	http_server_stop(server);
	if (ws)
		ws_abort(ws);
	pump(loop);
	assert_int_equal(http_conn_count(server), 0);
	assert_int_equal(http_keyless(server)->bytes, 0);
	assert_int_equal(stranger_count(), 0);
	close(peer);
	mem_deref(server);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
	return 0;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	pump(loop);
}

static void client_says(const char *text)
{
	say(peer, text);
}

/* Reads all there is; true when the server has ended the connection. */
static bool client_reads(void)
{
	ssize_t n;

	pump(loop);
	while ((n = recv(peer, got + got_len, sizeof(got) - 1 - got_len, 0)) > 0) {
		got_len += (size_t)n;
		pump(loop);
	}
	got[got_len] = '\0';
	return n == 0;
}

static void forget(void)
{
	got_len = 0;
	got[0] = '\0';
}

static void assert_status(const char *status)
{
	if (strncmp(got, "HTTP/1.1 ", 9) != 0 || strncmp(got + 9, status, strlen(status)) != 0)
		fail_msg("wanted %s, got: %s", status, got);
}

static void test_a_handler_sees_the_request(void **state)
{
	(void)state;
	client_says("POST /a%2Fb?x=1&k=v%20w%2B+&kk=2 HTTP/1.1\r\n" HOST
		    "Content-Length: 2\r\n\r\nhi");
	assert_false(client_reads());
	assert_status("200 OK\r\n");
	assert_string_equal(seen, "POST /a/b 0 [v w+ ] [v%20w%2B+] [] hi 2");
	assert_non_null(strstr(got, "\r\nContent-Length: 39\r\n"));
	assert_non_null(strstr(got, "\r\nContent-Type: text/plain\r\n"));
	assert_null(strstr(got, "Connection:"));
}

static void test_nothing_is_held_between_requests(void **state)
{
	size_t before = mem_live();

	(void)state;
	client_says("GET / HT");
	assert_int_equal(mem_live(), before + 1);
	client_says("TP/1.1\r\n" HOST "\r\n");
	assert_int_equal(mem_live(), before);
	assert_int_equal(http_conn_count(server), 1);
}

static void test_pipelined_requests_are_answered_in_order(void **state)
{
	char *first;
	char *second;

	(void)state;
	client_says(GET("/later") GET("/2") GET("/3"));
	client_reads();
	assert_int_equal(got_len, 0);
	assert_int_equal(http_reply(kept, 200, NULL, "one", 3), 0);
	assert_false(client_reads());
	first = strstr(got, "one");
	second = strstr(got, "GET /2");
	assert_true(first && second && first < second);
	assert_true(strstr(got, "GET /3") > second);
}

static void test_a_client_that_goes_away_is_told_of_once(void **state)
{
	(void)state;
	client_says(GET("/later"));
	close(peer);
	peer = -1;
	pump(loop);
	assert_int_equal(gone, 1);
	http_reply(kept, 200, NULL, "x", 1); /* to nobody */
	pump(loop);
	assert_int_equal(http_reply(kept, 200, NULL, "x", 1), ECONNRESET);
	assert_int_equal(gone, 1);
	assert_int_equal(http_conn_count(server), 0);
}

static void test_a_client_that_only_stops_sending_is_answered(void **state)
{
	(void)state;
	client_says(GET("/later") GET("/2"));
	shutdown(peer, SHUT_WR);
	pump(loop);
	http_reply(kept, 200, NULL, "one", 3);
	assert_true(client_reads());
	assert_non_null(strstr(got, "one"));
	assert_non_null(strstr(got, "GET /2"));
}

static void test_a_request_nobody_answers_is_answered_500(void **state)
{
	(void)state;
	client_says(GET("/silent"));
	assert_true(client_reads());
	assert_status("500 ");
}

static void test_a_kept_request_nobody_answers_is_answered_500(void **state)
{
	(void)state;
	client_says(GET("/later"));
	kept = mem_deref(kept);
	assert_true(client_reads());
	assert_status("500 ");
}

static void test_bad_requests_are_answered_in_json_and_closed(void **state)
{
	(void)state;
	client_says("GET / HTTP/1.1\r\nHost : a\r\n\r\n");
	assert_true(client_reads());
	assert_status("400 ");
	assert_non_null(strstr(got, "\r\n\r\n{\"error\":\""));
	assert_non_null(strstr(got, "\r\nConnection: close\r\n"));
}

static void test_a_head_that_does_not_end_is_refused(void **state)
{
	char head[HTTP_HEAD_MAX + 2];

	(void)state;
	memset(head, 'x', sizeof(head) - 1);
	memcpy(head, "GET /", 5);
	head[sizeof(head) - 1] = '\0';
	client_says(head);
	assert_true(client_reads());
	assert_status("431 ");
}

static void test_a_body_over_the_maximum_is_refused_before_it_comes(void **state)
{
	(void)state;
	client_says("POST / HTTP/1.1\r\n" HOST
		    "Expect: 100-continue\r\nContent-Length: 101\r\n\r\n");
	assert_true(client_reads());
	assert_status("413 ");
}

static void test_a_path_may_have_a_maximum_of_its_own(void **state)
{
	(void)state;
	client_says("PUT /roomy%20room?x HTTP/1.1\r\n" HOST
		    "Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n");
	client_reads();
	assert_string_equal(got, "HTTP/1.1 100 Continue\r\n\r\n");
	forget();
	for (int i = 0; i < 100; ++i)
		client_says("0123456789");
	client_reads();
	assert_status("200 ");
	forget();
	client_says("PUT /roomy%20room HTTP/1.1\r\n" HOST "Content-Length: 1001\r\n\r\n");
	assert_true(client_reads());
	assert_status("413 ");
}

static void test_there_are_few_large_bodies_at_once(void **state)
{
	static const char head[] =
		"PUT /roomy%20room HTTP/1.1\r\n" HOST "Content-Length: 101\r\n\r\n";
	int others[HTTP_LARGE_BODIES_MAX];

	(void)state;
	for (size_t i = 0; i < HTTP_LARGE_BODIES_MAX; ++i) {
		int fd[2];

		socket_pair(fd);
		others[i] = fd[1];
		http_accept(server, fd[0]);
		assert_int_equal(send(fd[1], head, strlen(head), MSG_NOSIGNAL), strlen(head));
	}
	pump(loop);
	/* One that is no larger than others is let in. */
	client_says("PUT /roomy%20room HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc");
	client_reads();
	assert_status("200 ");
	forget();
	close(others[0]);
	pump(loop);
	client_says(head); /* that one's room is free */
	client_reads();
	assert_int_equal(got_len, 0);
	for (size_t i = 1; i < HTTP_LARGE_BODIES_MAX; ++i)
		close(others[i]);
	pump(loop);
}

static void test_one_large_body_too_many_is_refused(void **state)
{
	static const char head[] =
		"PUT /roomy%20room HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";
	int others[HTTP_LARGE_BODIES_MAX];

	(void)state;
	for (size_t i = 0; i < HTTP_LARGE_BODIES_MAX; ++i) {
		int fd[2];

		socket_pair(fd);
		others[i] = fd[1];
		http_accept(server, fd[0]);
		assert_int_equal(send(fd[1], head, strlen(head), MSG_NOSIGNAL), strlen(head));
	}
	pump(loop);
	client_says(head);
	assert_true(client_reads());
	assert_status("503 ");
	for (size_t i = 0; i < HTTP_LARGE_BODIES_MAX; ++i)
		close(others[i]);
	pump(loop);
}

static void test_a_client_that_waits_for_100_gets_it(void **state)
{
	(void)state;
	client_says("POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
	client_reads();
	assert_string_equal(got, "HTTP/1.1 100 Continue\r\n\r\n");
	forget();
	client_says("abc");
	client_reads();
	assert_status("200 ");
}

static void test_head_has_no_body(void **state)
{
	(void)state;
	client_says("HEAD /large HTTP/1.1\r\n" HOST "\r\n");
	client_reads();
	assert_status("200 ");
	assert_non_null(strstr(got, "\r\nContent-Length: 50000\r\n"));
	assert_string_equal(got + got_len - 4, "\r\n\r\n");
}

static void test_a_slow_head_is_ended(void **state)
{
	(void)state;
	client_says("GET / HTTP/1.1\r\n");
	pump_ahead(loop, HTTP_HEAD_MS - 1);
	client_says("Host: a\r\n"); /* no new time for every byte */
	assert_false(client_reads());
	pump_ahead(loop, 2);
	assert_true(client_reads());
	assert_status("408 ");
}

static void test_a_slow_body_is_ended(void **state)
{
	(void)state;
	client_says("POST / HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nabc");
	pump_ahead(loop, HTTP_BODY_MS - 1);
	assert_false(client_reads());
	pump_ahead(loop, 2);
	assert_true(client_reads());
	assert_status("408 ");
}

static void test_a_silent_connection_is_ended_without_a_word(void **state)
{
	(void)state;
	pump_ahead(loop, HTTP_HEAD_MS + 1);
	assert_true(client_reads());
	assert_int_equal(got_len, 0);
}

static void test_an_idle_connection_is_ended(void **state)
{
	(void)state;
	client_says(GET("/"));
	client_reads();
	forget();
	pump_ahead(loop, HTTP_IDLE_MS - 1);
	assert_false(client_reads());
	pump_ahead(loop, 2);
	assert_true(client_reads());
	assert_int_equal(got_len, 0);
}

static void test_an_answer_may_take_as_long_as_it_takes(void **state)
{
	(void)state;
	client_says(GET("/later"));
	pump_ahead(loop, 600000);
	http_reply(kept, 200, NULL, "one", 3);
	assert_false(client_reads());
	assert_status("200 ");
}

static void test_http_1_0_is_closed_unless_it_asks(void **state)
{
	(void)state;
	client_says("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
	assert_false(client_reads());
	assert_non_null(strstr(got, "\r\nConnection: keep-alive\r\n"));
	forget();
	client_says("GET / HTTP/1.0\r\n\r\n");
	assert_true(client_reads());
	assert_non_null(strstr(got, "\r\nConnection: close\r\n"));
}

static void test_headers_of_the_answer_cannot_be_forged(void **state)
{
	(void)state;
	client_says(GET("/header"));
	client_reads();
	assert_status("429 ");
	assert_non_null(strstr(got, "\r\nRetry-After: 3\r\n"));
	assert_null(strstr(got, "Bad"));
	assert_null(strstr(got, "Cookie"));
}

static void test_an_answer_in_pieces_is_chunked(void **state)
{
	(void)state;
	client_says(GET("/pieces") GET("/2"));
	client_reads();
	assert_status("200 ");
	assert_non_null(strstr(got, "\r\nTransfer-Encoding: chunked\r\n"));
	forget();
	http_reply_piece(kept, outgoing_copy("hello", 5));
	http_reply_piece(kept, outgoing_copy("", 0)); /* would be the end */
	http_reply_piece(kept, outgoing_copy("0123456789abcdefg", 17));
	client_reads();
	assert_string_equal(got, "5\r\nhello\r\n11\r\n0123456789abcdefg\r\n");
	forget();
	http_reply_end(kept);
	client_reads();
	assert_memory_equal(got, "0\r\n\r\nHTTP/1.1 200", 17);
}

static void test_an_answer_cut_short_ends_the_connection(void **state)
{
	(void)state;
	client_says(GET("/pieces"));
	http_reply_piece(kept, outgoing_copy("hello", 5));
	client_reads();
	forget();
	kept = mem_deref(kept);
	assert_true(client_reads());
	assert_int_equal(got_len, 0); /* and no last chunk */
}

static void test_pieces_for_http_1_0_end_with_the_connection(void **state)
{
	(void)state;
	client_says("GET /pieces HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
	http_reply_piece(kept, outgoing_copy("hello", 5));
	http_reply_end(kept);
	assert_true(client_reads());
	assert_null(strstr(got, "chunked"));
	assert_string_equal(strstr(got, "\r\n\r\n"), "\r\n\r\nhello");
}

static uint64_t sent_tag;
static uint64_t dropped;

static void on_sent(void *arg, uint64_t tag)
{
	(void)arg;
	sent_tag = tag;
}

static void on_gone_with_pieces(void *arg)
{
	(void)arg;
	++gone;
	dropped += http_drop(kept, 7);
	kept = mem_deref(kept); /* as whoever answers may */
}

static void send_tagged(const char *text, uint64_t tag, uint32_t weight)
{
	struct outgoing *piece = outgoing_copy(text, strlen(text));

	assert_non_null(piece);
	piece->tag = tag;
	piece->weight = weight;
	http_reply_piece(kept, piece);
}

static void test_pieces_that_wait_can_be_taken_back(void **state)
{
	(void)state;
	client_says(GET("/pieces"));
	client_reads();
	forget();
	send_tagged("one", 7, 10);
	send_tagged("two", 8, 20);
	send_tagged("three", 7, 30);
	assert_int_equal(http_drop(kept, 7), 40);
	http_reply_end(kept);
	client_reads();
	assert_string_equal(got, "3\r\ntwo\r\n0\r\n\r\n");
	assert_int_equal(http_drop(kept, 8), 0); /* it is answered */
}

static void test_it_is_told_when_pieces_were_sent(void **state)
{
	(void)state;
	sent_tag = 0;
	client_says(GET("/pieces"));
	http_on_sent(kept, on_sent, NULL);
	assert_false(http_notify_when_sent(kept, 7));
	send_tagged("one", 7, 1);
	assert_true(http_notify_when_sent(kept, 7));
	assert_int_equal(sent_tag, 0);
	client_reads();
	assert_int_equal(sent_tag, 7);
	http_reply_end(kept);
	assert_false(http_notify_when_sent(kept, 7));
}

static void test_what_a_vanished_client_did_not_get_is_told(void **state)
{
	char large[1000];
	uint64_t sent = 0;

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	dropped = 0;
	client_says(GET("/pieces"));
	http_on_gone(kept, on_gone_with_pieces, NULL);
	for (; !http_is_full(kept); ++sent) {
		send_tagged(large, 7, 1);
		pump(loop);
	}
	close(peer);
	pump(loop);
	assert_int_equal(gone, 1);
	assert_true(dropped > 0 && dropped < sent);
	peer = -1;
}

static void test_an_aborted_answer_has_no_last_chunk(void **state)
{
	(void)state;
	client_says(GET("/pieces") GET("/2"));
	http_reply_piece(kept, outgoing_copy("hello", 5));
	client_reads();
	forget();
	http_on_gone(kept, on_gone, NULL);
	http_abort(kept);
	http_abort(kept); /* once is enough */
	assert_true(client_reads());
	assert_int_equal(got_len, 0);
	assert_int_equal(gone, 0); /* whoever aborts knows */
}

static void test_a_client_that_does_not_read_makes_no_more_answers(void **state)
{
	size_t asked = 0;
	size_t answers = 0;

	(void)state;
	for (int i = 0; i < 10000; ++i) {
		const char *text = GET("/large");

		if (send(peer, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text))
			break;
		++asked;
		pump(loop);
	}
	assert_true(asked < 10000); /* reading stopped too */
	assert_true(asked > 20);
	for (int i = 0; i < 200; ++i) { /* and all of them are answered in the end */
		client_reads();
		answers += got_len;
		forget();
	}
	assert_true(answers >= asked * 50000);
}

static void test_drain_closes_connections_that_wait_and_those_answered(void **state)
{
	int fd[2];

	(void)state;
	client_says(GET("/later"));
	socket_pair(fd);
	http_accept(server, fd[0]);
	say(fd[1], GET("/"));
	assert_true(recv(fd[1], got, sizeof(got), 0) > 0);
	http_server_drain(server);
	pump(loop);
	assert_int_equal(recv(fd[1], got, 1, 0), 0);
	assert_int_equal(emptied, 0);
	http_reply(kept, 200, NULL, "one", 3);
	assert_true(client_reads());
	assert_non_null(strstr(got, "\r\nConnection: close\r\n"));
	close(fd[1]);
	shutdown(peer, SHUT_WR);
	pump(loop);
	assert_int_equal(emptied, 1); /* all have gone */
}

/* Who was let in just before is on the way to ask. */
static void test_a_drain_answers_whoever_has_not_asked_yet(void **state)
{
	(void)state;
	http_server_drain(server);
	pump(loop);
	assert_int_equal(http_conn_count(server), 1);
	client_says(GET("/"));
	assert_true(client_reads());
	assert_status("200 ");
	assert_non_null(strstr(got, "\r\nConnection: close\r\n"));
}

static void test_those_without_a_whole_request_are_closed_in_the_end(void **state)
{
	int fd[2];

	(void)state;
	client_says(GET("/later"));
	socket_pair(fd);
	http_accept(server, fd[0]);
	say(fd[1], "GET / HTTP/1.1\r\nHo");
	http_server_drain(server);
	pump(loop);
	assert_int_equal(http_conn_count(server), 2);
	http_server_close_unasked(server);
	pump(loop);
	assert_int_equal(recv(fd[1], got, 1, 0), 0);
	http_reply(kept, 200, NULL, "one", 3);
	assert_true(client_reads());
	assert_status("200 ");
	close(fd[1]);
}

static void test_an_upgrade_delivers_what_came_with_it_later(void **state)
{
	/* A masked "hi" behind the head. */
	static const char request[] =
		"GET /ws HTTP/1.1\r\n" HOST "Upgrade: websocket\r\nConnection: Upgrade\r\n"
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
		"\x81\x82....FG";

	(void)state;
	client_says(request);
	client_reads();
	assert_status("101 ");
	assert_non_null(strstr(got, "\r\nX-Mark: yes\r\n"));
	assert_int_equal(ws_messages, 1);
	assert_memory_equal(got + got_len - 4, "\x81\x02hi", 4);
	assert_int_equal(http_conn_count(server), 0); /* only the WebSocket is left */
}

static void test_an_address_for_websockets_says_so(void **state)
{
	(void)state;
	client_says(GET("/ws"));
	client_reads();
	assert_status("426 ");
	assert_non_null(strstr(got, "\r\nUpgrade: websocket\r\n"));
	assert_non_null(strstr(got, "\r\nConnection: Upgrade\r\n"));
	assert_non_null(strstr(got, "\r\nSec-WebSocket-Version: 13\r\n"));
	assert_null(strstr(got, "close"));
	assert_null(ws);
}

/* Whichever allocation fails, nothing leaks and the server goes on. */
static void test_no_failed_allocation_harms(void **state)
{
	(void)state;
	for (size_t n = 1; n < 8; ++n) {
		int fd[2];

		socket_pair(fd);
		mem_fail_after(n);
		http_accept(server, fd[0]);
		(void)send(fd[1], GET("/"), strlen(GET("/")), MSG_NOSIGNAL); /* if it is open */
		pump(loop);
		close(fd[1]);
		pump(loop);
		mem_fail_after(0);
	}
	client_says(GET("/"));
	client_reads();
	assert_status("200 ");
}

/* Requests whose handler is called with the head */

static void test_a_request_is_refused_before_its_body_comes(void **state)
{
	(void)state;
	client_says("POST /refuse HTTP/1.1\r\n" HOST "Content-Length: 90000\r\n\r\nabc");
	assert_true(client_reads()); /* too much to throw away */
	assert_status("401 ");
	assert_non_null(strstr(got, "\r\nConnection: close\r\n"));
	assert_int_equal(requests, 1);
}

static void test_a_short_body_that_nobody_wants_is_thrown_away(void **state)
{
	(void)state;
	client_says("POST /refuse HTTP/1.1\r\n" HOST "Content-Length: 10\r\n\r\n0123");
	assert_false(client_reads());
	assert_status("401 ");
	assert_null(strstr(got, "Connection: close"));
	forget();
	client_says("456789" GET("/"));
	client_reads();
	assert_status("200 ");
	forget();
	client_says("POST /refuse HTTP/1.1\r\n" HOST
		    "Content-Length: 10\r\n\r\n0123456789" GET("/"));
	client_reads();
	assert_status("401 ");
	assert_non_null(strstr(got, "200 OK"));
	assert_int_equal(requests, 4);
}

/* It may send the body or not: nobody can know what its next byte is. */
static void test_a_client_that_waits_for_100_and_is_refused_is_closed(void **state)
{
	(void)state;
	client_says("POST /refuse HTTP/1.1\r\n" HOST
		    "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
	assert_true(client_reads());
	assert_status("401 ");
}

static void test_a_chunked_body_that_nobody_wants_ends_the_connection(void **state)
{
	(void)state;
	client_says("POST /refuse HTTP/1.1\r\n" HOST
		    "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
	assert_true(client_reads());
	assert_status("401 ");
}

static void test_a_body_that_is_wanted_is_read(void **state)
{
	static const char head[] = "POST /body HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n";
	char text[200];

	(void)state;
	snprintf(text, sizeof(text), "%shello%shello", head, head); /* two, in one piece */
	client_says(text);
	client_reads();
	assert_status("200 ");
	assert_int_equal(requests, 2);
	assert_non_null(strstr(seen, "hello 5"));
	forget();
	seen[0] = '\0';
	client_says(head);
	for (const char *p = "hello"; *p; ++p)
		client_says((char[]){*p, '\0'});
	client_reads();
	assert_status("200 ");
	assert_non_null(strstr(seen, "hello 5"));
	forget();
	client_says("POST /body HTTP/1.1\r\n" HOST
		    "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
	client_reads();
	assert_string_equal(got, "HTTP/1.1 100 Continue\r\n\r\n");
	forget();
	client_says("abc");
	client_reads();
	assert_status("200 ");
	forget();
	client_says(GET("/body"));
	client_reads();
	assert_status("200 ");
	assert_int_equal(gone, 0);
}

static void test_a_body_that_does_not_come_ends_the_wait(void **state)
{
	(void)state;
	client_says("POST /body HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhel");
	assert_non_null(kept);
	pump_ahead(loop, HTTP_BODY_MS + 1);
	assert_true(client_reads());
	assert_status("408 ");
	assert_int_equal(gone, 1);
	assert_null(kept);
}

static void test_a_body_that_is_wrong_ends_the_wait(void **state)
{
	(void)state;
	client_says("POST /body HTTP/1.1\r\n" HOST
		    "Transfer-Encoding: chunked\r\n\r\n8000000000000000\r\n");
	assert_true(client_reads());
	assert_status("413 ");
	assert_int_equal(gone, 1);
	assert_null(kept);
}

static void test_a_client_that_leaves_in_its_body_ends_the_wait(void **state)
{
	(void)state;
	client_says("POST /body HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhel");
	shutdown(peer, SHUT_WR);
	assert_true(client_reads());
	assert_int_equal(got_len, 0);
	assert_int_equal(gone, 1);
	assert_null(kept);
}

static void test_a_drain_does_not_wait_for_bodies(void **state)
{
	(void)state;
	client_says("POST /body HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhel");
	http_server_drain(server);
	http_server_close_unasked(server);
	assert_true(client_reads());
	shutdown(peer, SHUT_WR);
	pump(loop);
	assert_int_equal(gone, 1);
}

/* Connections without a key */

static void send_much(int fd, size_t n)
{
	static char part[4096];

	memset(part, 'x', sizeof(part));
	while (n > 0) {
		ssize_t sent = send(fd, part, n < sizeof(part) ? n : sizeof(part), MSG_NOSIGNAL);

		if (sent < 0)
			break; /* it is not read any more */
		n -= (size_t)sent;
		pump(loop);
	}
}

static void test_what_waits_for_an_answer_is_bounded_without_a_key(void **state)
{
	(void)state;
	client_says("POST /later HTTP/1.1\r\n" HOST "Content-Length: 90000\r\n\r\n");
	send_much(peer, 90000);
	assert_true(http_keyless(server)->bytes <= KEYLESS_READ_MAX + 2048);
	http_reply(kept, 200, NULL, NULL, 0);
	assert_true(client_reads());
	assert_status("200 ");
}

static void test_a_head_without_a_key_is_counted_and_given_back(void **state)
{
	struct keyless *keyless = http_keyless(server);

	(void)state;
	assert_int_equal(stranger_count(), 1);
	assert_int_equal(keyless->bytes, 0);
	client_says("GET /key HTTP/1.1\r\nHost: ");
	send_much(peer, 10000);
	assert_true(keyless->bytes >= 10000 && keyless->bytes < 2 * KEYLESS_READ_MAX);
	client_says("\r\n\r\n");
	client_reads();
	assert_status("200 ");
	assert_int_equal(keyless->bytes, 0);
	assert_int_equal(stranger_count(), 0); /* it has presented a key */
	assert_false(keyless_evict_oldest(keyless));
}

static void test_answers_that_a_stranger_does_not_read_are_counted(void **state)
{
	(void)state;
	for (int i = 0; i < 100; ++i)
		client_says(GET("/large"));
	assert_true(http_keyless(server)->bytes > STREAM_HIGH);
	assert_true(http_keyless(server)->bytes < STREAM_HIGH + 2 * 50000 + KEYLESS_READ_MAX);
}

static void test_the_stranger_idle_longest_is_evicted(void **state)
{
	int fd[2];

	(void)state;
	client_says(GET("/"));
	client_reads();
	socket_pair(fd);
	http_accept(server, fd[0]);
	client_says("GET / HT"); /* not idle */
	forget();
	assert_true(keyless_evict_oldest(http_keyless(server)));
	pump(loop);
	assert_int_equal(http_conn_count(server), 1);
	assert_int_equal(recv(fd[1], got, sizeof(got), 0), 0); /* said nothing, told nothing */
	assert_true(keyless_evict_oldest(http_keyless(server)));
	assert_true(client_reads());
	assert_status("503 "); /* it was asking something */
	assert_int_equal(http_conn_count(server), 0);
	close(fd[1]);
}

static void test_eviction_tells_whoever_answers(void **state)
{
	(void)state;
	client_says(GET("/later"));
	assert_true(keyless_evict_oldest(http_keyless(server)));
	pump(loop);
	assert_int_equal(gone, 1);
	assert_int_equal(http_conn_count(server), 0);
}

/* Whichever allocation fails, nothing leaks. */
static void test_no_failed_allocation_harms_a_body(void **state)
{
	static const char text[] = "POST /body HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello";

	(void)state;
	for (size_t n = 1; n < 8; ++n) {
		int fd[2];

		socket_pair(fd);
		mem_fail_after(n);
		http_accept(server, fd[0]);
		(void)send(fd[1], text, strlen(text), MSG_NOSIGNAL); /* if it is open */
		pump(loop);
		close(fd[1]);
		pump(loop);
		mem_fail_after(0);
		assert_null(kept);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TEST_AT_HEAD(name) cmocka_unit_test_setup_teardown(name, set_up_at_head, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_handler_sees_the_request),
		TEST(test_nothing_is_held_between_requests),
		TEST(test_pipelined_requests_are_answered_in_order),
		TEST(test_a_client_that_goes_away_is_told_of_once),
		TEST(test_a_client_that_only_stops_sending_is_answered),
		TEST(test_a_request_nobody_answers_is_answered_500),
		TEST(test_a_kept_request_nobody_answers_is_answered_500),
		TEST(test_bad_requests_are_answered_in_json_and_closed),
		TEST(test_a_head_that_does_not_end_is_refused),
		TEST(test_a_body_over_the_maximum_is_refused_before_it_comes),
		TEST(test_a_path_may_have_a_maximum_of_its_own),
		TEST(test_there_are_few_large_bodies_at_once),
		TEST(test_one_large_body_too_many_is_refused),
		TEST(test_a_client_that_waits_for_100_gets_it),
		TEST(test_head_has_no_body),
		TEST(test_a_slow_head_is_ended),
		TEST(test_a_slow_body_is_ended),
		TEST(test_a_silent_connection_is_ended_without_a_word),
		TEST(test_an_idle_connection_is_ended),
		TEST(test_an_answer_may_take_as_long_as_it_takes),
		TEST(test_http_1_0_is_closed_unless_it_asks),
		TEST(test_headers_of_the_answer_cannot_be_forged),
		TEST(test_an_answer_in_pieces_is_chunked),
		TEST(test_an_answer_cut_short_ends_the_connection),
		TEST(test_pieces_for_http_1_0_end_with_the_connection),
		TEST(test_pieces_that_wait_can_be_taken_back),
		TEST(test_it_is_told_when_pieces_were_sent),
		TEST(test_what_a_vanished_client_did_not_get_is_told),
		TEST(test_an_aborted_answer_has_no_last_chunk),
		TEST(test_a_client_that_does_not_read_makes_no_more_answers),
		TEST(test_drain_closes_connections_that_wait_and_those_answered),
		TEST(test_a_drain_answers_whoever_has_not_asked_yet),
		TEST(test_those_without_a_whole_request_are_closed_in_the_end),
		TEST(test_an_upgrade_delivers_what_came_with_it_later),
		TEST(test_an_address_for_websockets_says_so),
		TEST(test_no_failed_allocation_harms),
		TEST_AT_HEAD(test_a_request_is_refused_before_its_body_comes),
		TEST_AT_HEAD(test_a_short_body_that_nobody_wants_is_thrown_away),
		TEST_AT_HEAD(test_a_client_that_waits_for_100_and_is_refused_is_closed),
		TEST_AT_HEAD(test_a_chunked_body_that_nobody_wants_ends_the_connection),
		TEST_AT_HEAD(test_a_body_that_is_wanted_is_read),
		TEST_AT_HEAD(test_a_body_that_does_not_come_ends_the_wait),
		TEST_AT_HEAD(test_a_body_that_is_wrong_ends_the_wait),
		TEST_AT_HEAD(test_a_client_that_leaves_in_its_body_ends_the_wait),
		TEST_AT_HEAD(test_a_drain_does_not_wait_for_bodies),
		TEST_AT_HEAD(test_what_waits_for_an_answer_is_bounded_without_a_key),
		TEST_AT_HEAD(test_a_head_without_a_key_is_counted_and_given_back),
		TEST_AT_HEAD(test_answers_that_a_stranger_does_not_read_are_counted),
		TEST_AT_HEAD(test_the_stranger_idle_longest_is_evicted),
		TEST_AT_HEAD(test_eviction_tells_whoever_answers),
		TEST_AT_HEAD(test_no_failed_allocation_harms_a_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
