/* Timers: fire once, in order of time, on a clock that a test can move. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "loop/timers.h"

static uint64_t last_due;
static unsigned fired;

static void note(void *arg)
{
	struct timer *timer = arg;

	assert_true(timer->due_us >= last_due);
	last_due = timer->due_us;
	++fired;
}

static void test_a_thousand_fire_in_order(void **state)
{
	static struct timer many[1000];
	struct timers timers;

	(void)state;
	timers_init(&timers, 0);
	srand(1);
	last_due = fired = 0;
	for (int i = 0; i < 1000; ++i)
		assert_int_equal(
			timer_set(&timers, &many[i], (uint64_t)(rand() % 5000), note, &many[i]), 0);
	for (int i = 0; i < 1000; i += 3)
		timer_clear(&timers, &many[i]);
	timers_advance(&timers, 10000);
	assert_int_equal(fired, 666);
	assert_int_equal(timers_next_us(&timers), UINT64_MAX);
	timers_reset(&timers);
}

struct chain {
	struct timers timers;
	struct timer timer;
	unsigned left;
};

static void again(void *arg)
{
	struct chain *chain = arg;

	if (--chain->left > 0)
		timer_set(&chain->timers, &chain->timer, 100, again, chain);
}

static void test_a_chain_of_timers_is_exact_over_a_jump(void **state)
{
	struct chain chain = {.left = 5};

	(void)state;
	timers_init(&chain.timers, 1000);
	timer_set(&chain.timers, &chain.timer, 100, again, &chain);
	timers_advance(&chain.timers, 1499);
	assert_int_equal(chain.left, 1);
	timers_advance(&chain.timers, 1500);
	assert_int_equal(chain.left, 0);
	timers_reset(&chain.timers);
}

static void test_setting_again_moves_it(void **state)
{
	struct timers timers;
	struct timer timer = {0};

	(void)state;
	timers_init(&timers, 0);
	last_due = fired = 0;
	timer_set(&timers, &timer, 100, note, &timer);
	timer_set(&timers, &timer, 300, note, &timer);
	timers_advance(&timers, 200);
	assert_int_equal(fired, 0);
	timers_advance(&timers, 300);
	assert_int_equal(fired, 1);
	timers_reset(&timers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_thousand_fire_in_order),
		cmocka_unit_test(test_a_chain_of_timers_is_exact_over_a_jump),
		cmocka_unit_test(test_setting_again_moves_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
