/*
 * State that an engine in C keeps between the texts of a turn: the runner has
 * bounds for it and frees it.  Run with the path of syrinx-tone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/count.h"
#include "client.h"

#define TURNS 4
#define LETTER_SAMPLES (60 * 24000 / 1000)

static char *tone;

/* What is promised for one text at a time and for several. */
static const char *const one_and_more[] = {"1", "4"};

static void test_turn_start(struct client *client, const char *jobs)
{
	char hooks[] = "--test-hooks";
	char *argv[] = {tone, hooks, NULL};

	assert_int_equal(setenv("SYRINX_ENGINE_TONE_JOBS", jobs, 1), 0);
	client_start(client, argv);
	client_greet(client);
	assert_true(client->capabilities & MESSAGE_TURN_STATE);
}

static void test_turn_send_text(struct client *client, enum message_type type, uint32_t job,
				uint64_t turn, const char *text)
{
	struct message message = client_speak(job, "tone", text);

	message.type = (uint16_t)type;
	message.speak.turn = turn;
	client_send(client, &message);
}

static void test_turn_send_end(struct client *client, uint64_t turn)
{
	const struct message message = {.type = MESSAGE_END_TURN, .turn = turn};

	client_send(client, &message);
}

static void test_turn_speak(struct client *client, uint64_t turn, const char *text)
{
	struct client_job job = {0};

	test_turn_send_text(client, MESSAGE_SPEAK, 1, turn, text);
	client_read_job(client, &job, 1, SIZE_MAX);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	client_job_reset(&job);
}

/* Turns that have state, without the one that asks. */
static size_t test_turn_count_turns(struct client *client)
{
	struct client_job job = {0};
	size_t letters;

	test_turn_send_text(client, MESSAGE_SPEAK, 1, 0, "[[turns]]");
	client_read_job(client, &job, 1, SIZE_MAX);
	letters = job.count / LETTER_SAMPLES;
	client_job_reset(&job);
	assert_true(letters >= 2); /* itself, and the pause after it */
	return letters - 2;
}

static void test_turn_assert_ends_with_an_error(struct client *client)
{
	int status = client_wait(client);

	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 0);
}

static void test_turn_the_end_of_a_turn_frees_its_state(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(one_and_more); ++i) {
		struct client client;

		test_turn_start(&client, one_and_more[i]);
		assert_int_equal(test_turn_count_turns(&client), 0);
		for (uint64_t turn = 1; turn <= 3 * TURNS; ++turn) {
			test_turn_speak(&client, turn, "Hello.");
			test_turn_speak(&client, turn, "Again.");
			assert_int_equal(test_turn_count_turns(&client), 1);
			test_turn_send_end(&client, turn);
			assert_int_equal(test_turn_count_turns(&client), 0);
		}
		assert_int_equal(client_end(&client), 0);
	}
}

/* Of a job that is cancelled the end may not be waited for. */
static void test_turn_a_turn_may_end_before_its_cancelled_job(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(one_and_more); ++i) {
		const struct message cancel = {.type = MESSAGE_CANCEL, .job = 5};
		struct client client;
		struct client_job job = {0};
		struct message message = client_speak(5, "tone", "[[long:60]]");

		test_turn_start(&client, one_and_more[i]);
		message.speak.turn = 9;
		message.speak.credit_samples = 1000;
		client_send(&client, &message);
		client_read_job(&client, &job, 5, 1000);
		client_send(&client, &cancel);
		test_turn_send_end(&client, 9);
		client_read_job(&client, &job, 5, SIZE_MAX);
		assert_int_equal(job.done.status, MESSAGE_DONE_CANCELLED);
		client_job_reset(&job);
		assert_int_equal(test_turn_count_turns(&client), 0);
		assert_int_equal(client_end(&client), 0);
	}
}

static void test_turn_a_replay_is_cancelled_with_its_job(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(one_and_more); ++i) {
		const struct message cancel = {.type = MESSAGE_CANCEL, .job = 5};
		struct client client;
		struct client_job job = {0};

		test_turn_start(&client, one_and_more[i]);
		for (unsigned n = 0; n < MESSAGE_REPLAY_MAX; ++n)
			test_turn_send_text(&client, MESSAGE_REPLAY, 0, 9,
					    "[[slow:100]] [[long:1]]");
		test_turn_send_text(&client, MESSAGE_SPEAK, 5, 9, "Hello.");
		client_send(&client, &cancel);
		client_read_job(&client, &job, 5, SIZE_MAX);
		assert_int_equal(job.done.status, MESSAGE_DONE_CANCELLED);
		client_job_reset(&job);
		assert_int_equal(client_end(&client), 0);
	}
}

static void test_turn_more_turns_than_were_announced_are_an_error(void **state)
{
	struct client client;

	(void)state;
	test_turn_start(&client, "1");
	for (uint64_t turn = 1; turn <= TURNS; ++turn)
		test_turn_speak(&client, turn, "Hello.");
	test_turn_send_text(&client, MESSAGE_SPEAK, 1, TURNS + 1, "Hello.");
	test_turn_assert_ends_with_an_error(&client);
}

static void test_turn_there_is_a_bound_to_the_texts_that_are_replayed(void **state)
{
	static char text[MESSAGE_REPLAY_BYTES_MAX / 2 + 1];
	struct client client;

	(void)state;
	test_turn_start(&client, "1");
	for (unsigned i = 0; i < MESSAGE_REPLAY_MAX; ++i)
		test_turn_send_text(&client, MESSAGE_REPLAY, 0, 1, "Hello.");
	test_turn_speak(&client, 1, "Enough.");
	for (unsigned i = 0; i <= MESSAGE_REPLAY_MAX; ++i)
		test_turn_send_text(&client, MESSAGE_REPLAY, 0, 2, "Hello.");
	test_turn_assert_ends_with_an_error(&client);

	for (size_t i = 0; i + 1 < sizeof(text); ++i)
		text[i] = 'a';
	test_turn_start(&client, "1");
	test_turn_send_text(&client, MESSAGE_REPLAY, 0, 1, text);
	test_turn_send_text(&client, MESSAGE_REPLAY, 0, 1, text);
	assert_true(client_is_silent(&client, 20));
	test_turn_send_text(&client, MESSAGE_REPLAY, 0, 1, "a");
	test_turn_assert_ends_with_an_error(&client);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turn_the_end_of_a_turn_frees_its_state),
		cmocka_unit_test(test_turn_a_turn_may_end_before_its_cancelled_job),
		cmocka_unit_test(test_turn_a_replay_is_cancelled_with_its_job),
		cmocka_unit_test(test_turn_more_turns_than_were_announced_are_an_error),
		cmocka_unit_test(test_turn_there_is_a_bound_to_the_texts_that_are_replayed),
	};

	if (argc != 2)
		return 2;
	tone = argv[1];
	setenv("SYRINX_ENGINE_TONE_TURNS", "4", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
