/*
 * finished_turn.h: what is remembered of a turn when it is over.
 *
 * Audio is sent much faster than it is played, so a user mostly interrupts a turn that is already
 * over here.  Its words and its usage are kept until the next turn begins, for an agent that asks
 * what was heard.  Runs on the loop's thread.
 */
#ifndef SESSION_FINISHED_TURN_H
#define SESSION_FINISHED_TURN_H

#include "session/playback.h"
#include "session/transcript.h"
#include "session/turn.h"

/* Computes how much of a transcript was heard after playback_ms; -1: estimates it from now_us. */
void finished_turn_compute(struct turn_heard *heard, const struct transcript *transcript,
			   const struct playback_clock *playback, uint64_t now_us,
			   int64_t playback_ms);

struct finished_turn;

/* Makes the record of a turn that is over. */
int finished_turn_alloc(struct finished_turn **recordp, const struct turn *turn);

/* The strings belong to the record. */
void finished_turn_heard(struct finished_turn *record, struct turn_heard *heard, uint64_t now_us,
			 int64_t playback_ms);
/* The currency is not filled in (see session_describe_price). */
void finished_turn_usage(const struct finished_turn *record, struct reply_usage *usage);

#endif
