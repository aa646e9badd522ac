/*
 * audio_file.h: decodes a file that is in memory.
 *
 * libsndfile does it, through virtual I/O: WAV, FLAC, Ogg with Vorbis or Opus, and MP3. What a file is
 * follows from its first bytes, and other formats that libsndfile knows are refused, because every
 * parser that hostile bytes can reach is a risk. Samples without a file format are decoded if the
 * caller says what they are.
 *
 * A file that is cut off or damaged is decoded up to there: most recordings of that kind are long,
 * and their owners want what is left.
 */
#ifndef ENGINE_DECODE_AUDIO_FILE_H
#define ENGINE_DECODE_AUDIO_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The longest recording. A file of a few kilobytes can decode to months of silence. 25 MB, the
 * longest file, are less than four hours of the most compressed speech that programs record (16 kbit/s),
 * so no honest recording is refused. */
#define AUDIO_FILE_SECONDS_MAX (4u * 3600)

#define AUDIO_FILE_WHY_MAX 256

struct audio_file;

/* Opens a file, whose bytes must remain until the object is released with mem_deref. `format` is "" to
 * recognize it, or pcm_RATE (16 bits, little-endian), ulaw_RATE or alaw_RATE for samples of one channel
 * without a header. ENOTSUP: there is no such format; EINVAL: the file cannot be decoded; both with a
 * sentence in `why`. ENOMEM. */
int audio_file_open(struct audio_file **filep, char why[AUDIO_FILE_WHY_MAX], const void *bytes,
		    size_t len, const char *format);

/* Decodes the next samples, 16 kHz and one channel, which are valid until the next call. There are none
 * at the end; then `why` says what is wrong with the file if it ends early, or is "". EFBIG: the
 * recording is too long; EINVAL: nothing of it could be decoded; both with a sentence in `why`. */
int audio_file_read(struct audio_file *file, char why[AUDIO_FILE_WHY_MAX], const int16_t **samples,
		    size_t *count);

#endif
