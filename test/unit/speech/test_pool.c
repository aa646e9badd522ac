/*
 * The pool, with real worker processes: chunks are spoken completely whatever
 * happens to the workers, deadlines decide the order, and nothing is leaked.
 *
 * argv[1] is the tone engine.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"
#include "children.h"

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

#define SENTENCE "The quick brown fox jumps over the lazy dog, and then it rests a while."

static void test_a_chunk_is_spoken_with_its_words(void **state)
{
	struct bed bed;
	struct chunk once, again;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	bed_speak(&bed, &once, SENTENCE);
	bed_speak(&bed, &again, SENTENCE);
	assert_true(once.count > 24000);
	assert_int_equal(once.words, 15);
	assert_same(&once, &again);
	chunk_finish(&once);
	chunk_finish(&again);
	bed_close(&bed);
}

static void kill_all_workers(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	children_signal(SIGKILL);
}

static void test_a_killed_worker_is_not_heard(void **state)
{
	struct bed bed;
	struct chunk whole, hit;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	bed_speak(&bed, &whole, "[[slow:5]] " SENTENCE);
	bed_start(&bed, &hit, "[[slow:5]] " SENTENCE);
	hit.on_audio = kill_all_workers;
	bed_run(&bed);
	assert_int_equal(bed_stats(&bed).retries, 1);
	assert_same(&whole, &hit);
	chunk_finish(&whole);
	chunk_finish(&hit);
	bed_close(&bed);
}

/* The tone engine hums phonemes as letters.  Spans that are not in the text, or not in its order, are
 * ignored, and the text is read. */
static void test_phonemes_are_spoken_also_on_a_second_try(void **state)
{
	static const struct spoken_phonemes spans[] = {
		{11, 17, "ˈdɔktɐ"}, {13, 15, "x"}, {18, 21, ""},
		{25, 29, "ˈbɪtə"},  {20, 24, "x"}, {29, 99, "x"},
	};
	struct bed bed;
	struct chunk whole, hit;
	struct speech *speech;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	bed_speak(&bed, &whole, "[[slow:5]] ˈdɔktɐ kommen ˈbɪtə, und zwar schnell.");
	bed.phonemes = spans;
	bed.phonemes_len = sizeof(spans) / sizeof(spans[0]);
	bed_start(&bed, &hit, "[[slow:5]] Doktor kommen Bitt, und zwar schnell.");
	hit.on_audio = kill_all_workers;
	bed_run(&bed);
	assert_int_equal(bed_stats(&bed).retries, 1);
	assert_same(&whole, &hit);
	speech = pool_speech(bed.pool);
	assert_true(speech->ops->reads_phonemes(speech, voices_at(pool_voices(bed.pool), 0)));
	chunk_finish(&whole);
	chunk_finish(&hit);
	bed_close(&bed);
}

static void test_a_chunk_that_kills_twice_is_to_blame(void **state)
{
	struct bed bed;
	struct chunk bad, good;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	bed_speak(&bed, &bad, "Now [[crash]] please.");
	assert_int_equal(bad.how, SPEECH_FAILED);
	assert_int_equal(bed_stats(&bed).worker_deaths, 2);
	bed_speak(&bed, &good, SENTENCE);
	assert_int_equal(good.how, SPEECH_DONE);
	chunk_finish(&bad);
	chunk_finish(&good);
	bed_close(&bed);
}

static void test_a_text_that_cannot_be_spoken_costs_no_worker(void **state)
{
	struct bed bed;
	struct chunk bad;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	bed_speak(&bed, &bad, "Now [[fail]] please.");
	assert_int_equal(bad.how, SPEECH_FAILED);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	chunk_finish(&bad);
	bed_close(&bed);
}

static void test_a_silent_worker_is_replaced(void **state)
{
	struct bed bed;
	struct chunk bad, good;

	(void)state;
	open_bed(&bed, (struct pool_options){.stall_ms = 300});
	bed_start(&bed, &bad, "Wait [[stall]] forever.");
	bed_start(&bed, &good, SENTENCE);
	bed_run(&bed);
	assert_int_equal(bad.how, SPEECH_FAILED);
	assert_int_equal(good.how, SPEECH_DONE);
	chunk_finish(&bad);
	chunk_finish(&good);
	bed_close(&bed);
}

static void cancel_it(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	chunk_cancel(chunk);
}

static void test_cancel_inside_the_audio_frees_the_worker(void **state)
{
	struct bed bed;
	struct chunk gone, next;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1});
	bed_start(&bed, &gone, "[[long:30]]");
	gone.on_audio = cancel_it;
	bed_start(&bed, &next, SENTENCE);
	bed_run(&bed);
	assert_false(gone.ended);
	assert_true(gone.count < 24000 * 5);
	assert_int_equal(next.how, SPEECH_DONE);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	assert_int_equal(bed_stats(&bed).seats_taken, 0);
	chunk_finish(&gone);
	chunk_finish(&next);
	bed_close(&bed);
}

static void hold_it(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	chunk_hold(chunk, true);
}

static void test_a_held_chunk_lends_its_worker_and_loses_nothing(void **state)
{
	struct bed bed;
	struct chunk whole, slow, quick;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1});
	bed_speak(&bed, &whole, SENTENCE);
	bed_start(&bed, &slow, SENTENCE);
	slow.on_audio = hold_it;
	bed_start(&bed, &quick, "Quick.");
	bed.open_chunks = 1; /* the held one does not end meanwhile */
	bed_run(&bed);
	assert_true(quick.ended);
	assert_false(slow.ended);
	assert_int_equal(bed_stats(&bed).taken_back, 1);
	bed.open_chunks = 1;
	chunk_hold(&slow, false);
	bed_run(&bed);
	assert_same(&whole, &slow);
	chunk_finish(&whole);
	chunk_finish(&slow);
	chunk_finish(&quick);
	bed_close(&bed);
}

static void test_a_first_chunk_that_cannot_start_is_refused(void **state)
{
	struct bed bed;
	struct chunk slow, first;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1, .start_timeout_ms = 200});
	bed_start(&bed, &slow, "[[stall]]");
	bed_start_due(&bed, &first, SENTENCE, true, loop_now_us(bed.loop));
	bed.open_chunks = 1;
	bed_run(&bed);
	assert_true(first.ended);
	assert_int_equal(first.how, SPEECH_UNAVAILABLE);
	chunk_cancel(&slow);
	chunk_finish(&slow);
	chunk_finish(&first);
	bed_close(&bed);
}

static void test_the_driest_listener_is_served_first(void **state)
{
	enum { COUNT = 6 };
	struct bed bed;
	struct chunk chunks[COUNT];
	uint64_t now;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = COUNT, .slots = 1});
	now = loop_now_us(bed.loop);
	for (unsigned i = 0; i < COUNT; ++i)
		bed_start_due(&bed, &chunks[i], SENTENCE, false, now + (COUNT - i) * 60000000u);
	bed_run(&bed);
	for (unsigned i = 0; i < COUNT; ++i) {
		assert_int_equal(chunks[i].how, SPEECH_DONE);
		assert_int_equal(chunks[i].first_sound, COUNT - i);
		chunk_finish(&chunks[i]);
	}
	bed_close(&bed);
}

static void test_a_chunk_that_yields_is_served_last_however_late_it_is(void **state)
{
	enum { COUNT = 3 };
	struct bed bed;
	struct chunk late[COUNT];
	struct chunk next;
	uint64_t now;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = COUNT + 1, .slots = 1});
	now = loop_now_us(bed.loop);
	for (unsigned i = 0; i < COUNT; ++i) {
		bed_start_due(&bed, &late[i], SENTENCE, false, 0);
		chunk_yield(&late[i]);
	}
	bed_start_due(&bed, &next, SENTENCE, true, now + 1000000u);
	bed_run(&bed);
	assert_int_equal(next.how, SPEECH_DONE);
	assert_int_equal(next.first_sound, 1);
	chunk_finish(&next);
	for (unsigned i = 0; i < COUNT; ++i) {
		assert_int_equal(late[i].how, SPEECH_DONE);
		chunk_finish(&late[i]);
	}
	bed_close(&bed);
}

static struct chunk *chunk_before;

static void assert_before_has_ended(struct chunk *chunk)
{
	chunk->on_audio = NULL;
	assert_true(chunk_before->ended);
}

static void test_by_arrival_whoever_came_first_is_served_to_the_end(void **state)
{
	enum { COUNT = 4 };
	struct bed bed;
	struct chunk chunks[COUNT];
	uint64_t now;

	(void)state;
	open_bed(&bed,
		 (struct pool_options){.workers_max = COUNT, .slots = 1, .order = POOL_BY_ARRIVAL});
	now = loop_now_us(bed.loop);
	for (unsigned i = 0; i < COUNT; ++i)
		bed_start_due(&bed, &chunks[i], SENTENCE, false, now + (COUNT - i) * 60000000u);
	chunk_before = &chunks[COUNT - 2];
	chunks[COUNT - 1].on_audio = assert_before_has_ended;
	bed_run(&bed);
	for (unsigned i = 0; i < COUNT; ++i) {
		assert_int_equal(chunks[i].how, SPEECH_DONE);
		assert_int_equal(chunks[i].first_sound, i + 1);
		chunk_finish(&chunks[i]);
	}
	bed_close(&bed);
}

static void test_many_chunks_share_few_workers(void **state)
{
	enum { COUNT = 40 };
	struct bed bed;
	struct chunk whole;
	static struct chunk chunks[COUNT];

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 3});
	bed_speak(&bed, &whole, SENTENCE);
	for (unsigned i = 0; i < COUNT; ++i)
		bed_start(&bed, &chunks[i], SENTENCE);
	bed_run(&bed);
	for (unsigned i = 0; i < COUNT; ++i) {
		assert_same(&whole, &chunks[i]);
		chunk_finish(&chunks[i]);
	}
	chunk_finish(&whole);
	bed_close(&bed);
}

/* For a large number of chunks only how each of them ended is kept. */
struct caller {
	struct bed *bed;
	struct speech_job *job;
	unsigned ends;
};

static void hear_nothing(void *arg, const int16_t *samples, size_t count, unsigned rate)
{
	(void)arg;
	(void)samples;
	(void)count;
	(void)rate;
}

static void hear_no_word(void *arg, const struct speech_word *word)
{
	(void)arg;
	(void)word;
}

static void count_end(void *arg, enum speech_end how, uint32_t busy_us)
{
	struct caller *caller = arg;

	(void)busy_us;
	assert_int_equal(how, SPEECH_DONE);
	++caller->ends;
	if (--caller->bed->open_chunks == 0)
		loop_stop(caller->bed->loop);
}

static void call(struct bed *bed, struct caller *caller, uint64_t due_us)
{
	static const struct speech_listener crowd = {hear_nothing, hear_no_word, count_end};
	struct speech *speech = pool_speech(bed->pool);
	struct speech_request request = {
		.voice = voices_at(pool_voices(bed->pool), 0),
		.language = "",
		.text = "Hi.",
		.text_len = 3,
		.text_before = "",
		.due_us = due_us,
		.speed = 1,
	};

	*caller = (struct caller){.bed = bed};
	assert_int_equal(speech->ops->start(&caller->job, speech, &request, &crowd, caller), 0);
	++bed->open_chunks;
}

static void test_ten_thousand_can_queue_and_most_may_leave(void **state)
{
	enum { CROWD = 10000, STAY = 20 /* one in this many is not cancelled */ };
	static struct caller callers[CROWD];
	struct bed bed;
	uint64_t now;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	now = loop_now_us(bed.loop);
	for (unsigned i = 0; i < CROWD; ++i)
		call(&bed, &callers[i], now + i % 7 * 1000000);
	assert_int_equal(bed_stats(&bed).jobs_queued, CROWD);
	for (unsigned i = 0; i < CROWD; ++i) {
		if (i % STAY == 0)
			continue;
		pool_speech(bed.pool)->ops->cancel(callers[i].job);
		--bed.open_chunks;
	}
	assert_int_equal(bed_stats(&bed).jobs_queued, CROWD / STAY);
	bed_run(&bed);
	for (unsigned i = 0; i < CROWD; ++i)
		assert_int_equal(callers[i].ends, i % STAY == 0);
	bed_close(&bed);
}

/* The process of the only worker.  One that takes another's place exists only once the spawner has
 * started it. */
static pid_t only_child(struct bed *bed)
{
	pid_t child = 0;

	for (unsigned tries = 0; tries < 3000 && children_list(&child, 1) == 0; ++tries)
		bed_pass(bed, 10);
	assert_true(child > 0);
	return child;
}

/* The only worker, after three chunks: is it still the same process? */
static bool is_same_worker(unsigned recycle_jobs)
{
	struct bed bed;
	struct chunk chunk;
	pid_t before, after;

	open_bed(&bed, (struct pool_options){.workers_max = 1, .recycle_jobs = recycle_jobs});
	before = only_child(&bed);
	for (int i = 0; i < 3; ++i) {
		bed_speak(&bed, &chunk, SENTENCE);
		assert_int_equal(chunk.how, SPEECH_DONE);
		chunk_finish(&chunk);
	}
	after = only_child(&bed);
	bed_close(&bed);
	return before == after;
}

static void test_workers_are_replaced_after_their_share_of_jobs(void **state)
{
	(void)state;
	assert_false(is_same_worker(1));
	assert_true(is_same_worker(100));
}

static void test_without_a_share_workers_are_kept(void **state)
{
	(void)state;
	assert_true(is_same_worker(0));
}

static void test_stuck_jobs_do_not_keep_their_slots(void **state)
{
	struct bed bed;
	struct chunk stuck[2], first;

	(void)state;
	open_bed(&bed, (struct pool_options){.start_timeout_ms = 2000, .stall_ms = 15000});
	bed_start(&bed, &stuck[0], "[[stall]]");
	bed_start(&bed, &stuck[1], "[[stall]]");
	bed_start_due(&bed, &first, SENTENCE, true, loop_now_us(bed.loop));
	bed.open_chunks = 1; /* the others do not end */
	bed_run(&bed);
	assert_int_equal(first.how, SPEECH_DONE);
	chunk_finish(&first);
	for (int i = 0; i < 2; ++i) {
		chunk_cancel(&stuck[i]);
		chunk_finish(&stuck[i]);
	}
	bed_close(&bed);
}

static void test_no_more_workers_are_lent_than_are_asked_for(void **state)
{
	enum { HELD = 3 };
	struct bed bed;
	struct chunk held[HELD], quick;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = HELD, .slots = HELD});
	for (int i = 0; i < HELD; ++i) {
		bed_start(&bed, &held[i], SENTENCE);
		held[i].on_audio = hold_it;
	}
	bed_pass(&bed, 600); /* long enough for all to be taken back */
	children_signal(SIGSTOP); /* so that their seats do not become free soon */
	bed_start(&bed, &quick, "Quick.");
	bed_pass(&bed, 1200);
	children_signal(SIGCONT);
	bed.open_chunks = 1; /* the held ones do not end */
	bed_run(&bed);
	assert_int_equal(quick.how, SPEECH_DONE);
	assert_int_equal(bed_stats(&bed).taken_back, 1);
	chunk_finish(&quick);
	for (int i = 0; i < HELD; ++i) {
		chunk_cancel(&held[i]);
		chunk_finish(&held[i]);
	}
	bed_close(&bed);
}

static void stand_still(struct chunk *chunk)
{
	const struct timespec while_ = {.tv_nsec = 900000000};

	chunk->on_audio = NULL;
	nanosleep(&while_, NULL);
}

static void test_a_loop_that_stood_still_blames_no_worker(void **state)
{
	struct bed bed;
	struct chunk chunk;

	(void)state;
	open_bed(&bed, (struct pool_options){.stall_ms = 600});
	bed_start(&bed, &chunk, "[[slow:5]] " SENTENCE);
	chunk.on_audio = stand_still;
	bed_run(&bed);
	assert_int_equal(chunk.how, SPEECH_DONE);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	chunk_finish(&chunk);
	bed_close(&bed);
}

static void test_a_voice_that_changes_does_not_change_a_chunk_under_way(void **state)
{
	struct bed bed;
	struct chunk chunk;
	struct voice voice;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	voice = *voices_at(pool_voices(bed.pool), 0);
	bed.voice = &voice;
	bed_start(&bed, &chunk, SENTENCE);
	strcpy(voice.engine_voice, "another");
	bed_run(&bed);
	assert_int_equal(chunk.how, SPEECH_DONE);
	chunk_finish(&chunk);
	bed_close(&bed);
}

/* One of 32 texts in one process ends it: every sample of the others is heard once.  Only the group of
 * that text is interrupted again, and each time it is half as large. */
static void test_texts_of_one_process_survive_the_one_that_ends_it(void **state)
{
	enum { COUNT = 31 };
	struct bed bed;
	static struct chunk whole, bad, chunks[COUNT];
	uint64_t now;

	(void)state;
	setenv("SYRINX_ENGINE_TONE_JOBS", "32", 1);
	open_bed(&bed, (struct pool_options){.slots = 32});
	unsetenv("SYRINX_ENGINE_TONE_JOBS");
	bed_speak(&bed, &whole, "[[slow:5]] " SENTENCE);
	now = loop_now_us(bed.loop);
	for (unsigned i = 0; i < COUNT; ++i)
		bed_start_due(&bed, &chunks[i], "[[slow:5]] " SENTENCE, true, now);
	bed_start_due(&bed, &bad, "[[slow:5]] Now it will [[crash]] please.", true, now);
	bed_run(&bed);
	assert_int_equal(bad.how, SPEECH_FAILED);
	assert_in_range(bed_stats(&bed).worker_deaths, 2, 6);
	assert_true(bed_stats(&bed).retries <= 32 + 16 + 8 + 4 + 2);
	chunk_finish(&bad);
	for (unsigned i = 0; i < COUNT; ++i) {
		assert_same(&whole, &chunks[i]);
		chunk_finish(&chunks[i]);
	}
	chunk_finish(&whole);
	bed_close(&bed);
}

static void test_many_texts_share_one_process(void **state)
{
	enum { COUNT = 40 };
	struct bed bed;
	struct chunk whole;
	static struct chunk chunks[COUNT];
	pid_t pids[CHILDREN_MAX];

	(void)state;
	setenv("SYRINX_ENGINE_TONE_JOBS", "32", 1);
	open_bed(&bed, (struct pool_options){0});
	unsetenv("SYRINX_ENGINE_TONE_JOBS");
	bed_speak(&bed, &whole, "[[block]] " SENTENCE);
	for (unsigned i = 0; i < COUNT; ++i)
		bed_start(&bed, &chunks[i], "[[block]] " SENTENCE);
	bed_run(&bed);
	assert_int_equal(children_list(pids, CHILDREN_MAX), 1);
	for (unsigned i = 0; i < COUNT; ++i) {
		assert_same(&whole, &chunks[i]);
		chunk_finish(&chunks[i]);
	}
	chunk_finish(&whole);
	bed_close(&bed);
}

static unsigned cores_busy, cores_most;

static void look_at_cores(struct chunk *chunk)
{
	(void)chunk;
	if (cores_busy > cores_most)
		cores_most = cores_busy;
}

static void test_others_are_told_how_many_cores_are_busy(void **state)
{
	struct bed bed;
	struct chunk chunks[4];

	(void)state;
	bed_open_ready(&bed, "tone", tone_program,
		       (struct pool_options){.slots = 2, .cores_busy = &cores_busy});
	assert_int_equal(cores_busy, 0);
	for (unsigned i = 0; i < 4; ++i) {
		bed_start(&bed, &chunks[i], "One two three four five.");
		chunks[i].on_audio = look_at_cores;
	}
	bed_run(&bed);
	assert_in_range(cores_most, 1, 2);
	while (cores_busy > 0)
		bed_pass(&bed, 1);
	for (unsigned i = 0; i < 4; ++i)
		chunk_finish(&chunks[i]);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_chunk_is_spoken_with_its_words),
		cmocka_unit_test(test_others_are_told_how_many_cores_are_busy),
		cmocka_unit_test(test_a_killed_worker_is_not_heard),
		cmocka_unit_test(test_phonemes_are_spoken_also_on_a_second_try),
		cmocka_unit_test(test_a_chunk_that_kills_twice_is_to_blame),
		cmocka_unit_test(test_a_text_that_cannot_be_spoken_costs_no_worker),
		cmocka_unit_test(test_a_silent_worker_is_replaced),
		cmocka_unit_test(test_cancel_inside_the_audio_frees_the_worker),
		cmocka_unit_test(test_a_held_chunk_lends_its_worker_and_loses_nothing),
		cmocka_unit_test(test_a_first_chunk_that_cannot_start_is_refused),
		cmocka_unit_test(test_the_driest_listener_is_served_first),
		cmocka_unit_test(test_a_chunk_that_yields_is_served_last_however_late_it_is),
		cmocka_unit_test(test_by_arrival_whoever_came_first_is_served_to_the_end),
		cmocka_unit_test(test_many_chunks_share_few_workers),
		cmocka_unit_test(test_ten_thousand_can_queue_and_most_may_leave),
		cmocka_unit_test(test_workers_are_replaced_after_their_share_of_jobs),
		cmocka_unit_test(test_without_a_share_workers_are_kept),
		cmocka_unit_test(test_stuck_jobs_do_not_keep_their_slots),
		cmocka_unit_test(test_no_more_workers_are_lent_than_are_asked_for),
		cmocka_unit_test(test_a_loop_that_stood_still_blames_no_worker),
		cmocka_unit_test(test_texts_of_one_process_survive_the_one_that_ends_it),
		cmocka_unit_test(test_many_texts_share_one_process),
		cmocka_unit_test(test_a_voice_that_changes_does_not_change_a_chunk_under_way),
	};

	if (argc < 2)
		return 2;
	tone_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
