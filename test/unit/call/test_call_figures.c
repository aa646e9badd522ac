/*
 * Times of a turn: what the server itself adds to the silence, the recognizer, the agent and the voice, and
 * which of them are in the metrics.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "call/call_figures.h"

static void test_the_silence_is_not_added_by_the_server(void **state)
{
	const struct call_turn_times times = {.words_us = 300000,
					      .asked_us = 300000,
					      .wait_us = 700000,
					      .decided_us = 700400,
					      .answer_us = 301000,
					      .ready_us = 400000,
					      .sound_us = 700500};

	(void)state;
	assert_int_equal(call_figures_added_us(&times), 500);
}

static void test_the_voice_and_the_agent_are_not_added_by_the_server(void **state)
{
	const struct call_turn_times early = {.words_us = 300000,
					      .asked_us = 300200,
					      .wait_us = 350000,
					      .decided_us = 350000,
					      .answer_us = 800000,
					      .ready_us = 900000,
					      .sound_us = 900100};
	const struct call_turn_times late = {.words_us = 300000,
					     .asked_us = 700300,
					     .wait_us = 700000,
					     .decided_us = 700300,
					     .answer_us = 800000,
					     .ready_us = 900000,
					     .sound_us = 900100};

	(void)state;
	assert_int_equal(call_figures_added_us(&early), 300);
	assert_int_equal(call_figures_added_us(&late), 400);
}

static void test_a_recognizer_that_is_slower_than_the_silence_is_not_added(void **state)
{
	const struct call_turn_times times = {.words_us = 900000,
					      .asked_us = 900000,
					      .wait_us = 700000,
					      .decided_us = 900000,
					      .answer_us = 900500,
					      .ready_us = 950000,
					      .sound_us = 950000};

	(void)state;
	assert_int_equal(call_figures_added_us(&times), 0);
}

static void test_nothing_is_known_of_an_answer_that_was_kept(void **state)
{
	struct call_turn_times times = {.words_us = 300000,
					.asked_us = -1,
					.wait_us = 700000,
					.decided_us = 700000,
					.answer_us = -1,
					.ready_us = -1,
					.sound_us = 700000};

	(void)state;
	assert_int_equal(call_figures_added_us(&times), -1);
}

static void assert_printed(const char *text)
{
	struct buf page;

	buf_init(&page, 1 << 20);
	assert_int_equal(metrics_print(&page, NULL, NULL), 0);
	assert_int_equal(buf_append(&page, "", 1), 0);
	assert_non_null(strstr(page.bytes, text));
	buf_reset(&page);
}

static void test_only_known_times_of_turns_that_were_spoken_are_observed(void **state)
{
	struct call_turn_times times = CALL_TURN_TIMES_UNKNOWN;

	(void)state;
	times.asked_us = times.sound_us = 1000; /* something was typed */
	call_figures_note_turn(&times);
	assert_printed("\nsyrinx_call_sound_seconds_count 0\n");
	times.decided_us = 700000;
	times.sound_us = 800000;
	call_figures_note_turn(&times);
	assert_printed("\nsyrinx_call_sound_seconds_sum 0.800000\n");
	assert_printed("\nsyrinx_call_decided_seconds_count 1\n");
	assert_printed("\nsyrinx_call_words_seconds_count 0\n");
	assert_printed("\nsyrinx_call_added_seconds_count 0\n");
}

static void test_what_is_counted_in_a_call_is_counted_in_all(void **state)
{
	uint64_t figure = 4;

	(void)state;
	call_figures_count(&figure, METRIC_CALL_REOPENED);
	assert_int_equal(figure, 5);
	assert_printed("\nsyrinx_call_reopened_total 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_silence_is_not_added_by_the_server),
		cmocka_unit_test(test_the_voice_and_the_agent_are_not_added_by_the_server),
		cmocka_unit_test(test_a_recognizer_that_is_slower_than_the_silence_is_not_added),
		cmocka_unit_test(test_nothing_is_known_of_an_answer_that_was_kept),
		cmocka_unit_test(test_only_known_times_of_turns_that_were_spoken_are_observed),
		cmocka_unit_test(test_what_is_counted_in_a_call_is_counted_in_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
