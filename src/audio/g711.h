/*
 * g711.h: µ-law and A-law as defined by ITU-T G.711.
 *
 * One byte per sample, with the bits as transmitted (µ-law inverted, A-law with its even
 * bits inverted). Pure; usable on any thread.
 */
#ifndef AUDIO_G711_H
#define AUDIO_G711_H

#include <stddef.h>
#include <stdint.h>

/* out may overlay the memory of the samples. */
void g711_encode_mulaw(uint8_t *out, const int16_t *samples, size_t count);
void g711_encode_alaw(uint8_t *out, const int16_t *samples, size_t count);

void g711_decode_mulaw(int16_t *out, const uint8_t *bytes, size_t count);

#endif
