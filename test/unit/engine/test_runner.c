/*
 * What the shared main of engines in C promises beyond the protocol: limits,
 * the sandbox, the queue.  Run with the path of syrinx-tone.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "synth/confine.h"

static char *tone;

static void start(struct client *client)
{
	char hooks[] = "--test-hooks";
	char cpu[] = "--cpu-seconds";
	char one[] = "1";
	char *argv[] = {tone, hooks, cpu, one, NULL};

	client_start(client, argv);
	client_greet(client);
}

static void send_speak(struct client *client, uint32_t job, const char *text)
{
	struct message message = client_speak(job, "tone", text);

	client_send(client, &message);
}

static void assert_killed_by(const char *text, int signal)
{
	struct client client;
	int status;

	start(&client);
	send_speak(&client, 1, text);
	status = client_wait(&client);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), signal);
}

static void test_a_job_that_computes_for_ever_is_ended_by_its_cpu_limit(void **state)
{
	(void)state;
	assert_killed_by("Hello [[hang]]", SIGPROF);
}

static void test_a_crash_ends_the_process(void **state)
{
	(void)state;
	assert_killed_by("Hello [[crash]]", SIGABRT);
}

/* Without the engine filter the outer one only refuses. */
static void test_a_socket_ends_the_process(void **state)
{
	(void)state;
	if (!confine_has_engine_filter())
		client_skip("built with a sanitizer, which the engines' filter would kill");
	assert_killed_by("[[socket]]", SIGSYS);
}

static void test_a_file_opened_for_writing_ends_the_process(void **state)
{
	(void)state;
	if (!confine_has_engine_filter())
		client_skip("built with a sanitizer, which the engines' filter would kill");
	unlink("/tmp/syrinx-tone-was-here");
	assert_killed_by("[[open-write]]", SIGSYS);
	assert_int_equal(access("/tmp/syrinx-tone-was-here", F_OK), -1);
}

static void test_the_cpu_limit_is_of_one_job(void **state)
{
	struct client client;
	struct client_job job = {0};

	(void)state;
	start(&client);
	for (uint32_t id = 1; id <= 3; ++id) { /* waiting is not computing */
		send_speak(&client, id, "[[slow:50]] sluggish");
		client_read_job(&client, &job, id, SIZE_MAX);
		assert_int_equal(job.done.status, MESSAGE_DONE_OK);
		assert_true(job.done.busy_us > 100000);
		client_job_reset(&job);
	}
	assert_int_equal(client_end(&client), 0);
}

static void test_waiting_for_credit_is_not_engine_time(void **state)
{
	const struct message credit = {
		.type = MESSAGE_CREDIT, .job = 1, .credit_samples = UINT32_MAX};
	struct client client;
	struct client_job job = {0};
	struct message message = client_speak(1, "tone", "Hello.");

	(void)state;
	start(&client);
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

static void test_a_text_that_fails_is_reported_and_the_worker_lives(void **state)
{
	struct client client;
	struct client_job job = {0};

	(void)state;
	start(&client);
	send_speak(&client, 1, "[[fail]]");
	client_read_job(&client, &job, 1, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_FAILED);
	send_speak(&client, 2, "Hello.");
	client_read_job(&client, &job, 2, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	client_job_reset(&job);
	assert_int_equal(client_end(&client), 0);
}

static void test_a_waiting_job_is_cancelled_while_another_runs(void **state)
{
	const struct message cancel_second = {.type = MESSAGE_CANCEL, .job = 2};
	const struct message cancel_first = {.type = MESSAGE_CANCEL, .job = 1};
	struct client client;
	struct client_job job = {0};
	struct message message = client_speak(1, "tone", "Hello.");

	(void)state;
	start(&client);
	message.speak.credit_samples = 480;
	client_send(&client, &message);
	send_speak(&client, 2, "Never.");
	send_speak(&client, 3, "After.");
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

static void assert_ends_with_error(struct client *client)
{
	int status = client_wait(client);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

static void test_more_waiting_jobs_than_the_queue_holds_are_an_error(void **state)
{
	struct client client;
	struct message message = client_speak(1, "tone", "Hello.");

	(void)state;
	start(&client);
	message.speak.credit_samples = 0;
	for (uint32_t id = 1; id <= 10; ++id) {
		message.job = id;
		client_send(&client, &message);
	}
	assert_ends_with_error(&client);
}

static void test_a_job_id_used_twice_at_a_time_is_an_error(void **state)
{
	struct client client;
	struct message message = client_speak(1, "tone", "Hello.");

	(void)state;
	start(&client);
	message.speak.credit_samples = 0;
	client_send(&client, &message);
	client_send(&client, &message);
	assert_ends_with_error(&client);
}

static void test_a_message_before_hello_is_an_error(void **state)
{
	char *argv[] = {tone, NULL};
	struct client client;

	(void)state;
	client_start(&client, argv);
	send_speak(&client, 1, "Hello.");
	assert_ends_with_error(&client);
}

static void test_an_unknown_argument_is_refused(void **state)
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_job_that_computes_for_ever_is_ended_by_its_cpu_limit),
		cmocka_unit_test(test_a_crash_ends_the_process),
		cmocka_unit_test(test_a_socket_ends_the_process),
		cmocka_unit_test(test_a_file_opened_for_writing_ends_the_process),
		cmocka_unit_test(test_the_cpu_limit_is_of_one_job),
		cmocka_unit_test(test_waiting_for_credit_is_not_engine_time),
		cmocka_unit_test(test_a_text_that_fails_is_reported_and_the_worker_lives),
		cmocka_unit_test(test_a_waiting_job_is_cancelled_while_another_runs),
		cmocka_unit_test(test_more_waiting_jobs_than_the_queue_holds_are_an_error),
		cmocka_unit_test(test_a_job_id_used_twice_at_a_time_is_an_error),
		cmocka_unit_test(test_a_message_before_hello_is_an_error),
		cmocka_unit_test(test_an_unknown_argument_is_refused),
	};

	if (argc != 2)
		return 2;
	tone = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
