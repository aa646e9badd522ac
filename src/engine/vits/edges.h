/*
 * edges.h: the silence before and after an utterance.
 *
 * Models begin and end with anything from nothing to half a second of near
 * silence.  Before an answer that is time lost, between two sentences a pause
 * that is too short or too long.  So a little is kept on both sides, the rest
 * left out, and made up for where there is too little; pauses inside the
 * utterance stay as they are.  Samples are given on as they come; only silence
 * that may turn out to be the end is held back.
 *
 * Models also rest on values a little off zero: where they are cut off, a short
 * ramp leads there and back, so that nothing clicks.
 */
#ifndef ENGINE_VITS_EDGES_H
#define ENGINE_VITS_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/sink.h"

struct edges {
	uint32_t sample_rate;
	bool begun; /* sound was found */
	uint64_t dropped; /* samples left out before it */
	size_t kept; /* samples of silence that are not */
	int16_t last; /* sample that was given */
	uint64_t given; /* to the sink */
	size_t quiet; /* of them since the last sound */
	struct buf held; /* silence that may be the end */
};

void edges_init(struct edges *edges, uint32_t sample_rate);
void edges_reset(struct edges *edges);

/* Before anything of an utterance was pushed: takes its next samples and says
 * whether sound begins in them, at *start; if not they are left out. */
bool edges_begin(struct edges *edges, const int16_t *samples, size_t n, size_t *start);

/* Leads from silence to the first sample; after a sentence, with a pause. */
int edges_lead(struct edges *edges, int16_t first, bool with_pause, struct sink *sink);

/* The samples from there on.  Non-zero: nobody wants more, or ENOMEM. */
int edges_push(struct edges *edges, const int16_t *samples, size_t n, struct sink *sink);

/* How many samples are held back. */
size_t edges_held(const struct edges *edges);

/* The utterance is over: what is held is left out, silence follows, after a
 * sentence with a pause, and the next utterance begins. */
int edges_end(struct edges *edges, bool with_pause, struct sink *sink);

#endif
