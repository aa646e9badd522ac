/*
 * pronunciation_message.c: the bodies of ElevenLabs' requests about pronunciation dictionaries
 * (see pronunciation_message.h).
 */
#include "doors/elevenlabs/pronunciation_message.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/utf8.h"

static const char locators_name[] = "pronunciation_dictionary_locators";

#define FIELD(type, text, member)                                                                  \
	.name = (text), .offset = offsetof(struct type, member), .max = INT64_MAX
#define FIELD_OF(text, member, of)                                                                 \
	FIELD(pronunciation_message, text, member), .bit = PRONUNCIATION_##of

struct rule {
	struct rest_body body;
	const char *word, *alias, *phoneme;
	const char *type;
	bool case_sensitive;
};

static const char *const types[] = {"alias", "phoneme", NULL};

static int pronunciation_message_boundaries(struct rest_reader *reader,
					    const struct rest_field *field,
					    const struct json_value *value)
{
	if (value->kind == JSON_KIND_BOOL && value->truth)
		return 0;
	return fault_value(reader->fault, field->name,
			   value->kind == JSON_KIND_BOOL ? "true: only whole words are replaced"
							 : "true or false",
			   value);
}

static int pronunciation_message_alphabet(struct rest_reader *reader,
					  const struct rest_field *field,
					  const struct json_value *value)
{
	if (value->kind == JSON_KIND_STRING && value->len == 3 &&
	    strncasecmp(value->text, "ipa", 3) == 0)
		return 0;
	return fault_value(reader->fault, field->name, "ipa", value);
}

static const struct rest_field rule_fields[] = {
	{FIELD(rule, "string_to_replace", word), .kind = REST_FIELD_TEXT},
	{FIELD(rule, "alias", alias), .kind = REST_FIELD_TEXT},
	{FIELD(rule, "phoneme", phoneme), .kind = REST_FIELD_TEXT},
	{FIELD(rule, "type", type), .kind = REST_FIELD_CHOICE, .words = types},
	{FIELD(rule, "case_sensitive", case_sensitive), .kind = REST_FIELD_BOOL},
	{.name = "word_boundaries",
	 .kind = REST_FIELD_OTHER,
	 .read = pronunciation_message_boundaries},
	{.name = "alphabet", .kind = REST_FIELD_OTHER, .read = pronunciation_message_alphabet},
};
static const struct rest_form rule_form = {REST_FORM(rule_fields), .ignores_others = true};

static int pronunciation_message_rule(struct dictionary_entry *entry, struct json *json,
				      struct stream_fault *fault)
{
	struct rule rule = {.case_sensitive = true}; /* ElevenLabs' default */
	struct rest_reader reader = {&rule.body, json, fault, &rule_form};
	bool is_phoneme;
	const char *missing;
	struct json_value value;
	int err = json_value(json, &value);

	if (!err && value.kind != JSON_KIND_OBJECT)
		return fault_value(fault, "it", "an object", &value);
	if (err || rest_body_members(&reader) != 0)
		return EINVAL;
	is_phoneme = rule.type == types[1];
	missing = !rule.word                    ? "string_to_replace"
		  : !rule.type                  ? "type"
		  : is_phoneme && !rule.phoneme ? "phoneme"
		  : !is_phoneme && !rule.alias  ? "alias"
						: NULL;
	if (missing)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s is required", missing);
	*entry = (struct dictionary_entry){
		.word = rule.word,
		.replacement = is_phoneme ? rule.word : rule.alias,
		.ipa = is_phoneme ? rule.phoneme : NULL,
		.case_sensitive = rule.case_sensitive,
	};
	return dictionary_message_check_entry(entry, fault);
}

static int pronunciation_message_word(struct dictionary_entry *entry, struct json *json,
				      struct stream_fault *fault)
{
	struct json_value value;

	*entry = (struct dictionary_entry){0};
	if (json_value(json, &value) != 0)
		return EINVAL;
	if (value.kind != JSON_KIND_STRING)
		return fault_value(fault, "it", "a string", &value);
	value.text[value.len] = '\0'; /* where its closing quote was, or before it */
	entry->word = value.text;
	return 0;
}

/* Reads a list of rules, or of words. */
static int pronunciation_message_list(struct rest_reader *reader, const struct rest_field *field,
				      const struct json_value *value)
{
	/* The struct begins with the body. */
	size_t max = ((struct pronunciation_message *)(void *)reader->body)->max;

	if (value->kind != JSON_KIND_ARRAY)
		return fault_value(reader->fault, field->name, "a list", value);
	return dictionary_message_read_list(
		rest_body_member(reader, field), reader->json, reader->fault, field->name, max,
		field->bit == PRONUNCIATION_RULES ? pronunciation_message_rule
						  : pronunciation_message_word);
}

static const struct rest_field pronunciation_fields[] = {
	{FIELD_OF("name", name, NAME), .kind = REST_FIELD_TEXT},
	{FIELD_OF("description", description, DESCRIPTION), .kind = REST_FIELD_TEXT},
	{FIELD_OF("archived", archived, ARCHIVED), .kind = REST_FIELD_BOOL},
	{FIELD_OF("rules", rules, RULES), .kind = REST_FIELD_OTHER,
	 .read = pronunciation_message_list},
	{FIELD_OF("rule_strings", rule_strings, RULE_STRINGS), .kind = REST_FIELD_OTHER,
	 .read = pronunciation_message_list},
};
static const struct rest_form pronunciation_form = {REST_FORM(pronunciation_fields),
						    .ignores_others = true};

static int pronunciation_message_check(const struct pronunciation_message *message,
				       struct stream_fault *fault, unsigned required)
{
	size_t length = message->name ? utf8_count(message->name, strlen(message->name)) : 1;

	for (size_t i = 0; i < COUNT(pronunciation_fields); ++i) {
		if (required & ~message->body.fields & pronunciation_fields[i].bit)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s is required",
					 pronunciation_fields[i].name);
	}
	if (length < 1 || length > DICTIONARY_NAME_MAX)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "name must have 1 to %d characters (got %zu)", DICTIONARY_NAME_MAX,
				 length);
	if (message->description && utf8_count(message->description, strlen(message->description)) >
					    DICTIONARY_DESCRIPTION_MAX)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "description may have %d characters", DICTIONARY_DESCRIPTION_MAX);
	return 0;
}

int pronunciation_message_parse(struct pronunciation_message *message, struct stream_fault *fault,
				unsigned required, char *text, size_t len, size_t max)
{
	int err;

	*message = (struct pronunciation_message){.max = max};
	*fault = (struct stream_fault){0};
	err = rest_body_parse(&message->body, fault, text, len, &pronunciation_form, false);
	if (!err)
		err = pronunciation_message_check(message, fault, required);
	if (!err)
		err = dictionary_message_drop_twins(&message->rules);
	if (!err)
		err = dictionary_message_drop_twins(&message->rule_strings);
	if (err)
		pronunciation_message_reset(message);
	return err;
}

void pronunciation_message_reset(struct pronunciation_message *message)
{
	dictionary_message_reset_entries(&message->rules);
	dictionary_message_reset_entries(&message->rule_strings);
}

/* Ids are the native numbers, written as strings. */
static int pronunciation_message_locator_id(int64_t *id, struct stream_fault *fault,
					    const struct json_value *value)
{
	struct json_value number = {
		.kind = JSON_KIND_NUMBER, .text = value->text, .len = value->len};
	size_t digits = 0;

	if (value->kind != JSON_KIND_STRING)
		return fault_value(fault, "pronunciation_dictionary_id", "a string", value);
	while (digits < value->len && value->text[digits] >= '0' && value->text[digits] <= '9')
		++digits;
	if (digits == value->len && digits > 0 && value->text[0] != '0' &&
	    json_to_integer(id, &number) == 0)
		return 0;
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			 "%s: the project has no dictionary %.*s", locators_name,
			 value->len < 40 ? (int)value->len : 40, value->text);
}

static int pronunciation_message_locator(int64_t *id, struct json *json, struct stream_fault *fault)
{
	struct json_value key;
	struct json_value value;
	int err = json_value(json, &value);

	*id = 0;
	if (!err && value.kind != JSON_KIND_OBJECT)
		return fault_value(fault, locators_name, "a list of objects", &value);
	while (!err && json_member(json, &key)) {
		err = json_value(json, &value);
		if (!err && json_is(&key, "pronunciation_dictionary_id"))
			err = pronunciation_message_locator_id(id, fault, &value);
		else if (!err)
			err = json_skip(json, &value);
	}
	if (err || json->reason)
		return EINVAL;
	return *id ? 0
		   : fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			       "%s: pronunciation_dictionary_id is required", locators_name);
}

int pronunciation_message_locators(struct settings *settings, struct json *json,
				   struct stream_fault *fault, const struct json_value *value)
{
	int64_t ids[SETTINGS_DICTIONARIES_MAX];
	size_t count = 0;
	int err = 0;

	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_ARRAY)
		return fault_value(fault, locators_name, "a list", value);
	while (!err && json_element(json)) {
		if (count == COUNT(ids))
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s may have %d elements at most", locators_name,
					 SETTINGS_DICTIONARIES_MAX);
		err = pronunciation_message_locator(&ids[count++], json, fault);
	}
	if (err || json->reason)
		return EINVAL;
	return settings_set_dictionaries(settings, fault, ids, count);
}
