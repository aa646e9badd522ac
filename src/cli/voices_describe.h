/*
 * voices_describe.h: writes the JSON file of a model, in Piper's format.
 *
 * The functions are called in this order: open, every symbol, speakers, every speaker, close.
 * The engine's parser is engine/vits/model_file.h.
 */
#ifndef CLI_VOICES_DESCRIBE_H
#define CLI_VOICES_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/json_write.h"

struct voices_model {
	const char *family; /* "vits" or "kokoro" */
	const char *quality; /* Piper's term, such as "medium" */
	const char *espeak_voice;
	const char *language;
	const char *licence;
	unsigned sample_rate;
	double noise_scale, length_scale, noise_w; /* defaults for synthesis */
	unsigned speakers; /* the number of speakers in the model */
};

struct voices_speaker {
	const char *name;
	const char *title;
	const char *sex; /* "female", "male" */
	const char *style_file; /* NULL if the model needs none */
	const char *language, *espeak_voice; /* NULL for the model's */
	int64_t speaker; /* the speaker's number in the model */
	double gain_db; /* makes it as loud as the other voices */
};

void voices_describe_open(struct json_write *json, struct buf *out,
			  const struct voices_model *model);
void voices_describe_symbol(struct json_write *json, const char *symbol, size_t len, int64_t id);
void voices_describe_speakers(struct json_write *json, const struct voices_model *model);
void voices_describe_speaker(struct json_write *json, const struct voices_speaker *speaker);

/* `err` is an error of the caller or 0. After any error the buffer is empty. */
int voices_describe_close(struct json_write *json, int err);

#endif
