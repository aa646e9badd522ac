/* A model that is asked for a speed speaks at it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "engine/vits/pace.h"

static void test_pace_assert_close(float a, float b)
{
	assert_true(fabsf(a - b) < 1e-4f);
}

static void test_pace_what_scales_wholly_is_asked_for_the_speed_itself(void **state)
{
	const struct pace pace = {0};

	(void)state;
	test_pace_assert_close(pace_scale(&pace, 1), 1);
	test_pace_assert_close(pace_scale(&pace, 1.25f), 0.8f);
	test_pace_assert_close(pace_scale(&pace, 0.8f), 1.25f);
}

/* Half of the length stays: for 1 / 1.2 of it the other half is a third less. */
static void test_pace_what_does_not_scale_is_made_up_for(void **state)
{
	const struct pace pace = {.rigid_short = 0.5f, .rigid_long = 0.2f};
	static const float speeds[] = {0.8f, 0.9f, 1, 1.1f, 1.2f};

	(void)state;
	test_pace_assert_close(pace_scale(&pace, 1.2f), 2.0f / 3);
	for (size_t i = 0; i < COUNT(speeds); ++i) {
		float rigid = speeds[i] > 1 ? pace.rigid_short : pace.rigid_long;
		float length = rigid + (1 - rigid) * pace_scale(&pace, speeds[i]);

		test_pace_assert_close(length, 1 / speeds[i]);
	}
}

static void test_pace_nothing_is_asked_for_that_cannot_be_understood(void **state)
{
	const struct pace pace = {.rigid_short = 0.5f};

	(void)state;
	assert_true(pace_scale(&pace, 4) >= 0.3f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pace_what_scales_wholly_is_asked_for_the_speed_itself),
		cmocka_unit_test(test_pace_what_does_not_scale_is_made_up_for),
		cmocka_unit_test(test_pace_nothing_is_asked_for_that_cannot_be_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
