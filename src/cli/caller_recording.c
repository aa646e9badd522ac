/*
 * caller_recording.c: writes what was heard in a call to a WAV file (see caller_recording.h).
 */
#include "cli/caller_recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/caller_sound.h"
#include "cli/caller_wav.h"

/* A copy of the samples at another rate. */
static int caller_recording_convert(struct caller_sound *sound, const struct caller_timeline *line,
				    unsigned rate)
{
	size_t count;
	const int16_t *samples = caller_timeline_samples(line, &count);
	struct caller_sound copy = {malloc((count + 1) * sizeof(*samples)), count, line->rate};
	int err;

	if (!copy.samples)
		return ENOMEM;
	if (count > 0)
		memcpy(copy.samples, samples, count * sizeof(*samples));
	err = caller_sound_convert(&copy, rate);
	if (err)
		caller_sound_reset(&copy);
	else
		*sound = copy;
	return err;
}

static void caller_recording_put(FILE *file, int16_t sample)
{
	fputc(sample & 0xff, file);
	fputc((uint16_t)sample >> 8, file);
}

int caller_recording_write(int fd, const struct caller_timeline *agent,
			   const struct caller_timeline *caller)
{
	struct caller_sound left = {0};
	uint8_t header[CALLER_WAV_HEADER_SIZE];
	size_t right_count;
	const int16_t *right = caller_timeline_samples(agent, &right_count);
	size_t frames = right_count;
	FILE *file = fdopen(fd, "wb");
	int err = file ? 0 : errno;

	if (!file)
		close(fd);
	if (!err && caller)
		err = caller_recording_convert(&left, caller, agent->rate);
	if (left.count > frames)
		frames = left.count;
	if (!err) {
		caller_wav_write_header(header, agent->rate, caller ? 2 : 1, frames);
		fwrite(header, 1, sizeof(header), file);
	}
	for (size_t i = 0; !err && i < frames; ++i) {
		if (caller)
			caller_recording_put(file, i < left.count ? left.samples[i] : 0);
		caller_recording_put(file, i < right_count ? right[i] : 0);
	}
	if (file && ferror(file))
		err = err ? err : EIO;
	if (file && fclose(file) != 0 && !err)
		err = errno;
	caller_sound_reset(&left);
	return err;
}
