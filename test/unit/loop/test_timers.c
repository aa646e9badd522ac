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
		timer_set(&timers, &many[i], (uint64_t)(rand() % 5000), note, &many[i]);
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

struct late {
	struct timers timers;
	struct timer timer;
	uint64_t now_us, real_us; /* when the timer fired */
};

static void note_late(void *arg)
{
	struct late *late = arg;

	late->now_us = late->timers.now_us;
	late->real_us = timers_real_us(&late->timers);
}

static void test_a_handler_can_know_how_late_it_is(void **state)
{
	struct late late = {.now_us = 0};

	(void)state;
	timers_init(&late.timers, 1000);
	assert_int_equal(timers_real_us(&late.timers), 1000);
	timer_set(&late.timers, &late.timer, 500, note_late, &late);
	timers_advance(&late.timers, 1750);
	assert_int_equal(late.now_us, 1500);
	assert_int_equal(late.real_us, 1750);
	late.timers.now_us = 2000; /* something else than a timer has happened */
	assert_int_equal(timers_real_us(&late.timers), 2000);
	timers_reset(&late.timers);
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

#define MODEL_TIMERS 64

/* A timer and, beside it, when it must fire: UINT64_MAX when it must not. */
struct modelled {
	struct timer timer;
	uint64_t expected_us;
};

static struct timers model_timers;

static void fire_as_expected(void *arg)
{
	struct modelled *modelled = arg;

	assert_int_equal(model_timers.now_us, modelled->expected_us);
	assert_false(timer_is_set(&modelled->timer));
	modelled->expected_us = UINT64_MAX;
}

static void check_against_model(const struct modelled *all)
{
	uint64_t earliest = UINT64_MAX;
	size_t count = 0;

	for (size_t i = 0; i < MODEL_TIMERS; ++i) {
		assert_int_equal(timer_is_set(&all[i].timer), all[i].expected_us != UINT64_MAX);
		count += timer_is_set(&all[i].timer);
		if (all[i].expected_us < earliest)
			earliest = all[i].expected_us;
	}
	assert_int_equal(model_timers.heap.count, count);
	assert_int_equal(timers_next_us(&model_timers), earliest);
}

static void test_any_order_of_setting_clearing_and_firing(void **state)
{
	static struct modelled all[MODEL_TIMERS];

	(void)state;
	timers_init(&model_timers, 0);
	srand(2);
	for (size_t i = 0; i < MODEL_TIMERS; ++i)
		all[i] = (struct modelled){.expected_us = UINT64_MAX};
	for (int step = 0; step < 20000; ++step) {
		struct modelled *modelled = &all[rand() % MODEL_TIMERS];
		uint64_t delay_us = (uint64_t)(rand() % 50);

		switch (rand() % 4) {
		case 0:
			timer_clear(&model_timers, &modelled->timer);
			modelled->expected_us = UINT64_MAX;
			break;
		case 1:
			timers_advance(&model_timers, model_timers.now_us + delay_us / 8);
			break;
		default:
			timer_set(&model_timers, &modelled->timer, delay_us, fire_as_expected,
				  modelled);
			modelled->expected_us = model_timers.now_us + delay_us;
			break;
		}
		check_against_model(all);
	}
	timers_reset(&model_timers);
	assert_int_equal(model_timers.heap.count, 0);
	for (size_t i = 0; i < MODEL_TIMERS; ++i)
		assert_false(timer_is_set(&all[i].timer));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_thousand_fire_in_order),
		cmocka_unit_test(test_a_chain_of_timers_is_exact_over_a_jump),
		cmocka_unit_test(test_a_handler_can_know_how_late_it_is),
		cmocka_unit_test(test_setting_again_moves_it),
		cmocka_unit_test(test_any_order_of_setting_clearing_and_firing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
