/*
 * fuzz_rest_body.c: whatever body a REST client sends is taken or refused cleanly.
 *
 * The first byte chooses which body it is, from 128 on one of accounts.  What was taken lies within the body,
 * is UTF-8 with a NUL behind it and within its limits; a refusal says why.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "wire/account_message.h"
#include "wire/dictionary_message.h"
#include "wire/normalize_message.h"

#define ENTRIES_MAX 20

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static char *json; /* the body */
static size_t json_len;
static struct stream_fault fault;

static bool is_utf8(const char *text, size_t len)
{
	struct utf8_state state = {0};

	return utf8_check(&state, text, len) && utf8_is_complete(&state);
}

static void check_text(const char *text, size_t min, size_t max)
{
	size_t len;

	if (!text)
		return;
	MUST(text >= json && text < json + json_len);
	len = strnlen(text, (size_t)(json + json_len - text));
	MUST(text + len < json + json_len);
	MUST(is_utf8(text, len));
	MUST(utf8_count(text, len) >= min && utf8_count(text, len) <= max);
}

static void check_entry(const struct dictionary_entry *entry)
{
	check_text(entry->word, 1, DICTIONARY_WORD_MAX);
	check_text(entry->replacement, 1, DICTIONARY_REPLACEMENT_MAX);
	check_text(entry->ipa, 1, DICTIONARY_IPA_MAX);
}

static int parse_dictionary(bool is_new)
{
	struct dictionary_message message;
	int err = dictionary_message_parse(&message, &fault, json, json_len, is_new);

	if (err)
		return err;
	MUST(!is_new || message.name);
	check_text(message.name, 1, DICTIONARY_NAME_MAX);
	check_text(message.description, 0, DICTIONARY_DESCRIPTION_MAX);
	check_text(message.language, 1, DICTIONARY_LANGUAGE_MAX);
	return 0;
}

static int parse_entry(bool is_new)
{
	struct dictionary_entry_message message;
	int err = dictionary_message_parse_entry(&message, &fault, json, json_len, is_new);

	if (err)
		return err;
	MUST(!is_new || (message.said.word && message.said.replacement));
	check_entry(&message.said);
	return 0;
}

static int parse_entries(void)
{
	struct dictionary_entries_message message;
	int err = dictionary_message_parse_entries(&message, &fault, json, json_len, ENTRIES_MAX);

	if (err)
		return err;
	MUST(message.count <= ENTRIES_MAX);
	for (size_t i = 0; i < message.count; ++i) {
		MUST(message.entries[i].word && message.entries[i].replacement);
		check_entry(&message.entries[i]);
		for (size_t j = 0; j < i; ++j)
			MUST(strcmp(message.entries[i].word, message.entries[j].word) != 0);
	}
	dictionary_message_reset_entries(&message);
	return 0;
}

static int parse_normalize(void)
{
	struct normalize_message message;
	int err = normalize_message_parse(&message, &fault, json, json_len);

	if (err)
		return err;
	check_text(message.text, 1, NORMALIZE_MESSAGE_TEXT_MAX);
	MUST(message.text && strnlen(message.language, sizeof(message.language)) >= 2);
	return 0;
}

static void check_limits(const struct limits_message *limits)
{
	const int64_t numbers[] = {limits->turns, limits->connections, limits->requests_per_minute,
				   limits->characters_per_minute, limits->text_max};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i)
		MUST(numbers[i] != 0 && numbers[i] >= ACCOUNT_MESSAGE_OF_PLAN &&
		     numbers[i] <= ACCOUNT_MESSAGE_LIMIT_MAX);
}

static int parse_account(bool is_new)
{
	struct account_message message;
	int err = account_message_parse(&message, &fault, json, json_len, is_new);

	if (err)
		return err;
	check_text(message.name, 1, ACCOUNT_MESSAGE_NAME_MAX);
	check_text(message.plan, 1, ACCOUNT_MESSAGE_NAME_MAX);
	check_limits(&message.limits);
	return 0;
}

static int parse_key(bool is_new)
{
	struct key_message message;
	int err = account_message_parse_key(&message, &fault, json, json_len, is_new);

	if (err)
		return err;
	check_text(message.name, 0, ACCOUNT_MESSAGE_NAME_MAX);
	check_text(message.expires_at, 1, 40);
	MUST(strnlen(message.scopes.text, REST_WORDS_SIZE) < REST_WORDS_SIZE);
	MUST(message.credit_cents >= -1);
	check_limits(&message.limits);
	return 0;
}

static int parse_project(void)
{
	struct project_message message;
	int err = account_message_parse_project(&message, &fault, json, json_len);

	if (!err)
		check_text(message.name, 1, ACCOUNT_MESSAGE_NAME_MAX);
	return err;
}

static int parse_top_up(void)
{
	struct top_up_message message;
	int err = account_message_parse_top_up(&message, &fault, json, json_len);

	if (err)
		return err;
	MUST(message.id && message.amount_microcents != 0);
	check_text(message.id, 1, ACCOUNT_MESSAGE_TOP_UP_ID_MAX);
	check_text(message.note, 0, ACCOUNT_MESSAGE_NAME_MAX);
	return 0;
}

static int parse_token(void)
{
	struct token_message message;
	int err = account_message_parse_token(&message, &fault, json, json_len);

	if (err)
		return err;
	check_text(message.path, 1, ACCOUNT_MESSAGE_PATH_MAX);
	MUST(message.expires_in >= 1 && message.expires_in <= ACCOUNT_MESSAGE_TOKEN_SECONDS_MAX);
	return 0;
}

static int parse_of_account(uint8_t which)
{
	switch (which % 7) {
	case 0:
	case 1:
		return parse_account(which % 7 == 0);
	case 2:
	case 3:
		return parse_key(which % 7 == 2);
	case 4:
		return parse_project();
	case 5:
		return parse_top_up();
	default:
		return parse_token();
	}
}

static int parse(uint8_t which)
{
	if (which >= 128)
		return parse_of_account(which - 128);
	switch (which % 6) {
	case 0:
	case 1:
		return parse_dictionary(which % 6 == 0);
	case 2:
	case 3:
		return parse_entry(which % 6 == 2);
	case 4:
		return parse_entries();
	default:
		return parse_normalize();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	if (len < 1)
		return 0;
	json_len = len - 1;
	json = malloc(json_len ? json_len : 1); /* exactly as long, for the sanitizer */
	MUST(json);
	if (json_len > 0)
		memcpy(json, bytes + 1, json_len);
	fault = (struct stream_fault){0};
	if (parse(bytes[0]) != 0) {
		MUST(fault.id != WIRE_ERROR_NONE && fault.detail[0] != '\0');
		MUST(is_utf8(fault.detail, strlen(fault.detail)));
	}
	free(json);
	return 0;
}
