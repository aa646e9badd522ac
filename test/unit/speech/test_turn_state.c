/*
 * Turns whose engine keeps state between their chunks: they stay on one worker,
 * sound the same when they cannot, and no state is left when they have ended.
 *
 * argv[1] is the tone engine, argv[2] the odd worker.  The pitch of a chunk of
 * the tone engine depends on all words of its turn before it.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"
#include "children.h"
#include "loop/loop.h"
#include "workers/message.h"

#define LETTER_SAMPLES (60 * 24000 / 1000)
#define TEXTS 4
#define TURNS 5

static const char *tone_program;
static const char *odd_program;

static void open_bed(struct bed *bed, const char *jobs, const char *turns,
		     struct pool_options options)
{
	char jobs_variable[64];
	char turns_variable[64];
	const char *environment[] = {jobs_variable, turns_variable, NULL};

	snprintf(jobs_variable, sizeof(jobs_variable), "SYRINX_ENGINE_TONE_JOBS=%s", jobs);
	snprintf(turns_variable, sizeof(turns_variable), "SYRINX_ENGINE_TONE_TURNS=%s", turns);
	options.environment = environment;
	bed_open_ready(bed, "tone", tone_program, options);
}

static void end_turn(struct bed *bed, uint64_t turn)
{
	struct speech *speech = pool_speech(bed->pool);

	speech->ops->end_turn(speech, turn);
}

/* The i-th chunk of a turn; slow enough to be disturbed. */
static const char *text_of(char text[128], uint64_t turn, unsigned i)
{
	snprintf(text, 128, "[[slow:2]] This is sentence %u of turn %u, and it goes on a while.",
		 i + 1, (unsigned)turn);
	return text;
}

static void start(struct bed *bed, struct chunk *chunk, uint64_t turn, unsigned i)
{
	char text[128];

	bed->turn = turn;
	bed_start(bed, chunk, text_of(text, turn, i));
}

static void speak(struct bed *bed, struct chunk *chunk, uint64_t turn, unsigned i)
{
	start(bed, chunk, turn, i);
	bed_run(bed);
	assert_int_equal(chunk->how, SPEECH_DONE);
}

static void finish(struct chunk *chunks, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		chunk_finish(&chunks[i]);
}

static void assert_same(const struct chunk *a, const struct chunk *b)
{
	assert_int_equal(a->how, SPEECH_DONE);
	assert_int_equal(b->how, SPEECH_DONE);
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->samples, b->samples, a->count * 2);
}

/* A turn that nothing disturbs, on a pool of its own. */
static void speak_calmly(struct chunk *chunks, uint64_t turn, unsigned n)
{
	struct bed bed;

	open_bed(&bed, "1", "8", (struct pool_options){.workers_max = 1});
	for (unsigned i = 0; i < n; ++i)
		speak(&bed, &chunks[i], turn, i);
	end_turn(&bed, turn);
	bed_close(&bed);
}

/* Turns that a worker has state of, by what it hums; for a pool with one worker. */
static size_t count_turns(struct bed *bed)
{
	struct chunk chunk;
	size_t letters;

	bed->turn = 999;
	bed_speak(bed, &chunk, "[[turns]]");
	letters = chunk.count / LETTER_SAMPLES;
	chunk_finish(&chunk);
	end_turn(bed, 999);
	assert_true(letters >= 2); /* itself, and the pause after it */
	return letters - 2;
}

/* Several at a time, so that each finds other workers free when it continues. */
static void test_sentences_stay_on_one_worker_though_others_are_idle(void **state)
{
	struct bed bed;
	struct chunk calm[3][TEXTS];

	(void)state;
	for (uint64_t turn = 0; turn < 3; ++turn)
		speak_calmly(calm[turn], turn + 1, TEXTS);
	open_bed(&bed, "1", "8", (struct pool_options){.workers_max = 6});
	for (unsigned i = 0; i < TEXTS; ++i) {
		struct chunk chunks[3];

		for (unsigned k = 0; k < 3; ++k) {
			uint64_t turn = (i + k) % 3;

			start(&bed, &chunks[turn], turn + 1, i);
		}
		bed_run(&bed);
		for (unsigned turn = 0; turn < 3; ++turn)
			assert_same(&chunks[turn], &calm[turn][i]);
		finish(chunks, 3);
	}
	assert_int_equal(bed_stats(&bed).replays, 0);
	assert_int_equal(bed_stats(&bed).turns_kept, 3);
	for (uint64_t turn = 1; turn <= 3; ++turn)
		end_turn(&bed, turn);
	assert_int_equal(bed_stats(&bed).turns_kept, 0);
	for (unsigned turn = 0; turn < 3; ++turn)
		finish(calm[turn], TEXTS);
	bed_close(&bed);
}

static void kill_all_workers(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	children_signal(SIGKILL);
}

static void assert_death_is_not_heard(const char *jobs)
{
	struct bed bed;
	struct chunk calm[TEXTS], hit[TEXTS];

	speak_calmly(calm, 1, TEXTS);
	open_bed(&bed, jobs, "8", (struct pool_options){0});
	for (unsigned i = 0; i < TEXTS; ++i) {
		start(&bed, &hit[i], 1, i);
		if (i == 1)
			hit[i].on_audio = kill_all_workers;
		bed_run(&bed);
		assert_same(&calm[i], &hit[i]);
		if (i == 2)
			children_signal(SIGKILL); /* between two of them */
	}
	assert_true(bed_stats(&bed).retries >= 1);
	assert_true(bed_stats(&bed).replays >= 2);
	end_turn(&bed, 1);
	finish(calm, TEXTS);
	finish(hit, TEXTS);
	bed_close(&bed);
}

static void test_the_rest_of_a_turn_sounds_the_same_after_a_death(void **state)
{
	(void)state;
	assert_death_is_not_heard("1");
	assert_death_is_not_heard("4");
}

static void test_the_end_of_a_turn_frees_its_state(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	open_bed(&bed, "1", "8", (struct pool_options){.workers_max = 1});
	for (uint64_t turn = 1; turn <= 3; ++turn) {
		speak(&bed, &chunk, turn, 0);
		chunk_finish(&chunk);
	}
	assert_int_equal(count_turns(&bed), 3);
	for (uint64_t turn = 1; turn <= 3; ++turn)
		end_turn(&bed, turn);
	assert_int_equal(count_turns(&bed), 0);
	end_turn(&bed, 1); /* harmless */
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	bed_close(&bed);
}

static void cancel_it(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	chunk_cancel(chunk);
}

/* It makes no difference whether the client cancels or disconnects. */
static void test_a_cancelled_turn_frees_its_state(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	open_bed(&bed, "1", "8", (struct pool_options){.workers_max = 1});
	start(&bed, &chunk, 1, 0);
	chunk.on_audio = cancel_it;
	bed_run(&bed);
	end_turn(&bed, 1);
	chunk_finish(&chunk);
	assert_int_equal(count_turns(&bed), 0);
	assert_int_equal(bed_stats(&bed).turns_kept, 0);
	bed_close(&bed);
}

/* The worker would end with an error if it were given more. */
static void test_a_worker_is_given_no_more_turns_than_it_can_keep(void **state)
{
	struct bed bed;
	struct chunk calm[TURNS][TEXTS];

	(void)state;
	for (uint64_t turn = 0; turn < TURNS; ++turn)
		speak_calmly(calm[turn], turn + 1, TEXTS);
	open_bed(&bed, "1", "2", (struct pool_options){.workers_max = 1});
	for (unsigned i = 0; i < TEXTS; ++i) {
		for (uint64_t turn = 0; turn < TURNS; ++turn) {
			struct chunk chunk;

			speak(&bed, &chunk, turn + 1, i);
			assert_same(&chunk, &calm[turn][i]);
			chunk_finish(&chunk);
		}
	}
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	assert_int_equal(bed_stats(&bed).replays, TURNS * (TEXTS - 1));
	for (uint64_t turn = 0; turn < TURNS; ++turn) {
		end_turn(&bed, turn + 1);
		finish(calm[turn], TEXTS);
	}
	bed_close(&bed);
}

static void hold_it(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	chunk_hold(chunk, true);
}

/* What the worker has of the held chunk's turn is the state in the middle of the chunk. */
static void test_a_chunk_that_gave_its_seat_up_goes_on_with_a_replay(void **state)
{
	struct bed bed;
	struct chunk calm[2], first, held, other;

	(void)state;
	speak_calmly(calm, 1, 2);
	open_bed(&bed, "1", "8", (struct pool_options){.workers_max = 1});
	speak(&bed, &other, 2, 0); /* it has state on the worker that the other one will hold */
	chunk_finish(&other);
	speak(&bed, &first, 1, 0);
	start(&bed, &held, 1, 1);
	held.on_audio = hold_it;
	start(&bed, &other, 2, 1);
	while (!other.ended)
		bed_pass(&bed, 10);
	assert_int_equal(bed_stats(&bed).taken_back, 1);
	chunk_hold(&held, false);
	bed_run(&bed);
	assert_same(&held, &calm[1]);
	assert_int_equal(bed_stats(&bed).replays, 1);
	end_turn(&bed, 1);
	end_turn(&bed, 2);
	finish(calm, 2);
	chunk_finish(&first);
	chunk_finish(&held);
	chunk_finish(&other);
	bed_close(&bed);
}

static struct chunk urgent;
static bool was_overtaken; /* the patient chunk, by the urgent one */
static const struct chunk *patient_chunk;

static void note_order(struct chunk *chunk)
{
	(void)chunk;
	was_overtaken = !patient_chunk->ended;
}

/* The next chunk of turn 2 is wanted at once. */
static void hurry(struct chunk *chunk)
{
	char text[128];

	chunk->on_audio = NULL;
	chunk->bed->turn = 2;
	bed_start_due(chunk->bed, &urgent, text_of(text, 2, 1), false,
		      loop_now_us(chunk->bed->loop));
	urgent.on_end = note_order;
}

/* Turn 1 has a chunk on the only worker, which also has the state of turn 2.  Returns how many seats
 * were given up. */
static unsigned hurry_when_in_hand(unsigned ms)
{
	struct bed bed;
	struct chunk calm[2], first, patient, other;
	unsigned given_up;
	char text[128];

	speak_calmly(calm, 1, 2);
	open_bed(&bed, "1", "8", (struct pool_options){.workers_max = 1});
	speak(&bed, &other, 2, 0);
	speak(&bed, &first, 1, 0);
	patient_chunk = &patient;
	bed_start_due(&bed, &patient, text_of(text, 1, 1), false,
		      loop_now_us(bed.loop) + ms * UINT64_C(1000));
	patient.on_audio = hurry;
	bed_run(&bed);
	assert_int_equal(urgent.how, SPEECH_DONE);
	assert_same(&patient, &calm[1]);
	given_up = (unsigned)bed_stats(&bed).taken_back;
	assert_int_equal(bed_stats(&bed).replays, given_up);
	end_turn(&bed, 1);
	end_turn(&bed, 2);
	finish(calm, 2);
	chunk_finish(&first);
	chunk_finish(&patient);
	chunk_finish(&other);
	chunk_finish(&urgent);
	bed_close(&bed);
	return given_up;
}

static void test_a_chunk_in_a_hurry_takes_a_seat_of_the_worker_that_has_its_state(void **state)
{
	(void)state;
	assert_int_equal(hurry_when_in_hand(60000), 1);
	assert_true(was_overtaken);
}

/* The engine counts as slow at first, so that a replay would take longer than it gains. */
static void test_a_turn_that_is_long_to_replay_keeps_its_seat(void **state)
{
	(void)state;
	assert_int_equal(hurry_when_in_hand(2000), 0);
	assert_false(was_overtaken);
}

/* A new turn on a worker that cannot keep more of them would cost another one its state. */
static void test_workers_are_started_for_turns_that_idle_ones_cannot_keep(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	open_bed(&bed, "1", "2", (struct pool_options){.workers_max = 16});
	for (unsigned i = 0; i < 2; ++i) {
		for (uint64_t turn = 1; turn <= 12; ++turn) {
			while (bed_stats(&bed).starting > 0)
				bed_pass(&bed, 1);
			speak(&bed, &chunk, turn, i);
			chunk_finish(&chunk);
		}
	}
	assert_int_equal(bed_stats(&bed).replays, 0);
	for (uint64_t turn = 1; turn <= 12; ++turn)
		end_turn(&bed, turn);
	bed_close(&bed);
}

/* It is due to be replaced after one job, and waits for the turn to end. */
static void test_a_worker_that_is_to_go_keeps_its_turns(void **state)
{
	struct bed bed;
	struct chunk calm[TEXTS], chunks[TEXTS];
	pid_t before[CHILDREN_MAX], after[CHILDREN_MAX];
	unsigned n;

	(void)state;
	speak_calmly(calm, 1, TEXTS);
	open_bed(&bed, "1", "8", (struct pool_options){.workers_max = 1, .recycle_jobs = 1});
	n = children_list(before, CHILDREN_MAX);
	assert_int_equal(n, 1);
	for (unsigned i = 0; i < TEXTS; ++i) {
		speak(&bed, &chunks[i], 1, i);
		assert_same(&calm[i], &chunks[i]);
	}
	assert_int_equal(bed_stats(&bed).replays, 0);
	end_turn(&bed, 1);
	do {
		bed_pass(&bed, 10);
		n = children_list(after, CHILDREN_MAX);
	} while (n != 1 || after[0] == before[0]);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	finish(calm, TEXTS);
	finish(chunks, TEXTS);
	bed_close(&bed);
}

/* Of a turn with more chunks than are replayed the last ones are. */
static void test_a_long_turn_is_replayed_in_part(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	open_bed(&bed, "1", "8", (struct pool_options){.workers_max = 1});
	bed.turn = 1;
	for (unsigned i = 0; i < MESSAGE_REPLAY_MAX + 6; ++i) {
		bed_speak(&bed, &chunk, "Word.");
		assert_int_equal(chunk.how, SPEECH_DONE);
		chunk_finish(&chunk);
	}
	children_signal(SIGKILL);
	bed_speak(&bed, &chunk, "Last.");
	assert_int_equal(chunk.how, SPEECH_DONE);
	assert_int_equal(chunk.count, 6 * LETTER_SAMPLES);
	assert_int_equal(bed_stats(&bed).worker_deaths, 1); /* the replay was not too much */
	chunk_finish(&chunk);
	end_turn(&bed, 1);
	bed_close(&bed);
}

/* The odd worker ends itself when it is sent a message that it has not asked for. */
static void test_an_engine_without_state_hears_nothing_of_turns(void **state)
{
	struct bed bed;
	struct chunk chunks[2];

	(void)state;
	bed_open_ready(&bed, "good", odd_program, (struct pool_options){0});
	for (int round = 0; round < 3; ++round) {
		bed_start(&bed, &chunks[0], "well");
		bed_start(&bed, &chunks[1], "well"); /* of the same turn, on another worker */
		bed_run(&bed);
		assert_int_equal(chunks[0].how, SPEECH_DONE);
		assert_int_equal(chunks[1].how, SPEECH_DONE);
		assert_int_not_equal(chunks[0].samples[0], chunks[1].samples[0]);
		finish(chunks, 2);
		assert_int_equal(bed_stats(&bed).turns_kept, 0);
		end_turn(&bed, 1);
	}
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentences_stay_on_one_worker_though_others_are_idle),
		cmocka_unit_test(test_the_rest_of_a_turn_sounds_the_same_after_a_death),
		cmocka_unit_test(test_the_end_of_a_turn_frees_its_state),
		cmocka_unit_test(test_a_cancelled_turn_frees_its_state),
		cmocka_unit_test(test_a_worker_is_given_no_more_turns_than_it_can_keep),
		cmocka_unit_test(test_a_chunk_that_gave_its_seat_up_goes_on_with_a_replay),
		cmocka_unit_test(
			test_a_chunk_in_a_hurry_takes_a_seat_of_the_worker_that_has_its_state),
		cmocka_unit_test(test_a_turn_that_is_long_to_replay_keeps_its_seat),
		cmocka_unit_test(test_workers_are_started_for_turns_that_idle_ones_cannot_keep),
		cmocka_unit_test(test_a_worker_that_is_to_go_keeps_its_turns),
		cmocka_unit_test(test_a_long_turn_is_replayed_in_part),
		cmocka_unit_test(test_an_engine_without_state_hears_nothing_of_turns),
	};

	if (argc != 3)
		return 2;
	tone_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	odd_program = realpath(argv[2], NULL);
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
