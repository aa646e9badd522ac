/*
 * wav.h: the header of a WAV file of one channel.
 */
#ifndef AUDIO_WAV_H
#define AUDIO_WAV_H

#include <stddef.h>
#include <stdint.h>

#include "audio/format.h"

#define WAV_HEADER_MAX 58

/* The length for a file that is written before its length is known, such as to a pipe; players
 * then read to the end. */
#define WAV_LEN_UNKNOWN UINT32_MAX

/* Writes the header for data_len bytes of audio and returns its length: 58 for G.711, 44 for all
 * others, which are PCM16. out has room for WAV_HEADER_MAX bytes. After an odd data_len the caller
 * must write one zero byte (RIFF pads its chunks); the header already counts it. */
size_t wav_write_header(uint8_t *out, const struct audio_format *format, uint32_t data_len);

#endif
