/*
 * align.h: when each token was said, from what the decoder looked at while it chose the token.
 *
 * Some heads of a decoder's cross-attention follow the audio: for each token, most of their weight
 * is on the frames in which it was said.  Frames and tokens are both in the order of time, so the
 * best monotonic path through their weights (dynamic time warping) tells where each token begins.
 * This is what the usual implementations of Whisper do for the times of words.
 */
#ifndef ENGINE_HEAR_ALIGN_H
#define ENGINE_HEAR_ALIGN_H

#include <stddef.h>

/* For each token, in their order, a row of `frames` numbers of every head. */
struct align_weights {
	float *weights;
	size_t heads, rows, frames;
};

/* Writes, for every row from `skip` on, the frame in which its token begins; they do not decrease.
 * The rows before that are only used to know what is usual; the weights are overwritten.  ENOMEM.
 */
int align_find_starts(size_t *starts, const struct align_weights *weights, size_t skip);

/* The last step of it, for `rows` rows of `frames` weights that are already comparable: writes the
 * frame in which each row begins on the best path.  ENOMEM. */
int align_warp(size_t *starts, const float *weights, size_t rows, size_t frames);

#endif
