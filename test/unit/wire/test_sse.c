/* Server-Sent Events: the events are the same, however their bytes are split. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "wire/sse.h"

/* Parses the text in pieces of `piece` bytes, and writes every event as "type=data|". */
static int read_all(char *out, size_t size, const char *text, size_t len, size_t piece, size_t max)
{
	struct sse sse;
	size_t used = 0;
	int err = EAGAIN;

	out[0] = '\0';
	sse_init(&sse, max);
	for (size_t at = 0; at < len && err == EAGAIN; at += piece) {
		size_t n = len - at < piece ? len - at : piece;
		char *copy = malloc(n); /* exact, so that sanitizers find overruns */
		const char *bytes = copy;
		struct sse_event event;

		memcpy(copy, text + at, n);
		while ((err = sse_next(&sse, &bytes, &n, &event)) == 0) {
			assert_int_equal(strlen(event.data), event.len);
			used += (size_t)snprintf(out + used, size - used, "%s=%s|", event.type,
						 event.data);
		}
		free(copy);
	}
	sse_reset(&sse);
	return err;
}

static void events_are_the_same_however_they_are_split(void **state)
{
	static const struct {
		const char *text, *events;
	} rows[] = {
		{"data: a\n\n", "=a|"},
		{"data:a\r\n\r\n", "=a|"},
		{"data:  a\r\r", "= a|"},
		{"event: x\ndata: {\"a\":1}\n\ndata: [DONE]\n\n", "x={\"a\":1}|=[DONE]|"},
		{"data: one\ndata: two\r\ndata\r\r\n", "=one\ntwo\n|"},
		{": comment\nid: 7\nretry: 10\ndata: a\n\n: more\n\n", "=a|"},
		{"event: lonely\n\ndata: a\n\n", "=a|"},
		{"\xef\xbb\xbf"
		 "data: a\n\n\xef\xbb\xbf"
		 "data: b\n\n",
		 "=a|"},
		{"data: h\xc3\xa4h\xf0\x9f\x98\x80\n\n", "=h\xc3\xa4h\xf0\x9f\x98\x80|"},
		{"dat: a\ndatab: c\ndata : b\n\n", ""},
		{"data: unfinished\n", ""},
		{"\n\n\r\n\r\r", ""},
		{"data\n\n", "=|"},
		{"data: a\r\n\ndata: b\n\r\n", "=a|=b|"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		size_t len = strlen(rows[i].text);

		for (size_t piece = 1; piece <= len; ++piece) {
			char out[256];

			assert_int_equal(read_all(out, sizeof(out), rows[i].text, len, piece, 1000),
					 EAGAIN);
			assert_string_equal(out, rows[i].events);
		}
	}
}

static void a_long_type_is_no_type(void **state)
{
	char text[200];
	char out[256];
	int len;

	(void)state;
	len = snprintf(text, sizeof(text), "event: %063d\ndata: a\n\nevent: %064d\ndata: b\n\n", 0,
		       0);
	assert_int_equal(read_all(out, sizeof(out), text, (size_t)len, 7, 1000), EAGAIN);
	assert_int_equal(strlen(out), 63 + 6);
	assert_non_null(strstr(out, "0=a|=b|"));
}

/* There are limits for a line, which includes "data: ", and for the data of an event. */
static void an_event_has_a_longest(void **state)
{
	static const char fits[] = "data: 0123456789\n\n";
	static const char line_too_long[] = "data: 0123456789a\n\n";
	static const char sum_too_long[] = "data: 0123456\ndata: 012345678\n\n";
	static const char sum_fits[] = "data: 0123456\ndata: 01234567\n\n";
	char out[256];

	(void)state;
	for (size_t piece = 1; piece < 20; ++piece) {
		assert_int_equal(read_all(out, sizeof(out), fits, sizeof(fits) - 1, piece, 16),
				 EAGAIN);
		assert_string_equal(out, "=0123456789|");
		assert_int_equal(read_all(out, sizeof(out), line_too_long,
					  sizeof(line_too_long) - 1, piece, 16),
				 ENOBUFS);
		assert_int_equal(
			read_all(out, sizeof(out), sum_fits, sizeof(sum_fits) - 1, piece, 16),
			EAGAIN);
		assert_string_equal(out, "=0123456\n01234567|");
		assert_int_equal(read_all(out, sizeof(out), sum_too_long, sizeof(sum_too_long) - 1,
					  piece, 16),
				 ENOBUFS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_the_same_however_they_are_split),
		cmocka_unit_test(a_long_type_is_no_type),
		cmocka_unit_test(an_event_has_a_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
