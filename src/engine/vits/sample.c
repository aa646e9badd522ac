/*
 * sample.c: a sample text for measuring a model when it is loaded (see sample.h).
 */
#include "engine/vits/sample.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* Names whose sounds exist in most languages. */
static const char sample_text[] = "Anna, Maria, Roma, Toledo, Monika.";

int sample_script(struct script **scriptp, const struct model_file *file,
		  const struct model_speaker *speaker, char why[RUNTIME_WHY_SIZE])
{
	struct script *script;
	int err = script_write(&script, file, speaker, sample_text, strlen(sample_text));

	if (err) {
		snprintf(why, RUNTIME_WHY_SIZE, "cannot be spoken to: %s", strerror(err));
		return err;
	}
	if (script->utterance_count == 0) {
		snprintf(why, RUNTIME_WHY_SIZE, "has no symbols for what eSpeak NG says");
		mem_deref(script);
		return EINVAL;
	}
	*scriptp = script;
	return 0;
}

struct take_settings sample_settings(const struct model_file *file,
				     const struct model_speaker *speaker)
{
	struct take_settings settings = {
		.speaker = speaker,
		.noise_scale = file->noise_scale,
		.length_scale = file->length_scale,
		.noise_w = file->noise_w,
	};

	noise_key_init(&settings.key);
	return settings;
}
