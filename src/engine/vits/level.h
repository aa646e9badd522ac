/*
 * level.h: the loudness of a voice, and its target.
 *
 * All voices are brought to the same level, so that listeners need not adjust the volume
 * when the voice changes. Installed voices declare their gain (model_file.h); for others it
 * is measured on a sample sentence when they are loaded.
 */
#ifndef ENGINE_VITS_LEVEL_H
#define ENGINE_VITS_LEVEL_H

#include "engine/vits/model.h"

/* The level of speech in decibels relative to full scale, not counting pauses. */
#define LEVEL_TARGET_DB (-20.0f)

/* Sets the gain of every speaker of a file that declares none. Only the first few of them are
 * measured; the others get the average of those. EINVAL when a speaker is silent; also returns the
 * errors of sample_script, take_begin and take_decode. `why` is a reason for people. */
int level_measure(struct model_file *file, const struct model *model, char why[RUNTIME_WHY_SIZE]);

/* The level of samples in decibels relative to full scale, over the stretches of 20 ms that
 * are not pauses. -INFINITY for silence. */
float level_of(const float *samples, size_t n, uint32_t sample_rate);

#endif
