/*
 * What the shared main of engines in C promises beyond the protocol: limits,
 * the sandbox, the queue, several jobs at once.  Run with the path of
 * syrinx-tone.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "client.h"
#include "workers/confine.h"

static char *tone;

static void test_runner_start(struct client *client)
{
	char hooks[] = "--test-hooks";
	char cpu[] = "--cpu-seconds";
	char one[] = "1";
	char *argv[] = {tone, hooks, cpu, one, NULL};

	client_start(client, argv);
	client_greet(client);
}

/* An engine that speaks so many texts at once. */
static void test_runner_start_jobs(struct client *client, unsigned jobs)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", jobs);
	assert_int_equal(setenv("SYRINX_ENGINE_TONE_JOBS", number, 1), 0);
	test_runner_start(client);
	unsetenv("SYRINX_ENGINE_TONE_JOBS");
	assert_int_equal(client->jobs_max, jobs);
}

static void test_runner_send_speak(struct client *client, uint32_t job, const char *text)
{
	struct message message = client_speak(job, "tone", text);

	client_send(client, &message);
}

static void test_runner_send_speak_with(struct client *client, uint32_t job, const char *text,
					uint32_t credit, uint64_t skip)
{
	struct message message = client_speak(job, "tone", text);

	message.speak.credit_samples = credit;
	message.speak.skip_samples = skip;
	client_send(client, &message);
}

static void test_runner_send_credit(struct client *client, uint32_t job, uint32_t samples)
{
	const struct message credit = {
		.type = MESSAGE_CREDIT, .job = job, .credit_samples = samples};

	client_send(client, &credit);
}

static void test_runner_send_cancel(struct client *client, uint32_t job)
{
	const struct message cancel = {.type = MESSAGE_CANCEL, .job = job};

	client_send(client, &cancel);
}

/* The next messages are a job's, up to a DONE with this status. */
static void test_runner_assert_ends(struct client *client, uint32_t id, enum message_done status)
{
	struct client_job job = {0};

	client_read_job(client, &job, id, SIZE_MAX);
	assert_int_equal(job.done.status, status);
	client_job_reset(&job);
}

/* What is promised for one text at a time and for several. */
static const unsigned one_and_more[] = {1, 4};

static void test_runner_assert_killed_by(const char *text, int signal)
{
	for (size_t i = 0; i < COUNT(one_and_more); ++i) {
		struct client client;
		int status;

		test_runner_start_jobs(&client, one_and_more[i]);
		test_runner_send_speak(&client, 1, text);
		status = client_wait(&client);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signal);
	}
}

static void test_runner_a_job_that_computes_for_ever_is_ended_by_its_cpu_limit(void **state)
{
	(void)state;
	test_runner_assert_killed_by("Hello [[hang]]", SIGPROF);
}

static void test_runner_a_crash_ends_the_process(void **state)
{
	(void)state;
	test_runner_assert_killed_by("Hello [[crash]]", SIGABRT);
}

/* Without the engine filter the outer one only refuses. */
static void test_runner_a_socket_ends_the_process(void **state)
{
	(void)state;
	if (!confine_has_engine_filter())
		client_skip("built with a sanitizer, which the engines' filter would kill");
	test_runner_assert_killed_by("[[socket]]", SIGSYS);
}

static void test_runner_a_file_opened_for_writing_ends_the_process(void **state)
{
	(void)state;
	if (!confine_has_engine_filter())
		client_skip("built with a sanitizer, which the engines' filter would kill");
	unlink("/tmp/syrinx-tone-was-here");
	test_runner_assert_killed_by("[[open-write]]", SIGSYS);
	assert_int_equal(access("/tmp/syrinx-tone-was-here", F_OK), -1);
}

static void test_runner_the_cpu_limit_is_of_one_job(void **state)
{
	struct client client;
	struct client_job job = {0};

	(void)state;
	test_runner_start(&client);
	for (uint32_t id = 1; id <= 3; ++id) { /* waiting is not computing */
		test_runner_send_speak(&client, id, "[[slow:50]] sluggish");
		client_read_job(&client, &job, id, SIZE_MAX);
		assert_int_equal(job.done.status, MESSAGE_DONE_OK);
		assert_true(job.done.busy_us < 100000); /* it slept for longer than that */
		client_job_reset(&job);
	}
	assert_int_equal(client_end(&client), 0);
}

static void test_runner_waiting_for_credit_is_not_engine_time(void **state)
{
	const struct message credit = {
		.type = MESSAGE_CREDIT, .job = 1, .credit_samples = UINT32_MAX};
	struct client client;
	struct client_job job = {0};
	struct message message = client_speak(1, "tone", "Hello.");

	(void)state;
	test_runner_start(&client);
	message.speak.credit_samples = 480;
	client_send(&client, &message);
	client_read_job(&client, &job, 1, 480);
	assert_true(client_is_silent(&client, 200));
	client_send(&client, &credit);
	client_read_job(&client, &job, 1, SIZE_MAX);
	assert_true(job.done.busy_us < 100000);
	client_job_reset(&job);
	assert_int_equal(client_end(&client), 0);
}

static void test_runner_a_text_that_fails_is_reported_and_the_worker_lives(void **state)
{
	struct client client;
	struct client_job job = {0};

	(void)state;
	test_runner_start(&client);
	test_runner_send_speak(&client, 1, "[[fail]]");
	client_read_job(&client, &job, 1, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_FAILED);
	test_runner_send_speak(&client, 2, "Hello.");
	client_read_job(&client, &job, 2, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	client_job_reset(&job);
	assert_int_equal(client_end(&client), 0);
}

static void test_runner_a_waiting_job_is_cancelled_while_another_runs(void **state)
{
	const struct message cancel_second = {.type = MESSAGE_CANCEL, .job = 2};
	const struct message cancel_first = {.type = MESSAGE_CANCEL, .job = 1};
	struct client client;
	struct client_job job = {0};
	struct message message = client_speak(1, "tone", "Hello.");

	(void)state;
	test_runner_start(&client);
	message.speak.credit_samples = 480;
	client_send(&client, &message);
	test_runner_send_speak(&client, 2, "Never.");
	test_runner_send_speak(&client, 3, "After.");
	client_read_job(&client, &job, 1, 480);
	client_send(&client, &cancel_second);
	client_read_job(&client, &job, 2, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_CANCELLED);
	assert_int_equal(job.done.samples, 0);
	client_send(&client, &cancel_first);
	client_read_job(&client, &job, 1, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_CANCELLED);
	client_read_job(&client, &job, 3, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	client_job_reset(&job);
	assert_int_equal(client_end(&client), 0);
}

static void test_runner_assert_ends_with_error(struct client *client)
{
	int status = client_wait(client);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

static void test_runner_more_waiting_jobs_than_the_queue_holds_are_an_error(void **state)
{
	struct client client;
	struct message message = client_speak(1, "tone", "Hello.");

	(void)state;
	message.speak.credit_samples = 0;
	for (size_t i = 0; i < COUNT(one_and_more); ++i) {
		test_runner_start_jobs(&client, one_and_more[i]);
		for (uint32_t id = 1; id <= one_and_more[i] + 9; ++id) {
			message.job = id;
			client_send(&client, &message);
		}
		test_runner_assert_ends_with_error(&client);
	}
}

static void test_runner_a_job_id_used_twice_at_a_time_is_an_error(void **state)
{
	struct client client;
	struct message message = client_speak(1, "tone", "Hello.");

	(void)state;
	test_runner_start(&client);
	message.speak.credit_samples = 0;
	client_send(&client, &message);
	client_send(&client, &message);
	test_runner_assert_ends_with_error(&client);
}

static void test_runner_a_message_before_hello_is_an_error(void **state)
{
	char *argv[] = {tone, NULL};
	struct client client;

	(void)state;
	client_start(&client, argv);
	test_runner_send_speak(&client, 1, "Hello.");
	test_runner_assert_ends_with_error(&client);
}

static void test_runner_an_unknown_argument_is_refused(void **state)
{
	char wrong[] = "--no-such-thing";
	char *argv[] = {tone, wrong, NULL};
	struct client client;
	int status;

	(void)state;
	client_start(&client, argv);
	status = client_wait(&client);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
}

static void test_runner_voices_have_licences_and_the_operator_gets_notes(void **state)
{
	struct client client;

	(void)state;
	test_runner_start(&client);
	assert_string_equal(client.voices[0].licence, "Apache-2.0");
	assert_int_equal(client.note_count, 0);
	assert_int_equal(client_end(&client), 0);
	assert_int_equal(setenv("SYRINX_ENGINE_TONE_NOTE", "out of tune", 1), 0);
	test_runner_start(&client);
	unsetenv("SYRINX_ENGINE_TONE_NOTE");
	assert_int_equal(client.note_count, 1);
	assert_string_equal(client.note, "out of tune");
	assert_int_equal(client_end(&client), 0);
}

/* [[fail]] shows that the engine has gone on. */
static void test_runner_an_engine_that_waits_goes_on_with_credit_skip_or_cancel(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(one_and_more); ++i) {
		struct client client;

		test_runner_start_jobs(&client, one_and_more[i]);
		test_runner_send_speak_with(&client, 1, "[[wait]] [[fail]]", 0, 0);
		assert_true(client_is_silent(&client, 50));
		test_runner_send_credit(&client, 1, 1);
		test_runner_assert_ends(&client, 1, MESSAGE_DONE_FAILED);
		test_runner_send_speak_with(&client, 2, "[[wait]] [[fail]]", 0, 1);
		test_runner_assert_ends(&client, 2, MESSAGE_DONE_FAILED);
		test_runner_send_speak_with(&client, 3, "[[wait]] [[fail]]", 0, 0);
		test_runner_send_cancel(&client, 3);
		test_runner_assert_ends(&client, 3, MESSAGE_DONE_CANCELLED);
		assert_int_equal(client_end(&client), 0);
	}
}

/* After the wait it says nothing for ever. */
static void test_runner_an_engine_that_waits_has_sent_what_it_made(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(one_and_more); ++i) {
		const size_t all = (5 + 5 + 2) * 60 * 24;
		struct client client;
		struct client_job job = {0};

		test_runner_start_jobs(&client, one_and_more[i]);
		test_runner_send_speak(&client, 1, "Hello there [[wait]] [[stall]]");
		client_read_job(&client, &job, 1, all);
		assert_int_equal(job.count, all);
		client_job_reset(&job);
		kill(client.pid, SIGKILL);
		client_wait(&client);
	}
}

static void test_runner_an_engine_of_costly_blocks_is_heard_like_another(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(one_and_more); ++i) {
		struct client client;
		struct client_job whole = {0};
		struct client_job tail = {0};

		test_runner_start_jobs(&client, one_and_more[i]);
		test_runner_send_speak(&client, 1, "one two three four");
		client_read_job(&client, &whole, 1, SIZE_MAX);
		test_runner_send_speak_with(&client, 2, "[[block]] one two three four", 1000, 7000);
		client_read_job(&client, &tail, 2, 1000);
		assert_int_equal(tail.count, 1000);
		assert_true(client_is_silent(&client, 20));
		test_runner_send_credit(&client, 2, UINT32_MAX);
		client_read_job(&client, &tail, 2, SIZE_MAX);
		assert_int_equal(tail.done.samples, whole.count);
		assert_int_equal(tail.count, whole.count - 7000);
		assert_memory_equal(tail.samples, whole.samples + 7000, tail.count * 2);
		client_job_reset(&whole);
		client_job_reset(&tail);
		assert_int_equal(client_end(&client), 0);
	}
}

/* Two sides that only write would wait for each other. */
static void test_runner_a_worker_reads_also_while_the_server_does_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(one_and_more); ++i) {
		const unsigned n = one_and_more[i];
		struct client client;
		struct client_job jobs[4] = {0};

		test_runner_start_jobs(&client, n);
		for (uint32_t id = 1; id <= n; ++id)
			test_runner_send_speak(&client, id, "[[long:15]]");
		for (int k = 0; k < 3000; ++k)
			test_runner_send_credit(&client, 1, 1);
		client_read_all(&client, jobs, 1, n);
		for (size_t k = 0; k < n; ++k) {
			assert_int_equal(jobs[k].done.status, MESSAGE_DONE_OK);
			assert_int_equal(jobs[k].count, jobs[k].done.samples);
			client_job_reset(&jobs[k]);
		}
		assert_int_equal(client_end(&client), 0);
	}
}

static void test_runner_a_job_that_sleeps_does_not_stop_another(void **state)
{
	struct client client;

	(void)state;
	test_runner_start_jobs(&client, 2);
	test_runner_send_speak_with(&client, 1, "[[stall]]", 0, 0);
	for (uint32_t id = 2; id < 5; ++id) {
		test_runner_send_speak(&client, id, "Hello.");
		test_runner_assert_ends(&client, id, MESSAGE_DONE_OK);
	}
	assert_int_equal(client_end(&client), 0); /* nobody is left to sleep for */
}

/* The others' signs of life keep it alive, and it dies when they are over. */
static void test_runner_a_job_that_computes_for_ever_does_not_stop_another(void **state)
{
	struct client client;
	struct client_job job = {0};
	int status;

	(void)state;
	test_runner_start_jobs(&client, 2);
	test_runner_send_speak(&client, 1, "[[hang]]");
	test_runner_send_speak(&client, 2, "[[slow:100]] [[long:2]]");
	client_read_job(&client, &job, 2, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	assert_true(job.done.busy_us < 1000000); /* it slept for two seconds */
	client_job_reset(&job);
	status = client_wait(&client);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGPROF);
}

static void test_runner_of_waiting_jobs_the_most_urgent_begins_first(void **state)
{
	static const uint32_t deadlines_ms[] = {3000, 1000, 2000, 1000};
	static const uint32_t order[] = {4, 6, 5, 3};
	struct client client;

	(void)state;
	test_runner_start_jobs(&client, 2);
	test_runner_send_speak_with(&client, 1, "Hello.", 0, 0);
	test_runner_send_speak_with(&client, 2, "[[stall]]", 0, 0);
	for (uint32_t i = 0; i < COUNT(deadlines_ms); ++i) {
		struct message message = client_speak(3 + i, "tone", "Hello.");

		message.speak.deadline_ms = deadlines_ms[i];
		client_send(&client, &message);
	}
	test_runner_send_credit(&client, 1, UINT32_MAX);
	test_runner_assert_ends(&client, 1, MESSAGE_DONE_OK);
	for (size_t i = 0; i < COUNT(order); ++i)
		test_runner_assert_ends(&client, order[i], MESSAGE_DONE_OK);
	assert_int_equal(client_end(&client), 0);
}

static void test_runner_a_waiting_job_is_cancelled_while_several_run(void **state)
{
	struct client client;

	(void)state;
	test_runner_start_jobs(&client, 2);
	test_runner_send_speak_with(&client, 1, "[[stall]]", 0, 0);
	test_runner_send_speak_with(&client, 2, "[[stall]]", 0, 0);
	test_runner_send_speak(&client, 3, "Never.");
	test_runner_send_cancel(&client, 3);
	test_runner_assert_ends(&client, 3, MESSAGE_DONE_CANCELLED);
	assert_int_equal(client_end(&client), 0);
}

/* Of address space, where stacks and heaps of threads count. */
static void test_runner_64_jobs_fit_into_the_memory_of_a_worker(void **state)
{
	struct client client;
	struct client_job jobs[64] = {0};

	(void)state;
	test_runner_start_jobs(&client, 64);
	for (uint32_t id = 1; id <= 64; ++id)
		test_runner_send_speak(&client, id, "[[block]] Hello.");
	client_read_all(&client, jobs, 1, 64);
	for (size_t i = 0; i < 64; ++i) {
		assert_int_equal(jobs[i].done.status, MESSAGE_DONE_OK);
		assert_int_equal(jobs[i].count, jobs[i].done.samples);
		client_job_reset(&jobs[i]);
	}
	assert_int_equal(client_end(&client), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_runner_a_job_that_computes_for_ever_is_ended_by_its_cpu_limit),
		cmocka_unit_test(test_runner_a_crash_ends_the_process),
		cmocka_unit_test(test_runner_a_socket_ends_the_process),
		cmocka_unit_test(test_runner_a_file_opened_for_writing_ends_the_process),
		cmocka_unit_test(test_runner_the_cpu_limit_is_of_one_job),
		cmocka_unit_test(test_runner_waiting_for_credit_is_not_engine_time),
		cmocka_unit_test(test_runner_a_text_that_fails_is_reported_and_the_worker_lives),
		cmocka_unit_test(test_runner_a_waiting_job_is_cancelled_while_another_runs),
		cmocka_unit_test(test_runner_more_waiting_jobs_than_the_queue_holds_are_an_error),
		cmocka_unit_test(test_runner_a_job_id_used_twice_at_a_time_is_an_error),
		cmocka_unit_test(test_runner_a_message_before_hello_is_an_error),
		cmocka_unit_test(test_runner_an_unknown_argument_is_refused),
		cmocka_unit_test(test_runner_voices_have_licences_and_the_operator_gets_notes),
		cmocka_unit_test(
			test_runner_an_engine_that_waits_goes_on_with_credit_skip_or_cancel),
		cmocka_unit_test(test_runner_an_engine_that_waits_has_sent_what_it_made),
		cmocka_unit_test(test_runner_an_engine_of_costly_blocks_is_heard_like_another),
		cmocka_unit_test(test_runner_a_worker_reads_also_while_the_server_does_not),
		cmocka_unit_test(test_runner_a_job_that_sleeps_does_not_stop_another),
		cmocka_unit_test(test_runner_a_job_that_computes_for_ever_does_not_stop_another),
		cmocka_unit_test(test_runner_of_waiting_jobs_the_most_urgent_begins_first),
		cmocka_unit_test(test_runner_a_waiting_job_is_cancelled_while_several_run),
		cmocka_unit_test(test_runner_64_jobs_fit_into_the_memory_of_a_worker),
	};

	if (argc != 2)
		return 2;
	tone = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
