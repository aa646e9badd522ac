/*
 * A fleet does any kind of work: these workers send text back.  They are child
 * processes, which the fleet starts and replaces, or connected over TCP; these may
 * connect and end at any time.
 *
 * argv[1] is the echo worker.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "echo.h"

static const char *program;

static struct fleet_stats stats_of(const struct echo_bed *bed)
{
	struct fleet_stats stats = {0};

	fleet_add_stats(bed->fleet, &stats);
	return stats;
}

static void test_a_child_does_work_that_is_not_speech(void **state)
{
	struct echo_bed bed;
	struct echo echo;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){0});
	assert_false(fleet_has_answered(bed.fleet));
	echo_run_until(&bed, &bed.readies, 1);
	assert_string_equal(bed.motto, "from a child");
	assert_true(fleet_has_answered(bed.fleet));
	echo_start(&bed, &echo, "hello, hello", 5);
	echo_run_until(&bed, &echo.pieces, 1);
	assert_int_equal(echo.len, 5); /* and waits for more credit */
	assert_int_equal(seat_credit(echo.seat), 0);
	seat_grant(echo.seat, 100);
	echo_run_until(&bed, &bed.done, 1);
	assert_int_equal(echo.len, strlen("hello, hello"));
	assert_int_equal(stats_of(&bed).seats_taken, 0);
	echo_close(&bed);
}

static void test_work_that_kills_a_child_is_told_and_the_child_is_replaced(void **state)
{
	struct echo_bed bed;
	struct echo echo;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){0});
	echo_run_until(&bed, &bed.readies, 1);
	echo_start(&bed, &echo, "die", 3);
	echo_run_until(&bed, &bed.lost, 1);
	assert_int_equal(echo.lost_with, 1);
	echo_run_until(&bed, &bed.readies, 2);
	assert_int_equal(bed.restarts, 1);
	assert_int_equal(stats_of(&bed).deaths, 1);
	assert_true(fleet_last_serial(bed.fleet) >= 2);
	echo_start(&bed, &echo, "well", 4);
	echo_run_until(&bed, &bed.done, 1);
	echo_close(&bed);
}

static void test_as_many_children_start_as_the_demand_asks_for(void **state)
{
	struct echo_bed bed;

	(void)state;
	echo_open(&bed, program, (struct fleet_options){.workers_max = 3});
	echo_run_until(&bed, &bed.readies, 1);
	assert_int_equal(stats_of(&bed).workers, 1);
	bed.demand.waiting = 10;
	fleet_staff(bed.fleet);
	echo_run_until(&bed, &bed.readies, 3);
	assert_int_equal(stats_of(&bed).workers, 3);
	assert_true(fleet_is_full(bed.fleet));
	assert_int_equal(bed.news, 1); /* the other workers are of the same kind */
	echo_close(&bed);
}

static void test_a_program_that_is_not_there_is_given_up(void **state)
{
	struct echo_bed bed;

	(void)state;
	echo_open(&bed, "/no such program", (struct fleet_options){0});
	echo_run_until(&bed, &bed.given_up, 1);
	assert_true(fleet_is_given_up(bed.fleet));
	assert_true(fleet_has_answered(bed.fleet));
	echo_close(&bed);
}

static void test_a_worker_that_was_connected_does_work(void **state)
{
	struct echo_bed bed;
	struct echo_peer peer = {.seats = 2};
	struct echo echo, another;

	(void)state;
	echo_open(&bed, NULL, (struct fleet_options){0});
	assert_null(fleet_pick(bed.fleet));
	echo_connect(&bed, &peer);
	echo_run_until(&bed, &bed.readies, 1);
	assert_string_equal(bed.motto, "from afar");
	echo_start(&bed, &echo, "over TCP", 100);
	echo_start(&bed, &another, "twice", 100);
	assert_null(fleet_pick(bed.fleet));
	echo_run_until(&bed, &bed.done, 2);
	assert_int_equal(echo.len, strlen("over TCP"));
	assert_int_equal(another.len, strlen("twice"));
	assert_non_null(fleet_pick(bed.fleet));
	echo_disconnect(&peer);
	echo_close(&bed);
}

/* No worker is started in its place; the work that it had is given to another one. */
static void test_losing_a_connected_worker_closes_its_stream(void **state)
{
	struct echo_bed bed;
	struct echo_peer gone = {.seats = 1, .is_silent = true};
	struct echo_peer other = {.seats = 4};
	struct echo echo;

	(void)state;
	echo_open(&bed, NULL, (struct fleet_options){0});
	echo_connect(&bed, &gone);
	echo_run_until(&bed, &bed.readies, 1);
	echo_start(&bed, &echo, "in vain", 100);
	echo_run_until(&bed, &gone.started, 1);
	echo_connect(&bed, &other);
	echo_run_until(&bed, &bed.readies, 2);
	echo_disconnect(&gone);
	echo_run_until(&bed, &bed.lost, 1);
	assert_int_equal(echo.lost_with, 1);
	assert_int_equal(stats_of(&bed).workers, 1);
	/* A group claims any idle worker, however old, because none will be started for it. */
	bed.demand.groups = 1;
	assert_int_equal(fleet_claim(bed.fleet, fleet_last_serial(bed.fleet)), 2);
	assert_null(fleet_pick(bed.fleet));
	assert_int_equal(fleet_claim(bed.fleet, 0), 0);
	fleet_release(bed.fleet, 2);
	bed.demand.groups = 0;
	assert_ptr_equal(fleet_find(bed.fleet, 2), fleet_pick(bed.fleet));
	echo_start(&bed, &echo, "again", 100);
	echo_run_until(&bed, &bed.done, 1);
	assert_int_equal(bed.given_up, 0);
	echo_disconnect(&other);
	echo_close(&bed);
}

static void test_a_connected_worker_that_hangs_is_cut_off(void **state)
{
	struct echo_bed bed;
	struct echo_peer peer = {.seats = 1, .is_silent = true};
	struct echo echo;

	(void)state;
	echo_open(&bed, NULL, (struct fleet_options){.stall_ms = 200});
	echo_connect(&bed, &peer);
	echo_run_until(&bed, &bed.readies, 1);
	echo_start(&bed, &echo, "hello?", 100);
	echo_run_until(&bed, &bed.lost, 1);
	while (peer.endpoint)
		echo_pass(&bed, 1);
	assert_int_equal(stats_of(&bed).workers, 0);
	echo_close(&bed);
}

/* Work that is done in batches does not take the machine's cores, and each connection brings slots
 * of its own. */
static void test_slots_are_what_the_workers_announce(void **state)
{
	struct echo_bed bed;
	struct echo_peer peers[2] = {{.seats = 64, .batch = 32}, {.seats = 64, .batch = 16}};

	(void)state;
	echo_open(&bed, NULL, (struct fleet_options){0});
	assert_int_equal(fleet_slots(bed.fleet), 0);
	echo_connect(&bed, &peers[0]);
	echo_run_until(&bed, &bed.readies, 1);
	assert_int_equal(fleet_slots(bed.fleet), 32);
	echo_connect(&bed, &peers[1]);
	echo_run_until(&bed, &bed.readies, 2);
	assert_int_equal(fleet_slots(bed.fleet), 48);
	echo_disconnect(&peers[0]);
	while (stats_of(&bed).workers == 2)
		echo_pass(&bed, 1);
	assert_int_equal(fleet_slots(bed.fleet), 16);
	echo_disconnect(&peers[1]);
	echo_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_child_does_work_that_is_not_speech),
		cmocka_unit_test(test_work_that_kills_a_child_is_told_and_the_child_is_replaced),
		cmocka_unit_test(test_as_many_children_start_as_the_demand_asks_for),
		cmocka_unit_test(test_a_program_that_is_not_there_is_given_up),
		cmocka_unit_test(test_a_worker_that_was_connected_does_work),
		cmocka_unit_test(test_losing_a_connected_worker_closes_its_stream),
		cmocka_unit_test(test_a_connected_worker_that_hangs_is_cut_off),
		cmocka_unit_test(test_slots_are_what_the_workers_announce),
	};

	if (argc < 2)
		return 2;
	program = realpath(argv[1], NULL);
	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
