/*
 * caller_pace.c: when the pieces of a microphone's audio are sent (see caller_pace.h).
 */
#include "cli/caller_pace.h"

#include <assert.h>

#define SECOND_US UINT64_C(1000000)

void caller_pace_begin(struct caller_pace *pace, uint64_t now_us, unsigned rate)
{
	*pace = (struct caller_pace){
		.start_us = now_us,
		.rate = rate,
		.piece = (size_t)rate * CALLER_PACE_PIECE_MS / 1000,
	};
	assert(pace->piece > 0 && pace->piece <= CALLER_PACE_PIECE_MAX);
}

uint64_t caller_pace_time_of(const struct caller_pace *pace, uint64_t sample)
{
	return pace->start_us + sample * SECOND_US / pace->rate;
}

uint64_t caller_pace_due_us(const struct caller_pace *pace)
{
	return caller_pace_time_of(pace, pace->sent + pace->piece);
}

bool caller_pace_take(struct caller_pace *pace, uint64_t now_us)
{
	if (now_us < caller_pace_due_us(pace))
		return false;
	pace->sent += pace->piece;
	return true;
}
