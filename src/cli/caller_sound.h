/*
 * caller_sound.h: samples of one channel: what a caller says, or what an agent is heard to say.
 *
 * Pure apart from caller_sound_load. The owner calls caller_sound_reset.
 */
#ifndef CLI_CALLER_SOUND_H
#define CLI_CALLER_SOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 25 minutes of two channels at 44.1 kHz. A caller's file is kept in memory as a whole. */
#define CALLER_SOUND_FILE_MAX (256u * 1024u * 1024u)

#define CALLER_SOUND_WHY_SIZE 240u

/* −45 dBFS: below it, there is the noise of a room but no speech. */
#define CALLER_SOUND_LOUD 184

struct caller_sound {
	int16_t *samples;
	size_t count;
	unsigned rate;
};

void caller_sound_reset(struct caller_sound *sound);

/* Reads a WAV file (see caller_wav.h) and mixes its channels. On failure, `why` has the reason. */
int caller_sound_load(struct caller_sound *sound, const char *path,
		      char why[CALLER_SOUND_WHY_SIZE]);

/* Converts the samples to another rate. On failure nothing has changed. */
int caller_sound_convert(struct caller_sound *sound, unsigned rate);

/* Finds the first sample that is louder than CALLER_SOUND_LOUD. */
bool caller_sound_find_loud(size_t *at, const int16_t *samples, size_t count);

/* The number of samples up to and including the last loud one; all of them if none is loud. */
size_t caller_sound_speech_len(const struct caller_sound *sound);

#endif
