/*
 * tone.h: the tone engine, for those who run it without a process.
 */
#ifndef ENGINE_TONE_H
#define ENGINE_TONE_H

#include "engine/engine.h"

/* Sample rate of its voices, "tone" and "tone-low". */
#define TONE_RATE 24000u

/* A word lasts this long per letter, and as long as a letter is the silence
 * after each word. */
#define TONE_LETTER_MS 60u

extern const struct engine tone_engine;

#endif
