/*
 * mel.h: what Whisper's encoder reads, the loudness of a recording over time and pitch.
 *
 * Of every 10 ms of 16 kHz audio, a window of 25 ms becomes the energies of `bins` bands on the mel
 * scale (Slaney's, 0 to 8 kHz), in a logarithmic scale that depends on the loudest band of the
 * whole recording.  This is the computation with which the models were trained, so all of its
 * constants are given.
 *
 * A struct mel never changes after it was made, so any number of threads may use it at once.
 */
#ifndef ENGINE_HEAR_MEL_H
#define ENGINE_HEAR_MEL_H

#include <stddef.h>

#define MEL_RATE 16000
#define MEL_HOP 160 /* samples from one window to the next */
#define MEL_WINDOW 400 /* samples of a window */

/* Models have 80 bands or, the newest ones, 128. */
#define MEL_BINS_MAX 128u

struct mel;

/* An object of base/mem.h.  EINVAL: there are no bins, or more than MEL_BINS_MAX. */
int mel_alloc(struct mel **melp, unsigned bins);

/* Computes frames × bins numbers: all frames of the lowest band first.  Window i is centred at
 * sample i × MEL_HOP.  Samples that are missing up to frames × MEL_HOP are silence, which costs
 * nothing; any more than that are ignored.  Samples are -1 to 1. */
void mel_compute(const struct mel *mel, float *features, size_t frames, const float *samples,
		 size_t count);

#endif
