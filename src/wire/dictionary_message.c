/*
 * dictionary_message.c: reads the REST request bodies about dictionaries (see
 * dictionary_message.h).
 */
#include "wire/dictionary_message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/unicode.h"

#define TEXT(type, text, member, of, low, high, nullable, required)                                \
	{                                                                                          \
		.name = (text), .kind = REST_FIELD_TEXT, .bit = DICTIONARY_MESSAGE_##of,           \
		.offset = offsetof(struct type, member), .min = (low), .max = (high),              \
		.is_nullable = (nullable), .is_required = (required)                               \
	}
#define BOOL(type, text, member, of)                                                               \
	{                                                                                          \
		.name = (text), .kind = REST_FIELD_BOOL, .bit = DICTIONARY_MESSAGE_##of,           \
		.offset = offsetof(struct type, member)                                            \
	}
#define OF_DICTIONARY dictionary_message
#define OF_ENTRY dictionary_entry_message

static const struct rest_field dictionary_fields[] = {
	TEXT(OF_DICTIONARY, "name", name, NAME, 1, DICTIONARY_NAME_MAX, false, true),
	TEXT(OF_DICTIONARY, "description", description, DESCRIPTION, 0, DICTIONARY_DESCRIPTION_MAX,
	     true, false),
	TEXT(OF_DICTIONARY, "language", language, LANGUAGE, 0, DICTIONARY_LANGUAGE_MAX, true,
	     false),
	BOOL(OF_DICTIONARY, "is_active", is_active, ACTIVE),
};
const struct rest_form dictionary_message_table = {REST_FORM(dictionary_fields)};

static const struct rest_field entry_fields[] = {
	TEXT(OF_ENTRY, "word", said.word, WORD, 1, DICTIONARY_WORD_MAX, false, true),
	TEXT(OF_ENTRY, "replacement", said.replacement, REPLACEMENT, 1, DICTIONARY_REPLACEMENT_MAX,
	     false, true),
	TEXT(OF_ENTRY, "ipa", said.ipa, IPA, 0, DICTIONARY_IPA_MAX, true, false),
	BOOL(OF_ENTRY, "case_sensitive", said.case_sensitive, CASE),
};
const struct rest_form dictionary_message_entry_table = {REST_FORM(entry_fields)};

static bool dictionary_message_is_blank(const char *text)
{
	size_t len = strlen(text);
	uint32_t c;

	for (size_t i = 0; i < len; i += utf8_decode(&c, text + i, len - i)) {
		utf8_decode(&c, text + i, len - i);
		if (!unicode_is_blank(unicode_kind(c)))
			return false;
	}
	return true;
}

int dictionary_message_parse(struct dictionary_message *message, struct stream_fault *fault,
			     char *text, size_t len, bool is_new)
{
	int err;

	*message = (struct dictionary_message){.is_active = true};
	err = rest_body_parse(&message->body, fault, text, len, &dictionary_message_table, is_new);
	if (!err && message->language && message->language[0] == '\0')
		message->language = NULL;
	return err;
}

/* A word that consists only of blanks could never match.  An empty pronunciation means that there
 * is none, and not silence. */
static int dictionary_message_finish_entry(struct dictionary_entry_message *message,
					   struct stream_fault *fault)
{
	if (message->said.word && dictionary_message_is_blank(message->said.word))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "word must hold more than blanks");
	if (message->said.ipa && message->said.ipa[0] == '\0')
		message->said.ipa = NULL;
	return 0;
}

static int dictionary_message_read_entry(struct dictionary_entry_message *message,
					 struct json *json, struct stream_fault *fault, bool is_new)
{
	int err;

	*message = (struct dictionary_entry_message){0};
	err = rest_body_read(&message->body, json, fault, &dictionary_message_entry_table, is_new);
	return err ? err : dictionary_message_finish_entry(message, fault);
}

int dictionary_message_parse_entry(struct dictionary_entry_message *message,
				   struct stream_fault *fault, char *text, size_t len, bool is_new)
{
	struct json json;
	int err;

	json_open(&json, text, len);
	err = dictionary_message_read_entry(message, &json, fault, is_new);
	return rest_body_end(&json, fault, err);
}

int dictionary_message_check_entry(struct dictionary_entry *entry, struct stream_fault *fault)
{
	const struct {
		const char *name, *text;
		size_t max;
	} texts[] = {
		{"word", entry->word, DICTIONARY_WORD_MAX},
		{"replacement", entry->replacement, DICTIONARY_REPLACEMENT_MAX},
		{"pronunciation", entry->ipa ? entry->ipa : "-", DICTIONARY_IPA_MAX},
	};

	for (size_t i = 0; i < COUNT(texts); ++i) {
		size_t length = utf8_count(texts[i].text, strlen(texts[i].text));

		if (length > texts[i].max)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "a %s may have %zu characters (got %zu)", texts[i].name,
					 texts[i].max, length);
		if (dictionary_message_is_blank(texts[i].text))
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "a %s must hold more than blanks", texts[i].name);
	}
	return 0;
}

int dictionary_message_add_entry(struct dictionary_entries_message *message,
				 const struct dictionary_entry *entry)
{
	if (message->count == message->size) {
		size_t more = message->size ? 2 * message->size : 64;
		struct dictionary_entry *entries =
			reallocarray(message->entries, more, sizeof(*entries));

		if (!entries)
			return ENOMEM;
		message->entries = entries;
		message->size = more;
	}
	message->entries[message->count++] = *entry;
	return 0;
}

int dictionary_message_read_list(struct dictionary_entries_message *message, struct json *json,
				 struct stream_fault *fault, const char *name, size_t max,
				 dictionary_message_entry_h *read)
{
	struct dictionary_entry entry;
	int err = 0;

	message->count = 0; /* discards the entries of an earlier key of the same name */
	while (!err && json_element(json)) {
		if (message->count == max)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s may have %zu elements at most", name, max);
		err = read(&entry, json, fault);
		if (err && !json->reason)
			return rest_body_place_fault(fault, name, message->count);
		if (!err)
			err = dictionary_message_add_entry(message, &entry);
	}
	return err;
}

static int dictionary_message_read_new(struct dictionary_entry *entry, struct json *json,
				       struct stream_fault *fault)
{
	struct dictionary_entry_message message;
	int err = dictionary_message_read_entry(&message, json, fault, true);

	*entry = message.said;
	return err;
}

static int dictionary_message_read_entries(struct dictionary_entries_message *message,
					   struct json *json, struct stream_fault *fault,
					   size_t max)
{
	struct json_value value;
	struct json_value key;
	bool has_list = false;
	int err = json_value(json, &value);

	if (!err && value.kind != JSON_KIND_OBJECT)
		return fault_value(fault, "it", "a JSON object", &value);
	while (!err && json_member(json, &key)) {
		if (!json_is(&key, "entries"))
			return rest_body_refuse_key(fault, &key);
		if (has_list)
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "entries comes twice");
		has_list = true;
		err = json_value(json, &value);
		if (!err && value.kind != JSON_KIND_ARRAY)
			return fault_value(fault, "entries", "a list", &value);
		if (!err)
			err = dictionary_message_read_list(message, json, fault, "entries", max,
							   dictionary_message_read_new);
	}
	if (!err && !has_list && !json->reason)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "entries is required");
	return err;
}

static int dictionary_message_by_word(const void *a, const void *b)
{
	const struct dictionary_entry *const *left = a;
	const struct dictionary_entry *const *right = b;
	int order = strcmp((*left)->word, (*right)->word);

	return order ? order : (*left > *right) - (*left < *right);
}

static int dictionary_message_refuse_twin(const struct dictionary_entries_message *message,
					  struct stream_fault *fault,
					  const struct dictionary_entry *twin)
{
	const struct json_value word = {.kind = JSON_KIND_STRING,
					.text = (char *)(uintptr_t)twin->word,
					.len = strlen(twin->word)};

	fault_value(fault, "word", "another than those before it", &word);
	return rest_body_place_fault(fault, "entries", (size_t)(twin - message->entries));
}

/* Sorts entries by word; those with the same word stay in their original order.  Returns NULL if
 * there is no memory. */
static const struct dictionary_entry **
dictionary_message_sort(const struct dictionary_entries_message *message)
{
	const struct dictionary_entry **sorted =
		calloc(message->count, sizeof(const struct dictionary_entry *));

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < message->count; ++i)
		sorted[i] = &message->entries[i];
	qsort(sorted, message->count, sizeof(const struct dictionary_entry *),
	      dictionary_message_by_word);
	return sorted;
}

int dictionary_message_drop_twins(struct dictionary_entries_message *message)
{
	const struct dictionary_entry **sorted;
	size_t kept = 0;

	if (message->count < 2)
		return 0;
	sorted = dictionary_message_sort(message);
	if (!sorted)
		return ENOMEM;
	for (size_t i = message->count - 1; i > 0; --i) {
		if (strcmp(sorted[i - 1]->word, sorted[i]->word) == 0)
			message->entries[sorted[i] - message->entries].word = NULL;
	}
	free(sorted);
	for (size_t i = 0; i < message->count; ++i) {
		if (message->entries[i].word)
			message->entries[kept++] = message->entries[i];
	}
	message->count = kept;
	return 0;
}

static int dictionary_message_check_words(const struct dictionary_entries_message *message,
					  struct stream_fault *fault)
{
	const struct dictionary_entry **sorted;
	const struct dictionary_entry *twin = NULL;

	if (message->count < 2)
		return 0;
	sorted = dictionary_message_sort(message);
	if (!sorted)
		return ENOMEM;
	for (size_t i = 1; i < message->count && !twin; ++i) {
		if (strcmp(sorted[i - 1]->word, sorted[i]->word) == 0)
			twin = sorted[i];
	}
	free(sorted);
	return twin ? dictionary_message_refuse_twin(message, fault, twin) : 0;
}

int dictionary_message_parse_entries(struct dictionary_entries_message *message,
				     struct stream_fault *fault, char *text, size_t len, size_t max)
{
	struct json json;
	int err;

	*message = (struct dictionary_entries_message){0};
	json_open(&json, text, len);
	err = dictionary_message_read_entries(message, &json, fault, max);
	err = rest_body_end(&json, fault, err);
	if (!err)
		err = dictionary_message_check_words(message, fault);
	if (err)
		dictionary_message_reset_entries(message);
	return err;
}

void dictionary_message_reset_entries(struct dictionary_entries_message *message)
{
	free(message->entries);
	*message = (struct dictionary_entries_message){0};
}
