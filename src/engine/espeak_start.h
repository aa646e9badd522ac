/*
 * espeak_start.h: eSpeak NG, started for the programs that link it.
 */
#ifndef ENGINE_ESPEAK_START_H
#define ENGINE_ESPEAK_START_H

#include <stdint.h>

/* Once per process.  The library's data is loaded and nothing is played; samples,
 * if any are asked for, come in blocks of so many milliseconds, 0: its own choice.
 * ENOENT: it has no data. */
int espeak_start(uint32_t *sample_rate, int block_ms);

#endif
