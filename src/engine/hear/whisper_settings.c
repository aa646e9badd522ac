/*
 * whisper_settings.c: config.json and generation_config.json (see whisper_settings.h).
 */
#include "engine/hear/whisper_settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/count.h"
#include "base/json.h"
#include "engine/hear/bpe.h"
#include "engine/hear/mel.h"

/* The smallest vocabulary of models with several languages.  Those that know only English also have
 * marks for the others. */
#define MULTILINGUAL_VOCABULARY 51865u

struct whisper_settings_reader {
	struct json json;
	struct whisper_settings *settings;
	bool is_whisper;
	char *why;
	size_t why_size;
};

static int whisper_settings_refuse(const struct whisper_settings_reader *reader, const char *format,
				   ...) __attribute__((format(printf, 2, 3)));

static int whisper_settings_refuse(const struct whisper_settings_reader *reader, const char *format,
				   ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->why, reader->why_size, format, args);
	va_end(args);
	return EINVAL;
}

/* A number of config.json that must be there. */
struct whisper_settings_number {
	const char *name;
	size_t offset; /* of an unsigned in struct whisper_settings */
	unsigned max;
};

static const struct whisper_settings_number whisper_settings_numbers[] = {
	{"decoder_layers", offsetof(struct whisper_settings, layers), WHISPER_LAYERS_MAX},
	{"decoder_attention_heads", offsetof(struct whisper_settings, heads), WHISPER_HEADS_MAX},
	{"d_model", offsetof(struct whisper_settings, width), WHISPER_WIDTH_MAX},
	{"num_mel_bins", offsetof(struct whisper_settings, bins), MEL_BINS_MAX},
	{"max_source_positions", offsetof(struct whisper_settings, positions),
	 WHISPER_POSITIONS_MAX},
	{"max_target_positions", offsetof(struct whisper_settings, tokens_max), WHISPER_TOKENS_MAX},
	{"vocab_size", offsetof(struct whisper_settings, vocabulary), BPE_IDS_MAX},
};

static unsigned *whisper_settings_place(struct whisper_settings *settings,
					const struct whisper_settings_number *number)
{
	return (unsigned *)(void *)((char *)settings + number->offset);
}

static int whisper_settings_read_number(struct whisper_settings_reader *reader,
					const struct json_value *key,
					const struct json_value *value)
{
	for (size_t i = 0; i < COUNT(whisper_settings_numbers); ++i) {
		const struct whisper_settings_number *number = &whisper_settings_numbers[i];
		int64_t integer;

		if (!json_is(key, number->name))
			continue;
		if (json_to_integer(&integer, value) || integer < 1 || integer > number->max)
			return whisper_settings_refuse(reader, "\"%s\" is no number from 1 to %u",
						       number->name, number->max);
		*whisper_settings_place(reader->settings, number) = (unsigned)integer;
	}
	return 0;
}

/* Of a list, whose bracket was read; -1, for which some files have a meaning, is ignored. */
static void whisper_settings_read_ids(struct whisper_settings_reader *reader,
				      struct whisper_ids *ids)
{
	struct json_value value;

	ids->count = 0;
	while (json_element(&reader->json)) {
		int64_t id;

		if (json_value(&reader->json, &value))
			return; /* reported at the end */
		if (json_to_integer(&id, &value) == 0 && id >= 0 && id < BPE_IDS_MAX &&
		    ids->count < WHISPER_SUPPRESSED_MAX)
			ids->ids[ids->count++] = (uint32_t)id;
		json_skip(&reader->json, &value);
	}
}

/* [layer, head], whose bracket was read. */
static void whisper_settings_read_head(struct whisper_settings_reader *reader)
{
	struct whisper_settings *settings = reader->settings;
	int64_t numbers[2] = {-1, -1};
	struct json_value value;
	size_t count = 0;

	while (json_element(&reader->json)) {
		if (json_value(&reader->json, &value))
			return;
		if (count < 2 && json_to_integer(&numbers[count], &value))
			numbers[count] = -1;
		++count;
		json_skip(&reader->json, &value);
	}
	if (count == 2 && numbers[0] >= 0 && numbers[0] < settings->layers && numbers[1] >= 0 &&
	    numbers[1] < settings->heads && settings->aligned_count < WHISPER_ALIGNED_MAX)
		settings->aligned[settings->aligned_count++] =
			(struct whisper_head){(unsigned)numbers[0], (unsigned)numbers[1]};
}

static void whisper_settings_read_heads(struct whisper_settings_reader *reader)
{
	struct json_value value;

	reader->settings->aligned_count = 0;
	while (json_element(&reader->json)) {
		if (json_value(&reader->json, &value))
			return;
		if (value.kind == JSON_KIND_ARRAY)
			whisper_settings_read_head(reader);
		else
			json_skip(&reader->json, &value);
	}
}

static int whisper_settings_read_member(struct whisper_settings_reader *reader,
					const struct json_value *key, bool is_generation)
{
	struct whisper_settings *settings = reader->settings;
	struct json_value value;
	bool is_list;

	if (json_value(&reader->json, &value))
		return 0;
	is_list = value.kind == JSON_KIND_ARRAY;
	if (is_list && json_is(key, "suppress_tokens"))
		whisper_settings_read_ids(reader, &settings->suppressed);
	else if (is_list && json_is(key, "begin_suppress_tokens"))
		whisper_settings_read_ids(reader, &settings->begin_suppressed);
	else if (is_list && json_is(key, "alignment_heads"))
		whisper_settings_read_heads(reader);
	else
		json_skip(&reader->json, &value);
	if (is_generation) {
		if (json_is(key, "is_multilingual") && value.kind == JSON_KIND_BOOL)
			settings->is_multilingual = value.truth;
		return 0;
	}
	if (json_is(key, "model_type"))
		reader->is_whisper = value.kind == JSON_KIND_STRING && json_is(&value, "whisper");
	return whisper_settings_read_number(reader, key, &value);
}

static int whisper_settings_read_file(struct whisper_settings_reader *reader, char *json,
				      size_t len, bool is_generation)
{
	struct json_value key;
	struct json_value top;
	int err = 0;

	if (len > WHISPER_SETTINGS_FILE_MAX)
		return whisper_settings_refuse(reader, "it has more than %u MiB",
					       WHISPER_SETTINGS_FILE_MAX >> 20);
	json_open(&reader->json, json, len);
	if (json_value(&reader->json, &top) == 0 && top.kind != JSON_KIND_OBJECT)
		return whisper_settings_refuse(reader, "it is no object");
	while (!err && !reader->json.reason && json_member(&reader->json, &key))
		err = whisper_settings_read_member(reader, &key, is_generation);
	if (!err && json_close(&reader->json))
		err = whisper_settings_refuse(reader, "it is damaged at byte %zu: %s",
					      reader->json.fault_at, reader->json.reason);
	return err;
}

int whisper_settings_read(struct whisper_settings *settings, char *json, size_t len, char *why,
			  size_t why_size)
{
	struct whisper_settings_reader reader = {
		.settings = settings, .why = why, .why_size = why_size};
	int err;

	*settings = (struct whisper_settings){0};
	err = whisper_settings_read_file(&reader, json, len, false);
	if (err)
		return err;
	if (!reader.is_whisper)
		return whisper_settings_refuse(&reader, "its \"model_type\" is not \"whisper\"");
	for (size_t i = 0; i < COUNT(whisper_settings_numbers); ++i)
		if (*whisper_settings_place(settings, &whisper_settings_numbers[i]) == 0)
			return whisper_settings_refuse(&reader, "\"%s\" is missing",
						       whisper_settings_numbers[i].name);
	if (settings->width % settings->heads != 0)
		return whisper_settings_refuse(&reader, "%u heads do not divide a width of %u",
					       settings->heads, settings->width);
	settings->is_multilingual = settings->vocabulary >= MULTILINGUAL_VOCABULARY;
	return 0;
}

int whisper_settings_read_generation(struct whisper_settings *settings, char *json, size_t len,
				     char *why, size_t why_size)
{
	struct whisper_settings_reader reader = {
		.settings = settings, .why = why, .why_size = why_size};

	return whisper_settings_read_file(&reader, json, len, true);
}
