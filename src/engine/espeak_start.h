/*
 * espeak_start.h: initializes eSpeak NG for the programs that link it.
 */
#ifndef ENGINE_ESPEAK_START_H
#define ENGINE_ESPEAK_START_H

#include <stdint.h>

/* Called once per process. Loads the library's data without opening an audio device. Samples
 * are delivered in blocks of block_ms; 0 lets the library choose. ENOENT: the data is missing. */
int espeak_start(uint32_t *sample_rate, int block_ms);

#endif
