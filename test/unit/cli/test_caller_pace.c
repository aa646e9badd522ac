/* The pieces of a microphone: each is sent when it was recorded, and no sample is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "cli/caller_pace.h"

static struct caller_pace pace;

static void test_a_piece_is_due_when_its_last_sample_was_recorded(void **state)
{
	(void)state;
	caller_pace_begin(&pace, 500, 16000);
	assert_int_equal(pace.piece, 512);
	assert_int_equal(caller_pace_due_us(&pace), 32500);
	assert_false(caller_pace_take(&pace, 32499));
	assert_true(caller_pace_take(&pace, 32500));
	assert_false(caller_pace_take(&pace, 32500));
	assert_int_equal(pace.sent, 512);
	assert_int_equal(caller_pace_time_of(&pace, 16000), 1000500);
}

static void test_after_a_delay_all_missing_pieces_are_due(void **state)
{
	unsigned taken = 0;

	(void)state;
	caller_pace_begin(&pace, 0, 8000);
	while (caller_pace_take(&pace, 1000000))
		++taken;
	assert_int_equal(taken, 31); /* 992 ms */
}

static void test_no_rate_drifts(void **state)
{
	static const unsigned rates[] = {8000, 11025, 16000, 22050, 24000, 44100, 48000};

	(void)state;
	for (size_t i = 0; i < COUNT(rates); ++i) {
		caller_pace_begin(&pace, 7, rates[i]);
		assert_true(pace.piece <= CALLER_PACE_PIECE_MAX);
		while (caller_pace_take(&pace, UINT64_C(3600) * 1000000))
			;
		assert_in_range(pace.sent, 3600u * rates[i] - 2 * pace.piece, 3600u * rates[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_piece_is_due_when_its_last_sample_was_recorded),
		cmocka_unit_test(test_after_a_delay_all_missing_pieces_are_due),
		cmocka_unit_test(test_no_rate_drifts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
