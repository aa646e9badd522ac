/*
 * wav.h: the header of a WAV file of one channel.
 */
#ifndef AUDIO_WAV_H
#define AUDIO_WAV_H

#include <stddef.h>
#include <stdint.h>

#include "audio/format.h"

#define WAV_HEADER_MAX 58

/* For a file that is written before its length is known, to a pipe say;
 * players read to the end then. */
#define WAV_LEN_UNKNOWN UINT32_MAX

/* Writes the header that stands before data_len bytes of audio and gives its
 * length: 58 for G.711, 44 for all others, which are PCM16.  An odd data_len asks for one zero byte
 * after the data (RIFF pads its chunks), counted in the header already. */
size_t wav_write_header(uint8_t *out, const struct audio_format *format, uint32_t data_len);

#endif
