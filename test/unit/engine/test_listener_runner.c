/*
 * What the shared main of engines in C that listen promises beyond the protocol: limits, errors, and
 * streams that do not affect each other. Run with the path of fake_listener.
 */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "client.h"

#define FRAME MESSAGE_FRAME_SAMPLES

/* What the recognizer of fake_listener.c does. */
enum { DO_WORD = 1, DO_FAIL, DO_HANG, DO_CRASH, DO_WAIT };

static char *program;

static void test_listener_runner_start(struct client *client)
{
	char cpu[] = "--cpu-seconds";
	char one[] = "1";
	char *argv[] = {program, cpu, one, NULL};

	client_start(client, argv);
	client_greet(client);
}

static void test_listener_runner_listen(struct client *client, uint32_t job)
{
	const struct message listen = {
		.type = MESSAGE_LISTEN,
		.job = job,
		.listen = {.model = message_str_of("fake"),
			   .language = message_str_of("en"),
			   .prompt = message_str_of(""),
			   .wants = MESSAGE_WANT_TIMES},
	};
	struct message message;

	client_send(client, &listen);
	assert_true(client_next(client, &message));
	assert_int_equal(message.type, MESSAGE_ROOM);
	assert_int_equal(message.job, job);
	assert_int_equal(message.room, MESSAGE_KEPT_MAX);
}

/* One frame with this probability of speech, in thousandths, and this last sample. */
static void test_listener_runner_send(struct client *client, uint32_t job, int16_t speech,
				      int16_t last)
{
	int16_t samples[FRAME] = {0};
	const struct message message = {
		.type = MESSAGE_SAMPLES,
		.job = job,
		.samples = {(const unsigned char *)samples, FRAME},
	};

	samples[0] = speech;
	samples[FRAME - 1] = last;
	client_send(client, &message);
}

static void test_listener_runner_ask(struct client *client, uint32_t job, uint32_t number,
				     uint64_t from, uint64_t to)
{
	const struct message message = {
		.type = MESSAGE_RECOGNIZE, .job = job, .recognize = {number, from, to, true, 0}};

	client_send(client, &message);
}

static void test_listener_runner_tell(struct client *client, uint32_t job, uint16_t type)
{
	const struct message message = {.type = type, .job = job};

	client_send(client, &message);
}

/* The next message of this type and job; others of that job are passed over. */
static struct message test_listener_runner_expect(struct client *client, uint32_t job,
						  uint16_t type)
{
	struct message message;

	do {
		assert_true(client_next(client, &message));
		assert_int_equal(message.job, job);
	} while (message.type != type);
	return message;
}

static void test_listener_runner_hear(struct client *client, uint32_t job, int16_t what)
{
	test_listener_runner_listen(client, job);
	test_listener_runner_send(client, job, 1000, what);
	test_listener_runner_ask(client, job, 5, 0, FRAME);
}

static void test_listener_runner_assert_works(struct client *client, uint32_t job)
{
	struct message message;
	struct message_heard heard;

	test_listener_runner_hear(client, job, DO_WORD);
	message = test_listener_runner_expect(client, job, MESSAGE_WORDS);
	assert_int_equal(message.words.number, 5);
	assert_int_equal(message.words.text.len, 4);
	assert_true(message_heard_take(&heard, &message.words.words));
	assert_int_equal(heard.word.byte_end, 4);
	test_listener_runner_tell(client, job, MESSAGE_FINISH);
	message = test_listener_runner_expect(client, job, MESSAGE_DONE);
	assert_int_equal(message.done.status, MESSAGE_DONE_OK);
	assert_int_equal(message.done.samples, FRAME);
}

static void test_listener_runner_assert_exits(struct client *client, int want)
{
	int status = client_end(client);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), want);
}

static void test_listener_runner_says_what_the_engine_is(void **state)
{
	struct client client;

	(void)state;
	test_listener_runner_start(&client);
	assert_string_equal(client.engine, "fake");
	assert_int_equal(client.capabilities, MESSAGE_LISTENS);
	assert_int_equal(client.jobs_max, 8);
	assert_int_equal(client.model_count, 1);
	assert_int_equal(client.models[0].piece_max, 160000);
	assert_string_equal(client.note, "a note");
	test_listener_runner_assert_works(&client, 1);
	test_listener_runner_assert_exits(&client, 0);
}

static void test_listener_runner_what_has_no_speech_is_not_recognized(void **state)
{
	struct client client;
	struct message message;

	(void)state;
	test_listener_runner_start(&client);
	test_listener_runner_listen(&client, 1);
	test_listener_runner_send(&client, 1, 20, DO_CRASH);
	test_listener_runner_ask(&client, 1, 9, 0, FRAME);
	message = test_listener_runner_expect(&client, 1, MESSAGE_WORDS);
	assert_int_equal(message.words.number, 9);
	assert_int_equal(message.words.text.len, 0);
	test_listener_runner_assert_exits(&client, 0);
}

static void test_listener_runner_a_failure_ends_only_its_stream(void **state)
{
	struct client client;
	struct message message;

	(void)state;
	test_listener_runner_start(&client);
	test_listener_runner_hear(&client, 1, DO_FAIL);
	message = test_listener_runner_expect(&client, 1, MESSAGE_DONE);
	assert_int_equal(message.done.status, MESSAGE_DONE_FAILED);
	assert_memory_equal(message.done.detail.bytes, "it was told to fail",
			    message.done.detail.len);
	test_listener_runner_assert_works(&client, 2);
	test_listener_runner_assert_exits(&client, 0);
}

static void test_listener_runner_a_cancel_ends_a_piece_that_is_being_recognized(void **state)
{
	struct client client;
	struct message message;

	(void)state;
	test_listener_runner_start(&client);
	test_listener_runner_hear(&client, 1, DO_WAIT);
	test_listener_runner_expect(&client, 1, MESSAGE_ACTIVITY);
	test_listener_runner_tell(&client, 1, MESSAGE_CANCEL);
	message = test_listener_runner_expect(&client, 1, MESSAGE_DONE);
	assert_int_equal(message.done.status, MESSAGE_DONE_CANCELLED);
	test_listener_runner_assert_works(&client, 2);
	test_listener_runner_assert_exits(&client, 0);
}

static void test_listener_runner_a_socket_that_closes_ends_it_at_once(void **state)
{
	struct client client;

	(void)state;
	test_listener_runner_start(&client);
	test_listener_runner_hear(&client, 1, DO_HANG);
	test_listener_runner_expect(&client, 1, MESSAGE_ACTIVITY);
	test_listener_runner_assert_exits(&client, 0);
}

static void test_listener_runner_assert_killed_by(int16_t what, int signal)
{
	struct client client;
	int status;

	test_listener_runner_start(&client);
	test_listener_runner_hear(&client, 1, what);
	status = client_wait(&client);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), signal);
}

static void test_listener_runner_a_piece_that_computes_for_ever_is_ended(void **state)
{
	(void)state;
	test_listener_runner_assert_killed_by(DO_HANG, SIGPROF);
}

static void test_listener_runner_a_crash_ends_the_process(void **state)
{
	(void)state;
	test_listener_runner_assert_killed_by(DO_CRASH, SIGABRT);
}

typedef void(violation_h)(struct client *client);

static void test_listener_runner_ask_for_later(struct client *client)
{
	test_listener_runner_ask(client, 1, 1, 0, FRAME + 1);
}

static void test_listener_runner_ask_for_nothing(struct client *client)
{
	test_listener_runner_ask(client, 1, 1, 5, 5);
}

static void test_listener_runner_ask_for_released(struct client *client)
{
	const struct message release = {.type = MESSAGE_RELEASE, .job = 1, .release_sample = FRAME};

	test_listener_runner_expect(client, 1, MESSAGE_ACTIVITY);
	client_send(client, &release);
	test_listener_runner_ask(client, 1, 1, 0, FRAME);
}

static void test_listener_runner_send_after_the_end(struct client *client)
{
	test_listener_runner_ask(client, 1, 1, 0, FRAME); /* it must not be over */
	test_listener_runner_tell(client, 1, MESSAGE_FINISH);
	test_listener_runner_send(client, 1, 0, 0);
}

static void test_listener_runner_listen_again(struct client *client)
{
	const struct message listen = {.type = MESSAGE_LISTEN, .job = 1};

	client_send(client, &listen);
}

static void test_listener_runner_listen_to_too_many(struct client *client)
{
	for (uint32_t job = 2; job < 10; ++job) {
		const struct message listen = {.type = MESSAGE_LISTEN, .job = job};

		client_send(client, &listen);
	}
}

static void test_listener_runner_violations_end_the_process(void **state)
{
	static violation_h *const violations[] = {
		test_listener_runner_ask_for_later,    test_listener_runner_ask_for_nothing,
		test_listener_runner_ask_for_released, test_listener_runner_send_after_the_end,
		test_listener_runner_listen_again,     test_listener_runner_listen_to_too_many,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(violations) / sizeof(*violations); ++i) {
		struct client client;
		int status;

		test_listener_runner_start(&client);
		test_listener_runner_listen(&client, 1);
		test_listener_runner_send(&client, 1, 1000, DO_WAIT);
		violations[i](&client);
		status = client_wait(&client);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 1);
	}
}

/* The limit on CPU time grows with the processors that a program may use: one is enough here. */
static void test_listener_runner_use_one_processor(void)
{
	cpu_set_t all;
	cpu_set_t one;
	size_t first = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(first, &all))
		++first;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listener_runner_says_what_the_engine_is),
		cmocka_unit_test(test_listener_runner_what_has_no_speech_is_not_recognized),
		cmocka_unit_test(test_listener_runner_a_failure_ends_only_its_stream),
		cmocka_unit_test(
			test_listener_runner_a_cancel_ends_a_piece_that_is_being_recognized),
		cmocka_unit_test(test_listener_runner_a_socket_that_closes_ends_it_at_once),
		cmocka_unit_test(test_listener_runner_a_piece_that_computes_for_ever_is_ended),
		cmocka_unit_test(test_listener_runner_a_crash_ends_the_process),
		cmocka_unit_test(test_listener_runner_violations_end_the_process),
	};

	assert_int_equal(argc, 2);
	program = argv[1];
	test_listener_runner_use_one_processor();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
