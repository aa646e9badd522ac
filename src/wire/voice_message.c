/*
 * voice_message.c: what a client may say of a derived voice over REST (see
 * voice_message.h).
 */
#include "wire/voice_message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "wire/settings.h"

/* The words that the clients' libraries know; others make them fail. */
static const char *const sexes[] = {"male", "female", "neutral", NULL};
static const char *const ages[] = {"young", "middle_age", "middle_aged", "old", NULL};
static const char *const qualities[] = {"low", "mid", "high", NULL};
static const char *const categories[] = {"premade",
					 "cloned",
					 "designed",
					 "conversational",
					 "narrative",
					 "narrative_story",
					 "characters",
					 "characters_animation",
					 "social_media",
					 "entertainment_tv",
					 "advertisement",
					 "informative_educational",
					 NULL};

struct field;

struct reading {
	struct voice_message *message;
	struct json *json;
	struct stream_fault *fault;
	const struct field *fields;
	size_t count;
	bool is_strict; /* other keys are faults; else they are ignored */
};

typedef int(read_h)(struct reading *reading, const struct field *field,
		    const struct json_value *value);

struct field {
	const char *name;
	read_h *read;
	size_t offset; /* of what it fills */
	double min, max; /* of a number, or of a text's length */
	const char *const *words; /* of a choice */
	unsigned bit;
	bool is_nullable; /* null takes it away; else it is as absent */
	double null_number; /* what null makes of a number */
};

static void *member(const struct reading *reading, const struct field *field)
{
	return (char *)reading->message + field->offset;
}

static int read_text(struct reading *reading, const struct field *field,
		     const struct json_value *value)
{
	size_t length;

	if (value->kind != JSON_KIND_STRING)
		return fault_value(reading->fault, field->name, "a string", value);
	length = utf8_count(value->text, value->len);
	if ((double)length < field->min || (double)length > field->max)
		return fault_set(reading->fault, WIRE_ERROR_BAD_VOICE,
				 "%s must have %.0f to %.0f characters (got %zu)", field->name,
				 field->min, field->max, length);
	value->text[value->len] = '\0'; /* where its closing quote was, or before it */
	*(const char **)member(reading, field) = value->text;
	return 0;
}

static int read_choice(struct reading *reading, const struct field *field,
		       const struct json_value *value)
{
	size_t count = 0;

	while (field->words[count]) {
		const char *word = field->words[count++];

		if (value->kind == JSON_KIND_STRING && strlen(word) == value->len &&
		    memcmp(word, value->text, value->len) == 0) {
			*(const char **)member(reading, field) = word;
			return 0;
		}
	}
	return fault_choice(reading->fault, field->name, field->words, count, value);
}

static int read_number(struct reading *reading, const struct field *field,
		       const struct json_value *value)
{
	double number;

	if (value->kind != JSON_KIND_NUMBER || json_to_double(&number, value) != 0 ||
	    number < field->min || number > field->max)
		return fault_range(reading->fault, field->name, field->min, field->max, value);
	*(double *)member(reading, field) = number;
	return 0;
}

static int read_bool(struct reading *reading, const struct field *field,
		     const struct json_value *value)
{
	if (value->kind != JSON_KIND_BOOL)
		return fault_value(reading->fault, field->name, "true or false", value);
	*(bool *)member(reading, field) = value->truth;
	return 0;
}

/* What is asked of those who clone a voice: nobody is copied here. */
static int ignore(struct reading *reading, const struct field *field,
		  const struct json_value *value)
{
	(void)field;
	return json_skip(reading->json, value);
}

static int read_base(struct reading *reading, const struct field *field,
		     const struct json_value *value)
{
	struct voice_message *message = reading->message;

	message->base_id = 0;
	message->base_handle = NULL;
	if (value->kind == JSON_KIND_NUMBER && json_to_integer(&message->base_id, value) == 0 &&
	    message->base_id > 0)
		return 0;
	if (value->kind != JSON_KIND_STRING || value->len == 0)
		return fault_value(reading->fault, field->name, "a voice's id or handle", value);
	value->text[value->len] = '\0';
	message->base_handle = value->text;
	return 0;
}

static void add_language(struct voice_message *message, const char *code)
{
	size_t len = strlen(message->languages);

	snprintf(message->languages + len, sizeof(message->languages) - len, "%s%s",
		 len > 0 ? "," : "", code);
}

static bool has_language(const struct voice_message *message, const char *code)
{
	const char *at = strstr(message->languages, code);
	size_t len = strlen(code);

	return at && (at[len] == ',' || at[len] == '\0') &&
	       (at == message->languages || at[-1] == ',');
}

/* One of them; the same as a list of one. */
static int read_language(struct reading *reading, const struct field *field,
			 const struct json_value *value)
{
	char code[SETTINGS_LANGUAGE_SIZE];

	if (value->kind != JSON_KIND_STRING || settings_language(code, value->text, value->len))
		return fault_value(reading->fault, field->name, "the code of a known language",
				   value);
	reading->message->languages[0] = '\0';
	add_language(reading->message, code);
	return 0;
}

static int read_languages(struct reading *reading, const struct field *field,
			  const struct json_value *value)
{
	struct voice_message *message = reading->message;
	struct json_value element;
	char code[SETTINGS_LANGUAGE_SIZE];

	message->languages[0] = '\0';
	if (value->kind != JSON_KIND_ARRAY)
		return fault_value(reading->fault, field->name, "a list of codes", value);
	while (json_element(reading->json)) {
		if (json_value(reading->json, &element))
			return EINVAL;
		if (element.kind != JSON_KIND_STRING ||
		    settings_language(code, element.text, element.len) != 0)
			return fault_value(reading->fault, field->name, "codes of known languages",
					   &element);
		if (!has_language(message, code))
			add_language(message, code);
	}
	return 0;
}

#define AT(member) offsetof(struct voice_message, member)
#define TEXT(name, member, bit, min, max, is_nullable)                                             \
	{                                                                                          \
		name, read_text, AT(member), min, max, NULL, VOICE_MESSAGE_##bit, is_nullable, 0   \
	}
#define CHOICE(name, member, bit, words)                                                           \
	{                                                                                          \
		name, read_choice, AT(member), 0, 0, words, VOICE_MESSAGE_##bit, true, 0           \
	}

static const struct field fields[] = {
	TEXT("name", name, NAME, 1, VOICE_MESSAGE_NAME_MAX, false),
	TEXT("variant", variant, VARIANT, 1, 15, true),
	TEXT("description", description, DESCRIPTION, 0, VOICE_MESSAGE_TEXT_MAX, true),
	TEXT("generative_voice_description", generative_description, GENERATIVE, 0,
	     VOICE_MESSAGE_TEXT_MAX, true),
	TEXT("sample_text", sample_text, SAMPLE_TEXT, 0, VOICE_MESSAGE_TEXT_MAX, true),
	CHOICE("sex", sex, SEX, sexes),
	CHOICE("age", age, AGE, ages),
	CHOICE("category", category, CATEGORY, categories),
	CHOICE("quality", quality, QUALITY, qualities),
	{"base_voice_id", read_base, 0, 0, 0, NULL, VOICE_MESSAGE_BASE, false, 0},
	{"pitch", read_number, AT(pitch), -12, 12, NULL, VOICE_MESSAGE_PITCH, true, 0},
	{"rate", read_number, AT(rate), 0.5, 2, NULL, VOICE_MESSAGE_RATE, true, 1},
	{"language", read_language, 0, 0, 0, NULL, VOICE_MESSAGE_LANGUAGES, false, 0},
	{"supported_languages", read_languages, 0, 0, 0, NULL, VOICE_MESSAGE_LANGUAGES, false, 0},
	{"is_public", read_bool, AT(is_public), 0, 0, NULL, VOICE_MESSAGE_PUBLIC, false, 0},
	{"speaker_consent", ignore, 0, 0, 0, NULL, 0, false, 0},
};

static const struct field settings_fields[] = {
	{"speed", read_number, AT(rate), 0.7, 1.2, NULL, VOICE_MESSAGE_RATE, false, 0},
};

bool voice_message_row(struct voice_message_row *row, size_t at)
{
	const struct field *field = &fields[at];

	if (at >= COUNT(fields))
		return false;
	*row = (struct voice_message_row){field->name, VOICE_MESSAGE_OTHER, field->min,
					  field->max,  field->words,        field->is_nullable};
	if (field->read == read_text)
		row->kind = VOICE_MESSAGE_TEXT;
	else if (field->read == read_choice)
		row->kind = VOICE_MESSAGE_CHOICE;
	else if (field->read == read_number)
		row->kind = VOICE_MESSAGE_NUMBER;
	return true;
}

bool voice_message_has_category(const char *category)
{
	for (size_t i = 0; categories[i]; ++i) {
		if (strcmp(categories[i], category) == 0)
			return true;
	}
	return false;
}

static const struct field *find(const struct reading *reading, const struct json_value *key)
{
	for (size_t i = 0; i < reading->count; ++i) {
		const char *name = reading->fields[i].name;

		if (strlen(name) == key->len && memcmp(name, key->text, key->len) == 0)
			return &reading->fields[i];
	}
	return NULL;
}

static int read_field(struct reading *reading, const struct field *field,
		      const struct json_value *value)
{
	int err = 0;

	reading->message->fields &= ~field->bit; /* an earlier one of the same name */
	if (value->kind == JSON_KIND_NULL && !field->is_nullable)
		return 0;
	if (value->kind == JSON_KIND_NULL && field->read == read_number)
		*(double *)member(reading, field) = field->null_number;
	else if (value->kind == JSON_KIND_NULL)
		*(const char **)member(reading, field) = NULL;
	else
		err = field->read(reading, field, value);
	if (!err)
		reading->message->fields |= field->bit;
	return err;
}

static int read_members(struct reading *reading)
{
	struct json_value key;
	struct json_value value;

	if (json_value(reading->json, &value))
		return EINVAL;
	if (value.kind != JSON_KIND_OBJECT)
		return fault_value(reading->fault, "it", "a JSON object", &value);
	while (json_member(reading->json, &key)) {
		const struct field *field = find(reading, &key);
		int err;

		if (json_value(reading->json, &value))
			return EINVAL;
		if (field)
			err = read_field(reading, field, &value);
		else if (reading->is_strict)
			err = rest_body_refuse_key(reading->fault, &key);
		else
			err = json_skip(reading->json, &value);
		if (err)
			return err;
	}
	return reading->json->reason ? EINVAL : 0;
}

/* A voice without a base would have to be made from recordings. */
static int check_new(const struct voice_message *message, struct stream_fault *fault)
{
	if (!(message->fields & VOICE_MESSAGE_BASE))
		return fault_set(fault, WIRE_ERROR_NO_CLONING,
				 "voices can be derived from others by base_voice_id");
	if (!(message->fields & VOICE_MESSAGE_NAME))
		return fault_set(fault, WIRE_ERROR_BAD_VOICE, "name is required");
	return 0;
}

static int read_body(struct reading *reading, char *text, size_t len)
{
	struct json json;

	*reading->message = (struct voice_message){.rate = 1};
	*reading->fault = (struct stream_fault){0};
	reading->json = &json;
	json_open(&json, text, len);
	return rest_body_end(&json, reading->fault, read_members(reading));
}

int voice_message_parse(struct voice_message *message, struct stream_fault *fault, char *text,
			size_t len, bool is_new)
{
	struct reading reading = {message, NULL, fault, fields, COUNT(fields), true};
	int err = read_body(&reading, text, len);

	return err || !is_new ? err : check_new(message, fault);
}

int voice_message_parse_settings(struct voice_message *message, struct stream_fault *fault,
				 char *text, size_t len)
{
	struct reading reading = {message, NULL, fault, settings_fields, COUNT(settings_fields),
				  false};

	return read_body(&reading, text, len);
}
