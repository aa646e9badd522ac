/*
 * caller_sound.c: samples of one channel (see caller_sound.h).
 */
#include "cli/caller_sound.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audio/resample.h"
#include "base/buf.h"
#include "base/mem.h"
#include "cli/caller_wav.h"

#define PART (64u * 1024u)

void caller_sound_reset(struct caller_sound *sound)
{
	free(sound->samples);
	*sound = (struct caller_sound){0};
}

/* Reads up to the end instead of asking for a length, because a pipe has none. */
static int caller_sound_read(struct buf *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? errno : 0;
	ssize_t n = 1;

	while (!err && n > 0) {
		err = buf_reserve(file, PART);
		if (err)
			break;
		n = read(fd, file->bytes + file->len, PART);
		if (n < 0)
			err = errno;
		else
			file->len += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	return err;
}

int caller_sound_load(struct caller_sound *sound, const char *path, char why[CALLER_SOUND_WHY_SIZE])
{
	struct caller_wav wav = {0};
	struct buf file;
	int16_t *samples = NULL;
	int err;

	buf_init(&file, CALLER_SOUND_FILE_MAX);
	err = caller_sound_read(&file, path);
	if (err == ENOBUFS)
		snprintf(why, CALLER_SOUND_WHY_SIZE, "it is larger than %u MiB",
			 CALLER_SOUND_FILE_MAX / 1024 / 1024);
	else if (err)
		snprintf(why, CALLER_SOUND_WHY_SIZE, "%s", strerror(err));
	else
		err = caller_wav_parse(&wav, (const uint8_t *)file.bytes, file.len, why);
	if (!err) {
		samples = malloc(wav.frames * sizeof(*samples));
		err = samples ? 0 : ENOMEM;
		if (err)
			snprintf(why, CALLER_SOUND_WHY_SIZE, "%s", strerror(err));
	}
	if (!err) {
		caller_wav_mix(samples, &wav);
		*sound = (struct caller_sound){samples, wav.frames, wav.rate};
	}
	buf_reset(&file);
	return err;
}

int caller_sound_convert(struct caller_sound *sound, unsigned rate)
{
	struct resample *resample;
	int16_t *samples;
	size_t count;
	int err;

	if (sound->rate == rate)
		return 0;
	err = resample_alloc(&resample, sound->rate, rate);
	if (err)
		return err;
	samples = malloc((resample_room(resample, sound->count) + 1) * sizeof(*samples));
	if (samples) {
		count = resample_write(resample, samples, sound->samples, sound->count);
		count += resample_end_chunk(resample, samples + count);
		caller_sound_reset(sound);
		*sound = (struct caller_sound){samples, count, rate};
	}
	mem_deref(resample);
	return samples ? 0 : ENOMEM;
}

static bool caller_sound_is_loud(int16_t sample)
{
	return sample > CALLER_SOUND_LOUD || sample < -CALLER_SOUND_LOUD;
}

bool caller_sound_find_loud(size_t *at, const int16_t *samples, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		if (caller_sound_is_loud(samples[i])) {
			*at = i;
			return true;
		}
	}
	return false;
}

size_t caller_sound_speech_len(const struct caller_sound *sound)
{
	for (size_t i = sound->count; i > 0; --i) {
		if (caller_sound_is_loud(sound->samples[i - 1]))
			return i;
	}
	return sound->count;
}
