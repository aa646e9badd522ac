/*
 * settings.c: what a client may set, one row per field (see settings.h).
 */
#include "wire/settings.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"

/* SDKs send this sample_rate together with every output_format, so it conflicts with none. */
#define RATE_DEFAULT 24000u

const struct settings settings_default = {
	.model_id = settings_model_default,
	.cfg_scale = 2.0,
	.temperature = 0.4,
	.max_new_tokens = 2048,
	.sample_rate = RATE_DEFAULT,
	.format = {AUDIO_PCM16, RATE_DEFAULT, 0},
	.normalize = true,
	.speed = 1.0,
	.flush_timeout_ms = 500,
	.max_buffer_length = 1000,
	.schedule = {5, 80, 150, 250},
	.schedule_len = 4,
};

const struct settings_language settings_languages[] = {
	{"en", "English"},    {"ar", "Arabic"},     {"bg", "Bulgarian"}, {"bn", "Bengali"},
	{"cs", "Czech"},      {"da", "Danish"},     {"de", "German"},    {"el", "Greek"},
	{"es", "Spanish"},    {"fa", "Persian"},    {"fi", "Finnish"},   {"fr", "French"},
	{"he", "Hebrew"},     {"hi", "Hindi"},      {"hr", "Croatian"},  {"hu", "Hungarian"},
	{"id", "Indonesian"}, {"it", "Italian"},    {"ja", "Japanese"},  {"ko", "Korean"},
	{"ms", "Malay"},      {"nl", "Dutch"},      {"no", "Norwegian"}, {"pl", "Polish"},
	{"pt", "Portuguese"}, {"ro", "Romanian"},   {"ru", "Russian"},   {"sk", "Slovak"},
	{"sl", "Slovenian"},  {"sr", "Serbian"},    {"sv", "Swedish"},   {"ta", "Tamil"},
	{"th", "Thai"},       {"tr", "Turkish"},    {"uk", "Ukrainian"}, {"ur", "Urdu"},
	{"vi", "Vietnamese"}, {"yue", "Cantonese"}, {"zh", "Chinese"},   {"", NULL},
};

const char *const settings_format_names[] = {
	"pcm_8000", "pcm_16000", "pcm_22050", "pcm_24000", "ulaw_8000", "alaw_8000", NULL,
};
#define FORMAT_NAMES (COUNT(settings_format_names) - 1)

const uint16_t settings_sample_rates[] = {8000, 16000, 22050, 24000, 44100, 0};

struct settings_field;
typedef int(settings_field_h)(struct settings_reader *reader, const struct settings_field *field,
			      const struct json_value *value);

struct settings_field {
	const char *name;
	size_t name_len;
	settings_field_h *read;
	unsigned bit;
	bool updatable; /* update_settings may change it */
	size_t offset; /* the offset of its member in struct settings */
	size_t size; /* the size of that member; 0: it has none */
	double min, max;
};

static void *settings_member(const struct settings_reader *reader,
			     const struct settings_field *field)
{
	return (char *)reader->settings + field->offset;
}

static int settings_read_bool(struct settings_reader *reader, const struct settings_field *field,
			      const struct json_value *value)
{
	if (value->kind != JSON_KIND_BOOL)
		return fault_value(reader->fault, field->name, "true or false", value);
	if (field->size > 0)
		*(bool *)settings_member(reader, field) = value->truth;
	return 0;
}

static int settings_to_number(double *number, struct settings_reader *reader,
			      const struct settings_field *field, const struct json_value *value)
{
	if (value->kind != JSON_KIND_NUMBER)
		return fault_value(reader->fault, field->name, "a number", value);
	if (json_to_double(number, value))
		return fault_range(reader->fault, field->name, field->min, field->max, value);
	return 0;
}

static int settings_read_number(struct settings_reader *reader, const struct settings_field *field,
				const struct json_value *value)
{
	double number = 0;
	int err = settings_to_number(&number, reader, field, value);

	if (err)
		return err;
	if (number < field->min || number > field->max)
		return fault_range(reader->fault, field->name, field->min, field->max, value);
	*(double *)settings_member(reader, field) = number;
	return 0;
}

/* Only cfg_scale is clamped to its range: hosted servers do this too, and clients send arbitrary
 * values. */
static int settings_read_clamped(struct settings_reader *reader, const struct settings_field *field,
				 const struct json_value *value)
{
	double number = 0;
	int err = settings_to_number(&number, reader, field, value);

	if (err)
		return err;
	if (number < field->min)
		number = field->min;
	if (number > field->max)
		number = field->max;
	*(double *)settings_member(reader, field) = number;
	return 0;
}

static int settings_read_short(struct settings_reader *reader, const struct settings_field *field,
			       const struct json_value *value)
{
	int64_t integer;
	int err = json_to_integer(&integer, value);

	if (err == EINVAL)
		return fault_value(reader->fault, field->name, "an integer", value);
	if (err || integer < (int64_t)field->min || integer > (int64_t)field->max)
		return fault_range(reader->fault, field->name, field->min, field->max, value);
	*(uint16_t *)settings_member(reader, field) = (uint16_t)integer;
	return 0;
}

static int settings_read_integer(struct settings_reader *reader, const struct settings_field *field,
				 const struct json_value *value)
{
	if (json_to_integer(settings_member(reader, field), value))
		return fault_value(reader->fault, field->name, "an integer", value);
	return 0;
}

static int settings_read_seed(struct settings_reader *reader, const struct settings_field *field,
			      const struct json_value *value)
{
	int64_t integer;
	int err = json_to_integer(&integer, value);

	if (err == EINVAL)
		return fault_value(reader->fault, field->name, "an integer", value);
	if (err || integer < 0 || integer > UINT32_MAX)
		return fault_range(reader->fault, field->name, field->min, field->max, value);
	*(uint32_t *)settings_member(reader, field) = (uint32_t)integer;
	return 0;
}

/* Accepts a number, or its digits as a string, because the SDKs' types allow both.  Any other
 * string is the handle of a voice. */
static int settings_read_voice(struct settings_reader *reader, const struct settings_field *field,
			       const struct json_value *value)
{
	struct json_value digits = *value;
	int64_t *voice_id = settings_member(reader, field);

	reader->voice_name = (struct settings_name){0};
	if (value->kind == JSON_KIND_NUMBER) {
		if (json_to_integer(voice_id, value))
			return fault_value(reader->fault, field->name, "an integer", value);
		return 0;
	}
	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, "an integer or a string", value);
	digits.kind = JSON_KIND_NUMBER;
	for (size_t i = 0; i < value->len; ++i) {
		if (value->text[i] < '0' || value->text[i] > '9')
			digits.len = 0;
	}
	if (digits.len > 0 && json_to_integer(voice_id, &digits) == 0)
		return 0;
	*voice_id = 0;
	reader->voice_name = (struct settings_name){value->text, value->len};
	return 0;
}

static int settings_read_model(struct settings_reader *reader, const struct settings_field *field,
			       const struct json_value *value)
{
	size_t count = 0;

	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, "a string", value);
	for (; settings_model_ids[count]; ++count) {
		if (json_is(value, settings_model_ids[count])) {
			*(const char **)settings_member(reader, field) = settings_model_ids[count];
			return 0;
		}
	}
	return fault_choice(reader->fault, field->name, settings_model_ids, count, value);
}

/* The older name of model_id.  It is evaluated at the end of the message (settings_read_end), and
 * only if there is no model_id. */
static int settings_keep_legacy_model(struct settings_reader *reader,
				      const struct settings_field *field,
				      const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, "a string", value);
	reader->legacy_model = *value;
	return 0;
}

static int settings_read_rate(struct settings_reader *reader, const struct settings_field *field,
			      const struct json_value *value)
{
	int64_t rate;

	if (json_to_integer(&rate, value) == 0) {
		for (const uint16_t *known = settings_sample_rates; *known; ++known) {
			if (rate == *known) {
				*(uint16_t *)settings_member(reader, field) = *known;
				return 0;
			}
		}
	}
	return fault_value(reader->fault, field->name, "one of 8000, 16000, 22050, 24000, 44100",
			   value);
}

static int settings_read_format(struct settings_reader *reader, const struct settings_field *field,
				const struct json_value *value)
{
	if (value->kind == JSON_KIND_STRING) {
		for (size_t i = 0; i < FORMAT_NAMES; ++i) {
			if (json_is(value, settings_format_names[i])) {
				return audio_format_parse(settings_member(reader, field),
							  value->text, value->len);
			}
		}
	}
	return fault_choice(reader->fault, field->name, settings_format_names, FORMAT_NAMES, value);
}

int settings_language(char code[SETTINGS_LANGUAGE_SIZE], const char *text, size_t text_len)
{
	char subtag[SETTINGS_LANGUAGE_SIZE] = "";
	size_t len = 0;

	while (len < text_len && text[len] != '-' && text[len] != '_') {
		char c = text[len];

		if (len == sizeof(subtag) - 1)
			return EINVAL;
		subtag[len++] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
	}
	for (const struct settings_language *at = settings_languages; at->name; ++at) {
		if (strcmp(subtag, at->code) == 0) {
			memcpy(code, at->code, SETTINGS_LANGUAGE_SIZE);
			return 0;
		}
	}
	return EINVAL;
}

static int settings_read_language(struct settings_reader *reader,
				  const struct settings_field *field,
				  const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, "a string", value);
	if (settings_language(settings_member(reader, field), value->text, value->len))
		return fault_value(reader->fault, field->name, "the code of a supported language",
				   value);
	return 0;
}

static int settings_read_schedule(struct settings_reader *reader,
				  const struct settings_field *field,
				  const struct json_value *value)
{
	static const char must[] = "a list of 1 to 16 integers between 0 and 10000";
	struct settings *settings = reader->settings;
	struct json_value entry;
	size_t count = 0;

	if (value->kind != JSON_KIND_ARRAY)
		return fault_value(reader->fault, field->name, must, value);
	while (json_element(reader->json)) {
		int64_t integer;

		if (json_value(reader->json, &entry))
			return EINVAL;
		if (count == CHUNKER_SCHEDULE_MAX || json_to_integer(&integer, &entry) ||
		    integer < 0 || integer > SETTINGS_SCHEDULE_ENTRY_MAX)
			return fault_value(reader->fault, field->name, must, &entry);
		settings->schedule[count++] = (uint16_t)integer;
	}
	if (count == 0)
		return fault_value(reader->fault, field->name, must, value);
	settings->schedule_len = (uint8_t)count;
	return 0;
}

static int settings_keep_ids(struct settings *settings, struct stream_fault *fault,
			     const int64_t *ids, size_t count)
{
	struct settings_ids *kept;

	if (count == 0)
		return 0;
	kept = mem_zalloc(sizeof(*kept) + count * sizeof(*ids), NULL);
	if (!kept)
		return fault_set(fault, WIRE_ERROR_INTERNAL, "out of memory");
	kept->count = count;
	memcpy(kept->ids, ids, count * sizeof(*ids));
	settings->dictionary_ids = kept;
	return 0;
}

int settings_set_dictionaries(struct settings *settings, struct stream_fault *fault,
			      const int64_t *ids, size_t count)
{
	settings_reset(settings);
	settings->set |= SETTING_DICTIONARY_IDS;
	return settings_keep_ids(settings, fault, ids, count);
}

static int settings_read_dictionaries(struct settings_reader *reader,
				      const struct settings_field *field,
				      const struct json_value *value)
{
	static const char must[] = "a list of at most 50 integers";
	int64_t ids[SETTINGS_DICTIONARIES_MAX];
	struct json_value entry;
	size_t count = 0;

	if (value->kind != JSON_KIND_ARRAY)
		return fault_value(reader->fault, field->name, must, value);
	while (json_element(reader->json)) {
		if (json_value(reader->json, &entry))
			return EINVAL;
		if (count == SETTINGS_DICTIONARIES_MAX || json_to_integer(&ids[count], &entry))
			return fault_value(reader->fault, field->name, must, &entry);
		++count;
	}
	return reader->json->reason
		       ? EINVAL
		       : settings_keep_ids(reader->settings, reader->fault, ids, count);
}

/* The offset and size of the member that a row fills. */
#define TO(member) offsetof(struct settings, member), sizeof(((struct settings *)0)->member)
#define NAME(name) name, sizeof(name) - 1
/* For a row that fills no member: its bit, updatable, offset and size. */
#define NOWHERE 0, false, 0, 0

static const struct settings_field fields[] = {
	{NAME("voice_id"), settings_read_voice, SETTING_VOICE_ID, false, TO(voice_id), 0, 0},
	{NAME("model_id"), settings_read_model, SETTING_MODEL_ID, false, TO(model_id), 0, 0},
	{NAME("model"), settings_keep_legacy_model, NOWHERE, 0, 0},
	{NAME("cfg_scale"), settings_read_clamped, SETTING_CFG_SCALE, true, TO(cfg_scale), 1.2,
	 2.5},
	{NAME("temperature"), settings_read_number, SETTING_TEMPERATURE, true, TO(temperature), 0,
	 1},
	{NAME("seed"), settings_read_seed, SETTING_SEED, false, TO(seed), 0, UINT32_MAX},
	{NAME("max_new_tokens"), settings_read_short, SETTING_MAX_NEW_TOKENS, true,
	 TO(max_new_tokens), 1, 2048},
	{NAME("sample_rate"), settings_read_rate, SETTING_SAMPLE_RATE, false, TO(sample_rate), 0,
	 0},
	{NAME("output_format"), settings_read_format, SETTING_OUTPUT_FORMAT, false, TO(format), 0,
	 0},
	{NAME("normalize"), settings_read_bool, SETTING_NORMALIZE, true, TO(normalize), 0, 0},
	{NAME("language"), settings_read_language, SETTING_LANGUAGE, true, TO(language), 0, 0},
	{NAME("speed"), settings_read_number, SETTING_SPEED, true, TO(speed), 0.8, 1.2},
	{NAME("word_timestamps"), settings_read_bool, SETTING_WORD_TIMESTAMPS, false,
	 TO(word_timestamps), 0, 0},
	{NAME("flush_timeout_ms"), settings_read_short, SETTING_FLUSH_TIMEOUT, false,
	 TO(flush_timeout_ms), 0, 60000},
	{NAME("max_buffer_length"), settings_read_short, SETTING_MAX_BUFFER, false,
	 TO(max_buffer_length), 1, 10000},
	{NAME("chunk_length_schedule"), settings_read_schedule, SETTING_SCHEDULE, false,
	 TO(schedule), 0, 0},
	{NAME("auto_mode"), settings_read_bool, SETTING_AUTO_MODE, false, TO(auto_mode), 0, 0},
	{NAME("dictionary_ids"), settings_read_dictionaries, SETTING_DICTIONARY_IDS, false,
	 TO(dictionary_ids), 0, 0},
	{NAME("project_id"), settings_read_integer, SETTING_PROJECT_ID, false, TO(project_id), 0,
	 0},
	{NAME("speaker_prefix"), settings_read_bool, NOWHERE, 0, 0},
};

bool settings_row(struct settings_row *row, size_t at)
{
	static const struct {
		settings_field_h *read;
		enum settings_kind kind;
	} kinds[] = {
		{settings_read_bool, SETTINGS_BOOL},
		{settings_read_number, SETTINGS_NUMBER},
		{settings_read_clamped, SETTINGS_CLAMPED},
		{settings_read_short, SETTINGS_SHORT},
		{settings_read_seed, SETTINGS_SEED},
		{settings_read_integer, SETTINGS_INTEGER},
		{settings_read_voice, SETTINGS_VOICE},
		{settings_read_model, SETTINGS_MODEL},
		{settings_keep_legacy_model, SETTINGS_MODEL},
		{settings_read_rate, SETTINGS_RATE},
		{settings_read_format, SETTINGS_FORMAT},
		{settings_read_language, SETTINGS_LANGUAGE},
		{settings_read_schedule, SETTINGS_SCHEDULE},
		{settings_read_dictionaries, SETTINGS_DICTIONARIES},
	};
	const struct settings_field *field = &fields[at];
	size_t kind = 0;

	if (at >= COUNT(fields))
		return false;
	while (kinds[kind].read != field->read) {
		++kind;
		assert(kind < COUNT(kinds));
	}
	*row = (struct settings_row){field->name, kinds[kind].kind, field->updatable,
				     field->min,  field->max,       NULL};
	if (field->size > 0)
		row->default_value = (const char *)&settings_default + field->offset;
	return true;
}

static const struct settings_field *settings_find_field(const struct json_value *key)
{
	for (size_t i = 0; i < COUNT(fields); ++i) {
		if (key->len == fields[i].name_len &&
		    memcmp(key->text, fields[i].name, key->len) == 0)
			return &fields[i];
	}
	return NULL;
}

static int settings_read_field(struct settings_reader *reader, const struct settings_field *field,
			       const struct json_value *value)
{
	int err;

	reader->settings->set &= ~field->bit; /* forgets an earlier key of the same name */
	if (field->bit == SETTING_DICTIONARY_IDS)
		settings_reset(reader->settings);
	if (value->kind == JSON_KIND_NULL)
		return 0;
	err = field->read(reader, field, value);
	if (!err)
		reader->settings->set |= field->bit;
	return err;
}

int settings_read(struct settings_reader *reader, const struct json_value *key,
		  const struct json_value *value)
{
	const struct settings_field *field = settings_find_field(key);

	return field ? settings_read_field(reader, field, value) : ENOENT;
}

int settings_read_update(struct settings_reader *reader, const struct json_value *key,
			 const struct json_value *value)
{
	const struct settings_field *field = settings_find_field(key);

	if (!field)
		return ENOENT;
	if (!field->updatable && value->kind != JSON_KIND_NULL)
		return fault_set(reader->fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s cannot be changed by update_settings", field->name);
	return settings_read_field(reader, field, value);
}

int settings_read_end(struct settings_reader *reader)
{
	static const struct settings_field legacy = {
		NAME("model"), settings_read_model, SETTING_MODEL_ID, false, TO(model_id), 0, 0};
	struct settings *settings = reader->settings;
	struct audio_format format;

	if (reader->legacy_model.text && !(settings->set & SETTING_MODEL_ID)) {
		int err = settings_read_field(reader, &legacy, &reader->legacy_model);

		if (err)
			return err;
	}
	if (settings_format(&format, settings))
		return fault_set(reader->fault, WIRE_ERROR_INVALID_REQUEST,
				 "sample_rate %u conflicts with an output_format of %u Hz",
				 settings->sample_rate, settings->format.sample_rate);
	return 0;
}

void settings_copy(struct settings *to, const struct settings *from)
{
	*to = *from;
	mem_ref(to->dictionary_ids);
}

void settings_reset(struct settings *settings)
{
	settings->dictionary_ids = mem_deref(settings->dictionary_ids);
}

void settings_merge(struct settings *to, const struct settings *from)
{
	if (from->set & SETTING_DICTIONARY_IDS) {
		mem_ref(from->dictionary_ids);
		settings_reset(to);
	}
	if (from->set & (SETTING_SAMPLE_RATE | SETTING_OUTPUT_FORMAT)) {
		to->set &= ~(unsigned)(SETTING_SAMPLE_RATE | SETTING_OUTPUT_FORMAT);
		to->sample_rate = settings_default.sample_rate;
		to->format = settings_default.format;
	}
	for (size_t i = 0; i < COUNT(fields); ++i) {
		if (from->set & fields[i].bit)
			memcpy((char *)to + fields[i].offset, (const char *)from + fields[i].offset,
			       fields[i].size);
	}
	if (from->set & SETTING_SCHEDULE)
		to->schedule_len = from->schedule_len;
	to->set |= from->set;
}

int settings_format(struct audio_format *format, const struct settings *settings)
{
	bool has_rate = settings->set & SETTING_SAMPLE_RATE;

	if (!(settings->set & SETTING_OUTPUT_FORMAT)) {
		unsigned rate = has_rate ? settings->sample_rate : RATE_DEFAULT;

		*format = (struct audio_format){AUDIO_PCM16, rate, 0};
		return 0;
	}
	if (has_rate && settings->sample_rate != RATE_DEFAULT &&
	    settings->sample_rate != settings->format.sample_rate)
		return EINVAL;
	*format = settings->format;
	return 0;
}
