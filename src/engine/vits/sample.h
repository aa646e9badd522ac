/*
 * sample.h: a sample text for measuring a model when it is loaded.
 */
#ifndef ENGINE_VITS_SAMPLE_H
#define ENGINE_VITS_SAMPLE_H

#include "engine/vits/model.h"
#include "engine/vits/script.h"

/* Makes a script (script.h) with at least one utterance. EINVAL: the model has no symbols for any
 * of the text. Also returns the errors of script_write. */
int sample_script(struct script **scriptp, const struct model_file *file,
		  const struct model_speaker *speaker, char why[RUNTIME_WHY_SIZE]);

/* The model's own default settings. */
struct take_settings sample_settings(const struct model_file *file,
				     const struct model_speaker *speaker);

#endif
