/* Audio with the times of its characters: the bytes do not depend on the lengths of frames, and
 * every character occurs once, in order, with times from the start of the answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/mem.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "text/markup.h"
#include "wire/char_times.h"

#define RATE 1000

static const struct speech_form *form;
static void *body;
static struct buf message;
static struct buf out;

static const struct reply_word hello[] = {
	{.word = "Hi",
	 .word_len = 2,
	 .start_ms = 100,
	 .end_ms = 300,
	 .char_start = 0,
	 .char_end = 2},
	{.word = "you",
	 .word_len = 3,
	 .start_ms = 400,
	 .end_ms = 700,
	 .char_start = 4,
	 .char_end = 7},
};
static const struct dialect_words said = {hello, 2, "Hi, you.", 8, 0, 0, 0};

static int setup(void **state)
{
	(void)state;
	buf_init(&message, 1 << 20);
	buf_init(&out, 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	body = mem_deref(body);
	buf_reset(&message);
	buf_reset(&out);
	return 0;
}

static void begin(const struct speech_form *wanted)
{
	const struct audio_format format = {AUDIO_PCM16, RATE, 0};

	form = wanted;
	body = mem_deref(body);
	assert_int_equal(form->alloc(&body, &format), 0);
}

static void take_audio(unsigned chunk_id, const char *bytes, size_t len, uint32_t samples)
{
	struct audio_frame frame = {(const uint8_t *)bytes, len, samples};
	struct audio_format format = {AUDIO_PCM16, RATE, 0};

	message.len = 0;
	assert_int_equal(form->dialect->audio(&message, NULL, &frame, &format, 0, chunk_id), 0);
	assert_int_equal(form->take(body, &out, message.bytes, message.len, samples), 0);
}

static void take_words(unsigned chunk_id, const struct dialect_words *words)
{
	message.len = 0;
	assert_int_equal(form->dialect->words(&message, NULL, chunk_id, words), 0);
	assert_int_equal(form->take(body, &out, message.bytes, message.len, 0), 0);
}

static void assert_out(const char *want)
{
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(out.bytes, want);
}

static void test_characters_share_the_time_of_their_word(void **state)
{
	static const double want[][2] = {{100, 200}, {200, 300}, {300, 350}, {350, 400},
					 {400, 500}, {500, 600}, {600, 700}, {700, 700}};
	struct char_times times;
	struct char_time next;
	size_t i = 0;

	(void)state;
	for (char_times_begin(&times, &said); char_times_next(&times, &next); ++i) {
		assert_ptr_equal(next.text, said.text + i);
		assert_float_equal(next.start_ms, want[i][0], 1e-6);
		assert_float_equal(next.end_ms, want[i][1], 1e-6);
	}
	assert_int_equal(i, 8);
}

static void expect_characters(const struct dialect_words *words, const char *want)
{
	struct char_times times;
	struct char_time next;
	char got[256];
	size_t len = 0;

	for (char_times_begin(&times, words); char_times_next(&times, &next);)
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%.*s=%.0f ", (int)next.len,
					next.text, next.start_ms);
	assert_string_equal(got, want);
}

static void test_markup_has_no_characters(void **state)
{
	static const struct reply_word heard[] = {
		{.start_ms = 0, .end_ms = 200, .char_start = 3, .char_end = 5},
		{.start_ms = 1000, .end_ms = 1300, .char_start = 27, .char_end = 30},
	};
	struct dialect_words words = {.words = heard, .count = 2, .text_len = 31};

	(void)state;
	words.text = "<b>Hi <break time=\"0.8s\"/> you.";
	expect_characters(&words, "H=0 i=100  =200  =600 y=1000 o=1100 u=1200 .=1300 ");
	words.text = "2<3Hi [laughs loudly noww]!you.";
	words.markup = MARKUP_AUDIO_TAGS;
	expect_characters(&words, "2=0 <=0 3=0 H=0 i=100  =200 !=600 y=1000 o=1100 u=1200 .=1300 ");
	words.markup = 0;
	words.count = 1;
	words.text_len = 12;
	expect_characters(&words,
			  "2=0 <=0 3=0 H=0 i=100  =200 [=200 l=200 a=200 u=200 g=200 h=200 ");
	words.text = "<a> <b>";
	words.text_len = 7;
	words.count = 0;
	expect_characters(&words, " =0 ");
}

/* None of our engines reports words out of order, twice or beyond the text.  Such words must not
 * cause a hang or an access outside of the text. */
static void test_invalid_words_give_each_character_once(void **state)
{
	static const struct reply_word odd[] = {
		{.start_ms = 500, .end_ms = 100, .char_start = 3, .char_end = 5},
		{.start_ms = 50, .end_ms = 60, .char_start = 0, .char_end = 2},
		{.start_ms = 70, .end_ms = 90, .char_start = 4, .char_end = 4},
		{.start_ms = 70, .end_ms = 90, .char_start = 6, .char_end = 99},
	};
	struct dialect_words words = {odd,
				      4,
				      "a\xc3\xa9"
				      "cdefg",
				      8,
				      0,
				      0,
				      0};
	struct char_times times;
	struct char_time next;
	size_t bytes = 0;
	size_t count = 0;

	(void)state;
	for (char_times_begin(&times, &words); char_times_next(&times, &next); ++count)
		bytes += next.len;
	assert_int_equal(count, 7);
	assert_int_equal(bytes, 8);
}

static void test_the_whole_answer_is_one_object(void **state)
{
	static const struct reply_word word = {.end_ms = 10, .char_end = 1};
	static const struct dialect_words again = {&word, 1, "X", 1, 0, 0, 0};

	(void)state;
	begin(&timestamp_body_object);
	take_audio(0, "abcd", 4, 1000);
	take_words(0, &said);
	take_audio(1, "e", 1, 500);
	take_words(1, &again);
	assert_int_equal(form->end(body, &out, 0, 0), 0);
#define ALIGNMENT                                                                                  \
	"{\"characters\":[\"H\",\"i\",\",\",\" \",\"y\",\"o\",\"u\",\".\",\" \",\"X\"],"           \
	"\"character_start_times_seconds\":[0.1,0.2,0.3,0.35,0.4,0.5,0.6,0.7,0.7,1],"              \
	"\"character_end_times_seconds\":[0.2,0.3,0.35,0.4,0.5,0.6,0.7,0.7,1,1.01]}"
	assert_out("{\"audio_base64\":\"YWJjZGU=\",\"alignment\":" ALIGNMENT
		   ",\"normalized_alignment\":" ALIGNMENT "}");
}

static void test_chinese_sentences_are_not_separated_by_a_space(void **state)
{
	static const struct reply_word word = {.end_ms = 10, .char_end = 1};
	static const struct dialect_words stop = {&word, 1, "\xe3\x80\x82", 3, 0, 0, 0};

	(void)state;
	begin(&timestamp_body_lines);
	take_words(0, &stop);
	out.len = 0;
	take_words(1, &stop);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_non_null(strstr(out.bytes, "\"characters\":[\"\xe3\x80\x82\"]"));
}

static void test_lines_are_whole_objects(void **state)
{
	static const struct reply_word word = {.end_ms = 10, .char_end = 1};
	static const struct dialect_words letter = {&word, 1, "X", 1, 0, 0, 0};

	(void)state;
	begin(&timestamp_body_lines);
	take_audio(0, "abcd", 4, 2);
	take_audio(0, "", 0, 5);
	take_words(0, &letter);
	assert_int_equal(form->end(body, &out, 0, 0), 0);
	assert_out(
		"{\"audio_base64\":\"YWJjZA==\",\"alignment\":null,\"normalized_alignment\":null}\n"
		"{\"audio_base64\":\"\",\"alignment\":{\"characters\":[\"X\"],"
		"\"character_start_times_seconds\":[0],\"character_end_times_seconds\":[0.01]},"
		"\"normalized_alignment\":{\"characters\":[\"X\"],"
		"\"character_start_times_seconds\":[0],\"character_end_times_seconds\":[0.01]}}\n");
}

static void test_the_string_is_the_same_however_frames_are_cut(void **state)
{
	char audio[100];
	char want[136]; /* base64 of 100 bytes */

	(void)state;
	for (size_t i = 0; i < sizeof(audio); ++i)
		audio[i] = (char)(i * 37);
	base64_encode(want, audio, sizeof(audio));
	for (size_t step = 1; step < 9; ++step) {
		begin(&timestamp_body_object);
		out.len = 0;
		for (size_t at = 0; at < sizeof(audio); at += step)
			take_audio(0, audio + at,
				   sizeof(audio) - at < step ? sizeof(audio) - at : step, 1);
		assert_int_equal(form->end(body, &out, 0, 0), 0);
		assert_memory_equal(out.bytes + strlen("{\"audio_base64\":\""), want, sizeof(want));
	}
}

static void test_an_answer_without_speech_is_an_object(void **state)
{
	(void)state;
	begin(&timestamp_body_object);
	assert_int_equal(form->end(body, &out, 0, 0), 0);
	assert_out("{\"audio_base64\":\"\",\"alignment\":null,\"normalized_alignment\":null}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_characters_share_the_time_of_their_word, setup,
						teardown),
		cmocka_unit_test(test_markup_has_no_characters),
		cmocka_unit_test_setup_teardown(test_invalid_words_give_each_character_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_the_whole_answer_is_one_object, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_chinese_sentences_are_not_separated_by_a_space,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_lines_are_whole_objects, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_string_is_the_same_however_frames_are_cut,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_answer_without_speech_is_an_object, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
