/*
 * A first chunk that finds no seat gets that of a chunk whose listener has enough audio:
 * at once, from the right one, not too often, and without losing a sample.
 *
 * argv[1] is the tone engine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"
#include "speech/pool_private.h"

#define SENTENCE                                                                                    \
	"[[slow:5]] The quick brown fox jumps over the lazy dog, and then it rests a while, until " \
	"the dog gets up and the fox has to go."

#define MINUTE_US UINT64_C(60000000)
#define ROUNDS 6

static const char *tone_program;

static void open_bed(struct bed *bed, struct pool_options options)
{
	bed_open_ready(bed, "tone", tone_program, options);
}

static void assert_same(const struct chunk *a, const struct chunk *b)
{
	assert_int_equal(a->how, SPEECH_DONE);
	assert_int_equal(b->how, SPEECH_DONE);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->words, b->words);
	assert_memory_equal(a->samples, b->samples, a->count * 2);
}

static struct chunk urgent[ROUNDS];
static unsigned urgent_count;
static size_t urgent_after; /* samples of the chunk that is interrupted */
static bool outlived; /* it had not ended when the last urgent one had */

static void note_order(struct chunk *chunk)
{
	(void)chunk;
	outlived = true;
}

/* Each time the chunk has made progress, the first chunk of another turn is started. */
static void hurry(struct chunk *chunk)
{
	struct bed *bed = chunk->bed;

	if (chunk->count < urgent_after || urgent_count == ROUNDS ||
	    (urgent_count > 0 && !urgent[urgent_count - 1].ended))
		return;
	urgent_after = chunk->count + 1;
	bed_start_due(bed, &urgent[urgent_count++], "Quick.", true, loop_now_us(bed->loop));
}

static void hurry_once(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	hurry(chunk);
	urgent[0].on_end = note_order;
}

static void forget(void)
{
	urgent_count = 0;
	urgent_after = 0;
	outlived = false;
}

static void test_a_first_sound_takes_the_seat_of_who_has_enough_to_hear(void **state)
{
	struct bed bed;
	struct chunk whole, patient;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1});
	bed_speak(&bed, &whole, SENTENCE);
	forget();
	bed_start_due(&bed, &patient, SENTENCE, false, loop_now_us(bed.loop) + MINUTE_US);
	patient.on_audio = hurry_once;
	bed_run(&bed);
	assert_true(outlived);
	assert_int_equal(urgent[0].how, SPEECH_DONE);
	assert_int_equal(bed_stats(&bed).taken_back, 1);
	assert_int_equal(bed_stats(&bed).retries, 0);
	assert_same(&whole, &patient);
	chunk_finish(&whole);
	chunk_finish(&patient);
	chunk_finish(&urgent[0]);
	bed_close(&bed);
}

static void test_who_has_little_to_hear_keeps_the_seat(void **state)
{
	struct bed bed;
	struct chunk hungry;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1});
	forget();
	/* Its listener has waited for ten seconds and will not get a second ahead of playback. */
	bed_start_due(&bed, &hungry, SENTENCE, false, loop_now_us(bed.loop) - MINUTE_US / 6);
	hungry.on_audio = hurry_once;
	bed_run(&bed);
	assert_int_equal(hungry.how, SPEECH_DONE);
	assert_int_equal(urgent[0].how, SPEECH_DONE);
	assert_int_equal(bed_stats(&bed).taken_back, 0);
	chunk_finish(&hungry);
	chunk_finish(&urgent[0]);
	bed_close(&bed);
}

static void test_nobody_gives_up_a_seat_for_who_is_in_no_hurry(void **state)
{
	struct bed bed;
	struct chunk first, second;
	uint64_t due_us;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1});
	due_us = loop_now_us(bed.loop) + MINUTE_US;
	bed_start_due(&bed, &first, SENTENCE, false, due_us);
	bed_start_due(&bed, &second, SENTENCE, false, due_us + 1);
	bed_run(&bed);
	assert_int_equal(bed_stats(&bed).taken_back, 0);
	assert_same(&first, &second);
	chunk_finish(&first);
	chunk_finish(&second);
	bed_close(&bed);
}

static void test_a_chunk_gives_up_its_seat_a_few_times_at_most(void **state)
{
	struct bed bed;
	struct chunk whole, patient;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1});
	bed_speak(&bed, &whole, SENTENCE);
	forget();
	bed_start_due(&bed, &patient, SENTENCE, false, loop_now_us(bed.loop) + MINUTE_US);
	patient.on_audio = hurry;
	bed_run(&bed);
	assert_int_equal(bed_stats(&bed).taken_back, 3);
	assert_true(urgent_count > 3); /* the others have waited */
	assert_same(&whole, &patient);
	chunk_finish(&whole);
	chunk_finish(&patient);
	for (unsigned i = 0; i < urgent_count; ++i) {
		assert_int_equal(urgent[i].how, SPEECH_DONE);
		chunk_finish(&urgent[i]);
	}
	bed_close(&bed);
}

static size_t hold_at; /* samples */

static void hold_then(struct chunk *chunk)
{
	if (chunk->count < hold_at)
		return;
	chunk->on_audio = NULL;
	chunk_hold(chunk, true);
	loop_stop(chunk->bed->loop);
}

/* Both listeners have about a minute of audio; of the first chunk, more would have to be made again. */
static void test_the_chunk_that_loses_least_gives_up_its_seat(void **state)
{
	struct bed bed;
	struct chunk whole, far, near, quick;
	uint64_t due_us;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 2});
	bed_speak(&bed, &whole, SENTENCE);
	due_us = loop_now_us(bed.loop) + MINUTE_US;
	hold_at = 24000;
	bed_start_due(&bed, &far, SENTENCE, false, due_us);
	far.on_audio = hold_then;
	bed_run(&bed);
	hold_at = 1;
	bed_start_due(&bed, &near, SENTENCE, false, due_us);
	near.on_audio = hold_then;
	bed_run(&bed);
	while (far.job->state != JOB_HELD || near.job->state != JOB_HELD)
		bed_pass(&bed, 1); /* samples for which they have credit still arrive */
	bed_start_due(&bed, &quick, "Quick.", true, loop_now_us(bed.loop));
	bed.open_chunks = 1; /* the held ones do not end meanwhile */
	bed_run(&bed);
	assert_int_equal(quick.how, SPEECH_DONE);
	assert_int_equal(bed_stats(&bed).taken_back, 1);
	assert_int_equal(far.job->preempted, 0);
	assert_int_equal(near.job->preempted, 1);
	bed.open_chunks = 2;
	chunk_hold(&far, false);
	chunk_hold(&near, false);
	bed_run(&bed);
	assert_same(&whole, &far);
	assert_same(&whole, &near);
	chunk_finish(&whole);
	chunk_finish(&far);
	chunk_finish(&near);
	chunk_finish(&quick);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_first_sound_takes_the_seat_of_who_has_enough_to_hear),
		cmocka_unit_test(test_who_has_little_to_hear_keeps_the_seat),
		cmocka_unit_test(test_nobody_gives_up_a_seat_for_who_is_in_no_hurry),
		cmocka_unit_test(test_a_chunk_gives_up_its_seat_a_few_times_at_most),
		cmocka_unit_test(test_the_chunk_that_loses_least_gives_up_its_seat),
	};

	if (argc < 2)
		return 2;
	tone_program = realpath(argv[1], NULL);
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
