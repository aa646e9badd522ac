/*
 * finished_turn.h: what is remembered of a turn when it is over.
 *
 * Audio leaves much faster than it is played, so a user mostly interrupts a turn
 * that has long been closed here.  Its words and its usage stay until the next
 * turn begins, for an agent that asks what was heard.
 */
#ifndef SESSION_FINISHED_TURN_H
#define SESSION_FINISHED_TURN_H

#include "session/playback.h"
#include "session/transcript.h"
#include "session/turn.h"

/* What of a transcript was heard, playback_ms into it (-1: by the clock). */
void finished_turn_reckon(struct turn_heard *heard, const struct transcript *transcript,
			  const struct playback_clock *playback, uint64_t now_us,
			  int64_t playback_ms);

struct finished_turn;

/* Of a turn that is over. */
int finished_turn_alloc(struct finished_turn **recordp, const struct turn *turn);

/* The strings are the record's. */
void finished_turn_heard(struct finished_turn *record, struct turn_heard *heard, uint64_t now_us,
			 int64_t playback_ms);
/* Without the currency: see session_describe_price. */
void finished_turn_usage(const struct finished_turn *record, struct reply_usage *usage);

#endif
