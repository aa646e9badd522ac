/*
 * The n-th allocation of the pool fails, for every n: there is no crash and no leak, the stream ends or
 * is refused, and the next one is heard normally.
 *
 * argv[1] is levels_worker.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"
#include "mem_fail.h"

/* More allocations than there are until the words of one stream have arrived. */
#define ALLOCATIONS 40

static const char *program;

static void hear_well(struct bed *bed)
{
	struct talk talk;

	talk_start(bed, &talk, "");
	talk_say(&talk, 1, 3);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_int_equal(talk.how, HEARING_DONE);
	assert_string_equal(talk.finals, "w1 w2 w3");
}

static bool has_models(void *arg)
{
	struct bed *bed = arg;

	return hearing_models_count(hearing_pool_hearing(bed->pool)->models) > 0;
}

static void test_a_stream_is_heard_after_any_lost_allocation(void **state)
{
	(void)state;
	for (size_t n = 1; n <= ALLOCATIONS; ++n) {
		struct bed bed;

		bed_open_failing(&bed, "hear", program, n);
		if (bed.pool) {
			bed_run_until(&bed, has_models, &bed);
			mem_fail_after(0);
			hear_well(&bed);
		}
		bed_close(&bed);
	}
}

static bool is_over(void *arg)
{
	const struct talk *talk = arg;

	return talk->ended || talk->is_lost;
}

static void test_a_stream_that_loses_an_allocation_is_refused_or_heard(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	bed_run_until_workers(&bed, 2);
	for (size_t n = 1; n <= 12; ++n) {
		struct talk talk;
		int err;

		mem_fail_after(n);
		err = talk_try(&bed, &talk, "");
		if (err) {
			assert_int_equal(err, ENOMEM);
			continue;
		}
		talk_say(&talk, 1, 3);
		talk_finish(&talk);
		bed_run_until(&bed, is_over, &talk);
		mem_fail_after(0);
		if (talk.ended)
			assert_int_equal(talk.how, HEARING_DONE);
		else
			talk_cancel(&talk); /* a piece could not be asked for */
	}
	mem_fail_after(0);
	hear_well(&bed);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stream_is_heard_after_any_lost_allocation),
		cmocka_unit_test(test_a_stream_that_loses_an_allocation_is_refused_or_heard),
	};

	if (argc < 2)
		return 2;
	program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
