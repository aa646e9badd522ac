/*
 * The n-th allocation of the pool fails, for every n: there is no crash and no leak,
 * the chunk ends or is refused, and the next one is spoken normally.
 *
 * argv[1] is the odd worker.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/mem.h"
#include "bed.h"
#include "mem_fail.h"

/* More allocations than the pool makes until one chunk has been spoken. */
#define ALLOCATIONS 40

static const char *odd_program;

static void test_a_chunk_is_spoken_after_any_lost_allocation(void **state)
{
	(void)state;
	for (size_t n = 1; n <= ALLOCATIONS; ++n) {
		struct bed bed;
		struct chunk chunk;

		bed_open_failing(&bed, "odd", odd_program, n);
		if (bed.pool) {
			bed_run(&bed);
			for (int i = 0; i < 100 && voices_count(pool_voices(bed.pool)) == 0; ++i)
				bed_pass(&bed, 50);
			mem_fail_after(0);
			assert_int_equal(voices_count(pool_voices(bed.pool)), 1);
			bed_speak(&bed, &chunk, "well");
			assert_int_equal(chunk.how, SPEECH_DONE);
			chunk_finish(&chunk);
		}
		bed_close(&bed);
	}
}

static void test_a_chunk_that_loses_an_allocation_is_refused_or_spoken(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){0});
	for (size_t n = 1; n <= 4; ++n) {
		struct chunk chunk;
		int err;

		mem_fail_after(n);
		err = bed_try(&bed, &chunk, "well");
		if (!err)
			bed_run(&bed);
		mem_fail_after(0);
		assert_true(err ? err == ENOMEM : chunk.how == SPEECH_DONE);
		chunk_finish(&chunk);
	}
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_chunk_is_spoken_after_any_lost_allocation),
		cmocka_unit_test(test_a_chunk_that_loses_an_allocation_is_refused_or_spoken),
	};

	if (argc < 2)
		return 2;
	odd_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
