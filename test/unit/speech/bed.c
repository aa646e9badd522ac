/*
 * bed.c: a pool with real worker processes, and what was heard from it (see
 * bed.h).
 */
#include "bed.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mem_fail.h"

#define LIMIT_US (120 * 1000000u)

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

static void add_program(const struct bed *bed, const char *name, const char *program)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/syrinx-%s", bed->dir, name);
	assert_int_equal(symlink(program, path), 0);
}

/* Everything but the pool. */
static void prepare(struct bed *bed, const char *name, const char *program,
		    struct pool_options *options)
{
	const char *scratch = getenv("TMPDIR");

	memset(bed, 0, sizeof(*bed));
	snprintf(bed->dir, sizeof(bed->dir), "%s/syrinx-pool-XXXXXX", scratch ? scratch : "/tmp");
	assert_non_null(mkdtemp(bed->dir));
	snprintf(bed->program, sizeof(bed->program), "%s/syrinx-%s", bed->dir, name);
	add_program(bed, name, program);
	if (second_name)
		add_program(bed, second_name, program);
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

unsigned bed_children(pid_t *pids, unsigned max)
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

void bed_signal_children(int signal)
{
	pid_t pids[BED_CHILDREN_MAX];
	unsigned n = bed_children(pids, BED_CHILDREN_MAX);

	for (unsigned i = 0; i < n; ++i)
		kill(pids[i], signal);
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

static void remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char file[400];

	while ((entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		unlink(file);
	}
	closedir(dir);
	rmdir(path);
}

static void assert_idle(const struct bed *bed)
{
	struct pool_stats stats = bed_stats(bed);

	assert_int_equal(stats.jobs_queued + stats.jobs_parked + stats.jobs_running, 0);
}

void bed_close(struct bed *bed)
{
	pid_t pids[BED_CHILDREN_MAX];

	mem_fail_after(0);
	if (bed->pool)
		assert_idle(bed);
	mem_deref(bed->pool);
	mem_deref(bed->loop);
	assert_int_equal(mem_live(), 0);
	assert_int_equal(bed_children(pids, BED_CHILDREN_MAX), 0);
	remove_dir(bed->dir);
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
		.turn = 1,
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
