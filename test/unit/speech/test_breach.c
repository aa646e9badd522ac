/*
 * A worker that breaks the protocol is replaced, and only its own job can fail: no
 * listener gets samples beyond the credit, and no seat or slot stays taken.
 *
 * argv[1] is the odd worker.
 */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/utf8.h"
#include "bed.h"
#include "children.h"

#define SECOND 24000

static const char *odd_program;

static void assert_spoken(struct chunk *chunk)
{
	assert_int_equal(chunk->how, SPEECH_DONE);
	assert_int_equal(chunk->count, SECOND);
	chunk_finish(chunk);
}

static void assert_well(struct bed *bed)
{
	struct chunk chunk;

	bed_speak(bed, &chunk, "well");
	assert_spoken(&chunk);
	assert_int_equal(bed_stats(bed).seats_taken, 0);
}

/* Every try of this text breaks the protocol: it is tried twice and then given up. */
static void assert_refused_at_once(const char *text)
{
	struct bed bed;
	struct chunk bad;

	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){.stall_ms = 15000});
	bed_speak(&bed, &bad, text);
	assert_int_equal(bad.how, SPEECH_FAILED);
	assert_true(bad.count <= SECOND);
	assert_int_equal(bed_stats(&bed).worker_deaths, 2);
	chunk_finish(&bad);
	assert_well(&bed);
	bed_close(&bed);
}

static void test_audio_past_the_credit_ends_the_worker(void **state)
{
	(void)state;
	assert_refused_at_once("past the credit");
}

static void test_a_second_rate_in_a_job_ends_the_worker(void **state)
{
	(void)state;
	assert_refused_at_once("two rates");
}

static void test_a_rate_that_is_none_ends_the_worker(void **state)
{
	(void)state;
	assert_refused_at_once("no rate");
}

static void hold_it(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	chunk_hold(chunk, true);
}

static void test_a_held_job_is_not_spoken_past_its_credit(void **state)
{
	struct bed bed;
	struct chunk bad;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){.stall_ms = 15000});
	bed_start(&bed, &bad, "past the credit");
	bad.on_audio = hold_it;
	bed_pass(&bed, 300);
	assert_true(bad.count <= SECOND / 5);
	if (!bad.ended)
		chunk_cancel(&bad);
	chunk_finish(&bad);
	assert_well(&bed);
	bed_close(&bed);
}

static void test_what_comes_after_done_changes_nothing(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){.workers_max = 1});
	for (int i = 0; i < 3; ++i) {
		bed_speak(&bed, &chunk, "after the end");
		assert_spoken(&chunk);
	}
	assert_well(&bed);
	bed_close(&bed);
}

static void cancel_it(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	chunk_cancel(chunk);
}

static void test_a_worker_that_ignores_a_cancel_is_replaced(void **state)
{
	struct bed bed;
	struct chunk gone;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program,
		       (struct pool_options){.workers_max = 1, .stall_ms = 300});
	bed_start(&bed, &gone, "on after cancel");
	gone.on_audio = cancel_it;
	bed_run(&bed);
	chunk_finish(&gone);
	assert_well(&bed);
	assert_int_equal(bed_stats(&bed).worker_deaths, 1);
	bed_close(&bed);
}

static void test_a_silent_job_is_noticed_beside_one_that_speaks(void **state)
{
	struct bed bed;
	struct chunk silent, chatter[8];

	(void)state;
	bed_open_ready(&bed, "two", odd_program,
		       (struct pool_options){.workers_max = 1, .stall_ms = 400});
	bed_start(&bed, &silent, "nothing");
	for (int i = 0; i < 8; ++i)
		bed_start(&bed, &chatter[i], "well");
	bed_run(&bed);
	assert_int_equal(silent.how, SPEECH_FAILED);
	chunk_finish(&silent);
	for (int i = 0; i < 8; ++i)
		assert_spoken(&chatter[i]);
	bed_close(&bed);
}

static void assert_hangs(const char *text)
{
	struct bed bed;
	struct chunk chunk;

	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){.stall_ms = 400});
	bed_speak(&bed, &chunk, text);
	assert_int_equal(chunk.how, SPEECH_FAILED);
	assert_int_equal(bed_stats(&bed).worker_deaths, 2);
	chunk_finish(&chunk);
	assert_well(&bed);
	bed_close(&bed);
}

static void test_messages_without_samples_do_not_count_as_speech(void **state)
{
	(void)state;
	assert_hangs("no samples");
}

static void test_a_sample_now_and_then_does_not_count_as_speech(void **state)
{
	(void)state;
	assert_hangs("a sample now and then");
}

/* Lets the calling process run only on this processor. */
static void pin(pid_t pid, int processor)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)processor, &one);
	assert_int_equal(sched_setaffinity(pid, sizeof(one), &one), 0);
}

static pid_t start_spinning(int processor)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(0, processor);
	for (volatile unsigned i = 0;; ++i)
		;
}

/* The worker shares a processor with a process that has seventy times its weight, so work that is done
 * quickly otherwise takes longer than the stall limit, until that process ends. */
static void test_a_worker_that_has_no_processor_is_not_silent(void **state)
{
	struct bed bed;
	struct chunk chunk;
	pid_t workers[CHILDREN_MAX];
	int processor = sched_getcpu();
	unsigned count;
	pid_t spinner;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program,
		       (struct pool_options){.workers_max = 1, .stall_ms = 1000});
	count = children_list(workers, CHILDREN_MAX);
	for (unsigned i = 0; i < count; ++i) {
		pin(workers[i], processor);
		assert_int_equal(setpriority(PRIO_PROCESS, (id_t)workers[i], 19), 0);
	}
	spinner = start_spinning(processor);
	assert_true(spinner > 0);
	bed_start(&bed, &chunk, "after work");
	bed_pass(&bed, 1800);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	kill(spinner, SIGKILL);
	waitpid(spinner, NULL, 0);
	bed_run(&bed);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	assert_spoken(&chunk);
	bed_close(&bed);
}

/* The size of a slice is divided by the cost of a second. */
static void test_an_engine_that_says_absurd_costs_is_spoken_with_on(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){0});
	for (int i = 0; i < 6; ++i) {
		bed_speak(&bed, &chunk, i < 5 ? "most dearly" : "dearly");
		assert_spoken(&chunk);
	}
	assert_well(&bed);
	bed_close(&bed);
}

static void test_a_voice_without_a_rate_is_no_voice(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "norate", odd_program, (struct pool_options){0});
	assert_int_equal(voices_count(pool_voices(bed.pool)), 0);
	bed_close(&bed);
}

static void test_a_long_title_is_cut_between_characters(void **state)
{
	struct bed bed;
	struct utf8_state utf8 = {0};
	const char *name;

	(void)state;
	bed_open_ready(&bed, "lengthy", odd_program, (struct pool_options){0});
	name = voices_at(pool_voices(bed.pool), 0)->name;
	assert_in_range(strlen(name), VOICE_NAME_MAX - 4, VOICE_NAME_MAX - 1);
	assert_true(utf8_check(&utf8, name, strlen(name)) && utf8_is_complete(&utf8));
	bed_close(&bed);
}

static void test_a_second_ready_changes_nothing(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "twice", odd_program, (struct pool_options){0});
	assert_well(&bed);
	assert_true(bed_stats(&bed).starting <= 2);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_audio_past_the_credit_ends_the_worker),
		cmocka_unit_test(test_a_second_rate_in_a_job_ends_the_worker),
		cmocka_unit_test(test_a_rate_that_is_none_ends_the_worker),
		cmocka_unit_test(test_a_held_job_is_not_spoken_past_its_credit),
		cmocka_unit_test(test_what_comes_after_done_changes_nothing),
		cmocka_unit_test(test_a_worker_that_ignores_a_cancel_is_replaced),
		cmocka_unit_test(test_a_silent_job_is_noticed_beside_one_that_speaks),
		cmocka_unit_test(test_messages_without_samples_do_not_count_as_speech),
		cmocka_unit_test(test_a_sample_now_and_then_does_not_count_as_speech),
		cmocka_unit_test(test_a_worker_that_has_no_processor_is_not_silent),
		cmocka_unit_test(test_an_engine_that_says_absurd_costs_is_spoken_with_on),
		cmocka_unit_test(test_a_voice_without_a_rate_is_no_voice),
		cmocka_unit_test(test_a_long_title_is_cut_between_characters),
		cmocka_unit_test(test_a_second_ready_changes_nothing),
	};

	if (argc < 2)
		return 2;
	odd_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
