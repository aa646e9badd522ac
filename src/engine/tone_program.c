/*
 * tone_program.c: makes syrinx-tone of the tone engine, which tests also link
 * without a main function.
 */
#include "engine/tone.h"

const struct engine *const engine_main = &tone_engine;
