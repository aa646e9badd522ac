/*
 * Engines that speak many texts in one process: that process is enough for all
 * of them, and is replaced without a gap.  What its death means for them is in
 * test_retry.c.
 *
 * argv[1] is the odd worker; every process of it speaks at a level of its own,
 * so that a sample tells which one it was.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"
#include "children.h"

#define SECOND 24000

static const char *odd_program;

static unsigned worker_count(void)
{
	pid_t pids[CHILDREN_MAX];

	return children_list(pids, CHILDREN_MAX);
}

/* Which process spoke a chunk, counted from 1. */
static int speaker_of(const struct chunk *chunk)
{
	return chunk->samples[0] / 2048;
}

static void assert_spoken(struct chunk *chunk)
{
	assert_int_equal(chunk->how, SPEECH_DONE);
	assert_int_equal(chunk->count, SECOND);
	chunk_finish(chunk);
}

static void test_one_worker_with_many_seats_is_staff_enough(void **state)
{
	enum { CHUNKS = 20 };
	struct bed bed;
	struct chunk chunks[CHUNKS];

	(void)state;
	bed_open_ready(&bed, "many", odd_program, (struct pool_options){.workers_max = 8});
	for (int i = 0; i < CHUNKS; ++i)
		bed_start(&bed, &chunks[i], "well");
	bed_run(&bed);
	assert_int_equal(worker_count(), 1);
	assert_int_equal(bed_starts(&bed), 1);
	for (int i = 0; i < CHUNKS; ++i)
		assert_spoken(&chunks[i]);
	bed_close(&bed);
}

static void test_hundreds_of_jobs_share_one_worker(void **state)
{
	enum { CHUNKS = 200 };
	struct bed bed;
	struct chunk chunks[CHUNKS];

	(void)state;
	bed_open_ready(&bed, "crowd", odd_program, (struct pool_options){.slots = 64});
	for (int i = 0; i < CHUNKS; ++i)
		bed_start(&bed, &chunks[i], "well");
	bed_run(&bed);
	assert_int_equal(bed_starts(&bed), 1);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	for (int i = 0; i < CHUNKS; ++i)
		assert_spoken(&chunks[i]);
	bed_close(&bed);
}

static const struct voice *voice_of(const struct bed *bed, const char *engine)
{
	const struct voices *voices = pool_voices(bed->pool);

	for (size_t i = 0; i < voices_count(voices); ++i) {
		if (strcmp(voices_at(voices, i)->engine, engine) == 0)
			return voices_at(voices, i);
	}
	return NULL;
}

/* The machine has one slot here.  An engine that makes eight jobs at once neither waits for it nor
 * takes it from the other engine. */
static void test_an_engine_that_batches_has_slots_of_its_own(void **state)
{
	enum { CHUNKS = 12 };
	struct bed bed;
	struct chunk batched[CHUNKS], others[CHUNKS];

	(void)state;
	bed_also("many");
	bed_open_ready(&bed, "batch", odd_program, (struct pool_options){.slots = 1});
	bed.voice = voice_of(&bed, "many");
	for (int i = 0; i < CHUNKS; ++i)
		bed_start(&bed, &others[i], "nothing");
	bed_pass(&bed, 20);
	assert_int_equal(bed_stats(&bed).jobs_running, 1);
	bed.voice = voice_of(&bed, "batch");
	for (int i = 0; i < CHUNKS; ++i)
		bed_start(&bed, &batched[i], "nothing");
	bed_pass(&bed, 20);
	assert_int_equal(bed_stats(&bed).jobs_running, 1 + 8);
	assert_int_equal(bed_stats(&bed).seats_taken, 1 + 8);
	for (int i = 0; i < CHUNKS; ++i) {
		chunk_cancel(&others[i]);
		chunk_cancel(&batched[i]);
		chunk_finish(&others[i]);
		chunk_finish(&batched[i]);
	}
	bed_close(&bed);
}

static void test_more_workers_come_when_seats_run_short(void **state)
{
	enum { CHUNKS = 6 };
	struct bed bed;
	struct chunk chunks[CHUNKS];

	(void)state;
	bed_open_ready(&bed, "two", odd_program, (struct pool_options){.workers_max = 8});
	for (int i = 0; i < CHUNKS; ++i)
		bed_start(&bed, &chunks[i], "well");
	bed_run(&bed);
	assert_in_range(bed_stats(&bed).workers, 3, 5);
	for (int i = 0; i < CHUNKS; ++i)
		assert_spoken(&chunks[i]);
	bed_close(&bed);
}

static void hold_it(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	chunk_hold(chunk, true);
}

/* The worker has done as many jobs as it may while one of them is held: that one ends on this worker,
 * and for the others its successor is ready. */
static void test_a_worn_worker_is_replaced_without_a_gap(void **state)
{
	struct bed bed;
	struct chunk held, chunk;
	unsigned meanwhile = 0;
	int last = 1;

	(void)state;
	bed_open_ready(&bed, "manyslow", odd_program, (struct pool_options){.recycle_jobs = 3});
	bed_start(&bed, &held, "well");
	held.on_audio = hold_it;
	while (held.on_audio)
		bed_pass(&bed, 1);
	while (last == 1) {
		bool is_starting = bed_stats(&bed).starting > 0;

		bed_start(&bed, &chunk, "well");
		bed.open_chunks = 1; /* the held one does not end */
		bed_run(&bed);
		last = speaker_of(&chunk);
		assert_spoken(&chunk);
		if (is_starting) /* it did not wait for the successor */
			assert_int_equal(last, 1);
		meanwhile += is_starting;
	}
	assert_int_equal(last, 2);
	assert_true(meanwhile > 0);
	bed.open_chunks = 1;
	chunk_hold(&held, false);
	bed_run(&bed);
	assert_int_equal(speaker_of(&held), 1);
	assert_spoken(&held);
	bed_wait_for_workers(&bed, 1);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	bed_close(&bed);
}

/* With one slot only the first had a seat when the worker died. */
static void test_those_who_queue_outwait_the_start_after_a_death(void **state)
{
	struct bed bed;
	struct chunk bad, next;

	(void)state;
	bed_open_ready(&bed, "manyslow", odd_program,
		       (struct pool_options){.slots = 1, .start_timeout_ms = 900});
	bed_start_due(&bed, &bad, "nothing", true, loop_now_us(bed.loop));
	bed_pass(&bed, 50);
	bed_start_due(&bed, &next, "well", true, loop_now_us(bed.loop));
	bed_pass(&bed, 500);
	children_signal(SIGKILL);
	bed_pass(&bed, 10);
	chunk_cancel(&bad);
	bed_run(&bed);
	assert_spoken(&next);
	chunk_finish(&bad);
	bed_close(&bed);
}

static struct chunk *other;
static size_t other_had;

static void note_other(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	other_had = other->count;
}

/* With one slot: the second's window begins when all of the first's was sent. */
static void test_what_a_window_made_does_not_wait_for_the_window_of_another(void **state)
{
	struct bed bed;
	struct chunk a, b;
	uint64_t now;

	(void)state;
	bed_open_ready(&bed, "many", odd_program, (struct pool_options){.slots = 1});
	now = loop_now_us(bed.loop);
	bed_start_due(&bed, &a, "in windows", false, now);
	bed_start_due(&bed, &b, "in windows", false, now + 1);
	other = &a;
	other_had = 0;
	b.on_audio = note_other;
	bed_run(&bed);
	/* Without the 5 ms that are kept for a join. */
	assert_int_equal(other_had, SECOND / 2 - SECOND / 200);
	assert_spoken(&a);
	assert_spoken(&b);
	bed_close(&bed);
}

static void test_windows_of_callers_take_turns(void **state)
{
	enum { CALLERS = 4 };
	struct bed bed;
	struct chunk callers[CALLERS];
	uint64_t now;

	(void)state;
	bed_open_ready(&bed, "many", odd_program, (struct pool_options){.slots = 1});
	now = loop_now_us(bed.loop);
	for (unsigned i = 0; i < CALLERS; ++i)
		bed_start_due(&bed, &callers[i], "in windows", false, now + i);
	while (bed.sounds < CALLERS)
		bed_pass(&bed, 1);
	for (unsigned i = 0; i < CALLERS; ++i)
		assert_false(callers[i].ended); /* none was spoken to its end before */
	bed_run(&bed);
	for (unsigned i = 0; i < CALLERS; ++i)
		assert_spoken(&callers[i]);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_worker_with_many_seats_is_staff_enough),
		cmocka_unit_test(test_hundreds_of_jobs_share_one_worker),
		cmocka_unit_test(test_an_engine_that_batches_has_slots_of_its_own),
		cmocka_unit_test(test_more_workers_come_when_seats_run_short),
		cmocka_unit_test(test_a_worn_worker_is_replaced_without_a_gap),
		cmocka_unit_test(test_those_who_queue_outwait_the_start_after_a_death),
		cmocka_unit_test(test_what_a_window_made_does_not_wait_for_the_window_of_another),
		cmocka_unit_test(test_windows_of_callers_take_turns),
	};

	if (argc < 2)
		return 2;
	odd_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
