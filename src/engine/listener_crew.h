/*
 * listener_crew.h: the threads of a worker that recognize pieces of audio.
 *
 * A piece that somebody waits for (a final one) comes before those that are only shown meanwhile
 * (partial ones); among them, the earliest deadline decides. As many pieces are computed at once as
 * there are processors. There are more threads than that: when a final piece arrives while all
 * processors are busy, a partial one pauses between two steps of its decoder.
 *
 *     waiting ──▶ running ──▶ answered
 *                  │   ▲
 *                  ▼   │  (partial ones only)
 *                 paused
 *
 * All functions and handlers are called with the lock held, which the runner shares; it is not held
 * while a thread recognizes. Pieces belong to the crew from listener_crew_put on.
 */
#ifndef ENGINE_LISTENER_CREW_H
#define ENGINE_LISTENER_CREW_H

#include <pthread.h>

#include "base/list.h"
#include "engine/hear/recognizer.h"

struct listener_crew;

/* An object of base/mem.h. */
struct listener_piece {
	struct link link;
	struct listener_crew *crew; /* NULL: it has not been put there */
	uint32_t job;
	uint32_t number;
	uint64_t from, to; /* samples of the stream */
	bool is_final;
	bool has_speech; /* in some frame that was scored */
	bool is_dropped; /* no answer is wanted */
	bool is_useless; /* the answer may be empty */
	uint64_t due_us;
	const struct recognizer *recognizer;
	bool want_times;
	char *language;
	char *prompt;
	int16_t *samples;
	uint64_t busy_us; /* CPU time spent on it */
};

int listener_piece_alloc(struct listener_piece **piecep, size_t samples, const char *language,
			 const char *prompt);

/* Answers a piece, on a thread of the crew: err is 0, or an errno of the recognizer with its reason. The
 * result is empty if the piece was useless. It may wait, as long as it does not hold the lock
 * meanwhile; then the piece may be dropped, and is not to be answered. */
typedef void(listener_crew_answer_h)(const struct listener_piece *piece,
				     const struct recognizer_result *result, int err,
				     const char *why, void *arg);

/* Starts the threads, for as many pieces at once as there are `processors`, and returns when all of
 * them wait for pieces. mem_deref ends them and must be called when no piece is being recognized,
 * without the lock. */
int listener_crew_alloc(struct listener_crew **crewp, pthread_mutex_t *lock, unsigned processors,
			listener_crew_answer_h *answer, void *arg);

/* A piece waits for its turn. A final one makes earlier partial ones of its job useless. */
void listener_crew_put(struct listener_crew *crew, struct listener_piece *piece);

/* All pieces of a job are not needed any more. */
void listener_crew_drop(struct listener_crew *crew, uint32_t job);

/* Pieces that have not been answered. */
size_t listener_crew_busy(const struct listener_crew *crew);

/* How many pieces are recognized at once. */
unsigned listener_crew_processors(const struct listener_crew *crew);

#endif
