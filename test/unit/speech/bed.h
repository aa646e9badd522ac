/*
 * bed.h: a pool with real worker processes, and the chunks that a test starts on it.
 *
 * Shared by the tests of speech.  The pool has one engine: a program under a name
 * that the pool looks for, in a temporary directory of its own.
 */
#ifndef TEST_SPEECH_BED_H
#define TEST_SPEECH_BED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "speech/pool.h"

#define BED_SAMPLES_MAX (24000 * 60)

struct bed {
	char dir[64];
	char program[96];
	struct loop *loop;
	struct pool *pool;
	struct timer limit;
	bool timed_out;
	bool ready;
	unsigned open_chunks;
	const struct voice *voice; /* for the next chunks; NULL: the engine's first voice */
	const struct spoken_phonemes *phonemes; /* for the next chunks */
	size_t phonemes_len;
	uint64_t turn; /* for the next chunks; 0 means 1 */
	unsigned sounds; /* chunks of which samples have arrived so far */
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
	unsigned first_sound; /* its place among the chunks, in the order of their first samples */
	void (*on_audio)(struct chunk *chunk);
	void (*on_end)(struct chunk *chunk);
};

/* Opens a pool whose only engine is `program` under the name syrinx-NAME.  Options
 * that are 0 get values for tests. */
void bed_open(struct bed *bed, const char *name, const char *program, struct pool_options options);

/* The next bed that is opened has the program under this name, too, as a second engine. */
void bed_also(const char *name);

/* Like bed_open, but the n-th allocation of the pool fails.  bed->pool is NULL if
 * the pool could not be opened because of that. */
void bed_open_failing(struct bed *bed, const char *name, const char *program, size_t n);

/* Like bed_open, and runs until the pool is ready. */
void bed_open_ready(struct bed *bed, const char *name, const char *program,
		    struct pool_options options);

/* All chunks must have ended, except held ones.  Checks that no object and no process is
 * left. */
void bed_close(struct bed *bed);

/* Runs until the pool is ready, all chunks have ended or the loop was stopped.
 * Fails after two minutes. */
void bed_run(struct bed *bed);

/* Runs for this long, whatever happens. */
void bed_pass(struct bed *bed, unsigned ms);

/* These start a chunk: bed_try may fail; bed_start_due says when the listener needs samples (the
 * others: at once); bed_speak also runs until the chunk has ended. */

int bed_try(struct bed *bed, struct chunk *chunk, const char *text);
void bed_start_due(struct bed *bed, struct chunk *chunk, const char *text, bool first,
		   uint64_t due_us);
void bed_start(struct bed *bed, struct chunk *chunk, const char *text);
void bed_speak(struct bed *bed, struct chunk *chunk, const char *text);

void chunk_cancel(struct chunk *chunk);
void chunk_hold(struct chunk *chunk, bool held);
void chunk_yield(struct chunk *chunk);
/* Frees the samples. */
void chunk_finish(struct chunk *chunk);

/* How often the odd worker was started under the bed's name. */
long bed_starts(const struct bed *bed);

struct pool_stats bed_stats(const struct bed *bed);

/* Waits until `workers` processes are ready, and no other process of the pool exists: neither one that
 * is starting nor one that was told to end. */
void bed_wait_for_workers(struct bed *bed, unsigned workers);

#endif
