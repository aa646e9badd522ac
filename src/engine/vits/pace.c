/*
 * pace.c: the actual speed of a model at a requested speed (see pace.h).
 */
#include "engine/vits/pace.h"

#include "base/count.h"
#include "base/mem.h"
#include "engine/vits/sample.h"
#include "engine/vits/script.h"

/* The measured lengths in addition to 1: about the extremes that are requested. */
#define SHORT 0.7f
#define LONG 1.3f

/* A model that scales less than this is not supported. */
#define RIGID_MAX 0.8f

/* Shorter speech is not intelligible. */
#define SCALE_MIN 0.3f

static int pace_count_frames(size_t *frames, const struct model_file *file,
			     const struct model *model, const struct script *script, float scale,
			     char why[RUNTIME_WHY_SIZE])
{
	struct take_settings settings = sample_settings(file, &file->speakers[0]);
	const struct script_utterance *utterance = &script->utterances[0];
	struct take *take;
	int err;

	settings.length_scale *= scale;
	err = take_begin(&take, model, utterance->ids, utterance->count, &settings, why);
	if (err)
		return err;
	*frames = take_frames(take);
	mem_deref(take);
	return 0;
}

/* The rigid part, computed from the length at `scale`. */
static float pace_rigid_part(size_t usual, size_t other, float scale)
{
	float scaled = ((float)other - (float)usual) / (scale - 1) / (float)usual;

	return scaled < 1 && scaled > 1 - RIGID_MAX ? 1 - scaled : 0;
}

int pace_measure(struct pace *pace, const struct model_file *file, const struct model *model,
		 char why[RUNTIME_WHY_SIZE])
{
	static const float scales[] = {1, SHORT, LONG};
	size_t frames[COUNT(scales)];
	struct script *script;
	int err;

	*pace = (struct pace){0};
	if (file->family != MODEL_VITS)
		return 0;
	err = sample_script(&script, file, &file->speakers[0], why);
	if (err)
		return err;
	for (size_t i = 0; i < COUNT(scales) && !err; ++i)
		err = pace_count_frames(&frames[i], file, model, script, scales[i], why);
	mem_deref(script);
	if (err)
		return err;
	pace->rigid_short = pace_rigid_part(frames[0], frames[1], SHORT);
	pace->rigid_long = pace_rigid_part(frames[0], frames[2], LONG);
	return 0;
}

float pace_scale(const struct pace *pace, float speed)
{
	float rigid = speed > 1 ? pace->rigid_short : pace->rigid_long;
	float scale = (1 / speed - rigid) / (1 - rigid);

	return scale > SCALE_MIN ? scale : SCALE_MIN;
}
