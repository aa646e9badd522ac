/*
 * turn_record.h: what is remembered of a turn when it is over.
 *
 * Audio leaves much faster than it is played, so a user mostly interrupts a turn
 * that has long been closed here.  Its words and its usage stay until the next
 * turn begins, for an agent that asks what was heard.
 */
#ifndef SESSION_TURN_RECORD_H
#define SESSION_TURN_RECORD_H

#include "session/transcript.h"
#include "session/turn.h"

/* Where playback is: what was sent, and since when it would have been playing
 * had it never run dry (0: nothing was sent). */
struct turn_playback {
	uint64_t start_us;
	uint64_t samples;
	unsigned sample_rate;
};

/* What of a transcript was heard, playback_ms into it (-1: by the clock). */
void turn_record_reckon(struct turn_heard *heard, const struct transcript *transcript,
			const struct turn_playback *playback, uint64_t now_us, int64_t playback_ms);

struct turn_record;

/* Of a turn that is over. */
int turn_record_alloc(struct turn_record **recordp, const struct turn *turn);

/* The strings are the record's. */
void turn_record_heard(struct turn_record *record, struct turn_heard *heard, uint64_t now_us,
		       int64_t playback_ms);
/* Without the currency: see session_describe_price. */
void turn_record_usage(const struct turn_record *record, struct reply_usage *usage);

#endif
