/*
 * level.h: how loud a voice is, and how loud it should be.
 *
 * All voices are brought to the same level, so that a caller who changes the
 * voice need not reach for the volume.  Installed voices say their gain
 * (model_file.h); of others it is measured when they are loaded, on a sentence
 * spoken to nobody.
 */
#ifndef ENGINE_VITS_LEVEL_H
#define ENGINE_VITS_LEVEL_H

#include "engine/vits/model.h"

/* Decibels below full scale of speech, pauses not counted. */
#define LEVEL_TARGET_DB (-20.0f)

/* Sets the gain of every speaker of a file that has none. */
int level_measure(struct model_file *file, const struct model *model, char why[RUNTIME_WHY_SIZE]);

/* The level of samples in decibels below full scale: of those stretches of 20 ms
 * that are not pauses.  -INFINITY for silence. */
float level_of(const float *samples, size_t n, uint32_t sample_rate);

#endif
