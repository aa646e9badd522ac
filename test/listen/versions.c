/*
 * versions.c: makes versions of recordings, as telephones and streets do.
 *
 *	versions < lines
 *
 * Each line is "KIND ⇥ IN ⇥ OUT".  IN is a WAV file, or samples at 16 kHz if its name ends with .raw.
 * OUT gets 16-bit samples at 16 kHz, at least half a second of them.  The kinds: "clean"; "mulaw",
 * through a telephone line with 8 kHz and G.711; "noisy", with white noise 10 dB below the speech, the
 * same in every run.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audio/g711.h"
#include "audio/resample.h"
#include "base/mem.h"
#include "file.h"
#include "level.h"

#define RATE 16000u
#define LINE_RATE 8000u
#define SHORTEST (RATE / 2)
#define NOISE_DB 10.0
#define LINE_LEN 8192

/* A pseudo-random number from -1 to 1. */
static double chance(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (double)*state / 2147483648.0 - 1;
}

/* With a standard deviation of 1: that of the sum of three is 1. */
static double noise(uint32_t *state)
{
	return chance(state) + chance(state) + chance(state);
}

static int convert(struct recording *recording, unsigned rate)
{
	struct resample *resample;
	int16_t *samples;
	size_t count;
	int err = resample_alloc(&resample, recording->rate, rate);

	if (err)
		return err;
	samples = malloc(resample_room(resample, recording->count) * sizeof(*samples));
	if (samples) {
		count = resample_write(resample, samples, recording->samples, recording->count);
		count += resample_end_chunk(resample, samples + count);
		free(recording->samples);
		*recording = (struct recording){rate, samples, count};
	} else {
		err = ENOMEM;
	}
	mem_deref(resample);
	return err;
}

static int send_by_telephone(struct recording *recording)
{
	int err = convert(recording, LINE_RATE);
	uint8_t *bytes = malloc(recording->count + 1);

	if (!bytes)
		return ENOMEM;
	if (!err) {
		g711_encode_mulaw(bytes, recording->samples, recording->count);
		g711_decode_mulaw(recording->samples, bytes, recording->count);
	}
	free(bytes);
	return err ? err : convert(recording, RATE);
}

static void add_noise(struct recording *recording)
{
	uint32_t state = 1;
	struct level level;
	double amplitude;

	level_measure(&level, recording->samples, recording->count, recording->rate);
	amplitude = 32768 * pow(10, (level.active_db - NOISE_DB) / 20);
	for (size_t i = 0; i < recording->count; ++i) {
		double sample = recording->samples[i] + amplitude * noise(&state);

		recording->samples[i] = (int16_t)lrint(fmin(fmax(sample, -32768), 32767));
	}
}

static int read_recording(struct recording *recording, const char *path)
{
	size_t len = strlen(path);
	char *bytes;
	size_t bytes_len;
	int err;

	if (len < 4 || strcmp(path + len - 4, ".raw") != 0)
		return file_read_wav(recording, path);
	err = file_read(&bytes, &bytes_len, path);
	if (!err)
		*recording = (struct recording){RATE, (int16_t *)(void *)bytes,
						bytes_len / sizeof(int16_t)};
	return err;
}

static int write_recording(const struct recording *recording, const char *path)
{
	static const int16_t silence[SHORTEST];
	size_t missing = recording->count < SHORTEST ? SHORTEST - recording->count : 0;
	FILE *file = fopen(path, "wbe");
	size_t n;

	if (!file)
		return errno;
	n = fwrite(recording->samples, sizeof(int16_t), recording->count, file);
	n += fwrite(silence, sizeof(int16_t), missing, file);
	return fclose(file) == 0 && n == recording->count + missing ? 0 : EIO;
}

static int make(const char *kind, const char *in, const char *out)
{
	struct recording recording = {0};
	int err = read_recording(&recording, in);

	if (!err)
		err = convert(&recording, RATE);
	if (!err && strcmp(kind, "mulaw") == 0)
		err = send_by_telephone(&recording);
	else if (!err && strcmp(kind, "noisy") == 0)
		add_noise(&recording);
	else if (!err && strcmp(kind, "clean") != 0)
		err = EINVAL;
	if (!err)
		err = write_recording(&recording, out);
	free(recording.samples);
	return err;
}

int main(void)
{
	char line[LINE_LEN];
	int status = EXIT_SUCCESS;

	while (status == EXIT_SUCCESS && fgets(line, sizeof(line), stdin)) {
		char *in = strchr(line, '\t');
		char *out = in ? strchr(in + 1, '\t') : NULL;
		int err = EINVAL;

		if (out) {
			*in++ = *out++ = '\0';
			out[strcspn(out, "\n")] = '\0';
			err = make(line, in, out);
		}
		if (err) {
			fprintf(stderr, "versions: %s: %s\n", in ? in : line, strerror(err));
			status = EXIT_FAILURE;
		}
	}
	resample_forget();
	return status;
}
