/*
 * conformance_turns.c: state that an engine keeps between the texts of a turn
 * (see conformance.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "conformance.h"

static const char *const turn_texts[][3] = {
	{"It was a dark night.", "Nobody was there.", "Then the bell rang."},
	{"Good morning, everyone.", "Here is the news.", "Then the bell rang."},
};

#define TEXTS COUNT(turn_texts[0])

static void conformance_turns_end_turn(struct client *client, uint64_t turn)
{
	const struct message message = {.type = MESSAGE_END_TURN, .turn = turn};

	client_send(client, &message);
}

static void conformance_turns_replay(struct client *client, uint64_t turn, const char *text)
{
	struct message message = client_speak(0, conformance_voice(client), text);

	message.type = MESSAGE_REPLAY;
	message.speak.turn = turn;
	message.speak.credit_samples = 0;
	message.speak.want_words = false;
	client_send(client, &message);
}

static void conformance_turns_speak_in_turn(struct client *client, struct client_job *job,
					    uint64_t turn, const char *text, uint64_t skip)
{
	struct message message = client_speak(1, conformance_voice(client), text);

	message.speak.turn = turn;
	message.speak.skip_samples = skip;
	conformance_speak_message(client, job, &message);
	assert_int_equal(job->done.status, MESSAGE_DONE_OK);
}

static bool conformance_turns_is_same(const struct client_job *a, const struct client_job *b)
{
	return a->count == b->count && memcmp(a->samples, b->samples, a->count * 2) == 0;
}

static void conformance_turns_start_stateful(struct client *client)
{
	uint32_t wanted = MESSAGE_TURN_STATE | MESSAGE_DETERMINISTIC;

	conformance_start(client);
	if ((client->capabilities & wanted) == wanted)
		return;
	conformance_end(client);
	client_skip("this engine keeps no state, or promises no equal samples");
}

/* The texts of each turn, one turn after the other, each from a fresh start. */
static void conformance_turns_speak_apart(struct client *client, struct client_job jobs[][TEXTS])
{
	for (size_t t = 0; t < COUNT(turn_texts); ++t) {
		for (size_t i = 0; i < TEXTS; ++i)
			conformance_turns_speak_in_turn(client, &jobs[t][i], 100 + t,
							turn_texts[t][i], 0);
		conformance_turns_end_turn(client, 100 + t);
	}
}

static void conformance_turns_reset_all(struct client_job jobs[][TEXTS])
{
	for (size_t t = 0; t < COUNT(turn_texts); ++t) {
		for (size_t i = 0; i < TEXTS; ++i)
			client_job_reset(&jobs[t][i]);
	}
}

void conformance_interleaved_turns_sound_as_they_do_apart(void **state)
{
	struct client client;
	struct client_job apart[COUNT(turn_texts)][TEXTS];

	(void)state;
	conformance_turns_start_stateful(&client);
	conformance_turns_speak_apart(&client, apart);
	for (size_t i = 0; i < TEXTS; ++i) {
		for (size_t t = 0; t < COUNT(turn_texts); ++t) {
			struct client_job job;

			conformance_turns_speak_in_turn(&client, &job, 200 + t, turn_texts[t][i],
							0);
			assert_true(conformance_turns_is_same(&job, &apart[t][i]));
			client_job_reset(&job);
		}
	}
	conformance_turns_reset_all(apart);
	conformance_end(&client);
}

/* The number of a turn that has ended can begin another one. */
void conformance_an_ended_turn_leaves_nothing_behind(void **state)
{
	struct client client;
	struct client_job apart[COUNT(turn_texts)][TEXTS];
	struct client_job job;

	(void)state;
	conformance_turns_start_stateful(&client);
	conformance_turns_speak_apart(&client, apart);
	for (unsigned i = 0; i < 100; ++i) { /* more than any engine keeps */
		conformance_turns_speak_in_turn(&client, &job, i % 2 ? 1000 + i : 7,
						turn_texts[0][0], 0);
		assert_true(conformance_turns_is_same(&job, &apart[0][0]));
		client_job_reset(&job);
		conformance_turns_end_turn(&client, i % 2 ? 1000 + i : 7);
	}
	conformance_turns_end_turn(&client, 4711); /* never heard of */
	conformance_turns_speak_in_turn(&client, &job, 0, turn_texts[0][0], 0);
	client_job_reset(&job);
	conformance_turns_speak_in_turn(&client, &job, 0, turn_texts[0][0], 0); /* 0 is no turn */
	assert_true(conformance_turns_is_same(&job, &apart[0][0]));
	client_job_reset(&job);
	conformance_turns_reset_all(apart);
	conformance_end(&client);
}

/* As the server does it when the first worker has died in the last text. */
void conformance_a_replay_is_as_good_as_having_spoken(void **state)
{
	struct client client;
	struct client other;
	struct client_job apart[COUNT(turn_texts)][TEXTS];

	(void)state;
	conformance_turns_start_stateful(&client);
	conformance_start(&other);
	conformance_turns_speak_apart(&client, apart);
	for (size_t t = 0; t < COUNT(turn_texts); ++t) {
		const struct client_job *whole = &apart[t][TEXTS - 1];
		size_t skip = whole->count / 2;
		struct client_job job;

		for (size_t i = 0; i + 1 < TEXTS; ++i)
			conformance_turns_replay(&other, 300 + t, turn_texts[t][i]);
		conformance_turns_speak_in_turn(&other, &job, 300 + t, turn_texts[t][TEXTS - 1],
						skip);
		assert_int_equal(job.count, whole->count - skip);
		assert_memory_equal(job.samples, whole->samples + skip, job.count * 2);
		client_job_reset(&job);
	}
	conformance_turns_reset_all(apart);
	conformance_end(&other);
	conformance_end(&client);
}

/* A server never sends them to an engine that has not asked for them; one that keeps state may be
 * replayed a turn that is over before its next text. */
void conformance_turns_that_end_do_no_harm(void **state)
{
	struct client client;
	struct client_job job;

	(void)state;
	conformance_start(&client);
	conformance_turns_end_turn(&client, 1);
	conformance_turns_replay(&client, 2, SENTENCE);
	conformance_turns_end_turn(&client, 2);
	assert_true(client_is_silent(&client, 20));
	conformance_speak(&client, &job, SENTENCE);
	assert_true(job.count > 0);
	client_job_reset(&job);
	conformance_end(&client);
}
