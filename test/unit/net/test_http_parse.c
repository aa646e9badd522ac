/* Requests: what is read is the same however it was split, and what two readers
 * could read in two ways is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "net/http_parse.h"

#define HEAD_MAX 1024u
#define BODY_MAX 64u
#define HOST "Host: a\r\n"

/* Feeds in pieces of `step`; gives how many bytes were taken. */
static size_t feed(struct http_parse *parse, const char *bytes, size_t n, size_t step)
{
	size_t used = 0;

	http_parse_init(parse, HEAD_MAX, BODY_MAX);
	while (used < n && parse->state <= HTTP_PARSE_BODY) {
		size_t part = n - used < step ? n - used : step;

		used += http_parse_feed(parse, bytes + used, part);
	}
	return used;
}

static void test_a_request_and_its_parts(void **state)
{
	static const char text[] = "POST /v1/a%20b/c?api_key=k%2B1&x HTTP/1.1\r\n"
				   "host: a\r\nX-Empty:\r\nX-Two: one \t\r\nx-two: two\r\n"
				   "Content-Length: 5\r\n\r\nhello";
	static const char next[] = "GET / HTTP/1.1\r\n";
	char both[sizeof(text) + sizeof(next)];
	size_t len = sizeof(text) - 1;
	struct http_parse parse;

	(void)state;
	snprintf(both, sizeof(both), "%s%s", text, next);
	for (size_t step = 1; step <= strlen(both); ++step) {
		assert_int_equal(feed(&parse, both, strlen(both), step), len);
		assert_int_equal(parse.state, HTTP_PARSE_DONE);
		assert_string_equal(http_parse_method(&parse), "POST");
		assert_string_equal(http_parse_path(&parse), "/v1/a b/c");
		assert_string_equal(http_parse_query(&parse), "api_key=k%2B1&x");
		assert_string_equal(http_parse_header(&parse, "Host", 0), "a");
		assert_string_equal(http_parse_header(&parse, "x-empty", 0), "");
		assert_string_equal(http_parse_header(&parse, "X-TWO", 0), "one");
		assert_string_equal(http_parse_header(&parse, "X-TWO", 1), "two");
		assert_null(http_parse_header(&parse, "X-Two", 2));
		assert_null(http_parse_header(&parse, "X-Tw", 0));
		assert_int_equal(parse.body.len, 5);
		assert_string_equal(parse.body.bytes, "hello");
		assert_true(parse.keeps_alive);
		http_parse_reset(&parse);
	}
}

struct row {
	const char *text;
	unsigned status; /* 0: taken */
};

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		size_t len = strlen(rows[i].text);

		for (size_t step = 1; step <= len; ++step) {
			struct http_parse parse;

			feed(&parse, rows[i].text, len, step);
			if (rows[i].status != parse.status ||
			    (parse.state == HTTP_PARSE_FAILED) != (rows[i].status != 0))
				fail_msg("%s (by %zu): state %d status %d", rows[i].text, step,
					 parse.state, parse.status);
			if (rows[i].status == 0)
				assert_int_equal(parse.state, HTTP_PARSE_DONE);
			http_parse_reset(&parse);
		}
	}
}

static void test_what_is_refused(void **state)
{
	static const struct row rows[] = {
		{"GET / HTTP/1.1\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n" HOST HOST "\r\n", 400},
		{"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost\t: a\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n" HOST "X: a\r\n b\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n" HOST "X: a\r\n\tb\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n" HOST "no colon\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n" HOST ": empty name\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n" HOST "X: a\rb\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n" HOST "X: a\001\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\n" HOST
		 "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
		 400},
		{"POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400},
		{"POST / HTTP/1.1\r\n" HOST "Content-Length: +1\r\n\r\nx", 400},
		{"POST / HTTP/1.1\r\n" HOST "Content-Length: 1x\r\n\r\nx", 400},
		{"POST / HTTP/1.1\r\n" HOST "Content-Length: 99999999999999999999\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\n" HOST "Content-Length: 65\r\n\r\n", 413},
		{"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
		{"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
		{"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
		 "41\r\n0123456789012345678901234567890123456789012345678901234567890123x\r\n",
		 413},
		{"POST / HTTP/1.1\r\n" HOST "Expect: magic\r\nContent-Length: 1\r\n\r\n", 417},
		{"GET / HTTP/2.0\r\n" HOST "\r\n", 505},
		{"CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n", 400},
		{"NONSENSE / HTTP/1.1\r\n" HOST "\r\n", 501},
		{"NONSENSE there\r\n\r\n", 400},
		{"\x16\x03\x01\x02", 400}, /* TLS spoken to a plain port */
	};

	(void)state;
	check_rows(rows, COUNT(rows));
}

static void test_what_is_taken(void **state)
{
	static const struct row rows[] = {
		{"GET / HTTP/1.0\r\n\r\n", 0},
		{"\r\nGET / HTTP/1.1\r\n" HOST "\r\n", 0},
		{"OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 0},
		{"GET /?a=http://b/ HTTP/1.1\r\n" HOST "\r\n", 0},
		{"POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", 0},
		{"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n\r\n"
		 "3\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\n",
		 0},
		{"GET / HTTP/1.1\r\n" HOST "Connection: Upgrade, x\r\nUpgrade: h2c\r\n\r\n", 0},
	};

	(void)state;
	check_rows(rows, COUNT(rows));
}

static void test_targets_have_a_path_and_a_query(void **state)
{
	static const char *const rows[][3] = {
		{"http://host/a?b", "/a", "b"},
		{"http://host", "/", ""},
		{"http://host?q", "/", "q"},
		{"http://host/%41", "/A", ""},
		{"/a%zz?b=c", "", "b=c"}, /* its server says what is wrong with it */
		{"/a%00b", "", ""},
		{"/%", "", ""},
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct http_parse parse;
		int n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n" HOST "\r\n", rows[i][0]);

		feed(&parse, text, (size_t)n, (size_t)n);
		assert_int_equal(parse.state, HTTP_PARSE_DONE);
		assert_string_equal(http_parse_path(&parse), rows[i][1]);
		assert_string_equal(http_parse_query(&parse), rows[i][2]);
		http_parse_reset(&parse);
	}
}

/* A request whose head is exactly `len` bytes. */
static size_t head_of(char *out, size_t len)
{
	static const char start[] = "GET / HTTP/1.1\r\n" HOST "X: ";
	static const char end[4] = {'\r', '\n', '\r', '\n'};
	size_t n = sizeof(start) - 1;

	memcpy(out, start, n);
	memset(out + n, 'x', len - n - sizeof(end));
	memcpy(out + len - sizeof(end), end, sizeof(end));
	return len;
}

static void test_the_head_may_have_its_maximum_and_no_byte_more(void **state)
{
	static const char target[5] = {'G', 'E', 'T', ' ', '/'};
	char text[HEAD_MAX + 1];
	struct http_parse parse;

	(void)state;
	for (size_t step = 1; step <= sizeof(text); step += 77) {
		feed(&parse, text, head_of(text, HEAD_MAX), step);
		assert_int_equal(parse.state, HTTP_PARSE_DONE);
		http_parse_reset(&parse);
	}
	for (size_t step = 1; step <= sizeof(text); step += 77) {
		feed(&parse, text, head_of(text, HEAD_MAX + 1), step);
		assert_int_equal(parse.status, 431);
		http_parse_reset(&parse);
	}
	memset(text, 'x', sizeof(text));
	memcpy(text, target, sizeof(target));
	feed(&parse, text, sizeof(text), sizeof(text));
	assert_int_equal(parse.status, 431);
	http_parse_reset(&parse);
}

static void test_it_stops_between_head_and_body(void **state)
{
	static const char head[] = "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n";
	static const char chunked[] =
		"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";
	char text[sizeof(head) + 5];
	struct http_parse parse;

	(void)state;
	snprintf(text, sizeof(text), "%shello", head);
	for (size_t step = 1; step <= strlen(text); ++step) {
		size_t used = 0;

		http_parse_init(&parse, HEAD_MAX, BODY_MAX);
		while (parse.state == HTTP_PARSE_HEAD) {
			size_t left = strlen(text) - used;

			used += http_parse_feed(&parse, text + used, left < step ? left : step);
		}
		assert_int_equal(parse.state, HTTP_PARSE_BODY);
		assert_int_equal(used, strlen(head));
		assert_int_equal(parse.body.len, 0);
		assert_int_equal(http_parse_body_left(&parse), 5);
		assert_int_equal(http_parse_feed(&parse, text + used, 5), 5);
		assert_int_equal(parse.state, HTTP_PARSE_DONE);
		http_parse_reset(&parse);
	}
	http_parse_init(&parse, HEAD_MAX, BODY_MAX);
	http_parse_feed(&parse, chunked, strlen(chunked));
	assert_int_equal(parse.state, HTTP_PARSE_BODY);
	assert_true(http_parse_body_left(&parse) == SIZE_MAX);
	http_parse_reset(&parse);
}

static const char chunked_head[] = "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";

/* A chunked body that begins so and then repeats `again` to the end of 64 KiB. */
static void feed_chunks(struct http_parse *parse, const char *begin, const char *again, size_t step)
{
	struct buf text;

	buf_init(&text, 64 * 1024);
	assert_int_equal(buf_append_str(&text, chunked_head), 0);
	assert_int_equal(buf_append_str(&text, begin), 0);
	while (buf_append_str(&text, again) == 0)
		;
	feed(parse, text.bytes, text.len, step);
	buf_reset(&text);
}

static void test_what_is_not_body_in_chunks_is_bounded(void **state)
{
	static const struct {
		const char *begin, *again;
	} wastes[] = {
		{"1;", "a"}, /* an extension's name, */
		{"1;a=", "b"}, /* its value, */
		{"", "1;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\nx\r\n"},
		{"0\r\n", "X-Trailer: yes\r\n"}, /* trailers, */
		{"0\r\nX: ", "y"},
		{"", "0"}, /* and a size that is written with many digits */
	};
	static const size_t steps[] = {1, 7, 1000, 4096, 5000, 65536};
	struct http_parse parse;

	(void)state;
	for (size_t i = 0; i < COUNT(wastes); ++i) {
		for (size_t j = 0; j < COUNT(steps); ++j) {
			feed_chunks(&parse, wastes[i].begin, wastes[i].again, steps[j]);
			assert_int_equal(parse.state, HTTP_PARSE_FAILED);
			assert_int_equal(parse.status, 413);
			assert_true(parse.body_bytes <= HEAD_MAX + 2 * 4096);
			http_parse_reset(&parse);
		}
	}
}

static void test_a_body_in_the_smallest_chunks_is_read(void **state)
{
	struct http_parse parse;
	struct buf text;

	(void)state;
	buf_init(&text, 64 * 1024);
	assert_int_equal(buf_append_str(&text, chunked_head), 0);
	for (unsigned i = 0; i < BODY_MAX; ++i)
		assert_int_equal(buf_append_str(&text, "1;x\r\na\r\n"), 0);
	assert_int_equal(buf_append_str(&text, "0\r\nX-Trailer: yes\r\n\r\n"), 0);
	for (size_t step = 1; step < 100; ++step) {
		assert_int_equal(feed(&parse, text.bytes, text.len, step), text.len);
		assert_int_equal(parse.state, HTTP_PARSE_DONE);
		assert_int_equal(parse.body.len, BODY_MAX);
		http_parse_reset(&parse);
	}
	buf_reset(&text);
}

static void test_a_chunk_that_will_not_fit_is_refused_before_it_comes(void **state)
{
	static const char *const sizes[] = {"41", "10000", "8000000000000000", "ffffffffffffffff"};
	struct http_parse parse;
	char text[128];

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); ++i) {
		snprintf(text, sizeof(text),
			 "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n%s\r\n",
			 sizes[i]);
		feed(&parse, text, strlen(text), sizeof(text));
		assert_int_equal(parse.state, HTTP_PARSE_FAILED);
		assert_int_equal(parse.status, 413);
		http_parse_reset(&parse);
	}
}

static void test_a_client_that_waits_is_told_to_go_on(void **state)
{
	static const char text[] =
		"POST / HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\nhi";
	struct http_parse parse;

	(void)state;
	feed(&parse, text, sizeof(text) - 3, sizeof(text));
	assert_int_equal(parse.state, HTTP_PARSE_BODY);
	assert_true(parse.wants_continue);
	http_parse_feed(&parse, "hi", 2);
	assert_int_equal(parse.state, HTTP_PARSE_DONE);
	http_parse_reset(&parse);
	feed(&parse, text, sizeof(text) - 2, sizeof(text));
	assert_false(parse.wants_continue); /* the body came along */
	http_parse_reset(&parse);
}

static void test_keep_alive_is_the_rule_only_since_1_1(void **state)
{
	static const struct {
		const char *text;
		bool keeps;
	} rows[] = {
		{"GET / HTTP/1.1\r\n" HOST "\r\n", true},
		{"GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", false},
		{"GET / HTTP/1.0\r\n\r\n", false},
		{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct http_parse parse;

		feed(&parse, rows[i].text, strlen(rows[i].text), 7);
		assert_int_equal(parse.keeps_alive, rows[i].keeps);
		http_parse_reset(&parse);
	}
}

static void test_decoding_stays_in_its_room(void **state)
{
	char out[4];
	size_t len;

	(void)state;
	assert_int_equal(http_parse_decode(&len, out, 4, "%61+c", 5, true), 0);
	assert_string_equal(out, "a c");
	assert_int_equal(http_parse_decode(&len, out, 4, "a+c", 3, false), 0);
	assert_string_equal(out, "a+c");
	assert_int_equal(http_parse_decode(&len, out, 4, "abcd", 4, false), ENOBUFS);
	assert_int_equal(http_parse_decode(&len, out, 4, "%4", 2, false), EINVAL);
	assert_int_equal(http_parse_decode(&len, out, 4, "%00", 3, false), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_request_and_its_parts),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_what_is_taken),
		cmocka_unit_test(test_targets_have_a_path_and_a_query),
		cmocka_unit_test(test_the_head_may_have_its_maximum_and_no_byte_more),
		cmocka_unit_test(test_it_stops_between_head_and_body),
		cmocka_unit_test(test_what_is_not_body_in_chunks_is_bounded),
		cmocka_unit_test(test_a_body_in_the_smallest_chunks_is_read),
		cmocka_unit_test(test_a_chunk_that_will_not_fit_is_refused_before_it_comes),
		cmocka_unit_test(test_a_client_that_waits_is_told_to_go_on),
		cmocka_unit_test(test_keep_alive_is_the_rule_only_since_1_1),
		cmocka_unit_test(test_decoding_stays_in_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
