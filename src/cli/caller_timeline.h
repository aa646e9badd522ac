/*
 * caller_timeline.h: the queue of a player, and what it plays on the time line of a call.
 *
 * A frame is heard when it arrives or, if the queue is not empty, when the frame before it ends; what
 * is queued can be dropped. The time line begins with the call, so pauses and gaps of what was heard
 * can be seen in it. Pure; times are given by the caller, in microseconds since the call began.
 */
#ifndef CLI_CALLER_TIMELINE_H
#define CLI_CALLER_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* An hour at 48 kHz. What is heard later is not kept. */
#define CALLER_TIMELINE_BYTES_MAX (3600u * 48000u * 2u)

struct caller_timeline {
	unsigned rate;
	bool is_kept; /* else only the times are known */
	bool is_cut; /* something was not kept because the time line was full */
	uint64_t end; /* the end of the queue, in samples since the call began */
	struct buf samples; /* int16_t in the machine's order, from the beginning of the call */
};

void caller_timeline_init(struct caller_timeline *line, unsigned rate, bool is_kept);
void caller_timeline_reset(struct caller_timeline *line);

/* Adds a frame that arrived at this time, and returns the time at which it is heard. ENOMEM; a full
 * time line is no error. */
int caller_timeline_add(uint64_t *start_us, struct caller_timeline *line, uint64_t at_us,
			const int16_t *samples, size_t count);

/* Drops what would be heard after this time. */
void caller_timeline_drop(struct caller_timeline *line, uint64_t at_us);

/* Adds silence up to this time, so that the time line is as long as the call. */
int caller_timeline_extend(struct caller_timeline *line, uint64_t at_us);

/* When the last frame of the queue ends; 0 if nothing was added. */
uint64_t caller_timeline_end_us(const struct caller_timeline *line);

/* The samples that were kept. */
const int16_t *caller_timeline_samples(const struct caller_timeline *line, size_t *count);

#endif
