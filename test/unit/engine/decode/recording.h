/*
 * recording.h: makes recordings in memory, for tests of the decoder.
 */
#ifndef TEST_DECODE_RECORDING_H
#define TEST_DECODE_RECORDING_H

#include <sndfile.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_HZ 440.0
#define RECORDING_LEVEL 0.5

struct recording {
	unsigned char *bytes; /* to be freed with recording_reset */
	size_t len;
	size_t size;
	size_t at;
};

/* A tone of RECORDING_HZ and RECORDING_LEVEL in all channels; `format` is libsndfile's. */
void recording_make(struct recording *recording, int format, int rate, int channels,
		    double seconds);

/* A Vorbis file of a few hundred bytes whose tables take gigabytes. */
void recording_make_huge_tables(struct recording *recording);

/* Silence. */
void recording_make_silence(struct recording *recording, int format, int rate, double seconds);

void recording_reset(struct recording *recording);

/* The level of the tone in 16 kHz samples, and of all that is not the tone, without the first and last
 * tenth of a second. */
double recording_tone(const int16_t *samples, size_t count);
double recording_noise(const int16_t *samples, size_t count);

#endif
