/*
 * The number of workers follows the work: more are started while there is memory for
 * them, and those that are not needed end after a while.
 *
 * argv[1] is the echo worker.  Time is moved by the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "echo.h"

#define SECOND_US UINT64_C(1000000)

static const char *program;

static unsigned count_workers(const struct echo_bed *bed)
{
	struct fleet_stats stats = {0};

	fleet_add_stats(bed->fleet, &stats);
	return stats.workers;
}

/* Timers fire as if this many seconds had passed; nothing else happens meanwhile. */
static void pass_seconds(struct echo_bed *bed, unsigned seconds)
{
	for (unsigned i = 0; i < seconds; ++i)
		timers_advance(&bed->loop->timers, loop_now_us(bed->loop) + SECOND_US);
}

static void grow(struct echo_bed *bed, unsigned wanted, unsigned count)
{
	echo_run_until(bed, &bed->readies, 1);
	bed->demand.waiting = wanted;
	fleet_staff(bed->fleet);
	echo_run_until(bed, &bed->readies, count);
	fleet_staff(bed->fleet);
	assert_int_equal(count_workers(bed), count);
}

static void test_workers_grow_with_the_demand_while_there_is_memory(void **state)
{
	struct fleet_memory memory = {.limit = UINT64_C(1) << 40};
	struct echo_bed bed;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){.workers_max = 64, .memory = &memory});
	grow(&bed, 11, 12); /* and one to spare */
	assert_false(fleet_is_full(bed.fleet));
	assert_true(memory.used >= UINT64_C(12) * 4096);
	echo_close(&bed);
	assert_int_equal(memory.used, 0);
}

/* One worker is wanted for the spare seat, and another one stands by; when one is busy, a third. */
static void test_idle_workers_stand_by(void **state)
{
	struct echo_bed bed;
	struct echo echo;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){.workers_max = 64});
	bed.demand.standby = 1;
	grow(&bed, 0, 2);
	echo_start(&bed, &echo, "hang", 0);
	fleet_staff(bed.fleet);
	echo_run_until(&bed, &bed.readies, 3);
	assert_int_equal(count_workers(&bed), 3);
	echo_close(&bed);
}

/* No more than workers_max, and none that there is no memory for beyond the seats that every fleet
 * may have. */
static void test_workers_that_stand_by_are_within_the_limits(void **state)
{
	struct fleet_memory memory = {0};
	struct echo_bed bed;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){.workers_max = 1});
	bed.demand.standby = 1;
	grow(&bed, 0, 1);
	assert_true(fleet_is_full(bed.fleet));
	echo_close(&bed);

	echo_open(&bed, program, (struct fleet_options){.workers_max = 64, .memory = &memory});
	bed.demand.standby = 8;
	echo_run_until(&bed, &bed.readies, 1);
	memory.limit = 1;
	fleet_staff(bed.fleet);
	while (!fleet_is_full(bed.fleet) || bed.readies < count_workers(&bed))
		echo_pass(&bed, 1);
	assert_in_range(count_workers(&bed), 4, 5);
	echo_close(&bed);
}

static void test_workers_stop_growing_when_memory_is_used_up(void **state)
{
	struct fleet_memory memory = {0};
	struct echo_bed bed;
	unsigned count;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){.workers_max = 64, .memory = &memory});
	echo_run_until(&bed, &bed.readies, 1);
	memory.limit = 13 * memory.used / 2; /* six and a half of them */
	bed.demand.waiting = 30;
	fleet_staff(bed.fleet);
	while (!fleet_is_full(bed.fleet) || bed.readies < count_workers(&bed))
		echo_pass(&bed, 1);
	count = count_workers(&bed);
	assert_in_range(count, 5, 8); /* they are not all of the same size */
	assert_true(memory.used <= memory.limit + memory.limit / 6);
	fleet_staff(bed.fleet);
	assert_int_equal(count_workers(&bed), count);
	echo_close(&bed);
}

static void test_a_few_seats_are_there_whatever_they_take(void **state)
{
	struct fleet_memory memory = {.limit = 1};
	struct echo_bed bed;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){.workers_max = 64, .memory = &memory});
	grow(&bed, 30, 4);
	assert_true(fleet_is_full(bed.fleet));
	echo_close(&bed);
}

/* Two fleets share the memory: what one uses is not available to the other. */
static void test_memory_is_shared_with_other_fleets(void **state)
{
	struct fleet_memory memory = {.limit = UINT64_C(1) << 40, .used = UINT64_C(1) << 40};
	struct echo_bed bed;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){.workers_max = 64, .memory = &memory});
	grow(&bed, 30, 4);
	memory.used -= UINT64_C(1) << 39; /* the other one has ended workers */
	fleet_staff(bed.fleet);
	echo_run_until(&bed, &bed.readies, 6);
	echo_close(&bed);
}

static void test_idle_workers_end_after_a_while(void **state)
{
	struct echo_bed bed;
	struct echo echo;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){.workers_max = 64});
	grow(&bed, 19, 20);
	bed.demand = (struct fleet_demand){.spare = 4};
	for (unsigned i = 0; i < 10; ++i)
		echo_start(&bed, &echo, "hello", 0);
	pass_seconds(&bed, 200);
	assert_int_equal(count_workers(&bed), 10 + 4);
	echo_close(&bed);
}

static void test_workers_that_were_needed_lately_stay(void **state)
{
	struct echo_bed bed;
	struct echo echoes[10];

	(void)state;
	echo_open(&bed, program, (struct fleet_options){.workers_max = 64});
	grow(&bed, 13, 14);
	bed.demand = (struct fleet_demand){.spare = 4};
	for (unsigned i = 0; i < 10; ++i)
		echo_start(&bed, &echoes[i], "hello", 5);
	echo_run_until(&bed, &bed.done, 10);
	pass_seconds(&bed, 55);
	assert_int_equal(count_workers(&bed), 14);
	pass_seconds(&bed, 130);
	assert_int_equal(count_workers(&bed), 4);
	assert_non_null(fleet_pick(bed.fleet));
	echo_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workers_grow_with_the_demand_while_there_is_memory),
		cmocka_unit_test(test_idle_workers_stand_by),
		cmocka_unit_test(test_workers_that_stand_by_are_within_the_limits),
		cmocka_unit_test(test_workers_stop_growing_when_memory_is_used_up),
		cmocka_unit_test(test_a_few_seats_are_there_whatever_they_take),
		cmocka_unit_test(test_memory_is_shared_with_other_fleets),
		cmocka_unit_test(test_idle_workers_end_after_a_while),
		cmocka_unit_test(test_workers_that_were_needed_lately_stay),
	};

	if (argc < 2)
		return 2;
	program = realpath(argv[1], NULL);
	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
