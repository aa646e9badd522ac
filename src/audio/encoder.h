/*
 * encoder.h: PCM16 to the bytes of a file format, as a stream.
 *
 * One encoder makes one stream, in one of the formats that audio_format_needs_encoder names.
 * The stream can be played from its first bytes on and does not contain its own length:
 *
 *     WAV   a header with the length left open, then the samples
 *     MP3   frames of constant bit rate, no Xing frame
 *     Opus  RFC 7845: two header pages at once, then a page for each write
 *     FLAC  STREAMINFO without a length, short blocks
 *     AAC   low complexity, in ADTS frames
 *
 * Pure: no thread and no clock. An encoder belongs to its caller and is used by one thread
 * at a time.
 */
#ifndef AUDIO_ENCODER_H
#define AUDIO_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "audio/format.h"
#include "base/buf.h"

struct encoder;

/* EINVAL for a format that has no encoder or none at this rate; ENOMEM. */
int encoder_alloc(struct encoder **encoderp, const struct audio_format *format);

/* Appends what is finished; an encoder keeps back up to about 70 ms of samples. Returns
 * ENOBUFS when out is full, ENOMEM or EIO; the stream cannot be continued after an error. */
int encoder_write(struct encoder *encoder, const int16_t *samples, size_t count, struct buf *out);

/* Appends what was kept back and the end of the stream. Nothing may be written afterwards. */
int encoder_end(struct encoder *encoder, struct buf *out);

#endif
