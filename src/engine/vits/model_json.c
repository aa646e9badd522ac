/*
 * model_json.c: NAME.onnx.json, which Piper's training writes beside a model.
 *
 * Members are rows of tables: a name and the function that reads its value. Unknown members
 * are skipped, because Piper's format grows. Of duplicate members the last one is used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "engine/vits/model_file_private.h"

#define TITLE_MAX 64
#define LICENCE_MAX 400

struct model_json_reader {
	struct json json;
	struct model_draft *draft;
	struct model_speaker *speaker; /* the speaker being read */
};

typedef int(member_h)(struct model_json_reader *reader, const char *path,
		      const struct json_value *value);

struct model_json_member {
	const char *path; /* shown in `why`; the part after the last dot is the name */
	member_h *read;
};

static const char *model_json_member_name(const struct model_json_member *member)
{
	const char *dot = strrchr(member->path, '.');

	return dot ? dot + 1 : member->path;
}

static const struct model_json_member *
model_json_find_member(const struct model_json_member *members, size_t count,
		       const struct json_value *key)
{
	for (size_t i = 0; i < count; ++i) {
		const char *name = model_json_member_name(&members[i]);

		if (strlen(name) == key->len && memcmp(name, key->text, key->len) == 0)
			return &members[i];
	}
	return NULL;
}

/* Calls the functions for the members of an object that was just opened. */
static int model_json_read_members(struct model_json_reader *reader,
				   const struct model_json_member *members, size_t count)
{
	struct json_value key;
	struct json_value value;
	int err = 0;

	while (!err && json_member(&reader->json, &key)) {
		const struct model_json_member *member =
			model_json_find_member(members, count, &key);

		if (json_value(&reader->json, &value))
			break;
		if (member && value.kind != JSON_KIND_NULL)
			err = member->read(reader, member->path, &value);
		else
			json_skip(&reader->json, &value);
	}
	return err; /* a syntax error is reported at the end */
}

static int model_json_read_object(struct model_json_reader *reader, const char *path,
				  const struct json_value *value,
				  const struct model_json_member *members, size_t count)
{
	if (value->kind != JSON_KIND_OBJECT)
		return model_draft_refuse(reader->draft, "\"%s\" is no object", path);
	return model_json_read_members(reader, members, count);
}

static int model_json_read_integer(struct model_json_reader *reader, int64_t *integer,
				   const char *path, const struct json_value *value, int64_t least,
				   int64_t most)
{
	int64_t number;

	if (json_to_integer(&number, value) || number < least || number > most)
		return model_draft_refuse(reader->draft, "\"%s\" is no number from %lld to %lld",
					  path, (long long)least, (long long)most);
	*integer = number;
	return 0;
}

static int model_json_read_float(struct model_json_reader *reader, float *out, const char *path,
				 const struct json_value *value, double least, double most)
{
	double number;

	if (json_to_double(&number, value) || !(number >= least && number <= most))
		return model_draft_refuse(reader->draft, "\"%s\" is no number from %g to %g", path,
					  least, most);
	*out = (float)number;
	return 0;
}

static int model_json_check_string(struct model_json_reader *reader, const char *path,
				   const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING)
		return model_draft_refuse(reader->draft, "\"%s\" is no string", path);
	return 0;
}

/* Text for people: any characters except controls. */
static int model_json_read_words(struct model_json_reader *reader, char **copyp, const char *path,
				 const struct json_value *value, size_t max)
{
	int err = model_json_check_string(reader, path, value);

	return err ? err
		   : model_draft_copy(reader->draft, copyp, path, value->text, value->len, max);
}

/* An identifier of a limited character set. */
static int model_json_read_name(struct model_json_reader *reader, char **copyp, const char *path,
				const struct json_value *value, bool allow_slash)
{
	int err = model_json_check_string(reader, path, value);

	if (err)
		return err;
	if (!model_name_is_good(value->text, value->len, allow_slash))
		return model_draft_refuse(reader->draft,
					  "\"%s\" has characters that names do not have", path);
	return model_draft_copy(reader->draft, copyp, path, value->text, value->len,
				MODEL_FILE_NAME_MAX - 1);
}

static int model_json_read_sample_rate(struct model_json_reader *reader, const char *path,
				       const struct json_value *value)
{
	int64_t rate = 0;
	int err = model_json_read_integer(reader, &rate, path, value, 8000, 48000);

	if (!err)
		reader->draft->file->sample_rate = (uint32_t)rate;
	return err;
}

static int model_json_read_quality(struct model_json_reader *reader, const char *path,
				   const struct json_value *value)
{
	int err = model_json_check_string(reader, path, value);

	return err ? err : model_set_quality(reader->draft, value->text, value->len);
}

static int model_json_read_audio(struct model_json_reader *reader, const char *path,
				 const struct json_value *value)
{
	static const struct model_json_member members[] = {
		{"audio.sample_rate", model_json_read_sample_rate},
		{"audio.quality", model_json_read_quality},
	};

	return model_json_read_object(reader, path, value, members, COUNT(members));
}

static int model_json_read_voice(struct model_json_reader *reader, const char *path,
				 const struct json_value *value)
{
	return model_json_read_name(reader, &reader->draft->file->espeak_voice, path, value, true);
}

static int model_json_read_espeak(struct model_json_reader *reader, const char *path,
				  const struct json_value *value)
{
	static const struct model_json_member members[] = {{"espeak.voice", model_json_read_voice}};

	return model_json_read_object(reader, path, value, members, COUNT(members));
}

/* "family" is the part of "code" that is used; either is sufficient. */
static int model_json_read_language_code(struct model_json_reader *reader, const char *path,
					 const struct json_value *value)
{
	int err = model_json_check_string(reader, path, value);

	if (!err)
		model_set_language(reader->draft->file->language, value->text, value->len);
	return err;
}

static int model_json_read_language(struct model_json_reader *reader, const char *path,
				    const struct json_value *value)
{
	static const struct model_json_member members[] = {
		{"language.code", model_json_read_language_code},
		{"language.family", model_json_read_language_code},
	};

	if (value->kind == JSON_KIND_STRING)
		return model_json_read_language_code(reader, path, value);
	return model_json_read_object(reader, path, value, members, COUNT(members));
}

static int model_json_read_noise_scale(struct model_json_reader *reader, const char *path,
				       const struct json_value *value)
{
	return model_json_read_float(reader, &reader->draft->file->noise_scale, path, value, 0, 4);
}

static int model_json_read_length_scale(struct model_json_reader *reader, const char *path,
					const struct json_value *value)
{
	return model_json_read_float(reader, &reader->draft->file->length_scale, path, value, 0.1,
				     10);
}

static int model_json_read_noise_w(struct model_json_reader *reader, const char *path,
				   const struct json_value *value)
{
	return model_json_read_float(reader, &reader->draft->file->noise_w, path, value, 0, 4);
}

static int model_json_read_inference(struct model_json_reader *reader, const char *path,
				     const struct json_value *value)
{
	static const struct model_json_member members[] = {
		{"inference.noise_scale", model_json_read_noise_scale},
		{"inference.length_scale", model_json_read_length_scale},
		{"inference.noise_w", model_json_read_noise_w},
	};

	return model_json_read_object(reader, path, value, members, COUNT(members));
}

static int model_json_read_phoneme_type(struct model_json_reader *reader, const char *path,
					const struct json_value *value)
{
	int err = model_json_check_string(reader, path, value);

	if (err || (value->len == 6 && memcmp(value->text, "espeak", 6) == 0))
		return err;
	return model_draft_refuse(reader->draft,
				  "\"%s\" is \"%.*s\": only models that were trained on "
				  "phonemes of eSpeak NG can be spoken",
				  path, (int)(value->len < 40 ? value->len : 40), value->text);
}

/* [7], as Piper writes it, or 7. */
static int model_json_read_symbol_id(struct model_json_reader *reader, int64_t *id,
				     const char *path, const struct json_value *value)
{
	struct json_value element;
	unsigned count = 0;
	int err = 0;

	if (value->kind != JSON_KIND_ARRAY)
		return model_json_read_integer(reader, id, path, value, 0, INT32_MAX);
	while (!err && json_element(&reader->json)) {
		if (json_value(&reader->json, &element))
			return 0; /* reported at the end */
		if (++count == 1)
			err = model_json_read_integer(reader, id, path, &element, 0, INT32_MAX);
		else
			json_skip(&reader->json, &element);
	}
	if (!err && !reader->json.reason && count != 1)
		err = model_draft_refuse(
			reader->draft, "\"%s\" gives a phoneme %u ids instead of one", path, count);
	return err;
}

static int model_json_read_symbols(struct model_json_reader *reader, const char *path,
				   const struct json_value *value)
{
	struct json_value key;
	struct json_value entry;
	int err = 0;

	if (value->kind != JSON_KIND_OBJECT)
		return model_draft_refuse(reader->draft, "\"%s\" is no object", path);
	reader->draft->file->symbol_count = 0;
	reader->draft->file->symbols_ignored = 0;
	while (!err && json_member(&reader->json, &key)) {
		int64_t id = 0;

		if (json_value(&reader->json, &entry))
			break;
		err = model_json_read_symbol_id(reader, &id, path, &entry);
		if (!err && !reader->json.reason)
			err = model_draft_add_symbol(reader->draft, key.text, key.len, id);
	}
	return err;
}

static int model_json_read_symbol_limit(struct model_json_reader *reader, const char *path,
					const struct json_value *value)
{
	return model_json_read_integer(reader, &reader->draft->symbol_limit, path, value, 0,
				       INT32_MAX);
}

/* Piper writes 0 or 1 for a model with one speaker. */
static int model_json_read_speaker_count(struct model_json_reader *reader, const char *path,
					 const struct json_value *value)
{
	int64_t count = 0;
	int err = model_json_read_integer(reader, &count, path, value, 0, 1000000);

	if (!err)
		reader->draft->file->speaker_count = count > 0 ? count : 1;
	return err;
}

/* Invalid names are ignored: their speakers are called by number. */
static int model_json_read_speaker_name(struct model_json_reader *reader, const char *path,
					const struct json_value *key,
					const struct json_value *value)
{
	struct model_draft *draft = reader->draft;
	int64_t id = 0;
	int err = model_json_read_integer(reader, &id, path, value, 0, INT32_MAX);

	if (err || id >= MODEL_FILE_SPEAKERS_MAX || key->len > MODEL_FILE_NAME_MAX / 2 ||
	    !model_name_is_good(key->text, key->len, false))
		return err;
	return model_draft_copy(draft, &draft->speaker_names[id], path, key->text, key->len,
				MODEL_FILE_NAME_MAX / 2);
}

static int model_json_read_speaker_names(struct model_json_reader *reader, const char *path,
					 const struct json_value *value)
{
	struct json_value key;
	struct json_value entry;
	int err = 0;

	if (value->kind != JSON_KIND_OBJECT)
		return model_draft_refuse(reader->draft, "\"%s\" is no object", path);
	while (!err && json_member(&reader->json, &key)) {
		if (json_value(&reader->json, &entry))
			break;
		err = model_json_read_speaker_name(reader, path, &key, &entry);
	}
	return err;
}

static int model_json_read_family(struct model_json_reader *reader, const char *path,
				  const struct json_value *value)
{
	int err = model_json_check_string(reader, path, value);

	if (err)
		return err;
	if (value->len == 4 && memcmp(value->text, "vits", 4) == 0)
		reader->draft->file->family = MODEL_VITS;
	else if (value->len == 6 && memcmp(value->text, "kokoro", 6) == 0)
		reader->draft->file->family = MODEL_KOKORO;
	else
		return model_draft_refuse(reader->draft, "\"%s\" is neither vits nor kokoro", path);
	return 0;
}

static int model_json_read_licence(struct model_json_reader *reader, const char *path,
				   const struct json_value *value)
{
	return model_json_read_words(reader, &reader->draft->file->licence, path, value,
				     LICENCE_MAX);
}

static int model_json_read_listed_name(struct model_json_reader *reader, const char *path,
				       const struct json_value *value)
{
	return model_json_read_name(reader, &reader->speaker->name, path, value, false);
}

static int model_json_read_listed_title(struct model_json_reader *reader, const char *path,
					const struct json_value *value)
{
	return model_json_read_words(reader, &reader->speaker->title, path, value, TITLE_MAX);
}

static int model_json_read_listed_number(struct model_json_reader *reader, const char *path,
					 const struct json_value *value)
{
	return model_json_read_integer(reader, &reader->speaker->speaker, path, value, 0,
				       INT32_MAX);
}

static int model_json_read_listed_sex(struct model_json_reader *reader, const char *path,
				      const struct json_value *value)
{
	int err = model_json_check_string(reader, path, value);

	if (err)
		return err;
	if (value->len == 6 && memcmp(value->text, "female", 6) == 0)
		reader->speaker->sex = ENGINE_FEMALE;
	else if (value->len == 4 && memcmp(value->text, "male", 4) == 0)
		reader->speaker->sex = ENGINE_MALE;
	else
		return model_draft_refuse(reader->draft, "\"%s\" is neither female nor male", path);
	return 0;
}

static int model_json_read_listed_gain(struct model_json_reader *reader, const char *path,
				       const struct json_value *value)
{
	reader->speaker->has_gain = true;
	return model_json_read_float(reader, &reader->speaker->gain_db, path, value, -30, 30);
}

static int model_json_read_listed_style(struct model_json_reader *reader, const char *path,
					const struct json_value *value)
{
	return model_json_read_name(reader, &reader->speaker->style_file, path, value, false);
}

static int model_json_read_listed_voice(struct model_json_reader *reader, const char *path,
					const struct json_value *value)
{
	return model_json_read_name(reader, &reader->speaker->espeak_voice, path, value, true);
}

static int model_json_read_listed_language(struct model_json_reader *reader, const char *path,
					   const struct json_value *value)
{
	int err = model_json_check_string(reader, path, value);

	if (!err)
		model_set_language(reader->speaker->language, value->text, value->len);
	return err;
}

static int model_json_read_listed(struct model_json_reader *reader, const char *path,
				  const struct json_value *value)
{
	static const struct model_json_member members[] = {
		{"syrinx.speakers.name", model_json_read_listed_name},
		{"syrinx.speakers.title", model_json_read_listed_title},
		{"syrinx.speakers.speaker", model_json_read_listed_number},
		{"syrinx.speakers.sex", model_json_read_listed_sex},
		{"syrinx.speakers.gain_db", model_json_read_listed_gain},
		{"syrinx.speakers.style_file", model_json_read_listed_style},
		{"syrinx.speakers.espeak_voice", model_json_read_listed_voice},
		{"syrinx.speakers.language", model_json_read_listed_language},
	};
	struct model_file *file = reader->draft->file;

	if (file->speaker_count_listed == MODEL_FILE_SPEAKERS_MAX)
		return model_draft_refuse(reader->draft, "\"%s\" has more than %d rows", path,
					  MODEL_FILE_SPEAKERS_MAX);
	reader->speaker = &file->speakers[file->speaker_count_listed++];
	return model_json_read_object(reader, path, value, members, COUNT(members));
}

static int model_json_read_listed_all(struct model_json_reader *reader, const char *path,
				      const struct json_value *value)
{
	struct json_value element;
	int err = 0;

	if (value->kind != JSON_KIND_ARRAY)
		return model_draft_refuse(reader->draft, "\"%s\" is no list", path);
	if (reader->draft->file->speaker_count_listed > 0)
		return model_draft_refuse(reader->draft, "\"%s\" comes twice", path);
	while (!err && json_element(&reader->json)) {
		if (json_value(&reader->json, &element))
			break;
		err = model_json_read_listed(reader, path, &element);
	}
	return err;
}

static int model_json_read_syrinx(struct model_json_reader *reader, const char *path,
				  const struct json_value *value)
{
	static const struct model_json_member members[] = {
		{"syrinx.family", model_json_read_family},
		{"syrinx.licence", model_json_read_licence},
		{"syrinx.speakers", model_json_read_listed_all},
	};

	return model_json_read_object(reader, path, value, members, COUNT(members));
}

static const struct model_json_member model_json_top_members[] = {
	{"audio", model_json_read_audio},
	{"espeak", model_json_read_espeak},
	{"language", model_json_read_language},
	{"inference", model_json_read_inference},
	{"phoneme_type", model_json_read_phoneme_type},
	{"phoneme_id_map", model_json_read_symbols},
	{"num_symbols", model_json_read_symbol_limit},
	{"num_speakers", model_json_read_speaker_count},
	{"speaker_id_map", model_json_read_speaker_names},
	{"syrinx", model_json_read_syrinx},
};

static unsigned model_json_line_of(const char *bytes, size_t at)
{
	unsigned line = 1;

	for (size_t i = 0; i < at; ++i)
		line += bytes[i] == '\n';
	return line;
}

static int model_json_read_top(struct model_json_reader *reader)
{
	struct json_value top;

	if (json_value(&reader->json, &top))
		return 0; /* reported at the end */
	if (top.kind != JSON_KIND_OBJECT)
		return model_draft_refuse(reader->draft, "the JSON beside it is no object");
	return model_json_read_members(reader, model_json_top_members,
				       COUNT(model_json_top_members));
}

/* The scanner modifies its text, so lines are counted in the original. */
int model_json_read(struct model_draft *draft, const char *bytes, size_t len)
{
	struct model_json_reader reader = {.draft = draft};
	char *copy = malloc(len + 1);
	int err;

	if (!copy)
		return ENOMEM;
	memcpy(copy, bytes, len);
	copy[len] = '\0'; /* strndup may look for it past the slice */
	json_open(&reader.json, copy, len);
	err = model_json_read_top(&reader);
	if (!err && json_close(&reader.json))
		err = model_draft_refuse(draft, "the JSON beside it is damaged in line %u: %s",
					 model_json_line_of(bytes, reader.json.fault_at),
					 reader.json.reason);
	free(copy);
	return err;
}
