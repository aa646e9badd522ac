/*
 * pace.h: the actual speed of a model at a requested speed.
 *
 * Models round the duration of every id up to whole frames, and that part does not scale: at
 * a requested speed of 1.2 a model is about 1.09 times as fast. So the part of a text that
 * does not scale is measured, and the model is asked for a correspondingly higher or lower
 * speed.
 */
#ifndef ENGINE_VITS_PACE_H
#define ENGINE_VITS_PACE_H

#include "engine/vits/model.h"

struct pace {
	/* The part of a text's length that does not scale, 0 to 1, when it is made shorter and
	 * when it is made longer. They differ because few ids are longer than a frame or two. */
	float rigid_short, rigid_long;
};

/* Computes the durations of a sample text at three speeds. Only VITS models are measured; others
 * are assumed to scale fully. Returns the errors of sample_script and take_begin; `why` is a
 * reason for people. */
int pace_measure(struct pace *pace, const struct model_file *file, const struct model *model,
		 char why[RUNTIME_WHY_SIZE]);

/* The factor for the model's own length_scale that gives a speed. */
float pace_scale(const struct pace *pace, float speed);

#endif
