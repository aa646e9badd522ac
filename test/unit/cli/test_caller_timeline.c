/* The queue of a player: what is heard when, and what is dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "cli/caller_timeline.h"

static struct caller_timeline line;
static int16_t ones[8000];

static uint64_t add(uint64_t at_ms, size_t ms)
{
	uint64_t start_us = 0;

	assert_int_equal(caller_timeline_add(&start_us, &line, at_ms * 1000, ones, ms * 8), 0);
	return start_us / 1000;
}

/* The milliseconds in which something is heard, as '1', and those of silence, as '.'. */
static const char *heard(size_t step_ms)
{
	static char shown[100];
	size_t count;
	const int16_t *samples = caller_timeline_samples(&line, &count);
	size_t n = 0;

	for (size_t i = 0; i < count && n < sizeof(shown) - 1; i += 8 * step_ms)
		shown[n++] = samples[i] ? '1' : '.';
	shown[n] = '\0';
	return shown;
}

static int begin(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(ones); ++i)
		ones[i] = 1;
	caller_timeline_init(&line, 8000, true);
	return 0;
}

static int end(void **state)
{
	(void)state;
	caller_timeline_reset(&line);
	return 0;
}

static void test_a_frame_is_heard_when_it_arrives_or_the_one_before_ends(void **state)
{
	(void)state;
	assert_int_equal(caller_timeline_end_us(&line), 0);
	assert_int_equal(add(100, 200), 100);
	assert_int_equal(add(110, 200), 300);
	assert_int_equal(add(700, 100), 700);
	assert_int_equal(caller_timeline_end_us(&line), 800000);
	assert_string_equal(heard(100), ".1111..1");
}

static void test_an_interruption_drops_what_is_queued(void **state)
{
	(void)state;
	add(0, 500);
	add(10, 500);
	caller_timeline_drop(&line, 300000);
	assert_int_equal(caller_timeline_end_us(&line), 300000);
	caller_timeline_drop(&line, 600000); /* nothing is queued any more */
	assert_int_equal(caller_timeline_end_us(&line), 300000);
	assert_int_equal(add(600, 100), 600);
	assert_string_equal(heard(100), "111...1");
}

static void test_the_line_can_be_as_long_as_the_call(void **state)
{
	(void)state;
	add(0, 100);
	assert_int_equal(caller_timeline_extend(&line, 50000), 0);
	assert_int_equal(caller_timeline_extend(&line, 400000), 0);
	assert_string_equal(heard(100), "1...");
}

static void test_times_are_known_without_keeping_the_audio(void **state)
{
	size_t count;

	(void)state;
	caller_timeline_reset(&line);
	caller_timeline_init(&line, 8000, false);
	assert_int_equal(add(100, 200), 100);
	assert_int_equal(add(100, 200), 300);
	caller_timeline_samples(&line, &count);
	assert_int_equal(count, 0);
}

static void test_a_full_line_is_cut_and_its_times_go_on(void **state)
{
	uint64_t full_us = UINT64_C(1000000) * CALLER_TIMELINE_BYTES_MAX / 2 / 8000;
	uint64_t start_us;
	size_t count;

	(void)state;
	add(0, 1000);
	assert_int_equal(caller_timeline_add(&start_us, &line, full_us, ones, 8), 0);
	assert_true(line.is_cut);
	assert_int_equal(start_us, full_us);
	assert_int_equal(caller_timeline_end_us(&line), full_us + 1000);
	caller_timeline_samples(&line, &count);
	assert_true(count <= CALLER_TIMELINE_BYTES_MAX / 2);
}

/* Rates that are no multiple of 1000: a time that was returned is the same sample again. */
static void test_no_rate_loses_a_sample(void **state)
{
	uint64_t start_us, total = 0;

	(void)state;
	caller_timeline_reset(&line);
	caller_timeline_init(&line, 22050, true);
	for (size_t i = 1; i < 300; ++i) {
		uint64_t at_us = caller_timeline_end_us(&line);

		assert_int_equal(caller_timeline_add(&start_us, &line, at_us, ones, i), 0);
		total += i;
		assert_int_equal(start_us, at_us);
		assert_int_equal(line.end, total);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_a_frame_is_heard_when_it_arrives_or_the_one_before_ends, begin, end),
		cmocka_unit_test_setup_teardown(test_an_interruption_drops_what_is_queued, begin,
						end),
		cmocka_unit_test_setup_teardown(test_the_line_can_be_as_long_as_the_call, begin,
						end),
		cmocka_unit_test_setup_teardown(test_times_are_known_without_keeping_the_audio,
						begin, end),
		cmocka_unit_test_setup_teardown(test_a_full_line_is_cut_and_its_times_go_on, begin,
						end),
		cmocka_unit_test_setup_teardown(test_no_rate_loses_a_sample, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
