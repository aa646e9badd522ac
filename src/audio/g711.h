/*
 * g711.h: µ-law and A-law as ITU-T G.711 has them.
 *
 * One byte a sample, bits as they go on the line (µ-law inverted, A-law with
 * its even bits inverted).  Pure, any thread.
 */
#ifndef AUDIO_G711_H
#define AUDIO_G711_H

#include <stddef.h>
#include <stdint.h>

/* out may be the samples' own memory. */
void g711_encode_mulaw(uint8_t *out, const int16_t *samples, size_t count);
void g711_encode_alaw(uint8_t *out, const int16_t *samples, size_t count);

#endif
