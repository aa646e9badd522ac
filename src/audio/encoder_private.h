/*
 * encoder_private.h: the functions that the encoder of one format provides to encoder.c.
 *
 * `state` is an object of base/mem.h.
 */
#ifndef AUDIO_ENCODER_PRIVATE_H
#define AUDIO_ENCODER_PRIVATE_H

#include "audio/encoder.h"

struct encoder_ops {
	int (*open)(void **statep, const struct audio_format *format);
	int (*write)(void *state, const int16_t *samples, size_t count, struct buf *out);
	int (*end)(void *state, struct buf *out);
};

extern const struct encoder_ops encoder_wav, encoder_mp3, encoder_opus, encoder_flac, encoder_aac;

#endif
