/* A scripted call: whose turn it is, when it is over, and what is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/caller_figures.h"
#include "cli/caller_turns.h"

#define MS UINT64_C(1000)
#define NEVER CALLER_TURNS_NEVER

static struct caller_turns turns;
static struct buf out;

static int begin(void **state)
{
	(void)state;
	turns = (struct caller_turns){.wait_us = 3000 * MS, .patience_us = 30000 * MS};
	caller_turns_add(&turns, "one");
	caller_turns_add(&turns, "two");
	caller_turns_begin(&turns, 0);
	buf_init(&out, 10000);
	return 0;
}

static int end(void **state)
{
	(void)state;
	buf_reset(&out);
	return 0;
}

static void assert_next(uint64_t at_ms)
{
	assert_false(caller_turns_tick(&turns, at_ms * MS - 1));
	assert_true(caller_turns_tick(&turns, at_ms * MS));
	assert_int_equal(turns.state, CALLER_TURNS_SPEAKING);
}

static void assert_over(uint64_t at_ms)
{
	assert_false(caller_turns_tick(&turns, at_ms * MS - 1));
	assert_int_equal(turns.state, CALLER_TURNS_LISTENING);
	assert_false(caller_turns_tick(&turns, at_ms * MS));
	assert_int_equal(turns.state, CALLER_TURNS_OVER);
}

/* The caller speaks up to speech_end_ms; the file ends at end_ms. */
static void speak(uint64_t speech_end_ms, uint64_t end_ms)
{
	caller_turns_speak(&turns, speech_end_ms * MS);
	assert_false(caller_turns_tick(&turns, end_ms * MS));
	caller_turns_listen(&turns, end_ms * MS);
}

static void hear(uint64_t start_ms, uint64_t end_ms, uint64_t sound_ms, bool is_first)
{
	caller_turns_hear(&turns, start_ms * MS, end_ms * MS,
			  sound_ms == NEVER ? NEVER : sound_ms * MS, is_first);
}

static void assert_figures(const char *text)
{
	out.len = 0;
	assert_int_equal(caller_figures_print(&out, &turns), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(out.bytes, text);
}

static void test_each_turn_is_spoken_after_the_agent_has_finished(void **state)
{
	(void)state;
	assert_next(1000); /* there is no greeting */
	assert_int_equal(turns.now, 0);
	speak(2000, 2500);
	hear(2800, 3000, NEVER, true); /* the frame is silent */
	hear(3000, 3400, 3010, false);
	assert_next(6400);
	assert_int_equal(turns.now, 1);
	speak(7000, 7000);
	hear(7100, 7200, 7100, true);
	assert_over(10200);
	assert_int_equal(caller_turns_answered(&turns), 2);
	assert_figures("one: 1010 ms from the end of the speech to the answer\n"
		       "two: 100 ms from the end of the speech to the answer\n");
	assert_int_equal(turns.turns[0].first_audio_us, 2800 * MS);
}

static void test_the_greeting_is_heard_first(void **state)
{
	(void)state;
	caller_turns_read(&turns, 50 * MS); /* its words are there; its audio is being made */
	assert_false(caller_turns_tick(&turns, 5000 * MS));
	hear(5100, 6000, 5100, true);
	assert_next(6500);
	assert_int_equal(caller_turns_answered(&turns), 0);
	assert_int_equal(turns.turns[0].first_audio_us, NEVER);
}

static void test_without_an_answer_the_next_turn_follows(void **state)
{
	(void)state;
	assert_next(1000);
	speak(2000, 2000);
	assert_next(32000);
	speak(33000, 33000);
	assert_over(63000);
	assert_int_equal(caller_turns_answered(&turns), 0);
	assert_figures("one: no answer\ntwo: no answer\n");
}

static void test_an_answer_during_the_silence_of_the_file_counts(void **state)
{
	(void)state;
	assert_next(1000);
	caller_turns_speak(&turns, 2000 * MS);
	hear(2500, 3000, 2500, true);
	caller_turns_listen(&turns, 9000 * MS);
	assert_next(12000);
	assert_figures("one: 500 ms from the end of the speech to the answer\n");
}

static void test_an_answer_that_was_interrupted_is_not_the_last(void **state)
{
	(void)state;
	assert_next(1000);
	caller_turns_speak(&turns, 5000 * MS);
	hear(3000, 4000, 3000, true); /* to the first part of the file */
	hear(4000, 6000, 4000, false);
	caller_turns_listen(&turns, 5000 * MS);
	caller_turns_interrupt(&turns);
	assert_false(caller_turns_tick(&turns, 20000 * MS));
	hear(21000, 22000, 21000, true);
	assert_next(25000);
	assert_int_equal(turns.turns[0].interruptions, 1);
	assert_figures("one: 16000 ms from the end of the speech to the answer\n");
}

static void test_an_answer_that_began_too_early_has_no_time(void **state)
{
	(void)state;
	assert_next(1000);
	caller_turns_speak(&turns, 5000 * MS);
	hear(3000, 4000, 3000, true);
	caller_turns_listen(&turns, 5000 * MS);
	hear(4000, 6000, 4000, false);
	assert_next(9000);
	assert_figures("one: no answer began after the end of the speech\n");
}

static void test_after_an_error_an_answer_is_not_waited_for_in_vain(void **state)
{
	(void)state;
	caller_turns_read(&turns, 50 * MS);
	caller_turns_fail(&turns, 60 * MS); /* the greeting cannot be spoken */
	assert_next(1000);
	speak(2000, 2000);
	caller_turns_fail(&turns, 4000 * MS);
	assert_next(7000);
	speak(8000, 8000);
	caller_turns_fail(&turns, 8500 * MS);
	hear(9000, 10000, 9000, true); /* the second attempt has worked */
	assert_over(13000);
	assert_int_equal(caller_turns_answered(&turns), 1);
}

static void test_a_text_is_answered_when_the_answer_is_there(void **state)
{
	(void)state;
	turns.is_text = true;
	caller_turns_read(&turns, 10 * MS);
	assert_next(10); /* the greeting */
	speak(10, 10);
	caller_turns_read(&turns, 35 * MS);
	assert_next(35);
	speak(40, 40);
	caller_turns_read(&turns, 90 * MS);
	assert_over(90);
	assert_figures("one: answered after 25 ms\ntwo: answered after 50 ms\n");
}

static void test_figures_are_json_for_programs(void **state)
{
	(void)state;
	assert_next(1000);
	speak(2000, 2500);
	hear(2800, 3000, 2810, true);
	assert_int_equal(caller_figures_print_json(&out, &turns, 9000 * MS), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(out.bytes,
			    "{\"at_ms\":9000,\"turns\":[{\"file\":\"one\",\"answered\":true,"
			    "\"speech_end_ms\":2000,\"audio_after_ms\":800,"
			    "\"answer_after_ms\":810,\"interruptions\":0}]}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_each_turn_is_spoken_after_the_agent_has_finished, begin, end),
		cmocka_unit_test_setup_teardown(test_the_greeting_is_heard_first, begin, end),
		cmocka_unit_test_setup_teardown(test_without_an_answer_the_next_turn_follows, begin,
						end),
		cmocka_unit_test_setup_teardown(
			test_an_answer_during_the_silence_of_the_file_counts, begin, end),
		cmocka_unit_test_setup_teardown(test_an_answer_that_was_interrupted_is_not_the_last,
						begin, end),
		cmocka_unit_test_setup_teardown(test_an_answer_that_began_too_early_has_no_time,
						begin, end),
		cmocka_unit_test_setup_teardown(
			test_after_an_error_an_answer_is_not_waited_for_in_vain, begin, end),
		cmocka_unit_test_setup_teardown(test_a_text_is_answered_when_the_answer_is_there,
						begin, end),
		cmocka_unit_test_setup_teardown(test_figures_are_json_for_programs, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
