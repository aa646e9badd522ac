/*
 * bed.c: a pool with real worker processes, and the chunks that a test starts on
 * it (see bed.h).
 */
#include "bed.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/mem.h"
#include "children.h"
#include "mem_fail.h"

#define LIMIT_US (120 * 1000000)

static void on_limit(void *arg)
{
	struct bed *bed = arg;

	bed->timed_out = true;
	loop_stop(bed->loop);
}

static void on_passed(void *arg)
{
	struct bed *bed = arg;

	loop_stop(bed->loop);
}

static void on_ready(void *arg)
{
	struct bed *bed = arg;

	bed->ready = true;
	loop_stop(bed->loop);
}

void bed_run(struct bed *bed)
{
	bed->timed_out = false;
	timer_set(&bed->loop->timers, &bed->limit, LIMIT_US, on_limit, bed);
	loop_run(bed->loop);
	timer_clear(&bed->loop->timers, &bed->limit);
	assert_false(bed->timed_out);
}

void bed_pass(struct bed *bed, unsigned ms)
{
	timer_set(&bed->loop->timers, &bed->limit, ms * 1000u, on_passed, bed);
	while (timer_is_set(&bed->limit))
		loop_run(bed->loop);
}

static void set_if_zero(unsigned *option, unsigned value)
{
	if (*option == 0)
		*option = value;
}

static const char *second_name;

void bed_also(const char *name)
{
	second_name = name;
}

/* Prepares everything but the pool. */
static void prepare(struct bed *bed, const char *name, const char *program,
		    struct pool_options *options)
{
	memset(bed, 0, sizeof(*bed));
	children_make_dir(bed->dir, sizeof(bed->dir));
	snprintf(bed->program, sizeof(bed->program), "%s/syrinx-%s", bed->dir, name);
	children_add_program(bed->dir, name, program);
	if (second_name)
		children_add_program(bed->dir, second_name, program);
	second_name = NULL;
	options->engines_dir = bed->dir;
	options->test_hooks = true;
	options->memory_mb = 4096;
	options->cpu_seconds = 20;
	set_if_zero(&options->workers_max, 4);
	set_if_zero(&options->slots, 2);
	set_if_zero(&options->start_timeout_ms, 60000);
	set_if_zero(&options->stall_ms, 60000);
	assert_int_equal(loop_alloc(&bed->loop), 0);
}

void bed_open(struct bed *bed, const char *name, const char *program, struct pool_options options)
{
	prepare(bed, name, program, &options);
	assert_int_equal(pool_alloc(&bed->pool, bed->loop, &options), 0);
	pool_on_ready(bed->pool, on_ready, bed);
}

void bed_open_failing(struct bed *bed, const char *name, const char *program, size_t n)
{
	struct pool_options options = {0};
	int err;

	prepare(bed, name, program, &options);
	mem_fail_after(n);
	err = pool_alloc(&bed->pool, bed->loop, &options);
	if (err) {
		assert_int_equal(err, ENOMEM);
		return;
	}
	pool_on_ready(bed->pool, on_ready, bed);
}

void bed_open_ready(struct bed *bed, const char *name, const char *program,
		    struct pool_options options)
{
	bed_open(bed, name, program, options);
	bed_run(bed);
	assert_true(bed->ready);
}

long bed_starts(const struct bed *bed)
{
	char path[128];
	struct stat notes;

	snprintf(path, sizeof(path), "%s.starts", bed->program);
	return stat(path, &notes) == 0 ? (long)notes.st_size : 0;
}

struct pool_stats bed_stats(const struct bed *bed)
{
	struct pool_stats stats;

	pool_stats(bed->pool, &stats);
	return stats;
}

static bool bed_has_workers(const struct bed *bed, unsigned workers)
{
	struct pool_stats stats = bed_stats(bed);
	pid_t pids[CHILDREN_MAX];

	return stats.starting == 0 && stats.workers == workers &&
	       children_list(pids, CHILDREN_MAX) == workers;
}

void bed_wait_for_workers(struct bed *bed, unsigned workers)
{
	for (int i = 0; i < LIMIT_US / 10000 && !bed_has_workers(bed, workers); ++i)
		bed_pass(bed, 10);
	assert_true(bed_has_workers(bed, workers));
}

static void assert_idle(const struct bed *bed)
{
	struct pool_stats stats = bed_stats(bed);

	assert_int_equal(stats.jobs_queued + stats.jobs_parked + stats.jobs_running, 0);
}

void bed_close(struct bed *bed)
{
	pid_t pids[CHILDREN_MAX];

	mem_fail_after(0);
	if (bed->pool)
		assert_idle(bed);
	mem_deref(bed->pool);
	mem_deref(bed->loop);
	assert_int_equal(mem_live(), 0);
	assert_int_equal(children_list(pids, CHILDREN_MAX), 0);
	children_remove_dir(bed->dir);
}

static void take_audio(void *arg, const int16_t *samples, size_t count, unsigned rate)
{
	struct chunk *chunk = arg;

	assert_int_equal(rate, 24000);
	if (chunk->count == 0)
		chunk->first_sound = ++chunk->bed->sounds;
	assert_true(chunk->count + count <= BED_SAMPLES_MAX);
	memcpy(chunk->samples + chunk->count, samples, count * sizeof(*samples));
	chunk->count += count;
	if (chunk->on_audio)
		chunk->on_audio(chunk);
}

static void take_word(void *arg, const struct speech_word *word)
{
	struct chunk *chunk = arg;

	assert_true(word->sample_start >= chunk->last_word_start);
	chunk->last_word_start = word->sample_start;
	++chunk->words;
}

static void close_chunk(struct chunk *chunk)
{
	chunk->job = NULL;
	if (--chunk->bed->open_chunks == 0)
		loop_stop(chunk->bed->loop);
}

static void take_end(void *arg, enum speech_end how, uint32_t busy_us)
{
	struct chunk *chunk = arg;

	(void)busy_us;
	assert_false(chunk->ended);
	chunk->ended = true;
	chunk->how = how;
	if (chunk->on_end)
		chunk->on_end(chunk);
	close_chunk(chunk);
}

static const struct speech_listener listener = {take_audio, take_word, take_end};

static int try_due(struct bed *bed, struct chunk *chunk, const char *text, bool first,
		   uint64_t due_us)
{
	struct speech *speech = pool_speech(bed->pool);
	struct speech_request request = {
		.voice = bed->voice ? bed->voice : voices_at(pool_voices(bed->pool), 0),
		.language = "",
		.text = text,
		.text_len = strlen(text),
		.text_before = "",
		.phonemes = bed->phonemes,
		.phonemes_len = bed->phonemes_len,
		.turn = bed->turn ? bed->turn : 1,
		.due_us = due_us,
		.speed = 1,
		.first = first,
	};
	int err;

	*chunk = (struct chunk){.bed = bed, .samples = calloc(BED_SAMPLES_MAX, 2)};
	assert_non_null(chunk->samples);
	err = speech->ops->start(&chunk->job, speech, &request, &listener, chunk);
	bed->open_chunks += !err;
	return err;
}

int bed_try(struct bed *bed, struct chunk *chunk, const char *text)
{
	return try_due(bed, chunk, text, false, loop_now_us(bed->loop));
}

void bed_start_due(struct bed *bed, struct chunk *chunk, const char *text, bool first,
		   uint64_t due_us)
{
	assert_int_equal(try_due(bed, chunk, text, first, due_us), 0);
}

void bed_start(struct bed *bed, struct chunk *chunk, const char *text)
{
	bed_start_due(bed, chunk, text, false, loop_now_us(bed->loop));
}

void bed_speak(struct bed *bed, struct chunk *chunk, const char *text)
{
	bed_start(bed, chunk, text);
	bed_run(bed);
}

void chunk_cancel(struct chunk *chunk)
{
	pool_speech(chunk->bed->pool)->ops->cancel(chunk->job);
	close_chunk(chunk);
}

void chunk_hold(struct chunk *chunk, bool held)
{
	pool_speech(chunk->bed->pool)->ops->hold(chunk->job, held);
}

void chunk_yield(struct chunk *chunk)
{
	pool_speech(chunk->bed->pool)->ops->yield(chunk->job);
}

void chunk_finish(struct chunk *chunk)
{
	free(chunk->samples);
	chunk->samples = NULL;
}
