/*
 * voices_describe.h: the JSON file of a model, in Piper's form.
 *
 * Written in this order: open, every symbol, speakers, every speaker, close.
 * The engine's side of it is engine/vits/model_file.h.
 */
#ifndef CLI_VOICES_DESCRIBE_H
#define CLI_VOICES_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/json_write.h"

struct voices_model {
	const char *family; /* "vits" or "kokoro" */
	const char *quality; /* Piper's word: "medium" */
	const char *espeak_voice;
	const char *language;
	const char *licence;
	unsigned sample_rate;
	double noise_scale, length_scale, noise_w; /* the defaults of how it speaks */
	unsigned speakers; /* that the model has */
};

struct voices_speaker {
	const char *name;
	const char *title;
	const char *sex; /* "female", "male" */
	const char *style_file; /* NULL: the model needs none */
	const char *language, *espeak_voice; /* NULL: the model's */
	int64_t speaker; /* its number in the model */
	double gain_db; /* brings it to the loudness of the others */
};

void voices_describe_open(struct json_write *json, struct buf *out,
			  const struct voices_model *model);
void voices_describe_symbol(struct json_write *json, const char *symbol, size_t len, int64_t id);
void voices_describe_speakers(struct json_write *json, const struct voices_model *model);
void voices_describe_speaker(struct json_write *json, const struct voices_speaker *speaker);

/* `err` is the caller's own: with it, too, nothing is left in the buffer. */
int voices_describe_close(struct json_write *json, int err);

#endif
