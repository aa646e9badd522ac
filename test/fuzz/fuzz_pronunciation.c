/*
 * fuzz_pronunciation.c: forms, lexicon files, and ElevenLabs' rules.
 *
 * The first byte chooses the parser.  Checked: what the parser accepts is within its limits and
 * inside the input, and a lexicon that was read can be written and read again with the same
 * entries.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "doors/elevenlabs/pls.h"
#include "doors/elevenlabs/pronunciation_message.h"
#include "wire/multipart.h"

#define INPUT_MAX 8192
#define ENTRIES_MAX 50
#define FILE_MAX (1u << 20)
#define MUST(condition) assert(condition)

static char *input;
static size_t input_len;

static void check_text(const char *text, size_t min, size_t max)
{
	size_t len;

	MUST(text >= input && text < input + input_len);
	len = strnlen(text, (size_t)(input + input_len - text));
	MUST(text + len < input + input_len);
	MUST(utf8_count(text, len) >= min && utf8_count(text, len) <= max);
}

static void check_entries(const struct dictionary_entries_message *message)
{
	for (size_t i = 0; i < message->count; ++i) {
		const struct dictionary_entry *entry = &message->entries[i];

		check_text(entry->word, 1, DICTIONARY_WORD_MAX);
		check_text(entry->replacement, 1, DICTIONARY_REPLACEMENT_MAX);
		if (entry->ipa)
			check_text(entry->ipa, 1, DICTIONARY_IPA_MAX);
		for (size_t k = 0; k < i && i < ENTRIES_MAX; ++k)
			MUST(strcmp(entry->word, message->entries[k].word) != 0);
	}
}

/* Control characters cannot be written in XML and are read as blanks afterwards. */
static bool is_printable(const char *text)
{
	for (; *text; ++text) {
		if ((unsigned char)*text < 0x20)
			return false;
	}
	return true;
}

static void check_again(const struct dictionary_entries_message *message, const char *language)
{
	struct dictionary_entries_message again;
	struct stream_fault fault;
	const char *other = NULL;
	bool is_same = true;
	struct buf out;

	buf_init(&out, FILE_MAX);
	MUST(pls_write_begin(&out, language) == 0);
	for (size_t i = 0; i < message->count; ++i) {
		is_same = is_same && is_printable(message->entries[i].word);
		MUST(pls_write_entry(&out, &message->entries[i]) == 0);
	}
	MUST(pls_write_end(&out) == 0);
	MUST(pls_parse(&again, &other, &fault, out.bytes, out.len, ENTRIES_MAX) == 0);
	MUST(!is_same || again.count == message->count);
	for (size_t i = 0; is_same && i < again.count; ++i) {
		MUST(strcmp(again.entries[i].word, message->entries[i].word) == 0);
		MUST(!again.entries[i].ipa == !message->entries[i].ipa);
	}
	dictionary_message_reset_entries(&again);
	buf_reset(&out);
}

static void read_file(void)
{
	struct dictionary_entries_message message;
	struct stream_fault fault;
	const char *language = NULL;

	if (pls_parse(&message, &language, &fault, input, input_len, ENTRIES_MAX) != 0) {
		MUST(fault.id != WIRE_ERROR_NONE && fault.detail[0] != '\0');
		return;
	}
	MUST(message.count <= ENTRIES_MAX);
	check_entries(&message);
	if (language)
		check_text(language, 1, DICTIONARY_LANGUAGE_MAX);
	check_again(&message, language);
	dictionary_message_reset_entries(&message);
}

static void read_form(void)
{
	struct multipart form;
	struct multipart_part part;
	char *at = input;
	size_t left = input_len;
	int err;

	MUST(multipart_open(&form, "multipart/form-data; boundary=\"ab\"") == 0);
	while ((err = multipart_next_part(&form, &at, &left, &part)) == 0) {
		MUST(part.name >= form.head);
		MUST(part.name + part.name_len <= form.head + form.head_len);
		MUST(part.bytes >= input && part.bytes + part.len < input + input_len);
	}
	MUST(err == ENOENT || err == EINVAL);
	MUST(form.parts <= MULTIPART_PARTS_MAX + 1);
}

static void read_rules(unsigned required)
{
	struct pronunciation_message message;
	struct stream_fault fault;

	if (pronunciation_message_parse(&message, &fault, required, input, input_len, 10000) != 0) {
		MUST(fault.id != WIRE_ERROR_NONE && fault.detail[0] != '\0');
		return;
	}
	MUST((message.body.fields & required) == required);
	check_entries(&message.rules);
	if (message.name)
		check_text(message.name, 1, DICTIONARY_NAME_MAX);
	pronunciation_message_reset(&message);
}

static void read_locators(void)
{
	struct settings settings = settings_default;
	struct stream_fault fault = {0};
	struct json_value value;
	struct json json;

	json_open(&json, input, input_len);
	if (json_value(&json, &value) == 0 &&
	    pronunciation_message_locators(&settings, &json, &fault, &value) == 0 &&
	    settings.dictionary_ids) {
		MUST(settings.set & SETTING_DICTIONARY_IDS);
		MUST(settings.dictionary_ids->count <= SETTINGS_DICTIONARIES_MAX);
		for (size_t i = 0; i < settings.dictionary_ids->count; ++i)
			MUST(settings.dictionary_ids->ids[i] > 0);
	}
	settings_reset(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	if (len < 1 || len > INPUT_MAX)
		return 0;
	input_len = len - 1;
	input = malloc(input_len ? input_len : 1); /* the exact size, for the sanitizer */
	MUST(input);
	memcpy(input, bytes + 1, input_len);
	switch (bytes[0] % 4) {
	case 0:
		read_file();
		break;
	case 1:
		read_form();
		break;
	case 2:
		read_rules(bytes[0] / 4 % 32);
		break;
	default:
		read_locators();
		break;
	}
	free(input);
	return 0;
}
