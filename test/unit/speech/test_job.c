/*
 * A chunk is joined from its tries without a step, a gap or a repetition, even on
 * an engine that never makes the same samples twice.
 *
 * argv[1] is the odd worker: every process of it speaks at a level of its own,
 * so that a sample tells which try made it.
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

#define SECOND 24000
#define FADE_LEN (SECOND * 5 / 1000)

static const char *odd_program;

/* Samples that are neither the level before them nor the one after. */
static size_t count_between(const struct chunk *chunk, int16_t from, int16_t to)
{
	size_t between = 0;

	for (size_t i = 0; i < chunk->count; ++i)
		between += chunk->samples[i] != from && chunk->samples[i] != to;
	return between;
}

static int largest_step(const struct chunk *chunk)
{
	int largest = 0;

	for (size_t i = 1; i < chunk->count; ++i) {
		int step = abs(chunk->samples[i] - chunk->samples[i - 1]);

		largest = step > largest ? step : largest;
	}
	return largest;
}

static void kill_all(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	children_signal(SIGKILL);
}

static void test_a_retry_is_joined_without_a_step(void **state)
{
	struct bed bed;
	struct chunk chunk;
	int16_t first, last;
	int rise;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){0});
	bed_start(&bed, &chunk, "well");
	chunk.on_audio = kill_all;
	bed_run(&bed);
	assert_int_equal(chunk.how, SPEECH_DONE);
	assert_int_equal(chunk.count, SECOND);
	assert_int_equal(bed_stats(&bed).retries, 1);
	first = chunk.samples[0];
	last = chunk.samples[SECOND - 1];
	rise = abs(last - first);
	assert_true(rise >= 2048);
	assert_true(largest_step(&chunk) <= rise / FADE_LEN + 1);
	assert_in_range(count_between(&chunk, first, last), FADE_LEN - 2, FADE_LEN);
	chunk_finish(&chunk);
	bed_close(&bed);
}

static unsigned hits;

static void hold_on_every_piece(struct chunk *chunk)
{
	++hits;
	chunk_hold(chunk, true);
}

/* Held again and again while another chunk needs the only worker: each time it
 * is made again from where it was. */
static void test_a_chunk_that_lends_its_worker_often_loses_nothing(void **state)
{
	struct bed bed;
	struct chunk slow, quick;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){.workers_max = 1});
	hits = 0;
	bed_start(&bed, &slow, "well");
	slow.on_audio = hold_on_every_piece;
	for (int i = 0; i < 3; ++i) {
		bed_start(&bed, &quick, "well");
		bed.open_chunks = 1; /* the held one does not end */
		bed_run(&bed);
		assert_int_equal(quick.how, SPEECH_DONE);
		assert_int_equal(quick.count, SECOND);
		chunk_finish(&quick);
		bed.open_chunks = 1;
		chunk_hold(&slow, false);
	}
	slow.on_audio = NULL;
	bed_run(&bed);
	assert_int_equal(slow.how, SPEECH_DONE);
	assert_int_equal(slow.count, SECOND);
	assert_in_range(bed_stats(&bed).taken_back, 1, 3);
	assert_true(hits > 0);
	chunk_finish(&slow);
	bed_close(&bed);
}

static struct chunk next_chunk;

static void start_next(struct chunk *chunk)
{
	bed_start(chunk->bed, &next_chunk, "well");
}

static void test_the_end_of_a_chunk_may_start_the_next(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){.workers_max = 1});
	bed_start(&bed, &chunk, "well");
	chunk.on_end = start_next;
	bed_run(&bed);
	assert_int_equal(chunk.how, SPEECH_DONE);
	assert_int_equal(next_chunk.how, SPEECH_DONE);
	assert_int_equal(next_chunk.count, SECOND);
	chunk_finish(&chunk);
	chunk_finish(&next_chunk);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_retry_is_joined_without_a_step),
		cmocka_unit_test(test_a_chunk_that_lends_its_worker_often_loses_nothing),
		cmocka_unit_test(test_the_end_of_a_chunk_may_start_the_next),
	};

	if (argc < 2)
		return 2;
	odd_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
