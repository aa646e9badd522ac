/*
 * edges.h: the silence before and after an utterance.
 *
 * Models begin and end with up to half a second of near silence.  Between a
 * question and its answer that is time lost, and between two chunks a pause
 * that nobody wrote.  So a little is kept on both sides and the rest left out;
 * pauses inside the utterance stay as they are.  Samples are given on as they
 * come; only silence that may turn out to be the end is held back.
 */
#ifndef ENGINE_VITS_EDGES_H
#define ENGINE_VITS_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/sink.h"

struct edges {
	size_t lead_keep, tail_keep; /* samples */
	bool begun; /* sound was found */
	uint64_t dropped; /* samples left out before it */
	uint64_t given; /* to the sink */
	size_t quiet; /* of them since the last sound */
	struct buf held; /* silence that may be the end */
};

void edges_init(struct edges *edges, uint32_t sample_rate);
void edges_reset(struct edges *edges);

/* Before anything of an utterance was pushed: takes its next samples and says
 * whether sound begins in them, at *start; if not they are left out. */
bool edges_begin(struct edges *edges, const int16_t *samples, size_t n, size_t *start);

/* The samples from there on.  Non-zero: nobody wants more, or ENOMEM. */
int edges_push(struct edges *edges, const int16_t *samples, size_t n, struct sink *sink);

/* How many samples are held back. */
size_t edges_held(const struct edges *edges);

/* The utterance is over: what is held is left out, and the next one begins. */
void edges_end(struct edges *edges);

#endif
