/*
 * runner_parts.h: what the files of the runner share; no other file includes it.
 *
 *   runner.c       the handshake, the list of jobs
 *   runner_one.c   an engine that speaks one text at a time: no other thread
 *   runner_many.c  an engine that speaks several, each on a thread of its own
 *
 * Reading messages only changes jobs and turns and never sends, so that it can be
 * done while a send waits for the server.
 */
#ifndef ENGINE_RUNNER_PARTS_H
#define ENGINE_RUNNER_PARTS_H

#include "base/list.h"
#include "engine/connection.h"
#include "engine/engine_job.h"
#include "engine/runner.h"

struct runner_many;

struct runner {
	struct sink sink; /* for runner_one.c; first, because the engine gets a pointer to it */
	const struct engine *engine;
	void *state;
	struct connection connection;
	unsigned cpu_seconds;
	uint16_t jobs_max;
	bool greeted; /* HELLO was read */
	struct list voices;
	struct list jobs; /* in the order of their arrival */
	struct turns turns;
	uint64_t flushed_us; /* when runner_flush was last done */
	uint64_t flush_after_us; /* 0: the job's first samples have not been sent */
	uint64_t
		resumed_us; /* CPU time of the thread when the engine was last called or returned to */
	struct runner_many *many; /* NULL: one text at a time */
};

/* Handles the messages that were read.  If `greeted` becomes true, the caller must call
 * runner_answer_hello. */
int runner_take(struct runner *runner);

/* Waits until the socket is readable or, if `out`, writable.  Then reads, and handles the messages. */
int runner_wait(struct runner *runner, bool out);

/* Sends all of `out`, and handles messages meanwhile: if both sides only wrote, they would wait for
 * each other for ever. */
int runner_flush(struct runner *runner);

/* Sends voices, notes and READY. */
int runner_answer_hello(struct runner *runner);

/* Ends the jobs that were cancelled before they began, with a DONE for each in `out`.  Must also be
 * called while other jobs run, because the server cannot use a seat again before DONE. */
int runner_end_cancelled(struct runner *runner);

/* Sets the job's sample rate to that of its voice.  False: there is no such voice. */
bool runner_find_voice(const struct runner *runner, struct engine_job *job);

/* Speaks a text of turn_next_replay and discards the audio, on the thread of the job that follows.
 * Returns the engine's errno; ENOENT: there is no such voice. */
int runner_replay(const struct runner *runner, struct engine_job *earlier);

/* Serve until the socket closes or breaks. */
int runner_one_serve(struct runner *runner);
int runner_many_serve(struct runner *runner);

void runner_one_init(struct runner *runner);

/* Starts the threads.  mem_deref ends them, and must be called only when no job runs. */
int runner_many_alloc(struct runner_many **manyp, struct runner *runner);

#endif
