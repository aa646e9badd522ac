/*
 * An engine that does not start, or ends soon after: it is tried again after pauses,
 * is used when it works at last, and never disturbs other engines.
 *
 * argv[1] is the odd worker.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"
#include "children.h"

static const char *odd_program;

static void assert_spoken(struct bed *bed)
{
	struct chunk chunk;

	bed_speak(bed, &chunk, "well");
	assert_int_equal(chunk.how, SPEECH_DONE);
	chunk_finish(&chunk);
}

static void test_an_engine_that_was_given_up_has_its_voices_when_it_comes(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "late", odd_program, (struct pool_options){0});
	assert_int_equal(voices_count(pool_voices(bed.pool)), 0);
	for (int i = 0; i < 100 && voices_count(pool_voices(bed.pool)) == 0; ++i)
		bed_pass(&bed, 100);
	assert_int_equal(voices_count(pool_voices(bed.pool)), 1);
	assert_spoken(&bed);
	bed_close(&bed);
}

static void test_an_engine_that_dies_once_ready_is_started_with_pauses(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "brief", odd_program, (struct pool_options){0});
	bed_pass(&bed, 1000);
	assert_in_range(bed_starts(&bed), 2, 20);
	bed_close(&bed);
}

static void test_an_engine_that_never_is_ready_is_given_up(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "endless", odd_program, (struct pool_options){.stall_ms = 200});
	assert_in_range(bed_starts(&bed), 3, 4);
	bed_close(&bed);
}

static void kill_all(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	children_signal(SIGKILL);
}

static void test_workers_that_are_killed_are_replaced_at_once(void **state)
{
	struct bed bed;
	struct chunk chunk;
	uint64_t began_us;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){0});
	assert_spoken(&bed);
	bed_start(&bed, &chunk, "well");
	chunk.on_audio = kill_all;
	began_us = loop_now_us(bed.loop);
	bed_run(&bed);
	assert_int_equal(chunk.how, SPEECH_DONE);
	assert_true(loop_now_us(bed.loop) - began_us < 1000000);
	chunk_finish(&chunk);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_engine_that_was_given_up_has_its_voices_when_it_comes),
		cmocka_unit_test(test_an_engine_that_dies_once_ready_is_started_with_pauses),
		cmocka_unit_test(test_an_engine_that_never_is_ready_is_given_up),
		cmocka_unit_test(test_workers_that_are_killed_are_replaced_at_once),
	};

	if (argc < 2)
		return 2;
	odd_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
