/* Frames: the same events however the bytes are split, nothing copied that came
 * whole, nothing kept that is done with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "net/ws_codec.h"

#define MAX 4096u

/* Appends a frame; masked when the reader is a server. */
static size_t put_frame(char *out, enum ws_role reader, uint8_t first, const char *text, size_t len)
{
	static const uint8_t mask[4] = {0x12, 0x34, 0x56, 0x78};
	const uint8_t *masked = reader == WS_SERVER ? mask : NULL;
	uint8_t head[WS_HEAD_MAX];
	size_t n = ws_codec_head(head, WS_OP_TEXT, len, masked);

	head[0] = first;
	memcpy(out, head, n);
	memcpy(out + n, text, len);
	if (masked)
		ws_codec_mask(out + n, len, mask, 0);
	return n + len;
}

/* Writes the events of bytes, given in pieces of `step`, as text. */
static void describe(char *out, size_t size, enum ws_role role, const char *bytes, size_t n,
		     size_t step)
{
	struct ws_codec codec;
	char *copy = malloc(n + 1);
	size_t len = 0;

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	ws_codec_init(&codec, role, MAX);
	for (size_t i = 0; i < n; i += step) {
		char *at = copy + i;
		size_t left = n - i < step ? n - i : step;
		struct ws_event event;

		while ((event = ws_codec_next(&codec, &at, &left)).type != WS_MORE) {
			len += (size_t)snprintf(out + len, size - len, "%d:%u:%.*s|", event.type,
						event.code, (int)event.len,
						event.bytes ? event.bytes : "");
			if (event.type == WS_FAIL)
				break;
		}
		if (event.type == WS_FAIL)
			break;
	}
	ws_codec_reset(&codec);
	free(copy);
}

static size_t put_talk(char *bytes, enum ws_role role)
{
	size_t n = 0;

	n += put_frame(bytes + n, role, 0x81, "hello", 5);
	n += put_frame(bytes + n, role, 0x01, "gr\xc3", 3);
	n += put_frame(bytes + n, role, 0x89, "ping between", 12);
	n += put_frame(bytes + n, role, 0x00, "", 0);
	n += put_frame(bytes + n, role, 0x80, "\xbc\xc3\x9f", 3);
	n += put_frame(bytes + n, role, 0x82, "0123456789abcdef0", 17);
	n += put_frame(bytes + n, role, 0x8a, "", 0);
	n += put_frame(bytes + n, role, 0x88,
		       "\x03\xe8"
		       "bye",
		       5);
	return n;
}

static void test_any_split_gives_the_same_events(void **state)
{
	static const enum ws_role roles[] = {WS_SERVER, WS_CLIENT};

	(void)state;
	for (size_t r = 0; r < 2; ++r) {
		char bytes[512];
		char got[512];
		size_t n = put_talk(bytes, roles[r]);

		for (size_t step = 1; step <= n; ++step) {
			describe(got, sizeof(got), roles[r], bytes, n, step);
			assert_string_equal(got,
					    "1:0:hello|3:0:ping between|1:0:gr\xc3\xbc\xc3\x9f|"
					    "2:0:0123456789abcdef0|4:0:|5:1000:bye|");
		}
	}
}

static void test_a_whole_frame_is_lent_from_where_it_stands(void **state)
{
	struct ws_codec codec;
	char bytes[64];
	char *at = bytes;
	size_t n = put_frame(bytes, WS_SERVER, 0x81, "in place", 8);
	struct ws_event event;

	(void)state;
	ws_codec_init(&codec, WS_SERVER, MAX);
	event = ws_codec_next(&codec, &at, &n);
	assert_int_equal(event.type, WS_TEXT);
	assert_ptr_equal(event.bytes, bytes + 6);
	assert_memory_equal(event.bytes, "in place", 8);
	assert_null(codec.message.bytes);
	assert_int_equal(n, 0);
}

static void test_what_is_done_with_is_given_back(void **state)
{
	struct ws_codec codec;
	char bytes[64];
	char *at = bytes;
	size_t total = put_frame(bytes, WS_SERVER, 0x81, "in two parts", 12);
	size_t n = 9;

	(void)state;
	ws_codec_init(&codec, WS_SERVER, MAX);
	assert_int_equal(ws_codec_next(&codec, &at, &n).type, WS_MORE);
	assert_non_null(codec.message.bytes);
	n = total - 9;
	assert_int_equal(ws_codec_next(&codec, &at, &n).type, WS_TEXT);
	assert_int_equal(ws_codec_next(&codec, &at, &n).type, WS_MORE);
	assert_null(codec.message.bytes);
}

static void test_memory_follows_what_came_not_what_was_announced(void **state)
{
	struct ws_codec codec;
	uint8_t head[WS_HEAD_MAX];
	char bytes[64];
	char *at = bytes;
	size_t n = ws_codec_head(head, WS_OP_BINARY, 1 << 20, (const uint8_t *)"mask");

	(void)state;
	memcpy(bytes, head, n);
	memset(bytes + n, 'x', 10);
	n += 10;
	ws_codec_init(&codec, WS_SERVER, 1 << 20);
	assert_int_equal(ws_codec_next(&codec, &at, &n).type, WS_MORE);
	assert_true(codec.message.size < 4096);
	ws_codec_reset(&codec);
}

static void test_masking_agrees_with_one_byte_at_a_time(void **state)
{
	static const uint8_t mask[4] = {1, 2, 4, 128};

	(void)state;
	for (size_t at = 0; at < 4; ++at) {
		for (size_t n = 0; n < 40; ++n) {
			char fast[40];

			for (size_t i = 0; i < n; ++i)
				fast[i] = (char)i;
			ws_codec_mask(fast, n, mask, at);
			for (size_t i = 0; i < n; ++i)
				assert_int_equal((uint8_t)fast[i], i ^ mask[(at + i) & 3]);
		}
	}
}

static void test_each_role_wants_the_mask_of_the_other(void **state)
{
	char bytes[64];
	char got[64] = "";
	size_t n = put_frame(bytes, WS_SERVER, 0x81, "x", 1);

	(void)state;
	describe(got, sizeof(got), WS_CLIENT, bytes, n, n);
	assert_string_equal(got, "6:1002:|");
	n = put_frame(bytes, WS_CLIENT, 0x81, "x", 1);
	describe(got, sizeof(got), WS_SERVER, bytes, n, n);
	assert_string_equal(got, "6:1002:|");
}

static void test_lengths_are_written_in_their_shortest_form(void **state)
{
	static const struct {
		size_t len;
		size_t head;
		uint8_t second;
	} rows[] = {{0, 2, 0},       {125, 2, 125},    {126, 4, 126},
		    {65535, 4, 126}, {65536, 10, 127}, {1u << 31, 10, 127}};
	uint8_t head[WS_HEAD_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		assert_int_equal(ws_codec_head(head, WS_OP_TEXT, rows[i].len, NULL), rows[i].head);
		assert_int_equal(head[1], rows[i].second);
	}
	assert_int_equal(head[6], 0x80); /* the highest byte of 2^31 */
}

static void test_codes_that_may_be_sent(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 70000; ++code) {
		bool valid = (code >= 1000 && code < 1015 && code != 1004 && code != 1005 &&
			      code != 1006) ||
			     (code >= 3000 && code < 5000);

		assert_int_equal(ws_codec_code_is_valid(code), valid);
	}
}

static void test_nothing_is_read_after_a_failure(void **state)
{
	struct ws_codec codec;
	char bytes[64];
	char *at = bytes;
	size_t n = put_frame(bytes, WS_SERVER, 0xc1, "x", 1);

	(void)state;
	n += put_frame(bytes + n, WS_SERVER, 0x81, "y", 1);
	ws_codec_init(&codec, WS_SERVER, MAX);
	assert_int_equal(ws_codec_next(&codec, &at, &n).type, WS_FAIL);
	assert_int_equal(ws_codec_next(&codec, &at, &n).type, WS_FAIL);
}

static void test_the_longest_message_can_be_changed(void **state)
{
	char text[MAX + 1];
	char frame[MAX + 1 + WS_HEAD_MAX];
	size_t n;

	(void)state;
	memset(text, 'x', sizeof(text));
	n = put_frame(frame, WS_CLIENT, 0x80 | WS_OP_TEXT, text, sizeof(text));
	for (unsigned more = 0; more <= 1; ++more) {
		struct ws_codec codec;
		struct ws_event event;
		char *at = frame;
		size_t left = n;

		ws_codec_init(&codec, WS_CLIENT, MAX);
		ws_codec_set_message_max(&codec, MAX + more);
		event = ws_codec_next(&codec, &at, &left);
		assert_int_equal(event.type == WS_FAIL, more == 0);
		ws_codec_reset(&codec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_split_gives_the_same_events),
		cmocka_unit_test(test_a_whole_frame_is_lent_from_where_it_stands),
		cmocka_unit_test(test_what_is_done_with_is_given_back),
		cmocka_unit_test(test_memory_follows_what_came_not_what_was_announced),
		cmocka_unit_test(test_masking_agrees_with_one_byte_at_a_time),
		cmocka_unit_test(test_each_role_wants_the_mask_of_the_other),
		cmocka_unit_test(test_lengths_are_written_in_their_shortest_form),
		cmocka_unit_test(test_codes_that_may_be_sent),
		cmocka_unit_test(test_nothing_is_read_after_a_failure),
		cmocka_unit_test(test_the_longest_message_can_be_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
