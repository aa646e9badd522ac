/* A decoder that repeats itself is noticed, and people who do are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "engine/hear/repeat.h"

static void test_repeat_a_phrase_over_and_over_is_left_once(void **state)
{
	int64_t tokens[4 + 5 * 4];

	(void)state;
	for (size_t i = 0; i < COUNT(tokens); ++i)
		tokens[i] = i < 4 ? 100 + (int64_t)i : (int64_t)(i - 4) % 5;
	assert_int_equal(repeat_cut(tokens, COUNT(tokens)), 4 + 5);
	assert_int_equal(repeat_cut(tokens, COUNT(tokens) - 1), COUNT(tokens) - 1);
}

static void test_repeat_one_token_is_a_loop_after_sixteen(void **state)
{
	int64_t tokens[16];

	(void)state;
	for (size_t i = 0; i < COUNT(tokens); ++i)
		tokens[i] = 7;
	assert_int_equal(repeat_cut(tokens, 15), 15);
	assert_int_equal(repeat_cut(tokens, 16), 1);
}

static void test_repeat_people_may_repeat_themselves(void **state)
{
	/* "no, no, no, no, no" and "eight eight eight eight" */
	const int64_t no[] = {1, 2, 1, 2, 1, 2, 1, 2, 1};
	const int64_t digits[] = {5, 9, 9, 9, 9};

	(void)state;
	assert_int_equal(repeat_cut(no, COUNT(no)), COUNT(no));
	assert_int_equal(repeat_cut(digits, COUNT(digits)), COUNT(digits));
}

static void test_repeat_nothing_is_left_alone(void **state)
{
	(void)state;
	assert_int_equal(repeat_cut(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeat_a_phrase_over_and_over_is_left_once),
		cmocka_unit_test(test_repeat_one_token_is_a_loop_after_sixteen),
		cmocka_unit_test(test_repeat_people_may_repeat_themselves),
		cmocka_unit_test(test_repeat_nothing_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
