/*
 * sample.h: a text that every model can be tried with when it is loaded.
 */
#ifndef ENGINE_VITS_SAMPLE_H
#define ENGINE_VITS_SAMPLE_H

#include "engine/vits/model.h"
#include "engine/vits/script.h"

/* One utterance at least.  EINVAL: the model has no symbols for any of it. */
int sample_script(struct script **scriptp, const struct model_file *file,
		  const struct model_speaker *speaker, char why[RUNTIME_WHY_SIZE]);

/* The model's own settings. */
struct take_settings sample_settings(const struct model_file *file,
				     const struct model_speaker *speaker);

#endif
