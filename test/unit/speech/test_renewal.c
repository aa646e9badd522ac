/*
 * What an engine offers can change while the server runs: voices are added and
 * removed without a restart, without a gap and without changing a chunk that is
 * being spoken; and other engines speak the voices of one that fails.
 *
 * argv[1] is the odd worker.
 */
#include <errno.h>
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

static size_t voice_count(const struct bed *bed)
{
	return voices_count(pool_voices(bed->pool));
}

static void wait_for_voices(struct bed *bed, size_t count)
{
	for (int i = 0; i < 6000 && voice_count(bed) != count; ++i)
		bed_pass(bed, 10);
	assert_int_equal(voice_count(bed), count);
}

static void wait_for_speaker(struct bed *bed, const char *engine)
{
	const struct voice *sally = NULL;

	for (int i = 0; i < 6000; ++i) {
		sally = voices_find(pool_voices(bed->pool), 1071);
		if (sally && strcmp(sally->engine, engine) == 0)
			return;
		bed_pass(bed, 10);
	}
	fail_msg("1071 is spoken by %s, not by %s", sally ? sally->engine : "nobody", engine);
}

static void hold_it(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	chunk_hold(chunk, true);
}

static void test_new_voices_appear_and_old_workers_finish(void **state)
{
	struct bed bed;
	struct chunk old, new;

	(void)state;
	bed_open_ready(&bed, "growing", odd_program, (struct pool_options){0});
	assert_int_equal(voice_count(&bed), 1);
	bed_start(&bed, &old, "well");
	old.on_audio = hold_it;
	while (old.on_audio)
		bed_pass(&bed, 1);
	assert_int_equal(pool_renew(bed.pool, "growing"), 0);
	wait_for_voices(&bed, 2);
	chunk_hold(&old, false);
	bed_speak(&bed, &new, "well");
	assert_int_equal(old.how, SPEECH_DONE);
	assert_int_equal(old.count, SECOND);
	assert_int_equal(old.samples[0], old.samples[SECOND - 1]); /* one process made it */
	assert_int_equal(new.how, SPEECH_DONE);
	assert_true(new.samples[0] > old.samples[0]);
	bed_wait_for_workers(&bed, 1);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	chunk_finish(&old);
	chunk_finish(&new);
	bed_close(&bed);
}

/* The number of the process that spoke, which it writes into each sample. */
static size_t speaker_number(const struct chunk *chunk)
{
	return (size_t)((uint16_t)chunk->samples[0] >> 8) / 8;
}

/* Each process of an engine that loads models takes much memory. */
static void test_many_changes_start_few_workers_at_once(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	bed_open_ready(&bed, "growing", odd_program, (struct pool_options){0});
	for (int i = 0; i < 8; ++i) {
		assert_int_equal(pool_renew(bed.pool, "growing"), 0);
		assert_true(bed_stats(&bed).starting <= 2);
	}
	bed_wait_for_workers(&bed, 1);
	/* The first, one or two that were on their way when more changed, and the last. */
	assert_in_range(bed_starts(&bed), 3, 4);
	/* Two processes that start together may get their numbers in any order, so the voices are
	 * compared with those of the process that is left, not with the last number. */
	bed_speak(&bed, &chunk, "well");
	assert_int_equal(chunk.how, SPEECH_DONE);
	assert_true(speaker_number(&chunk) > 1);
	assert_int_equal(voice_count(&bed), speaker_number(&chunk));
	chunk_finish(&chunk);
	bed_close(&bed);
}

static void test_an_engine_without_voices_waits_and_is_no_failure(void **state)
{
	struct bed bed;
	struct pool_note note;

	(void)state;
	bed_open_ready(&bed, "empty", odd_program, (struct pool_options){.workers_max = 8});
	bed_pass(&bed, 300);
	assert_int_equal(bed_starts(&bed), 1);
	assert_int_equal(bed_stats(&bed).workers, 1);
	assert_int_equal(pool_note_at(&note, bed.pool, 0), 0);
	assert_string_equal(note.engine, "empty");
	assert_string_equal(note.about, "x.onnx");
	assert_string_equal(note.text, "is no model");
	assert_int_equal(pool_note_at(&note, bed.pool, 1), 0);
	assert_string_equal(note.about, "");
	assert_int_equal(pool_note_at(&note, bed.pool, 2), ENOENT);
	bed_close(&bed);
}

static void test_an_unknown_engine_cannot_be_renewed(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "empty", odd_program, (struct pool_options){0});
	assert_int_equal(pool_renew(bed.pool, "vits"), ENOENT);
	bed_close(&bed);
}

static void open_two(struct bed *bed, struct pool_options options)
{
	setenv("SYRINX_ENGINE_ODD_VITS", "libritts:sally", 1);
	setenv("SYRINX_ENGINE_ODD_FLITE", "slt", 1);
	bed_also("flite");
	bed_open_ready(bed, "vits", odd_program, options);
	wait_for_speaker(bed, "vits");
}

static void test_a_better_speaker_takes_over_and_hands_back(void **state)
{
	struct bed bed;

	(void)state;
	open_two(&bed, (struct pool_options){0});
	assert_string_equal(voices_find(pool_voices(bed.pool), 1071)->licence, "none");
	setenv("SYRINX_ENGINE_ODD_VITS", "", 1);
	assert_int_equal(pool_renew(bed.pool, "vits"), 0);
	wait_for_speaker(&bed, "flite");
	setenv("SYRINX_ENGINE_ODD_VITS", "libritts:sally", 1);
	assert_int_equal(pool_renew(bed.pool, "vits"), 0);
	wait_for_speaker(&bed, "vits");
	bed_close(&bed);
}

static void test_a_renewal_that_fails_leaves_what_is_there(void **state)
{
	struct bed bed;
	struct chunk chunk;
	long before;

	(void)state;
	open_two(&bed, (struct pool_options){.workers_max = 1});
	before = bed_starts(&bed);
	setenv("SYRINX_ENGINE_ODD_VITS", "die", 1);
	assert_int_equal(pool_renew(bed.pool, "vits"), 0);
	while (bed_starts(&bed) < before + 3)
		bed_pass(&bed, 10);
	bed_pass(&bed, 1000);
	assert_int_equal(bed_starts(&bed), before + 3); /* and then it is let be */
	bed.voice = voices_find(pool_voices(bed.pool), 1071);
	assert_string_equal(bed.voice->engine, "vits");
	bed_speak(&bed, &chunk, "well");
	assert_int_equal(chunk.how, SPEECH_DONE);
	chunk_finish(&chunk);
	bed_close(&bed);
}

/* A worker that is being started has its environment already and no process to kill. */
static void kill_vits(struct bed *bed)
{
	while (bed_stats(bed).starting > 0)
		bed_pass(bed, 10);
	setenv("SYRINX_ENGINE_ODD_VITS", "die", 1);
	assert_true(bed_starts(bed) > 0);
	children_signal(SIGKILL);
}

static void test_an_engine_that_is_given_up_is_stood_in_for_until_it_is_back(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	open_two(&bed, (struct pool_options){0});
	kill_vits(&bed);
	wait_for_speaker(&bed, "flite");
	bed.voice = voices_find(pool_voices(bed.pool), 1071);
	bed_speak(&bed, &chunk, "well");
	assert_int_equal(chunk.how, SPEECH_DONE);
	chunk_finish(&chunk);
	setenv("SYRINX_ENGINE_ODD_VITS", "libritts:sally", 1);
	wait_for_speaker(&bed, "vits");
	bed_close(&bed);
}

static void test_without_fallback_its_voice_is_unavailable(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	open_two(&bed, (struct pool_options){.no_fallback = true, .start_timeout_ms = 300});
	kill_vits(&bed);
	bed_pass(&bed, 1500);
	bed.voice = voices_find(pool_voices(bed.pool), 1071);
	assert_string_equal(bed.voice->engine, "vits");
	bed_start_due(&bed, &chunk, "well", true, loop_now_us(bed.loop));
	bed_run(&bed);
	assert_int_equal(chunk.how, SPEECH_UNAVAILABLE);
	chunk_finish(&chunk);
	bed_close(&bed);
}

static void test_a_voice_that_its_engine_does_not_know_is_unavailable(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	bed_open_ready(&bed, "odd", odd_program, (struct pool_options){0});
	bed_speak(&bed, &chunk, "no such voice");
	assert_int_equal(chunk.how, SPEECH_UNAVAILABLE);
	chunk_finish(&chunk);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_voices_appear_and_old_workers_finish),
		cmocka_unit_test(test_many_changes_start_few_workers_at_once),
		cmocka_unit_test(test_an_engine_without_voices_waits_and_is_no_failure),
		cmocka_unit_test(test_an_unknown_engine_cannot_be_renewed),
		cmocka_unit_test(test_a_better_speaker_takes_over_and_hands_back),
		cmocka_unit_test(test_a_renewal_that_fails_leaves_what_is_there),
		cmocka_unit_test(test_an_engine_that_is_given_up_is_stood_in_for_until_it_is_back),
		cmocka_unit_test(test_without_fallback_its_voice_is_unavailable),
		cmocka_unit_test(test_a_voice_that_its_engine_does_not_know_is_unavailable),
	};

	if (argc < 2)
		return 2;
	odd_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
