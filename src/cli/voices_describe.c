/*
 * voices_describe.c: writes the JSON file of a model (see voices_describe.h).
 */
#include "cli/voices_describe.h"

#include <errno.h>
#include <string.h>

/* A symbol is one or a few code points. */
#define SYMBOL_MAX 32

static void voices_describe_write_text(struct json_write *json, const char *key, const char *text)
{
	json_write_string(json, key, text, strlen(text));
}

void voices_describe_open(struct json_write *json, struct buf *out,
			  const struct voices_model *model)
{
	json_write_open(json, out);
	json_write_object(json, "audio");
	json_write_unsigned(json, "sample_rate", model->sample_rate);
	voices_describe_write_text(json, "quality", model->quality);
	json_write_object_end(json);
	json_write_object(json, "espeak");
	voices_describe_write_text(json, "voice", model->espeak_voice);
	json_write_object_end(json);
	json_write_object(json, "language");
	voices_describe_write_text(json, "code", model->language);
	voices_describe_write_text(json, "family", model->language);
	json_write_object_end(json);
	json_write_object(json, "inference");
	json_write_double(json, "noise_scale", model->noise_scale, 3);
	json_write_double(json, "length_scale", model->length_scale, 3);
	json_write_double(json, "noise_w", model->noise_w, 3);
	json_write_object_end(json);
	voices_describe_write_text(json, "phoneme_type", "espeak");
	json_write_unsigned(json, "num_speakers", model->speakers);
	json_write_object(json, "phoneme_id_map");
}

void voices_describe_symbol(struct json_write *json, const char *symbol, size_t len, int64_t id)
{
	char key[2 * SYMBOL_MAX + 1];
	size_t at = 0;

	if (len > SYMBOL_MAX) {
		json->err = json->err ? json->err : EINVAL;
		return;
	}
	for (size_t i = 0; i < len; ++i) {
		if (symbol[i] == '"' || symbol[i] == '\\')
			key[at++] = '\\';
		key[at++] = symbol[i];
	}
	key[at] = '\0';
	json_write_list(json, key);
	json_write_signed(json, NULL, id);
	json_write_list_end(json);
}

void voices_describe_speakers(struct json_write *json, const struct voices_model *model)
{
	json_write_object_end(json);
	json_write_object(json, "syrinx");
	voices_describe_write_text(json, "family", model->family);
	voices_describe_write_text(json, "licence", model->licence);
	json_write_list(json, "speakers");
}

void voices_describe_speaker(struct json_write *json, const struct voices_speaker *speaker)
{
	json_write_object(json, NULL);
	voices_describe_write_text(json, "name", speaker->name);
	voices_describe_write_text(json, "title", speaker->title);
	json_write_signed(json, "speaker", speaker->speaker);
	voices_describe_write_text(json, "sex", speaker->sex);
	if (speaker->language)
		voices_describe_write_text(json, "language", speaker->language);
	if (speaker->espeak_voice)
		voices_describe_write_text(json, "espeak_voice", speaker->espeak_voice);
	if (speaker->style_file)
		voices_describe_write_text(json, "style_file", speaker->style_file);
	json_write_double(json, "gain_db", speaker->gain_db, 2);
	json_write_object_end(json);
}

int voices_describe_close(struct json_write *json, int err)
{
	json_write_list_end(json);
	json_write_object_end(json);
	if (err && !json->err)
		json->err = err;
	return json_write_close(json);
}
