/* Events of speech have OpenAI's form, and are written completely or not at all. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "doors/openai/openai.h"

static void assert_wrote(const struct buf *out, const char *want)
{
	assert_int_equal(out->len, strlen(want));
	assert_memory_equal(out->bytes, want, out->len);
}

static void test_audio_is_base64(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	assert_int_equal(openai_events.take(NULL, &out, "\x00\xff\x10 abc", 7, 0), 0);
	assert_wrote(&out,
		     "data: {\"type\":\"speech.audio.delta\",\"audio\":\"AP8QIGFiYw==\"}\n\n");
	buf_reset(&out);
}

static void test_the_end_counts_characters_and_begun_pieces_of_audio(void **state)
{
	static const struct {
		double seconds;
		const char *usage;
	} rows[] = {
		{0, "\"output_tokens\":0,\"total_tokens\":12"},
		{0.001, "\"output_tokens\":1,\"total_tokens\":13"},
		{0.05, "\"output_tokens\":1,\"total_tokens\":13"},
		{1.01, "\"output_tokens\":21,\"total_tokens\":33"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
		char want[256];
		struct buf out;

		snprintf(want, sizeof(want),
			 "data: {\"type\":\"speech.audio.done\",\"usage\":{\"input_tokens\":12,%s}}"
			 "\n\n",
			 rows[i].usage);
		buf_init(&out, 4096);
		assert_int_equal(openai_events.end(NULL, &out, 12, rows[i].seconds), 0);
		assert_wrote(&out, want);
		buf_reset(&out);
	}
}

static void test_an_error_has_the_shape_of_the_api(void **state)
{
	const struct wire_notice notice = {.id = WIRE_ERROR_GENERATION_FAILED};
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	assert_int_equal(openai_events.error(&out, &notice), 0);
	assert_wrote(&out, "event: error\ndata: {\"error\":{\"message\":\"Audio generation "
			   "failed\",\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n");
	buf_reset(&out);
}

static void test_without_room_nothing_is_written(void **state)
{
	const struct wire_notice notice = {.id = WIRE_ERROR_GENERATION_FAILED};

	(void)state;
	for (size_t room = 5; room < 50; ++room) {
		struct buf out;

		buf_init(&out, room);
		assert_int_equal(buf_append_str(&out, "kept"), 0);
		assert_int_equal(openai_events.take(NULL, &out, "abc", 3, 0), ENOBUFS);
		assert_int_equal(openai_events.end(NULL, &out, 1, 1), ENOBUFS);
		assert_int_equal(openai_events.error(&out, &notice), ENOBUFS);
		assert_wrote(&out, "kept");
		buf_reset(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_audio_is_base64),
		cmocka_unit_test(test_the_end_counts_characters_and_begun_pieces_of_audio),
		cmocka_unit_test(test_an_error_has_the_shape_of_the_api),
		cmocka_unit_test(test_without_room_nothing_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
