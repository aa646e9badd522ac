/*
 * level.c: the loudness of a voice, and its target (see level.h).
 */
#include "engine/vits/level.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/mem.h"
#include "engine/vits/sample.h"

/* A stretch this much softer than the loudest is a pause. */
#define PAUSE_DB 26

/* A voice that needs more than this whispers or is broken. */
#define GAIN_MAX_DB 20

/* The maximum number of speakers of one model that are measured, because each takes a quarter
 * of a second at every start. The others get the average. */
#define MEASURED_MAX 8

static float level_decibels(double power)
{
	return power > 0 ? (float)(10 * log10(power)) : -INFINITY;
}

static double level_power_of(const float *samples, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; ++i)
		sum += (double)samples[i] * (double)samples[i];
	return n > 0 ? sum / (double)n : 0;
}

float level_of(const float *samples, size_t n, uint32_t sample_rate)
{
	size_t stretch = sample_rate / 50;
	double loudest = 0;
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i + stretch <= n; i += stretch)
		loudest = fmax(loudest, level_power_of(samples + i, stretch));
	for (size_t i = 0; i + stretch <= n; i += stretch) {
		double power = level_power_of(samples + i, stretch);

		if (level_decibels(power) < level_decibels(loudest) - PAUSE_DB)
			continue;
		sum += power;
		++count;
	}
	return level_decibels(count > 0 ? sum / (double)count : 0);
}

static int level_speak_sample(const struct model_file *file, const struct model *model,
			      const struct model_speaker *speaker, const struct script *script,
			      float *level, char why[RUNTIME_WHY_SIZE])
{
	struct take_settings settings = sample_settings(file, speaker);
	const struct script_utterance *utterance = &script->utterances[0];
	const float *samples;
	struct take *take;
	int err;

	err = take_begin(&take, model, utterance->ids, utterance->count, &settings, why);
	if (err)
		return err;
	err = take_decode(take, 0, take_frames(take), &samples, why);
	if (!err)
		*level = level_of(samples, take_frames(take) * take_frame_len(take),
				  file->sample_rate);
	mem_deref(take);
	return err;
}

static int level_measure_speaker(const struct model_file *file, const struct model *model,
				 struct model_speaker *speaker, char why[RUNTIME_WHY_SIZE])
{
	struct script *script;
	float level = 0;
	int err = sample_script(&script, file, speaker, why);

	if (err)
		return err;
	err = level_speak_sample(file, model, speaker, script, &level, why);
	mem_deref(script);
	if (!err && !(level > LEVEL_TARGET_DB - GAIN_MAX_DB)) {
		snprintf(why, RUNTIME_WHY_SIZE, "speaks silence");
		err = EINVAL;
	}
	if (!err)
		speaker->gain_db = LEVEL_TARGET_DB - level;
	return err;
}

int level_measure(struct model_file *file, const struct model *model, char why[RUNTIME_WHY_SIZE])
{
	float sum = 0;
	unsigned measured = 0;
	int err = 0;

	for (size_t i = 0; i < file->speaker_count_listed && !err; ++i) {
		struct model_speaker *speaker = &file->speakers[i];

		if (speaker->has_gain)
			continue;
		if (measured < MEASURED_MAX) {
			err = level_measure_speaker(file, model, speaker, why);
			sum += speaker->gain_db;
			++measured;
		} else {
			speaker->gain_db = sum / (float)measured;
		}
	}
	return err;
}
