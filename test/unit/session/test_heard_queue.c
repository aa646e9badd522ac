/* Words are passed on in the order in which they were said, whatever order they arrive in. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session/heard_queue.h"

static struct heard_queue queue;
static struct heard_segment segment;

static int set_up(void **state)
{
	(void)state;
	heard_queue_init(&queue);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	heard_queue_reset(&queue);
	return 0;
}

/* Piece n is the second n of the stream. */
static void add(uint32_t number)
{
	const struct hearing_piece piece = {.number = number,
					    .from_sample = number * 16000u,
					    .to_sample = number * 16000u + 16000u,
					    .is_final = true};

	assert_int_equal(heard_queue_add(&queue, &piece), 0);
}

static struct hearing_result result_of(uint32_t number, const char *text)
{
	return (struct hearing_result){.piece = {.number = number},
				       .text = text,
				       .text_len = strlen(text),
				       .language = "en",
				       .language_probability = 0.9f};
}

static void answer(uint32_t number, const char *text)
{
	struct hearing_result result = result_of(number, text);

	assert_int_equal(heard_queue_result(&queue, &result), 0);
}

static void assert_next(const char *text)
{
	char got[256];

	assert_true(heard_queue_next(&queue, &segment));
	snprintf(got, sizeof(got), "%.*s", (int)segment.text_len, segment.text);
	assert_string_equal(got, text);
}

static void test_words_that_arrive_in_reverse_are_passed_on_in_order(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 3; ++i) {
		add(i);
		assert_int_equal(heard_queue_commit(&queue, false), 0);
	}
	answer(3, "three");
	answer(2, "two");
	assert_false(heard_queue_next(&queue, &segment));
	answer(1, "one");
	assert_next("one");
	assert_int_equal(segment.from_sample, 16000);
	assert_int_equal(segment.to_sample, 32000);
	assert_next("two");
	assert_next("three");
	assert_false(heard_queue_next(&queue, &segment));
	assert_true(heard_queue_is_empty(&queue));
}

static void test_pieces_of_one_segment_are_joined_with_their_words(void **state)
{
	const struct hearing_word words[] = {{0, 3, 100, 200, 0.5f}, {4, 7, 200, 300, 0.25f}};
	struct hearing_result result = result_of(2, "two too ");

	(void)state;
	result.words = words;
	result.word_count = 2;
	add(1);
	add(2);
	assert_int_equal(heard_queue_commit(&queue, true), 0);
	assert_int_equal(heard_queue_result(&queue, &result), 0);
	answer(1, " one\n");
	assert_next("one two too");
	assert_int_equal(segment.from_sample, 16000);
	assert_int_equal(segment.to_sample, 48000);
	assert_int_equal(segment.word_count, 2);
	assert_int_equal(segment.words[0].byte_start, 4);
	assert_int_equal(segment.words[1].byte_end, 11);
	assert_int_equal(segment.words[1].sample_end, 300);
	assert_string_equal(segment.language, "en");
}

static void test_languages_without_spaces_are_joined_without_them(void **state)
{
	struct hearing_result first = result_of(1, "今日は");
	struct hearing_result second = result_of(2, "いい天気");

	(void)state;
	first.language = second.language = "ja";
	add(1);
	add(2);
	assert_int_equal(heard_queue_commit(&queue, false), 0);
	assert_int_equal(heard_queue_result(&queue, &first), 0);
	assert_int_equal(heard_queue_result(&queue, &second), 0);
	assert_next("今日はいい天気");
}

static void test_nothing_is_passed_on_only_if_it_was_asked_for(void **state)
{
	(void)state;
	add(1);
	assert_int_equal(heard_queue_commit(&queue, false), 0);
	assert_int_equal(heard_queue_commit(&queue, true), 0);
	answer(1, " ");
	assert_next("");
	assert_string_equal(segment.language, "");
	assert_false(heard_queue_next(&queue, &segment));
}

static void test_pieces_are_wanted_until_they_were_asked_for(void **state)
{
	(void)state;
	assert_null(heard_queue_wanted(&queue));
	add(1);
	assert_int_equal(heard_queue_commit(&queue, false), 0);
	add(2);
	assert_int_equal(heard_queue_wanted(&queue)->number, 1);
	heard_queue_asked(&queue, 1);
	assert_int_equal(heard_queue_wanted(&queue)->number, 2);
	heard_queue_asked(&queue, 2);
	assert_null(heard_queue_wanted(&queue));
}

static void test_a_result_that_was_not_asked_for_is_refused(void **state)
{
	struct hearing_result result = result_of(7, "what");

	(void)state;
	assert_int_equal(heard_queue_result(&queue, &result), ENOENT);
	add(7);
	assert_int_equal(heard_queue_result(&queue, &result), 0);
	assert_int_equal(heard_queue_result(&queue, &result), ENOENT);
}

static void test_text_beyond_the_bounds_is_left_out(void **state)
{
	char *text = malloc(HEARD_QUEUE_TEXT_MAX + 2);
	struct hearing_result result;

	(void)state;
	assert_non_null(text);
	memset(text, 'a', HEARD_QUEUE_TEXT_MAX + 1);
	text[HEARD_QUEUE_TEXT_MAX + 1] = '\0';
	result = result_of(1, text);
	add(1);
	add(2);
	add(3);
	assert_int_equal(heard_queue_commit(&queue, true), 0);
	assert_int_equal(heard_queue_result(&queue, &result), ENOBUFS);
	text[HEARD_QUEUE_TEXT_MAX - 1] = '\0';
	result = result_of(2, text);
	assert_int_equal(heard_queue_result(&queue, &result), 0);
	answer(3, "too much");
	assert_true(heard_queue_next(&queue, &segment));
	assert_int_equal(segment.text_len, HEARD_QUEUE_TEXT_MAX - 1);
	assert_int_equal(segment.to_sample, 64000);
	free(text);
}

static void test_a_preview_follows_what_is_known_of_the_segment(void **state)
{
	struct hearing_result result = result_of(9, "three ");
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	add(1);
	answer(1, "one two");
	assert_false(heard_queue_next(&queue, &segment));
	assert_int_equal(heard_queue_preview(&queue, &out, &result), 0);
	assert_int_equal(out.len, 13);
	assert_memory_equal(out.bytes, "one two three", 13);
	assert_int_equal(heard_queue_commit(&queue, false), 0);
	assert_next("one two");
	out.len = 0;
	assert_int_equal(heard_queue_preview(&queue, &out, &result), 0);
	assert_int_equal(out.len, 5);
	buf_reset(&out);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_words_that_arrive_in_reverse_are_passed_on_in_order),
		CASE(test_pieces_of_one_segment_are_joined_with_their_words),
		CASE(test_languages_without_spaces_are_joined_without_them),
		CASE(test_nothing_is_passed_on_only_if_it_was_asked_for),
		CASE(test_pieces_are_wanted_until_they_were_asked_for),
		CASE(test_a_result_that_was_not_asked_for_is_refused),
		CASE(test_text_beyond_the_bounds_is_left_out),
		CASE(test_a_preview_follows_what_is_known_of_the_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
