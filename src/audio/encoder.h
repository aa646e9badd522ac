/*
 * encoder.h: PCM16 to the bytes of a file format, as a stream.
 *
 * One encoder makes one stream, of the formats that audio_format_needs_encoder
 * names.  What it writes can be played from its first bytes on, and its length
 * is nowhere in it:
 *
 *   WAV   a header with the length left open, then the samples
 *   MP3   frames of constant bit rate, no Xing frame
 *   Opus  RFC 7845: two header pages at once, then a page for each write
 *   FLAC  STREAMINFO without a length, short blocks
 *   AAC   low complexity, in ADTS frames
 *
 * Pure: no thread and no clock.  An encoder belongs to whoever calls it, one
 * thread at a time.
 */
#ifndef AUDIO_ENCODER_H
#define AUDIO_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "audio/format.h"
#include "base/buf.h"

struct encoder;

/* EINVAL for a format that has no encoder, or not at this rate; ENOMEM. */
int encoder_alloc(struct encoder **encoderp, const struct audio_format *format);

/* Appends what is finished; encoders keep a rest of up to some 70 ms.  ENOBUFS
 * when out is full, ENOMEM, EIO: the stream cannot go on then. */
int encoder_write(struct encoder *encoder, const int16_t *samples, size_t count, struct buf *out);

/* Appends the rest and the stream's end; nothing is written after it. */
int encoder_end(struct encoder *encoder, struct buf *out);

#endif
