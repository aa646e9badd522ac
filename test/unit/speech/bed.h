/*
 * bed.h: a pool with real worker processes, and what was heard from it.
 *
 * Shared by the tests of speech.  One engine at a time: a program under the name
 * that the pool looks for, in a directory of its own.
 */
#ifndef TEST_SPEECH_BED_H
#define TEST_SPEECH_BED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "speech/pool.h"

#define BED_SAMPLES_MAX (24000 * 60)
#define BED_CHILDREN_MAX 64

struct bed {
	char dir[64];
	char program[96];
	struct loop *loop;
	struct pool *pool;
	struct timer limit;
	bool timed_out;
	bool ready;
	unsigned open_chunks;
	const struct voice *voice; /* NULL: the engine's first */
	const struct spoken_phonemes *phonemes; /* of the chunks that are started */
	size_t phonemes_len;
	unsigned sounds; /* chunks that were heard so far */
};

struct chunk {
	struct bed *bed;
	struct speech_job *job;
	int16_t *samples;
	size_t count;
	unsigned words;
	uint64_t last_word_start;
	bool ended;
	enum speech_end how;
	unsigned first_sound; /* order among chunks */
	void (*on_audio)(struct chunk *chunk);
	void (*on_end)(struct chunk *chunk);
};

/* A pool whose only engine is `program` under the name syrinx-NAME.  Options
 * that are 0 get a value fit for tests. */
void bed_open(struct bed *bed, const char *name, const char *program, struct pool_options options);

/* Adds the program under one more name, before bed_open_ready: forgotten then. */
void bed_also(const char *name);

/* The same with the n-th allocation of the pool failing; bed->pool is NULL when
 * that was too much for it. */
void bed_open_failing(struct bed *bed, const char *name, const char *program, size_t n);

/* The same, and runs until the pool is ready. */
void bed_open_ready(struct bed *bed, const char *name, const char *program,
		    struct pool_options options);

/* All must have ended but what is held.  Nothing may be left: no object, no process. */
void bed_close(struct bed *bed);

/* Runs until the pool is ready, all chunks have ended or the loop was stopped;
 * twenty seconds are a failure. */
void bed_run(struct bed *bed);

/* Runs for so long, whatever happens. */
void bed_pass(struct bed *bed, unsigned ms);

int bed_try(struct bed *bed, struct chunk *chunk, const char *text);
void bed_start_due(struct bed *bed, struct chunk *chunk, const char *text, bool first,
		   uint64_t due_us);
void bed_start(struct bed *bed, struct chunk *chunk, const char *text);
void bed_speak(struct bed *bed, struct chunk *chunk, const char *text);

void chunk_cancel(struct chunk *chunk);
void chunk_hold(struct chunk *chunk, bool held);
void chunk_yield(struct chunk *chunk);
void chunk_finish(struct chunk *chunk);

/* Our living child processes. */
unsigned bed_children(pid_t *pids, unsigned max);
void bed_signal_children(int signal);

/* How often the odd worker was started under the bed's name. */
long bed_starts(const struct bed *bed);

struct pool_stats bed_stats(const struct bed *bed);

#endif
