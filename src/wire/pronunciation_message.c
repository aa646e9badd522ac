/*
 * pronunciation_message.c: what ElevenLabs' clients may say of pronunciation dictionaries (see
 * pronunciation_message.h).
 */
#include "wire/pronunciation_message.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"

static const char locators_name[] = "pronunciation_dictionary_locators";

struct rule {
	const char *word, *alias, *phoneme;
	bool is_phoneme; /* by its type */
	bool has_type;
	bool case_sensitive;
};

static int pronunciation_string(const char **text, struct stream_fault *fault, const char *name,
				const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING)
		return fault_value(fault, name, "a string", value);
	value->text[value->len] = '\0'; /* where its closing quote was, or before it */
	*text = value->text;
	return 0;
}

static int pronunciation_bool(bool *truth, struct stream_fault *fault, const char *name,
			      const struct json_value *value)
{
	if (value->kind != JSON_KIND_BOOL)
		return fault_value(fault, name, "true or false", value);
	*truth = value->truth;
	return 0;
}

static int pronunciation_rule_member(struct rule *rule, struct json *json,
				     struct stream_fault *fault, const struct json_value *key,
				     const struct json_value *value)
{
	static const char *const types[] = {"alias", "phoneme"};
	bool has_boundaries = true;
	int err = 0;

	if (json_is(key, "string_to_replace"))
		return pronunciation_string(&rule->word, fault, "string_to_replace", value);
	if (json_is(key, "alias"))
		return pronunciation_string(&rule->alias, fault, "alias", value);
	if (json_is(key, "phoneme"))
		return pronunciation_string(&rule->phoneme, fault, "phoneme", value);
	if (json_is(key, "case_sensitive"))
		return pronunciation_bool(&rule->case_sensitive, fault, "case_sensitive", value);
	if (json_is(key, "word_boundaries")) {
		err = pronunciation_bool(&has_boundaries, fault, "word_boundaries", value);
		return err || has_boundaries
			       ? err
			       : fault_value(fault, "word_boundaries",
					     "true: only whole words are replaced", value);
	}
	if (json_is(key, "alphabet")) {
		if (value->kind == JSON_KIND_STRING && value->len == 3 &&
		    strncasecmp(value->text, "ipa", 3) == 0)
			return 0;
		return fault_value(fault, "alphabet", "ipa", value);
	}
	if (json_is(key, "type")) {
		rule->has_type = true;
		rule->is_phoneme = value->kind == JSON_KIND_STRING && json_is(value, types[1]);
		if (rule->is_phoneme ||
		    (value->kind == JSON_KIND_STRING && json_is(value, types[0])))
			return 0;
		return fault_choice(fault, "type", types, COUNT(types), value);
	}
	return json_skip(json, value);
}

static int pronunciation_rule_entry(struct dictionary_entry *entry, const struct rule *rule,
				    struct stream_fault *fault)
{
	const char *missing = !rule->word                          ? "string_to_replace"
			      : !rule->has_type                    ? "type"
			      : rule->is_phoneme && !rule->phoneme ? "phoneme"
			      : !rule->is_phoneme && !rule->alias  ? "alias"
								   : NULL;

	if (missing)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s is required", missing);
	*entry = (struct dictionary_entry){
		.word = rule->word,
		.replacement = rule->is_phoneme ? rule->word : rule->alias,
		.ipa = rule->is_phoneme ? rule->phoneme : NULL,
		.case_sensitive = rule->case_sensitive,
	};
	return dictionary_message_check_entry(entry, fault);
}

static int pronunciation_rule(struct dictionary_entry *entry, struct json *json,
			      struct stream_fault *fault)
{
	struct rule rule = {.case_sensitive = true}; /* as there */
	struct json_value key;
	struct json_value value;
	int err = json_value(json, &value);

	if (!err && value.kind != JSON_KIND_OBJECT)
		return fault_value(fault, "it", "an object", &value);
	while (!err && json_member(json, &key)) {
		err = json_value(json, &value);
		if (!err && value.kind != JSON_KIND_NULL)
			err = pronunciation_rule_member(&rule, json, fault, &key, &value);
	}
	if (err || json->reason)
		return EINVAL;
	return pronunciation_rule_entry(entry, &rule, fault);
}

static int pronunciation_word(struct dictionary_entry *entry, struct json *json,
			      struct stream_fault *fault)
{
	struct json_value value;

	*entry = (struct dictionary_entry){0};
	if (json_value(json, &value) != 0)
		return EINVAL;
	return pronunciation_string(&entry->word, fault, "it", &value);
}

static int pronunciation_list(struct dictionary_entries_message *list, struct json *json,
			      struct stream_fault *fault, const char *name, size_t max,
			      const struct json_value *value,
			      int (*read)(struct dictionary_entry *entry, struct json *json,
					  struct stream_fault *fault))
{
	char detail[sizeof(fault->detail)];
	struct dictionary_entry entry;
	int err = 0;

	if (value->kind != JSON_KIND_ARRAY)
		return fault_value(fault, name, "a list", value);
	list->count = 0; /* of an earlier key of the same name */
	while (!err && json_element(json)) {
		if (list->count == max)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s may have %zu elements at most", name, max);
		err = read(&entry, json, fault);
		if (err && !json->reason && err != ENOMEM) {
			memcpy(detail, fault->detail, sizeof(detail));
			return fault_set(fault, fault->id, "%s[%zu]: %.120s", name, list->count,
					 detail);
		}
		if (!err)
			err = dictionary_message_add_entry(list, &entry);
	}
	return err;
}

static int pronunciation_member(struct pronunciation_message *message, struct json *json,
				struct stream_fault *fault, const struct json_value *key,
				const struct json_value *value)
{
	if (json_is(key, "name")) {
		message->fields |= PRONUNCIATION_NAME;
		return pronunciation_string(&message->name, fault, "name", value);
	}
	if (json_is(key, "description")) {
		message->fields |= PRONUNCIATION_DESCRIPTION;
		return pronunciation_string(&message->description, fault, "description", value);
	}
	if (json_is(key, "archived")) {
		message->fields |= PRONUNCIATION_ARCHIVED;
		return pronunciation_bool(&message->archived, fault, "archived", value);
	}
	if (json_is(key, "rules")) {
		message->fields |= PRONUNCIATION_RULES;
		return pronunciation_list(&message->rules, json, fault, "rules", message->max,
					  value, pronunciation_rule);
	}
	if (json_is(key, "rule_strings")) {
		message->fields |= PRONUNCIATION_RULE_STRINGS;
		return pronunciation_list(&message->rule_strings, json, fault, "rule_strings",
					  message->max, value, pronunciation_word);
	}
	return json_skip(json, value);
}

static int pronunciation_members(struct pronunciation_message *message, struct json *json,
				 struct stream_fault *fault)
{
	struct json_value key;
	struct json_value value;
	int err = json_value(json, &value);

	if (!err && value.kind != JSON_KIND_OBJECT)
		return fault_value(fault, "it", "a JSON object", &value);
	while (!err && json_member(json, &key)) {
		err = json_value(json, &value);
		if (!err && value.kind != JSON_KIND_NULL)
			err = pronunciation_member(message, json, fault, &key, &value);
	}
	return err ? err : json->reason ? EINVAL : 0;
}

static int pronunciation_check(const struct pronunciation_message *message,
			       struct stream_fault *fault, unsigned required)
{
	static const char *const names[] = {"name", "description", "archived", "rules",
					    "rule_strings"};
	size_t length = message->name ? utf8_count(message->name, strlen(message->name)) : 1;

	for (size_t i = 0; i < COUNT(names); ++i) {
		if (required & 1u << i && !(message->fields & 1u << i))
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s is required",
					 names[i]);
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
	struct json json;
	int err;

	*message = (struct pronunciation_message){.max = max};
	*fault = (struct stream_fault){0};
	json_open(&json, text, len);
	err = pronunciation_members(message, &json, fault);
	if (err != ENOMEM)
		err = rest_body_end(&json, fault, err);
	if (!err)
		err = pronunciation_check(message, fault, required);
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

/* Ids are our numbers as strings. */
static int pronunciation_locator_id(int64_t *id, struct stream_fault *fault,
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

static int pronunciation_locator(int64_t *id, struct json *json, struct stream_fault *fault)
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
			err = pronunciation_locator_id(id, fault, &value);
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
		err = pronunciation_locator(&ids[count++], json, fault);
	}
	if (err || json->reason)
		return EINVAL;
	return settings_set_dictionaries(settings, fault, ids, count);
}
