/* ElevenLabs' speech-to-text: names of models and languages, and words with their times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "doors/elevenlabs/scribe.h"

static void test_their_models_are_chosen_by_the_server(void **state)
{
	char name[LISTEN_MODEL_SIZE];

	(void)state;
	scribe_model_name(name, "scribe_v2_realtime");
	assert_string_equal(name, "");
	scribe_model_name(name, "scribe_v1");
	assert_string_equal(name, "");
	scribe_model_name(name, "moonshine-tiny");
	assert_string_equal(name, "moonshine-tiny");
}

static void test_codes_of_three_letters_are_known(void **state)
{
	static const char *const codes[][2] = {{"eng", "en"}, {"deu", "de"}, {"zho", "zh"},
					       {"en", "en"},  {"xx", "xx"},  {"yue", "yue"}};
	char language[LISTEN_LANGUAGE_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(codes); ++i) {
		scribe_model_language(language, codes[i][0]);
		assert_string_equal(language, codes[i][1]);
	}
}

static const char *written(const struct heard_segment *segment)
{
	static char text[1024];
	struct json_write json;
	struct buf out;

	buf_init(&out, sizeof(text) - 1);
	json_write_open(&json, &out);
	scribe_words_write(&json, segment);
	assert_int_equal(json_write_close(&json), 0);
	memcpy(text, out.bytes, out.len);
	text[out.len] = '\0';
	buf_reset(&out);
	return text;
}

static void test_words_have_spaces_between_them(void **state)
{
	const struct hearing_word words[] = {{0, 5, 1600, 8000, 1.0f}, {6, 10, 9600, 16000, 0.0f}};
	const struct heard_segment segment = {
		.text = "Good, then", .text_len = 10, .words = words, .word_count = 2};

	(void)state;
	assert_string_equal(
		written(&segment),
		"{\"words\":[{\"text\":\"Good,\",\"start\":0.1,\"end\":0.5,\"type\":\"word\","
		"\"logprob\":0},{\"text\":\" \",\"start\":0.5,\"end\":0.6,\"type\":\"spacing\","
		"\"logprob\":0},{\"text\":\"then\",\"start\":0.6,\"end\":1,\"type\":\"word\","
		"\"logprob\":-20}]}");
}

static void test_words_without_a_gap_have_no_space(void **state)
{
	const struct hearing_word words[] = {{0, 3, 0, 1600, 0.5f}, {3, 6, 1600, 3200, 0.5f}};
	const struct heard_segment segment = {
		.text = "今日", .text_len = 6, .words = words, .word_count = 2};

	(void)state;
	assert_null(strstr(written(&segment), "spacing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_their_models_are_chosen_by_the_server),
		cmocka_unit_test(test_codes_of_three_letters_are_known),
		cmocka_unit_test(test_words_have_spaces_between_them),
		cmocka_unit_test(test_words_without_a_gap_have_no_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
