/*
 * pace.h: how fast a model speaks when it is asked to.
 *
 * Models round the duration of every id up to whole frames, and that part does
 * not get shorter when the rest does: asked for 1.2 times the speed, a model
 * gives about 1.09 times.  So it is measured how much of a text does not
 * scale, and the model is asked for as much more as is needed.
 */
#ifndef ENGINE_VITS_PACE_H
#define ENGINE_VITS_PACE_H

#include "engine/vits/model.h"

struct pace {
	/* The part of a text's length that does not scale, 0 to 1, when it is to
	 * be shorter and when it is to be longer: few ids are longer than a frame
	 * or two. */
	float rigid_short, rigid_long;
};

/* Speaks a text to nobody at three speeds, as far as its durations; a model that
 * does not tell those is taken at its word. */
int pace_measure(struct pace *pace, const struct model_file *file, const struct model *model,
		 char why[RUNTIME_WHY_SIZE]);

/* What the model's own length_scale has to be multiplied with for a speed. */
float pace_scale(const struct pace *pace, float speed);

#endif
