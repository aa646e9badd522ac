/*
 * caller_wav.h: reads a WAV file of 16 bit PCM and writes one of one or two channels.
 *
 * Pure: works on bytes in memory, which come from any file that a user names.
 */
#ifndef CLI_CALLER_WAV_H
#define CLI_CALLER_WAV_H

#include <stddef.h>
#include <stdint.h>

/* What a resampler accepts (see audio/resample.h). */
#define CALLER_WAV_RATE_MIN 8000u
#define CALLER_WAV_RATE_MAX 48000u

/* More channels than any microphone array that people record with. */
#define CALLER_WAV_CHANNELS_MAX 32u

#define CALLER_WAV_WHY_SIZE 160u
#define CALLER_WAV_HEADER_SIZE 44u

struct caller_wav {
	unsigned rate;
	unsigned channels;
	const uint8_t *audio; /* points into the file */
	size_t frames; /* a frame has one sample of each channel */
};

/* Finds the audio in a file. EINVAL, with the reason in `why`, if it is not a WAV file of 16 bit PCM
 * or if it has no audio. A length that is unknown (0 or the maximum, as in a file that was written
 * to a pipe) or that exceeds the file means up to the end. */
int caller_wav_parse(struct caller_wav *wav, const uint8_t *bytes, size_t len,
		     char why[CALLER_WAV_WHY_SIZE]);

/* Writes the mean of all channels, wav->frames samples. */
void caller_wav_mix(int16_t *out, const struct caller_wav *wav);

/* Writes the header of a file with so many frames. */
void caller_wav_write_header(uint8_t out[CALLER_WAV_HEADER_SIZE], unsigned rate, unsigned channels,
			     size_t frames);

#endif
