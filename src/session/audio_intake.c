/*
 * audio_intake.c: converts the audio that a client sends (see audio_intake.h).
 */
#include "session/audio_intake.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "audio/g711.h"
#include "audio/resample.h"
#include "base/mem.h"
#include "hearing/hearing.h"

struct audio_intake {
	enum listen_encoding encoding;
	struct resample *resample;
	uint8_t rest; /* the first byte of a sample whose second one has not arrived */
	bool has_rest;
};

static void audio_intake_destroy(void *object)
{
	struct audio_intake *intake = object;

	mem_deref(intake->resample);
}

int audio_intake_alloc(struct audio_intake **intakep, const struct listen_format *format)
{
	struct audio_intake *intake = mem_zalloc(sizeof(*intake), audio_intake_destroy);
	int err;

	if (!intake)
		return ENOMEM;
	intake->encoding = format->encoding;
	err = resample_alloc(&intake->resample, format->sample_rate, HEARING_RATE);
	if (err)
		mem_deref(intake);
	else
		*intakep = intake;
	return err;
}

size_t audio_intake_room(const struct audio_intake *intake, size_t bytes)
{
	size_t samples = intake->encoding == LISTEN_MULAW ? bytes : bytes / sizeof(int16_t) + 1;

	return resample_room(intake->resample, samples);
}

/* Takes 16-bit samples, the lower byte first.  Returns their number. */
static size_t audio_intake_read_pcm(struct audio_intake *intake, int16_t *samples,
				    const uint8_t *bytes, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; ++i) {
		if (intake->has_rest)
			samples[count++] = (int16_t)(intake->rest | bytes[i] << 8);
		intake->rest = bytes[i];
		intake->has_rest = !intake->has_rest;
	}
	return count;
}

int audio_intake_write(struct audio_intake *intake, int16_t *out, size_t *count,
		       const uint8_t *bytes, size_t len)
{
	int16_t *samples = malloc((len + 1) * sizeof(*samples));
	size_t n = len;

	if (!samples)
		return ENOMEM;
	if (intake->encoding == LISTEN_MULAW)
		g711_decode_mulaw(samples, bytes, len);
	else
		n = audio_intake_read_pcm(intake, samples, bytes, len);
	*count = resample_write(intake->resample, out, samples, n);
	free(samples);
	return 0;
}
