/*
 * edges.h: the silence before and after an utterance.
 *
 * Models begin and end with up to half a second of near silence. Before an answer it is lost
 * time, and between two sentences it makes the pause too short or too long. So each side is
 * trimmed or padded to a fixed short silence; pauses inside the utterance are kept. Samples
 * are passed on as they arrive, except for silence that may turn out to be the end, which is
 * held back.
 *
 * Models also rest on values slightly off zero: where silence is cut off, a short ramp leads
 * to and from that value, so that there is no click.
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
	bool begun; /* sound was found in the utterance */
	uint64_t dropped; /* samples dropped before the sound */
	size_t kept; /* samples of silence kept before the sound */
	int16_t last; /* the last sample sent */
	uint64_t given; /* samples sent to the sink */
	size_t quiet; /* samples sent since the last sound */
	struct buf held; /* silence that may be the end of the utterance */
};

void edges_init(struct edges *edges, uint32_t sample_rate);
void edges_reset(struct edges *edges);

/* Called for the first samples of an utterance until it returns true: whether sound begins in
 * them, at *start. Without sound they are dropped. */
bool edges_begin(struct edges *edges, const int16_t *samples, size_t n, size_t *start);

/* Called when edges_begin has returned true: sends a ramp from silence to `first`, the sample at
 * *start; with_pause (after another sentence), a pause before the ramp. Like the functions below
 * it returns nonzero when the sink was cancelled. */
int edges_lead(struct edges *edges, int16_t first, bool with_pause, struct sink *sink);

/* Sends the next samples of the utterance, the first time those from *start on. Also returns
 * ENOMEM. */
int edges_push(struct edges *edges, const int16_t *samples, size_t n, struct sink *sink);

/* The number of samples held back. */
size_t edges_held(const struct edges *edges);

/* Ends the utterance: drops the samples held back, sends a ramp to silence and, with_pause (at
 * the end of a sentence), a pause, and prepares for the next utterance. */
int edges_end(struct edges *edges, bool with_pause, struct sink *sink);

#endif
