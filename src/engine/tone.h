/*
 * tone.h: the tone engine, for programs that call it without a process of its own.
 */
#ifndef ENGINE_TONE_H
#define ENGINE_TONE_H

#include "engine/engine.h"

/* The sample rate of its voices, "tone" and "tone-low". */
#define TONE_RATE 24000u

/* The duration of each letter of a word, and of the silence after each word. */
#define TONE_LETTER_MS 60u

extern const struct engine tone_engine;

#endif
