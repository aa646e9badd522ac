/*
 * runner_parts.h: what the files of the runner share; nobody else includes it.
 *
 *   runner.c       the socket's reading end, the handshake, the list of jobs
 *   runner_one.c   an engine that speaks one text at a time: no other thread
 *   runner_many.c  an engine that speaks several, each on a thread of its own
 *
 * Reading messages only changes jobs and never sends, so that it can be done in
 * the middle of a send that the server is slow to take.
 */
#ifndef ENGINE_RUNNER_PARTS_H
#define ENGINE_RUNNER_PARTS_H

#include "base/buf.h"
#include "base/list.h"
#include "engine/job.h"
#include "engine/runner.h"

/* What is collected leaves at this length at the latest: three quarters of a
 * second of speech. */
#define RUNNER_FLUSH_LEN 32768u

struct runner_many;

struct runner {
	struct sink sink; /* of the engine that speaks one text at a time; first */
	const struct engine *engine;
	void *state;
	int fd;
	unsigned cpu_seconds;
	uint16_t jobs_max;
	bool greeted; /* HELLO was read */
	bool closed; /* the server closed the socket */
	struct list voices;
	struct list jobs; /* in the order of their arrival */
	struct buf in;
	struct buf out; /* collected, to be sent together */
	uint64_t flushed_us; /* when runner_flush was last done */
	uint64_t flush_after_us; /* 0: the job's first samples have not left */
	uint64_t resumed_us; /* when the engine got the processor back */
	struct runner_many *many; /* NULL: one text at a time */
};

/* Reads what is there into `in`, without waiting for more. */
int runner_read(struct runner *runner);

/* Lets the messages in `in` change the jobs; HELLO is answered once it was
 * read. */
int runner_take(struct runner *runner);

/* Waits until the socket is readable, or writable too when out says so, reads
 * and takes. */
int runner_wait(struct runner *runner, bool out);

/* Sends what the socket takes of all that was collected; the rest stays. */
int runner_send(struct runner *runner);

/* Sends all that was collected, reading meanwhile: two sides that only write
 * would wait for each other. */
int runner_flush(struct runner *runner);

/* Voices, notes and READY. */
int runner_answer_hello(struct runner *runner);

/* Jobs that were cancelled before they began are answered while others run,
 * because the server may need their ids back before that: collects a DONE for
 * each. */
int runner_end_cancelled(struct runner *runner);

/* The voice's rate becomes the job's; false when there is no such voice. */
bool runner_find_voice(const struct runner *runner, struct job *job);

/* Seconds of CPU time from now on, of the whole process, before SIGPROF ends
 * it; 0 is no limit.  CPU time, not the clock's: an engine that loops dies, one
 * that waits for credit lives as long as the server wants. */
int runner_limit_cpu(unsigned seconds);

/* In the middle of a job: nobody is left to work for, or to be understood by. */
void runner_leave(const struct runner *runner, int err) __attribute__((noreturn));

/* Serve until the socket closes or breaks. */
int runner_one_serve(struct runner *runner);
int runner_many_serve(struct runner *runner);

void runner_one_init(struct runner *runner);

/* Starts the threads; mem_deref ends them, when no job runs. */
int runner_many_alloc(struct runner_many **manyp, struct runner *runner);

#endif
