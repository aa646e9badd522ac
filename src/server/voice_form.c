/*
 * voice_form.c: reads the request bodies that create or change a derived voice (see voice_form.h).
 * Pure.
 */
#include "server/voice_form.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "wire/settings.h"

/* The values that clients' libraries know.  They fail if they receive any other. */
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

/* Accepts speaker_consent, which clients must send to clone a voice.  It has no meaning here, because
 * no voice is cloned. */
static int voice_form_ignore(struct rest_reader *reader, const struct rest_field *field,
			     const struct json_value *value)
{
	(void)field;
	return json_skip(reader->json, value);
}

/* The struct begins with the body that is read. */
static struct voice_form *voice_form_of(const struct rest_reader *reader)
{
	return (struct voice_form *)(void *)reader->body;
}

static int voice_form_base(struct rest_reader *reader, const struct rest_field *field,
			   const struct json_value *value)
{
	struct voice_form *form = voice_form_of(reader);

	form->row.base_id = 0;
	form->base_handle = NULL;
	if (value->kind == JSON_KIND_NUMBER && json_to_integer(&form->row.base_id, value) == 0 &&
	    form->row.base_id > 0)
		return 0;
	if (value->kind != JSON_KIND_STRING || value->len == 0)
		return fault_value(reader->fault, field->name, "a voice's id or handle", value);
	value->text[value->len] = '\0';
	form->base_handle = value->text;
	return 0;
}

static void voice_form_add_language(struct voice_form *form, const char *code)
{
	size_t len = strlen(form->languages);

	snprintf(form->languages + len, sizeof(form->languages) - len, "%s%s", len > 0 ? "," : "",
		 code);
}

static bool voice_form_has_language(const struct voice_form *form, const char *code)
{
	const char *at = strstr(form->languages, code);
	size_t len = strlen(code);

	return at && (at[len] == ',' || at[len] == '\0') &&
	       (at == form->languages || at[-1] == ',');
}

/* Reads a single language, which means the same as a list with one language. */
static int voice_form_language(struct rest_reader *reader, const struct rest_field *field,
			       const struct json_value *value)
{
	struct voice_form *form = voice_form_of(reader);
	char code[SETTINGS_LANGUAGE_SIZE];

	if (value->kind != JSON_KIND_STRING || settings_language(code, value->text, value->len))
		return fault_value(reader->fault, field->name, "the code of a known language",
				   value);
	form->languages[0] = '\0';
	voice_form_add_language(form, code);
	return 0;
}

static int voice_form_languages(struct rest_reader *reader, const struct rest_field *field,
				const struct json_value *value)
{
	struct voice_form *form = voice_form_of(reader);
	struct json_value element;
	char code[SETTINGS_LANGUAGE_SIZE];

	form->languages[0] = '\0';
	if (value->kind != JSON_KIND_ARRAY)
		return fault_value(reader->fault, field->name, "a list of codes", value);
	while (json_element(reader->json)) {
		if (json_value(reader->json, &element))
			return EINVAL;
		if (element.kind != JSON_KIND_STRING ||
		    settings_language(code, element.text, element.len) != 0)
			return fault_value(reader->fault, field->name, "codes of known languages",
					   &element);
		if (!voice_form_has_language(form, code))
			voice_form_add_language(form, code);
	}
	return 0;
}

#define FIELD(text, of) .name = (text), .bit = STORE_VOICE_##of
#define AT(member) .offset = offsetof(struct voice_form, row.member)
#define TEXT(name, member, of, low, high)                                                          \
	FIELD(name, of), .kind = REST_FIELD_TEXT, AT(member), .min = (low), .max = (high),         \
			 .must = "a string"
#define CHOICE(name, member, of, choices)                                                          \
	FIELD(name, of), .kind = REST_FIELD_CHOICE, AT(member), .words = (choices),                \
			 .is_nullable = true
#define OTHER(name, of, reader) FIELD(name, of), .kind = REST_FIELD_OTHER, .read = (reader)

static const struct rest_field voice_form_fields[] = {
	{TEXT("name", name, NAME, 1, VOICE_FORM_NAME_MAX)},
	{TEXT("variant", variant, VARIANT, 1, 15), .is_nullable = true},
	{TEXT("description", description, DESCRIPTION, 0, VOICE_FORM_TEXT_MAX),
	 .is_nullable = true},
	{TEXT("generative_voice_description", generative_description, GENERATIVE, 0,
	      VOICE_FORM_TEXT_MAX),
	 .is_nullable = true},
	{TEXT("sample_text", sample_text, SAMPLE_TEXT, 0, VOICE_FORM_TEXT_MAX),
	 .is_nullable = true},
	{CHOICE("sex", sex, SEX, sexes)},
	{CHOICE("age", age, AGE, ages)},
	{CHOICE("category", category, CATEGORY, categories)},
	{CHOICE("quality", quality, QUALITY, qualities)},
	{OTHER("base_voice_id", BASE, voice_form_base)},
	{FIELD("pitch", PITCH), .kind = REST_FIELD_NUMBER, AT(pitch), .low = -12, .high = 12,
	 .is_nullable = true},
	{FIELD("rate", RATE), .kind = REST_FIELD_NUMBER, AT(rate), .low = 0.5, .high = 2,
	 .is_nullable = true, .none = 1},
	{OTHER("language", LANGUAGES, voice_form_language)},
	{OTHER("supported_languages", LANGUAGES, voice_form_languages)},
	{FIELD("is_public", PUBLIC), .kind = REST_FIELD_BOOL, AT(is_public)},
	{.name = "speaker_consent", .kind = REST_FIELD_OTHER, .read = voice_form_ignore},
};
const struct rest_form voice_form_table = {REST_FORM(voice_form_fields),
					   .bad_length = WIRE_ERROR_BAD_VOICE};

bool voice_form_has_category(const char *category)
{
	for (size_t i = 0; categories[i]; ++i) {
		if (strcmp(categories[i], category) == 0)
			return true;
	}
	return false;
}

/* A voice without a base would have to be made from recordings. */
static int voice_form_check_new(const struct voice_form *form, struct stream_fault *fault)
{
	if (!(form->body.fields & STORE_VOICE_BASE))
		return fault_set(fault, WIRE_ERROR_NO_CLONING,
				 "voices can be derived from others by base_voice_id");
	if (!(form->body.fields & STORE_VOICE_NAME))
		return fault_set(fault, WIRE_ERROR_BAD_VOICE, "name is required");
	return 0;
}

int voice_form_read_as(struct voice_form *form, struct stream_fault *fault, char *text, size_t len,
		       const struct rest_form *table)
{
	int err;

	*form = (struct voice_form){.row = {.rate = 1}};
	*fault = (struct stream_fault){0};
	err = rest_body_parse(&form->body, fault, text, len, table, false);
	form->row.languages = form->languages[0] ? form->languages : NULL;
	return err;
}

int voice_form_read(struct voice_form *form, struct stream_fault *fault, char *text, size_t len,
		    bool is_new)
{
	int err = voice_form_read_as(form, fault, text, len, &voice_form_table);

	return err || !is_new ? err : voice_form_check_new(form, fault);
}
