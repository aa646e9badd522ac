/*
 * turn.h: turns whose state an engine keeps between their texts.
 *
 * A turn begins with the first SPEAK or REPLAY that names it and lasts until
 * END_TURN, or longer if a job of it has not ended.  The texts of REPLAYs are kept
 * until the next SPEAK of their turn.  They are spoken before it, and their audio
 * is discarded.
 *
 * Belongs to the runner, which ensures that only one thread at a time calls these
 * functions.  The engine's state is freed only in turn_free_ended, which is never
 * called from inside a sink, and in turns_reset.
 */
#ifndef ENGINE_TURN_H
#define ENGINE_TURN_H

#include "base/list.h"
#include "engine/engine.h"
#include "workers/message.h"

struct engine_job;

struct turn {
	struct link link;
	uint64_t id;
	void *state; /* the engine's; NULL: there is none */
	unsigned jobs; /* the number of its jobs that have not ended */
	struct list replay; /* texts to speak before the next job: engine_jobs whose id is 0 */
	size_t replay_len; /* bytes of these texts */
};

struct turns {
	const struct engine *engine;
	void *engine_state;
	uint16_t max; /* 0: the engine keeps no state */
	struct list open;
	struct list ended; /* turns that are freed when their jobs have ended */
};

void turns_init(struct turns *turns, const struct engine *engine, void *engine_state);
/* Frees all turns.  Must be called only when no job is left. */
void turns_reset(struct turns *turns);

/* Adds a job to the turn that it names, if the engine keeps state.  EPROTO: the engine cannot keep the
 * state of so many turns; ENOMEM. */
int turn_join(struct turns *turns, struct engine_job *job);

/* Adds a text that another worker has spoken.  EPROTO: it names no turn, or there are too many turns or
 * texts; ENOMEM. */
int turn_replay(struct turns *turns, const struct message_speak *speak);

/* Ends a turn.  An unknown id is ignored: that turn has ended already, or never began. */
void turn_end(struct turns *turns, uint64_t id);

/* Frees the turns that have ended and have no jobs. */
void turn_free_ended(struct turns *turns);

/* Takes the next text that must be spoken before the job off the job's list; NULL: there is none.  The
 * caller owns it. */
struct engine_job *turn_next_replay(struct engine_job *job);

/* A sink that discards everything and tells the engine that all samples are skipped. */
void turn_init_sink(struct sink *sink);

#endif
