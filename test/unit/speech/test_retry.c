/*
 * The jobs of a worker that dies are made again in groups: the job that kills its worker fails, the
 * others are heard whole, and those that are not in its group are not interrupted again.
 *
 * argv[1] is the odd worker; every process of it speaks at a level of its own, so that a sample
 * tells which one it was.
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
#include "speech/pool_private.h"

#define SECOND 24000

enum { CROWD = 31 };

struct crowd {
	struct chunk good[CROWD];
};

static const char *odd_program;

static void assert_spoken(struct chunk *chunk)
{
	assert_int_equal(chunk->how, SPEECH_DONE);
	assert_int_equal(chunk->count, SECOND);
	chunk_finish(chunk);
}

static void assert_failed(struct chunk *chunk)
{
	assert_int_equal(chunk->how, SPEECH_FAILED);
	chunk_finish(chunk);
}

static void start_crowd(struct bed *bed, struct crowd *crowd, bool first)
{
	for (int i = 0; i < CROWD; ++i)
		bed_start_due(bed, &crowd->good[i], "well", first, loop_now_us(bed->loop));
}

static void assert_crowd_spoken(struct crowd *crowd)
{
	for (int i = 0; i < CROWD; ++i)
		assert_spoken(&crowd->good[i]);
}

/* All jobs have credit at once, as on an engine that makes many at once. */
static void open_bed(struct bed *bed, const char *name)
{
	bed_open_ready(bed, name, odd_program,
		       (struct pool_options){.workers_max = 8, .slots = 64});
}

static void run_until_deaths(struct bed *bed, unsigned deaths)
{
	while (bed_stats(bed).worker_deaths < deaths)
		bed_pass(bed, 1);
}

static void test_a_first_death_spreads_the_jobs_over_idle_workers(void **state)
{
	(void)state;
	assert_int_equal(retry_group_count(64, 1, 0), 2);
	assert_int_equal(retry_group_count(64, 1, 1), 2);
	assert_int_equal(retry_group_count(64, 1, 5), 5);
	assert_int_equal(retry_group_count(3, 1, 5), 3);
	assert_int_equal(retry_group_count(1, 1, 5), 1);
}

static void test_a_group_is_halved_three_times_and_then_each_job_is_alone(void **state)
{
	unsigned size = 32;

	(void)state;
	for (unsigned deaths = 2; deaths <= 4; ++deaths) {
		assert_int_equal(retry_group_count(size, deaths, 9), 2);
		size = retry_group_size(0, 2, size, size);
	}
	assert_int_equal(size, 4);
	assert_int_equal(retry_group_count(size, 5, 0), size);
}

static void test_every_job_is_in_one_group_and_none_is_empty(void **state)
{
	(void)state;
	for (unsigned jobs = 1; jobs <= 70; ++jobs) {
		for (unsigned running = 0; running <= jobs; ++running) {
			for (unsigned groups = 1; groups <= jobs && groups <= 6; ++groups) {
				unsigned sum = 0;

				for (unsigned i = 0; i < groups; ++i) {
					unsigned size = retry_group_size(i, groups, jobs, running);

					assert_true(size > 0);
					sum += size;
				}
				assert_int_equal(sum, jobs);
			}
		}
	}
}

static void test_jobs_that_waited_are_not_grouped_with_those_that_ran(void **state)
{
	(void)state;
	assert_int_equal(retry_group_size(0, 2, 64, 2), 2);
	assert_int_equal(retry_group_size(1, 2, 64, 2), 62);
	/* They are more than half: a half of all is still as many as a group may have. */
	assert_int_equal(retry_group_size(0, 2, 64, 50), 32);
	assert_int_equal(retry_group_size(0, 2, 64, 0), 32);
}

/* The groups are of 32, 16, 8, 4 and 2 jobs, and then of one.  A job is made again only if it was
 * in a group that died. */
static void test_one_culprit_among_many_is_found_by_halving(void **state)
{
	struct bed bed;
	struct crowd crowd;
	struct chunk bad;

	(void)state;
	open_bed(&bed, "many");
	start_crowd(&bed, &crowd, false);
	bed_start(&bed, &bad, "die");
	bed_run(&bed);
	assert_failed(&bad);
	assert_crowd_spoken(&crowd);
	assert_in_range(bed_stats(&bed).worker_deaths, 2, 6);
	assert_true(bed_stats(&bed).retries <= 32 + 16 + 8 + 4 + 2);
	assert_true(bed_starts(&bed) <= 2 + 2 * 6);
	bed_wait_for_workers(&bed, 1);
	bed_close(&bed);
}

static void test_two_culprits_fail_and_nobody_else(void **state)
{
	struct bed bed;
	struct crowd crowd;
	struct chunk bad[2];

	(void)state;
	open_bed(&bed, "many");
	bed_start(&bed, &bad[0], "die");
	start_crowd(&bed, &crowd, false);
	bed_start(&bed, &bad[1], "die");
	bed_run(&bed);
	assert_failed(&bad[0]);
	assert_failed(&bad[1]);
	assert_crowd_spoken(&crowd);
	assert_in_range(bed_stats(&bed).worker_deaths, 3, 1 + 2 * 5);
	bed_wait_for_workers(&bed, 1);
	bed_close(&bed);
}

static void test_two_kills_from_outside_fail_nobody(void **state)
{
	struct bed bed;
	struct crowd crowd;
	uint64_t before;

	(void)state;
	open_bed(&bed, "many");
	start_crowd(&bed, &crowd, false);
	while (bed.sounds < CROWD)
		bed_pass(&bed, 1);
	children_signal(SIGKILL);
	run_until_deaths(&bed, 1);
	while (bed_stats(&bed).seats_taken == 0)
		bed_pass(&bed, 1);
	before = bed_stats(&bed).retries;
	children_signal(SIGKILL);
	while (bed_stats(&bed).retries == before)
		bed_pass(&bed, 1);
	bed_run(&bed);
	assert_crowd_spoken(&crowd);
	bed_close(&bed);
}

/* With one slot the job that had credit at the first kill is alone from then on. */
static void test_a_job_alone_that_came_further_is_not_blamed_for_a_kill(void **state)
{
	enum { FEW = 6 };
	struct bed bed;
	struct chunk chunks[FEW];
	size_t had[FEW];
	uint64_t before;

	(void)state;
	bed_open_ready(&bed, "many", odd_program, (struct pool_options){.slots = 1});
	for (int i = 0; i < FEW; ++i)
		bed_start(&bed, &chunks[i], "slowly");
	while (bed.sounds < FEW)
		bed_pass(&bed, 1);
	children_signal(SIGKILL);
	run_until_deaths(&bed, 1);
	for (int i = 0; i < FEW; ++i)
		had[i] = chunks[i].count;
	for (int i = 0; i < FEW; ++i) {
		while (!chunks[i].ended && chunks[i].count <= had[i] + SECOND / 100)
			bed_pass(&bed, 1);
	}
	before = bed_stats(&bed).retries;
	children_signal(SIGKILL);
	while (bed_stats(&bed).retries == before)
		bed_pass(&bed, 1);
	bed_run(&bed);
	for (int i = 0; i < FEW; ++i)
		assert_spoken(&chunks[i]);
	bed_close(&bed);
}

/* With two slots the culprit had credit and one other job at most. */
static void test_jobs_without_credit_are_not_interrupted_again(void **state)
{
	enum { WAITING = 12 };
	struct bed bed;
	struct chunk waiting[WAITING], bad;

	(void)state;
	bed_open_ready(&bed, "many", odd_program, (struct pool_options){.slots = 2});
	for (int i = 0; i < WAITING; ++i)
		bed_start(&bed, &waiting[i], "well");
	while (bed.sounds < WAITING)
		bed_pass(&bed, 1);
	bed_start_due(&bed, &bad, "die", false, 0);
	bed_run(&bed);
	assert_failed(&bad);
	for (int i = 0; i < WAITING; ++i)
		assert_spoken(&waiting[i]);
	assert_in_range(bed_stats(&bed).worker_deaths, 2, 3);
	assert_true(bed_stats(&bed).retries <= WAITING + 1 + 2);
	bed_close(&bed);
}

static void test_a_job_that_is_alone_when_it_kills_again_fails(void **state)
{
	struct bed bed;
	struct chunk bad;

	(void)state;
	open_bed(&bed, "many");
	bed_speak(&bed, &bad, "die");
	assert_failed(&bad);
	assert_int_equal(bed_stats(&bed).worker_deaths, 2);
	bed_close(&bed);
}

/* It neither waits for the groups nor shares a worker with them: one process speaks all of it. */
static void test_new_jobs_are_kept_apart_from_suspects(void **state)
{
	struct bed bed;
	struct crowd crowd;
	struct chunk bad, fresh;
	unsigned most = 0;

	(void)state;
	open_bed(&bed, "many");
	start_crowd(&bed, &crowd, false);
	bed_start(&bed, &bad, "die");
	run_until_deaths(&bed, 1);
	bed_start_due(&bed, &fresh, "well", true, loop_now_us(bed.loop) + 60000000);
	while (bed.open_chunks > 0) {
		bed_pass(&bed, 5);
		most = bed_stats(&bed).workers > most ? bed_stats(&bed).workers : most;
	}
	for (int i = 1; i < SECOND; ++i)
		assert_int_equal(fresh.samples[i], fresh.samples[0]);
	assert_spoken(&fresh);
	assert_failed(&bad);
	assert_crowd_spoken(&crowd);
	assert_in_range(most, 2, 1 + 4 + 1); /* the staff may be claimed once and replaced */
	bed_close(&bed);
}

static void test_groups_outwait_an_engine_that_starts_slowly(void **state)
{
	struct bed bed;
	struct crowd crowd;
	struct chunk bad;

	(void)state;
	bed_open_ready(
		&bed, "manyslow", odd_program,
		(struct pool_options){.workers_max = 8, .slots = 64, .start_timeout_ms = 300});
	start_crowd(&bed, &crowd, true);
	bed_start_due(&bed, &bad, "die", true, loop_now_us(bed.loop));
	bed_run(&bed);
	assert_failed(&bad);
	assert_crowd_spoken(&crowd);
	bed_close(&bed);
}

/* The workers that were started for the groups end, and nothing else is left. */
static void test_jobs_may_be_cancelled_in_their_groups(void **state)
{
	struct bed bed;
	struct crowd crowd;
	struct chunk bad;

	(void)state;
	open_bed(&bed, "many");
	start_crowd(&bed, &crowd, false);
	bed_start(&bed, &bad, "die");
	run_until_deaths(&bed, 2);
	for (int i = 0; i < CROWD; ++i) {
		if (!crowd.good[i].ended)
			chunk_cancel(&crowd.good[i]);
		chunk_finish(&crowd.good[i]);
	}
	if (!bad.ended)
		chunk_cancel(&bad);
	chunk_finish(&bad);
	bed_wait_for_workers(&bed, 1);
	assert_int_equal(bed_stats(&bed).seats_taken, 0);
	bed_close(&bed);
}

/* No worker is kept for jobs that are all held; each gets one when it continues. */
static void test_held_jobs_of_a_group_go_on_later(void **state)
{
	enum { HELD = 6 };
	struct bed bed;
	struct chunk held[HELD];

	(void)state;
	open_bed(&bed, "many");
	for (int i = 0; i < HELD; ++i)
		bed_start(&bed, &held[i], "slowly");
	while (bed.sounds < HELD)
		bed_pass(&bed, 1);
	for (int i = 0; i < HELD; ++i)
		chunk_hold(&held[i], true);
	children_signal(SIGKILL);
	run_until_deaths(&bed, 1);
	bed_wait_for_workers(&bed, 1);
	assert_int_equal(bed_stats(&bed).jobs_held, HELD);
	for (int i = 0; i < HELD; ++i) {
		chunk_hold(&held[i], false);
		bed_pass(&bed, 5);
	}
	bed_run(&bed);
	for (int i = 0; i < HELD; ++i)
		assert_spoken(&held[i]);
	bed_wait_for_workers(&bed, 1);
	bed_close(&bed);
}

/* The groups' workers are older than the renewal and take no more work. */
static void test_a_renewal_does_not_strand_a_group(void **state)
{
	struct bed bed;
	struct crowd crowd;
	struct chunk bad;

	(void)state;
	open_bed(&bed, "many");
	start_crowd(&bed, &crowd, false);
	bed_start(&bed, &bad, "die");
	run_until_deaths(&bed, 1);
	assert_int_equal(pool_renew(bed.pool, "many"), 0);
	bed_run(&bed);
	assert_failed(&bad);
	assert_crowd_spoken(&crowd);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_first_death_spreads_the_jobs_over_idle_workers),
		cmocka_unit_test(test_a_group_is_halved_three_times_and_then_each_job_is_alone),
		cmocka_unit_test(test_every_job_is_in_one_group_and_none_is_empty),
		cmocka_unit_test(test_jobs_that_waited_are_not_grouped_with_those_that_ran),
		cmocka_unit_test(test_one_culprit_among_many_is_found_by_halving),
		cmocka_unit_test(test_two_culprits_fail_and_nobody_else),
		cmocka_unit_test(test_two_kills_from_outside_fail_nobody),
		cmocka_unit_test(test_a_job_alone_that_came_further_is_not_blamed_for_a_kill),
		cmocka_unit_test(test_jobs_without_credit_are_not_interrupted_again),
		cmocka_unit_test(test_a_job_that_is_alone_when_it_kills_again_fails),
		cmocka_unit_test(test_new_jobs_are_kept_apart_from_suspects),
		cmocka_unit_test(test_groups_outwait_an_engine_that_starts_slowly),
		cmocka_unit_test(test_jobs_may_be_cancelled_in_their_groups),
		cmocka_unit_test(test_held_jobs_of_a_group_go_on_later),
		cmocka_unit_test(test_a_renewal_does_not_strand_a_group),
	};

	if (argc < 2)
		return 2;
	odd_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
