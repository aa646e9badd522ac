/* Bodies that are read in pieces: every byte once and in order, no faster than the handler takes
 * them, and within the limits of other bodies. */
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
#define BODY_MAX (3u << 20)
#define POST(length) "POST /body HTTP/1.1\r\n" HOST "Content-Length: " length "\r\n\r\n"
#define CHUNKED "POST /body HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
#define NEXT "GET /next HTTP/1.1\r\n" HOST "\r\n"

static struct loop *loop;
static struct http_server *server;
static int peer;
static char got[65536]; /* what the client read */
static size_t got_len;

static struct http_request *kept;
static char body[BODY_MAX + 1];
static size_t body_len;
static size_t room; /* what the handler still takes */
static int ends, gone, nexts;
static int begun; /* what http_stream_body returned */
static bool resumes_itself;
static int answers_at_once; /* the status that the handler answers the next piece with */
static bool answers_at_end;

static void answer(int status)
{
	http_on_gone(kept, NULL, NULL);
	http_reply(kept, status, NULL, NULL, 0);
	kept = mem_deref(kept);
}

static size_t on_piece(void *arg, const char *bytes, size_t n)
{
	size_t taken = n < room ? n : room;

	assert_ptr_equal(arg, &body);
	assert_non_null(kept);
	assert_int_equal(ends, 0);
	if (n == 0) {
		++ends;
		if (answers_at_end)
			answer(200);
		return 0;
	}
	assert_true(body_len + taken <= BODY_MAX);
	memcpy(body + body_len, bytes, taken);
	body_len += taken;
	body[body_len] = '\0';
	room -= taken;
	if (answers_at_once) {
		answer(answers_at_once);
	} else if (resumes_itself) {
		room = 3;
		http_resume_body(kept);
	}
	return taken;
}

static void on_gone(void *arg)
{
	(void)arg;
	++gone;
	kept = mem_deref(kept);
}

static void on_request(struct http_request *request, void *arg)
{
	(void)arg;
	if (strcmp(request->path, "/body") != 0) {
		++nexts;
		http_reply(request, 200, NULL, "next", 4);
		return;
	}
	assert_null(kept);
	kept = mem_ref(request);
	body_len = 0;
	ends = 0;
	http_on_gone(request, on_gone, NULL);
	begun = http_stream_body(request, on_piece, &body);
	if (begun == EINPROGRESS)
		assert_null(request->body);
	if (begun == 0)
		answer(204);
	else if (begun != EINPROGRESS)
		kept = mem_deref(kept);
}

static size_t body_max_of(const char *method, const char *path, void *arg)
{
	(void)arg;
	(void)method;
	return strcmp(path, "/body") == 0 ? BODY_MAX : 100;
}

static int set_up(void **state)
{
	const struct http_settings settings = {.request = on_request,
					       .body_max = 100,
					       .body_max_of = body_max_of,
					       .at_head = true};
	int fd[2];

	(void)state;
	got_len = body_len = 0;
	body[0] = '\0';
	room = SIZE_MAX;
	ends = gone = nexts = begun = answers_at_once = 0;
	resumes_itself = false;
	answers_at_end = true;
	socket_pair(fd);
	peer = fd[1];
	if (loop_alloc(&loop) != 0 || http_server_alloc(&server, loop, &settings) != 0)
		return -1;
	http_accept(server, fd[0]);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	kept = mem_deref(kept);
	http_server_stop(server);
	pump(loop);
	assert_int_equal(http_conn_count(server), 0);
	if (peer >= 0)
		close(peer);
	mem_deref(server);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
	return 0;
}

static void client_says(const char *text)
{
	assert_int_equal(send(peer, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	pump(loop);
}

/* Sends zeros until `n` are sent or the server reads no more; returns how many were sent. */
static size_t client_sends(size_t n)
{
	static const char zeros[16384];
	size_t done = 0;

	while (done < n) {
		size_t part = n - done < sizeof(zeros) ? n - done : sizeof(zeros);
		ssize_t sent = send(peer, zeros, part, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0)
			break;
		done += (size_t)sent;
		pump(loop);
	}
	return done;
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

static void assert_status(const char *status)
{
	if (strncmp(got, "HTTP/1.1 ", 9) != 0 || strncmp(got + 9, status, strlen(status)) != 0)
		fail_msg("wanted %s, got: %s", status, got);
	got_len = 0;
}

static void test_pieces_are_the_body_however_it_is_split(void **state)
{
	static const char *const texts[] = {
		POST("10") "0123456789" NEXT,
		CHUNKED "3\r\n012\r\n1;x=y\r\n3\r\n6\r\n456789\r\n0\r\nX-Trailer: 1\r\n\r\n" NEXT,
	};

	(void)state;
	for (size_t i = 0; i < 2; ++i) {
		size_t len = strlen(texts[i]);

		for (size_t step = 1; step <= len; ++step) {
			char part[512];

			for (size_t at = 0; at < len; at += step) {
				snprintf(part, sizeof(part), "%.*s", (int)step, texts[i] + at);
				client_says(part);
			}
			assert_false(client_reads());
			assert_status("200 ");
			assert_int_equal(begun, EINPROGRESS);
			assert_string_equal(body, "0123456789");
			assert_int_equal(ends, 1);
			assert_null(kept);
			assert_int_equal(nexts, 1);
			nexts = 0;
		}
	}
	assert_int_equal(gone, 0);
}

static void test_a_request_without_a_body_has_no_pieces(void **state)
{
	(void)state;
	client_says(POST("0"));
	assert_false(client_reads());
	assert_status("204 ");
	assert_int_equal(begun, 0);
	assert_int_equal(ends, 0);
}

static void test_a_handler_that_takes_less_gets_the_rest_when_it_resumes(void **state)
{
	(void)state;
	room = 4;
	client_says(POST("10") "01234567");
	assert_string_equal(body, "0123");
	client_says("89" NEXT);
	assert_string_equal(body, "0123");
	room = 5;
	http_resume_body(kept);
	assert_string_equal(body, "0123"); /* not from inside the call */
	pump(loop);
	assert_string_equal(body, "012345678");
	assert_int_equal(ends, 0);
	room = 5;
	http_resume_body(kept);
	client_reads();
	assert_status("200 ");
	assert_string_equal(body, "0123456789");
	assert_int_equal(nexts, 1);
}

static void test_a_handler_may_resume_while_it_is_called(void **state)
{
	(void)state;
	room = 3;
	resumes_itself = true;
	client_says(POST("10") "0123456789");
	client_reads();
	assert_status("200 ");
	assert_string_equal(body, "0123456789");
}

static void test_a_handler_that_takes_nothing_stops_the_client(void **state)
{
	const size_t total = BODY_MAX;
	size_t sent;
	char head[200];

	(void)state;
	room = 0;
	snprintf(head, sizeof(head), POST("%zu"), total);
	client_says(head);
	sent = client_sends(total);
	/* What the socket pair holds, and the bound for a body in pieces. */
	assert_true(sent < 800 * 1024);
	room = SIZE_MAX;
	http_resume_body(kept);
	pump(loop);
	assert_int_equal(client_sends(total - sent), total - sent);
	client_reads();
	assert_status("200 ");
	assert_int_equal(body_len, total);
}

static void test_the_maximum_is_that_of_the_whole_body(void **state)
{
	char head[200];

	(void)state;
	snprintf(head, sizeof(head), POST("%u"), BODY_MAX + 1);
	client_says(head);
	assert_true(client_reads());
	assert_status("413 ");
	assert_int_equal(begun, 0); /* the handler was not called */
}

static void test_a_body_that_becomes_too_long_is_refused(void **state)
{
	char chunk[40];

	(void)state;
	client_says(CHUNKED);
	snprintf(chunk, sizeof(chunk), "%x\r\n", BODY_MAX);
	client_says(chunk);
	assert_int_equal(client_sends(BODY_MAX), BODY_MAX);
	assert_int_equal(body_len, BODY_MAX);
	assert_int_equal(gone, 0);
	client_says("\r\n1\r\n");
	assert_true(client_reads());
	assert_status("413 ");
	assert_int_equal(gone, 1);
	assert_int_equal(ends, 0);
}

static void test_chunk_sizes_that_are_longer_than_the_body_are_refused(void **state)
{
	(void)state;
	client_says(CHUNKED "1;");
	client_sends(3 * HTTP_HEAD_MAX);
	assert_true(client_reads());
	assert_status("4"); /* zeros are no extension either */
	assert_int_equal(gone, 1);
}

static void test_a_malformed_body_ends_the_wait(void **state)
{
	(void)state;
	client_says(CHUNKED "3\r\nabc\r\n");
	client_says("zz\r\n");
	assert_true(client_reads());
	assert_status("400 ");
	assert_string_equal(body, "abc");
	assert_int_equal(gone, 1);
}

static void test_a_client_that_waits_for_100_gets_it(void **state)
{
	(void)state;
	client_says("POST /body HTTP/1.1\r\n" HOST
		    "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
	client_reads();
	assert_string_equal(got, "HTTP/1.1 100 Continue\r\n\r\n");
	got_len = 0;
	client_says("abc");
	client_reads();
	assert_status("200 ");
}

static void test_a_body_must_keep_its_pace(void **state)
{
	char head[200];

	(void)state;
	snprintf(head, sizeof(head), POST("%u"), BODY_MAX);
	client_says(head);
	client_sends(HTTP_STREAMED_PACE - 1);
	pump_ahead(loop, HTTP_BODY_MS - 1000);
	client_sends(1); /* a megabyte within a minute */
	pump_ahead(loop, HTTP_BODY_MS - 1000);
	assert_int_equal(gone, 0);
	client_sends(HTTP_STREAMED_PACE - 1); /* not quite */
	pump_ahead(loop, 1000);
	assert_true(client_reads());
	assert_status("408 ");
	assert_int_equal(gone, 1);
}

static void test_the_time_of_a_handler_does_not_count(void **state)
{
	(void)state;
	client_says(POST("10") "01");
	pump_ahead(loop, HTTP_BODY_MS - 1000);
	room = 1;
	client_says("23");
	pump_ahead(loop, 10 * HTTP_BODY_MS);
	assert_int_equal(gone, 0);
	room = 100;
	http_resume_body(kept);
	pump(loop);
	assert_string_equal(body, "0123");
	pump_ahead(loop, 990);
	assert_int_equal(gone, 0);
	pump_ahead(loop, 20);
	assert_true(client_reads());
	assert_status("408 ");
	assert_int_equal(gone, 1);
}

static void test_a_complete_body_has_no_time_limit(void **state)
{
	(void)state;
	answers_at_end = false;
	room = 2;
	client_says(POST("4") "0123");
	pump_ahead(loop, 2 * HTTP_BODY_MS);
	room = 2;
	http_resume_body(kept);
	pump(loop);
	assert_int_equal(ends, 1);
	pump_ahead(loop, 2 * HTTP_BODY_MS);
	assert_int_equal(gone, 0);
	answer(200);
	assert_false(client_reads());
	assert_status("200 ");
}

static void test_a_client_that_leaves_ends_the_wait(void **state)
{
	(void)state;
	client_says(POST("10") "0123");
	shutdown(peer, SHUT_WR);
	assert_true(client_reads());
	assert_int_equal(got_len, 0);
	assert_int_equal(gone, 1);
	assert_int_equal(ends, 0);
}

static void test_a_client_that_left_is_noticed_at_the_latest_when_resumed(void **state)
{
	(void)state;
	room = 1;
	client_says(POST("10") "0123");
	close(peer);
	peer = -1;
	pump(loop);
	if (kept) {
		room = 100;
		http_resume_body(kept);
		pump(loop);
	}
	assert_int_equal(gone, 1);
	assert_int_equal(ends, 0);
	assert_int_equal(http_conn_count(server), 0);
}

static void test_a_client_that_stops_sending_after_the_body_is_answered(void **state)
{
	(void)state;
	room = 1;
	client_says(POST("4") "0123");
	shutdown(peer, SHUT_WR);
	pump(loop);
	room = 100;
	http_resume_body(kept);
	assert_true(client_reads());
	assert_status("200 ");
	assert_string_equal(body, "0123");
}

static void test_an_answer_ends_the_pieces(void **state)
{
	(void)state;
	answers_at_once = 415;
	client_says(POST("10") "0123");
	assert_true(client_reads()); /* the rest is not read */
	assert_status("415 ");
	assert_string_equal(body, "0123");
	assert_int_equal(gone, 0);
}

static void test_an_answer_to_a_complete_body_keeps_the_connection(void **state)
{
	(void)state;
	room = 1;
	client_says(POST("4") "0123" NEXT);
	assert_int_equal(nexts, 0);
	answer(415);
	assert_false(client_reads());
	assert_status("415 ");
	assert_int_equal(nexts, 1);
	assert_int_equal(ends, 0);
}

static void test_an_answer_may_begin_before_the_body_ends(void **state)
{
	(void)state;
	answers_at_end = false;
	client_says(POST("4") "01");
	http_reply_begin(kept, 200, "text/plain");
	http_reply_piece(kept, outgoing_copy("so far", 6));
	client_says("23");
	assert_int_equal(ends, 1);
	http_reply_end(kept);
	client_reads();
	assert_non_null(strstr(got, "so far\r\n0\r\n\r\n"));
}

static void test_an_answer_that_began_is_broken_off_with_its_body(void **state)
{
	(void)state;
	client_says(CHUNKED "2\r\n01\r\n");
	http_reply_begin(kept, 200, "text/plain");
	http_reply_piece(kept, outgoing_copy("so far", 6));
	client_reads();
	client_says("zz\r\n");
	assert_true(client_reads());
	assert_null(strstr(got, "\r\n0\r\n\r\n"));
	assert_int_equal(gone, 1);
	assert_null(kept);
}

/* Opens another connection, sends the head of a request, and returns its descriptor. */
static int another_upload(void)
{
	static const char head[] = POST("3");
	int fd[2];

	socket_pair(fd);
	http_accept(server, fd[0]);
	assert_int_equal(send(fd[1], head, strlen(head), MSG_NOSIGNAL), strlen(head));
	pump(loop);
	return fd[1];
}

static void test_the_number_of_bodies_is_bounded(void **state)
{
	struct http_request *requests[HTTP_STREAMED_BODIES_MAX];
	int others[HTTP_STREAMED_BODIES_MAX + 1];

	(void)state;
	answers_at_end = false;
	for (size_t i = 0; i < HTTP_STREAMED_BODIES_MAX; ++i) {
		others[i] = another_upload();
		assert_int_equal(begun, EINPROGRESS);
		http_on_gone(kept, NULL, NULL);
		requests[i] = kept;
		kept = NULL;
	}
	client_says(POST("3"));
	assert_int_equal(begun, EBUSY);
	assert_true(client_reads());
	assert_status("503 ");
	/* A complete body does not count any more, even if its answer takes long. */
	kept = requests[0];
	assert_int_equal(send(others[0], "abc", 3, MSG_NOSIGNAL), 3);
	pump(loop);
	assert_int_equal(ends, 1);
	kept = NULL;
	others[HTTP_STREAMED_BODIES_MAX] = another_upload();
	assert_int_equal(begun, EINPROGRESS);
	for (size_t i = 0; i < HTTP_STREAMED_BODIES_MAX; ++i)
		mem_deref(requests[i]);
	for (size_t i = 0; i <= HTTP_STREAMED_BODIES_MAX; ++i)
		close(others[i]);
	pump(loop);
}

/* Whichever allocation fails, nothing leaks. */
static void test_no_failed_allocation_harms(void **state)
{
	static const char text[] = POST("5") "hello";

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pieces_are_the_body_however_it_is_split),
		TEST(test_a_request_without_a_body_has_no_pieces),
		TEST(test_a_handler_that_takes_less_gets_the_rest_when_it_resumes),
		TEST(test_a_handler_may_resume_while_it_is_called),
		TEST(test_a_handler_that_takes_nothing_stops_the_client),
		TEST(test_the_maximum_is_that_of_the_whole_body),
		TEST(test_a_body_that_becomes_too_long_is_refused),
		TEST(test_chunk_sizes_that_are_longer_than_the_body_are_refused),
		TEST(test_a_malformed_body_ends_the_wait),
		TEST(test_a_client_that_waits_for_100_gets_it),
		TEST(test_a_body_must_keep_its_pace),
		TEST(test_the_time_of_a_handler_does_not_count),
		TEST(test_a_complete_body_has_no_time_limit),
		TEST(test_a_client_that_leaves_ends_the_wait),
		TEST(test_a_client_that_left_is_noticed_at_the_latest_when_resumed),
		TEST(test_a_client_that_stops_sending_after_the_body_is_answered),
		TEST(test_an_answer_ends_the_pieces),
		TEST(test_an_answer_to_a_complete_body_keeps_the_connection),
		TEST(test_an_answer_may_begin_before_the_body_ends),
		TEST(test_an_answer_that_began_is_broken_off_with_its_body),
		TEST(test_the_number_of_bodies_is_bounded),
		TEST(test_no_failed_allocation_harms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
