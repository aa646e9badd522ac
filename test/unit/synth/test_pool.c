/*
 * The pool, with real worker processes: chunks are spoken whole whatever
 * happens to the workers, deadlines decide, nothing is left behind.
 *
 * argv[1] is the tone engine.
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/mem.h"
#include "synth/pool.h"

#define SAMPLES_MAX (24000 * 60)

static const char *tone_program;

struct bed {
	char dir[64];
	struct loop *loop;
	struct pool *pool;
	struct timer limit;
	bool timed_out;
	bool ready;
	unsigned open_chunks;
};

struct chunk {
	struct bed *bed;
	struct speech_job *job;
	int16_t *samples;
	size_t count;
	unsigned words;
	unsigned last_word_start;
	bool ended;
	enum speech_end how;
	unsigned first_sound; /* order among chunks */
	void (*on_audio)(struct chunk *chunk);
};

static unsigned sound_order;

static void on_limit(void *arg)
{
	struct bed *bed = arg;

	bed->timed_out = true;
	loop_stop(bed->loop);
}

static void on_ready(void *arg)
{
	struct bed *bed = arg;

	bed->ready = true;
	loop_stop(bed->loop);
}

static void run(struct bed *bed)
{
	bed->timed_out = false;
	timer_set(&bed->loop->timers, &bed->limit, 20 * 1000000, on_limit, bed);
	loop_run(bed->loop);
	timer_clear(&bed->loop->timers, &bed->limit);
	assert_false(bed->timed_out);
}

static void open_bed(struct bed *bed, struct pool_options options)
{
	char path[96];

	memset(bed, 0, sizeof(*bed));
	strcpy(bed->dir, "/tmp/syrinx-pool-XXXXXX");
	assert_non_null(mkdtemp(bed->dir));
	snprintf(path, sizeof(path), "%s/syrinx-tone", bed->dir);
	assert_int_equal(symlink(tone_program, path), 0);
	options.engines_dir = bed->dir;
	options.test_hooks = true;
	if (!options.workers_max)
		options.workers_max = 4;
	if (!options.slots)
		options.slots = 2;
	if (!options.start_timeout_ms)
		options.start_timeout_ms = 5000;
	if (!options.stall_ms)
		options.stall_ms = 5000;
	if (!options.recycle_jobs)
		options.recycle_jobs = 1000;
	options.memory_mb = 4096;
	options.cpu_seconds = 20;
	sound_order = 0;
	assert_int_equal(loop_alloc(&bed->loop), 0);
	assert_int_equal(pool_alloc(&bed->pool, bed->loop, &options), 0);
	pool_on_ready(bed->pool, on_ready, bed);
	run(bed);
	assert_true(bed->ready);
}

static unsigned children(pid_t *pids, unsigned max)
{
	char path[300];
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	unsigned count = 0;

	while ((entry = readdir(dir))) {
		FILE *file;
		int pid;
		int parent;
		char state;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		if (atoi(entry->d_name) == 0 || !(file = fopen(path, "r")))
			continue;
		if (fscanf(file, "%d (%*[^)]) %c %d", &pid, &state, &parent) == 3 &&
		    parent == (int)getpid() && state != 'Z' && count < max)
			pids[count++] = pid;
		fclose(file);
	}
	closedir(dir);
	return count;
}

static void close_bed(struct bed *bed)
{
	struct pool_stats stats;
	char path[96];
	pid_t pids[64];

	pool_stats(bed->pool, &stats);
	assert_int_equal(stats.jobs_queued + stats.jobs_parked + stats.jobs_running, 0);
	mem_deref(bed->pool);
	mem_deref(bed->loop);
	assert_int_equal(mem_live(), 0);
	assert_int_equal(children(pids, 64), 0);
	snprintf(path, sizeof(path), "%s/syrinx-tone", bed->dir);
	unlink(path);
	rmdir(bed->dir);
}

static void take_audio(void *arg, const int16_t *samples, size_t count, unsigned rate)
{
	struct chunk *chunk = arg;

	assert_int_equal(rate, 24000);
	if (chunk->count == 0)
		chunk->first_sound = ++sound_order;
	assert_true(chunk->count + count <= SAMPLES_MAX);
	memcpy(chunk->samples + chunk->count, samples, count * sizeof(*samples));
	chunk->count += count;
	if (chunk->on_audio)
		chunk->on_audio(chunk);
}

static void take_word(void *arg, const struct speech_word *word)
{
	struct chunk *chunk = arg;

	assert_true(word->sample_start >= chunk->last_word_start);
	chunk->last_word_start = (unsigned)word->sample_start;
	++chunk->words;
}

static void take_end(void *arg, enum speech_end how, uint32_t busy_us)
{
	struct chunk *chunk = arg;

	(void)busy_us;
	assert_false(chunk->ended);
	chunk->ended = true;
	chunk->how = how;
	chunk->job = NULL;
	if (--chunk->bed->open_chunks == 0)
		loop_stop(chunk->bed->loop);
}

static const struct speech_listener listener = {take_audio, take_word, take_end};

static void start_due(struct bed *bed, struct chunk *chunk, const char *text, bool first,
		      uint64_t due_us)
{
	struct speech *speech = pool_speech(bed->pool);
	struct speech_request request = {
		.voice = voices_find(pool_voices(bed->pool), 1),
		.language = "",
		.text = text,
		.text_len = strlen(text),
		.text_before = "",
		.turn = 1,
		.due_us = due_us,
		.speed = 1,
		.first = first,
	};

	assert_non_null(request.voice);
	*chunk = (struct chunk){.bed = bed, .samples = calloc(SAMPLES_MAX, 2)};
	assert_int_equal(speech->ops->start(&chunk->job, speech, &request, &listener, chunk), 0);
	++bed->open_chunks;
}

static void start(struct bed *bed, struct chunk *chunk, const char *text)
{
	start_due(bed, chunk, text, false, loop_now_us(bed->loop));
}

static void finish(struct chunk *chunk)
{
	free(chunk->samples);
	chunk->samples = NULL;
}

static void speak(struct bed *bed, struct chunk *chunk, const char *text)
{
	start(bed, chunk, text);
	run(bed);
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
	speak(&bed, &once, SENTENCE);
	speak(&bed, &again, SENTENCE);
	assert_true(once.count > 24000);
	assert_int_equal(once.words, 15);
	assert_same(&once, &again);
	finish(&once);
	finish(&again);
	close_bed(&bed);
}

static void kill_all_workers(struct chunk *chunk)
{
	pid_t pids[64];
	unsigned n = children(pids, 64);

	chunk->on_audio = NULL;
	for (unsigned i = 0; i < n; ++i)
		kill(pids[i], SIGKILL);
}

static void test_a_killed_worker_is_not_heard(void **state)
{
	struct bed bed;
	struct chunk whole, hit;
	struct pool_stats stats;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	speak(&bed, &whole, "[[slow:5]] " SENTENCE);
	start(&bed, &hit, "[[slow:5]] " SENTENCE);
	hit.on_audio = kill_all_workers;
	run(&bed);
	pool_stats(bed.pool, &stats);
	assert_int_equal(stats.retries, 1);
	assert_same(&whole, &hit);
	finish(&whole);
	finish(&hit);
	close_bed(&bed);
}

static void test_a_chunk_that_kills_twice_is_to_blame(void **state)
{
	struct bed bed;
	struct chunk bad, good;
	struct pool_stats stats;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	speak(&bed, &bad, "Now [[crash]] please.");
	assert_int_equal(bad.how, SPEECH_FAILED);
	pool_stats(bed.pool, &stats);
	assert_int_equal(stats.worker_deaths, 2);
	speak(&bed, &good, SENTENCE);
	assert_int_equal(good.how, SPEECH_DONE);
	finish(&bad);
	finish(&good);
	close_bed(&bed);
}

static void test_a_text_that_cannot_be_spoken_costs_no_worker(void **state)
{
	struct bed bed;
	struct chunk bad;
	struct pool_stats stats;

	(void)state;
	open_bed(&bed, (struct pool_options){0});
	speak(&bed, &bad, "Now [[fail]] please.");
	assert_int_equal(bad.how, SPEECH_FAILED);
	pool_stats(bed.pool, &stats);
	assert_int_equal(stats.worker_deaths, 0);
	finish(&bad);
	close_bed(&bed);
}

static void test_a_silent_worker_is_replaced(void **state)
{
	struct bed bed;
	struct chunk bad, good;

	(void)state;
	open_bed(&bed, (struct pool_options){.stall_ms = 300});
	start(&bed, &bad, "Wait [[stall]] forever.");
	start(&bed, &good, SENTENCE);
	run(&bed);
	assert_int_equal(bad.how, SPEECH_FAILED);
	assert_int_equal(good.how, SPEECH_DONE);
	finish(&bad);
	finish(&good);
	close_bed(&bed);
}

static void cancel_it(struct chunk *chunk)
{
	struct speech *speech = pool_speech(chunk->bed->pool);

	chunk->on_audio = NULL;
	speech->ops->cancel(chunk->job);
	if (--chunk->bed->open_chunks == 0)
		loop_stop(chunk->bed->loop);
}

static void test_cancel_inside_the_audio_frees_the_worker(void **state)
{
	struct bed bed;
	struct chunk gone, next;
	struct pool_stats stats;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1});
	start(&bed, &gone, "[[long:30]]");
	gone.on_audio = cancel_it;
	start(&bed, &next, SENTENCE);
	run(&bed);
	assert_false(gone.ended);
	assert_true(gone.count < 24000 * 5);
	assert_int_equal(next.how, SPEECH_DONE);
	pool_stats(bed.pool, &stats);
	assert_int_equal(stats.worker_deaths, 0);
	assert_int_equal(stats.seats_taken, 0);
	finish(&gone);
	finish(&next);
	close_bed(&bed);
}

static void hold_it(struct chunk *chunk)
{
	struct speech *speech = pool_speech(chunk->bed->pool);

	chunk->on_audio = NULL;
	speech->ops->hold(chunk->job, true);
}

static void test_a_held_chunk_lends_its_worker_and_loses_nothing(void **state)
{
	struct bed bed;
	struct chunk whole, slow, quick;
	struct speech *speech;
	struct pool_stats stats;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1});
	speech = pool_speech(bed.pool);
	speak(&bed, &whole, SENTENCE);
	start(&bed, &slow, SENTENCE);
	slow.on_audio = hold_it;
	start(&bed, &quick, "Quick.");
	bed.open_chunks = 1; /* the held one does not end meanwhile */
	run(&bed);
	assert_true(quick.ended);
	assert_false(slow.ended);
	pool_stats(bed.pool, &stats);
	assert_int_equal(stats.taken_back, 1);
	bed.open_chunks = 1;
	speech->ops->hold(slow.job, false);
	run(&bed);
	assert_same(&whole, &slow);
	finish(&whole);
	finish(&slow);
	finish(&quick);
	close_bed(&bed);
}

static void test_a_first_chunk_that_cannot_start_is_refused(void **state)
{
	struct bed bed;
	struct chunk slow, first;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1, .start_timeout_ms = 200});
	start(&bed, &slow, "[[stall]]");
	start_due(&bed, &first, SENTENCE, true, loop_now_us(bed.loop));
	bed.open_chunks = 1;
	run(&bed);
	assert_true(first.ended);
	assert_int_equal(first.how, SPEECH_UNAVAILABLE);
	pool_speech(bed.pool)->ops->cancel(slow.job);
	finish(&slow);
	finish(&first);
	close_bed(&bed);
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
		start_due(&bed, &chunks[i], SENTENCE, false, now + (COUNT - i) * 60000000u);
	run(&bed);
	for (unsigned i = 0; i < COUNT; ++i) {
		assert_int_equal(chunks[i].how, SPEECH_DONE);
		assert_int_equal(chunks[i].first_sound, COUNT - i);
		finish(&chunks[i]);
	}
	close_bed(&bed);
}

static void test_many_chunks_share_few_workers(void **state)
{
	enum { COUNT = 40 };
	struct bed bed;
	struct chunk whole;
	static struct chunk chunks[COUNT];

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 3});
	speak(&bed, &whole, SENTENCE);
	for (unsigned i = 0; i < COUNT; ++i)
		start(&bed, &chunks[i], SENTENCE);
	run(&bed);
	for (unsigned i = 0; i < COUNT; ++i) {
		assert_same(&whole, &chunks[i]);
		finish(&chunks[i]);
	}
	finish(&whole);
	close_bed(&bed);
}

static void test_workers_are_replaced_after_their_share_of_jobs(void **state)
{
	struct bed bed;
	struct chunk chunk;
	pid_t before[64], after[64];
	unsigned n, m;

	(void)state;
	open_bed(&bed, (struct pool_options){.workers_max = 1, .recycle_jobs = 1});
	n = children(before, 64);
	for (int i = 0; i < 3; ++i) {
		speak(&bed, &chunk, SENTENCE);
		assert_int_equal(chunk.how, SPEECH_DONE);
		finish(&chunk);
	}
	m = children(after, 64);
	assert_int_equal(n, 1);
	assert_int_equal(m, 1);
	assert_int_not_equal(before[0], after[0]);
	close_bed(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_chunk_is_spoken_with_its_words),
		cmocka_unit_test(test_a_killed_worker_is_not_heard),
		cmocka_unit_test(test_a_chunk_that_kills_twice_is_to_blame),
		cmocka_unit_test(test_a_text_that_cannot_be_spoken_costs_no_worker),
		cmocka_unit_test(test_a_silent_worker_is_replaced),
		cmocka_unit_test(test_cancel_inside_the_audio_frees_the_worker),
		cmocka_unit_test(test_a_held_chunk_lends_its_worker_and_loses_nothing),
		cmocka_unit_test(test_a_first_chunk_that_cannot_start_is_refused),
		cmocka_unit_test(test_the_driest_listener_is_served_first),
		cmocka_unit_test(test_many_chunks_share_few_workers),
		cmocka_unit_test(test_workers_are_replaced_after_their_share_of_jobs),
	};

	if (argc < 2)
		return 2;
	tone_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
