/* A transcript reports what a listener has heard in whole words, and never too many of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session/transcript.h"

#define RATE 24000

static void speak(struct transcript *transcript, const char *text, uint64_t samples)
{
	assert_int_equal(transcript_add(transcript, text, strlen(text)), 0);
	transcript_audio(transcript, samples / 2);
	transcript_audio(transcript, samples - samples / 2);
	transcript_end(transcript);
}

static void assert_heard(const struct transcript *transcript, uint64_t samples, const char *text)
{
	size_t len = transcript_heard(transcript, samples);

	assert_true(len <= transcript->text.len);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(transcript->text.bytes, text, len);
}

static void test_nothing_spoken_is_nothing_heard(void **state)
{
	struct transcript transcript;

	(void)state;
	transcript_init(&transcript, RATE);
	assert_int_equal(transcript_heard(&transcript, 0), 0);
	assert_int_equal(transcript_heard(&transcript, 1000), 0);
	transcript_reset(&transcript);
}

static void test_a_chunk_is_heard_in_proportion_and_in_whole_words(void **state)
{
	struct transcript transcript;

	(void)state;
	transcript_init(&transcript, RATE);
	speak(&transcript, "one two six", 1100);
	assert_heard(&transcript, 0, "");
	assert_heard(&transcript, 299, "");
	assert_heard(&transcript, 300, "one");
	assert_heard(&transcript, 650, "one");
	assert_heard(&transcript, 700, "one two");
	assert_heard(&transcript, 1099, "one two");
	assert_heard(&transcript, 1100, "one two six");
	assert_heard(&transcript, 9999, "one two six");
	transcript_reset(&transcript);
}

static void test_chunks_are_heard_one_after_the_other(void **state)
{
	struct transcript transcript;

	(void)state;
	transcript_init(&transcript, RATE);
	speak(&transcript, "Hello there.", 1200);
	speak(&transcript, "And you?", 800);
	assert_heard(&transcript, 1199, "Hello");
	assert_heard(&transcript, 1200, "Hello there.");
	assert_heard(&transcript, 1300, "Hello there.");
	assert_heard(&transcript, 1500, "Hello there. And");
	assert_heard(&transcript, 2000, "Hello there. And you?");
	transcript_reset(&transcript);
}

static void test_a_chunk_that_has_not_ended_is_never_heard_whole(void **state)
{
	struct transcript transcript;

	(void)state;
	transcript_init(&transcript, RATE);
	assert_int_equal(transcript_add(&transcript, "One two three four five.", 24), 0);
	transcript_audio(&transcript, RATE / 5);
	assert_heard(&transcript, RATE / 5, "One");
	transcript_audio(&transcript, RATE * 10);
	assert_heard(&transcript, RATE * 10 + RATE / 5, "One two three four");
	transcript_end(&transcript);
	assert_heard(&transcript, RATE * 10 + RATE / 5, "One two three four five.");
	transcript_reset(&transcript);
}

static void test_text_that_was_never_spoken_is_not_heard(void **state)
{
	struct transcript transcript;

	(void)state;
	transcript_init(&transcript, RATE);
	speak(&transcript, "Spoken.", 1000);
	assert_int_equal(transcript_add(&transcript, "Not spoken.", 11), 0);
	assert_heard(&transcript, 1000, "Spoken.");
	transcript_reset(&transcript);
}

static void test_no_word_is_cut_inside_a_character(void **state)
{
	static const char text[] = "Grüße an die Äpfel, schöne.";
	struct transcript transcript;

	(void)state;
	transcript_init(&transcript, RATE);
	speak(&transcript, text, 1000);
	for (uint64_t samples = 0; samples <= 1000; ++samples) {
		size_t len = transcript_heard(&transcript, samples);

		assert_true(len == 0 || len == sizeof(text) - 1 || text[len] == ' ');
	}
	transcript_reset(&transcript);
}

static void test_more_is_heard_as_time_goes_on(void **state)
{
	struct transcript transcript;
	size_t last = 0;

	(void)state;
	transcript_init(&transcript, RATE);
	speak(&transcript, "The quick brown fox", 777);
	speak(&transcript, "jumps", 33);
	speak(&transcript, "over the lazy dog.", 555);
	for (uint64_t samples = 0; samples < 1500; ++samples) {
		size_t len = transcript_heard(&transcript, samples);

		assert_true(len >= last);
		last = len;
	}
	assert_int_equal(last, transcript.text.len);
	transcript_reset(&transcript);
}

static void test_no_tag_is_cut(void **state)
{
	static const char text[] =
		"one <break time=\"500ms\"/> two<b x=\"y z\">three</b> 3 < 4 five";
	struct transcript transcript;
	size_t len = strlen(text);

	(void)state;
	transcript_init(&transcript, RATE);
	speak(&transcript, text, len);
	for (uint64_t at = 3; at < 25; ++at)
		assert_heard(&transcript, at, "one");
	for (uint64_t at = 25; at < 31; ++at)
		assert_heard(&transcript, at, "one <break time=\"500ms\"/>");
	for (uint64_t at = 31; at < 45; ++at)
		assert_heard(&transcript, at, "one <break time=\"500ms\"/> two");
	assert_heard(&transcript, len - 1,
		     "one <break time=\"500ms\"/> two<b x=\"y z\">three</b> 3 < 4");
	transcript_reset(&transcript);
}

static void test_a_long_transcript_drops_only_its_beginning(void **state)
{
	struct transcript transcript;
	char text[101];
	uint64_t samples = 0;

	(void)state;
	transcript_init(&transcript, RATE);
	memset(text, 'x', 100);
	text[100] = '\0';
	for (int i = 0; i < 5000; ++i) {
		text[0] = (char)('a' + i % 26);
		speak(&transcript, text, 1000);
		samples += 1000;
	}
	assert_true(transcript.text.len <= TRANSCRIPT_MAX);
	assert_int_equal(transcript.text.bytes[transcript.text.len - 100], 'a' + 4999 % 26);
	assert_int_equal(transcript_heard(&transcript, samples), transcript.text.len);
	assert_int_equal(transcript_heard(&transcript, samples - 1000), transcript.text.len - 101);
	transcript_reset(&transcript);
}

static void test_a_packed_transcript_gives_the_same_answers(void **state)
{
	static const char *const text = "one two six";
	struct transcript transcript, read;
	void *packed;

	(void)state;
	transcript_init(&transcript, RATE);
	speak(&transcript, text, 1100);
	speak(&transcript, "and seven", 900);
	packed = malloc(transcript_packed_size(&transcript));
	assert_non_null(packed);
	transcript_pack(packed, &transcript);
	transcript_unpack(&read, packed);
	for (uint64_t samples = 0; samples <= 2100; samples += 10)
		assert_int_equal(transcript_heard(&read, samples),
				 transcript_heard(&transcript, samples));
	assert_heard(&read, 1500, "one two six and");
	transcript_reset(&transcript);
	free(packed);
}

static void test_an_empty_transcript_can_be_packed(void **state)
{
	struct transcript transcript, read;
	void *packed;

	(void)state;
	transcript_init(&transcript, RATE);
	packed = malloc(transcript_packed_size(&transcript));
	assert_non_null(packed);
	transcript_pack(packed, &transcript);
	transcript_unpack(&read, packed);
	assert_int_equal(transcript_heard(&read, 1000), 0);
	free(packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_spoken_is_nothing_heard),
		cmocka_unit_test(test_a_chunk_is_heard_in_proportion_and_in_whole_words),
		cmocka_unit_test(test_chunks_are_heard_one_after_the_other),
		cmocka_unit_test(test_a_chunk_that_has_not_ended_is_never_heard_whole),
		cmocka_unit_test(test_text_that_was_never_spoken_is_not_heard),
		cmocka_unit_test(test_no_word_is_cut_inside_a_character),
		cmocka_unit_test(test_more_is_heard_as_time_goes_on),
		cmocka_unit_test(test_no_tag_is_cut),
		cmocka_unit_test(test_a_long_transcript_drops_only_its_beginning),
		cmocka_unit_test(test_a_packed_transcript_gives_the_same_answers),
		cmocka_unit_test(test_an_empty_transcript_can_be_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
