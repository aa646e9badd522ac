/*
 * fuzz_rest_body.c: any body of a REST client is accepted or refused cleanly.
 *
 * The first byte chooses the kind of body; from 128 on it is one about accounts.  Checked: what was
 * accepted is inside the body, is UTF-8 followed by a NUL, and is within its limits; a refusal has
 * a reason.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "account/registry.h"
#include "account/single_use_token.h"
#include "base/utf8.h"
#include "server/account_form.h"
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

static void check_line(const char *line, size_t size, size_t min)
{
	size_t len = strnlen(line, size);

	MUST(len >= min && len < size);
	for (size_t i = 0; i < len; ++i)
		MUST((unsigned char)line[i] >= ' ' && line[i] != 0x7f);
}

static void check_limits(struct store_limits *limits)
{
	for (size_t i = 0; i < REGISTRY_LIMITS; ++i) {
		int64_t limit = *registry_limit_at(limits, i);

		MUST(limit != 0 && limit >= STORE_LIMIT_PLAN && limit <= REGISTRY_LIMIT_MAX);
	}
}

static int parse_account(bool is_new)
{
	struct account_form form = {.row = {.limits = STORE_LIMITS_PLAN}};
	int err = account_form_read(&form, &fault, json, json_len, is_new);

	if (err)
		return err;
	check_line(form.row.name, sizeof(form.row.name), is_new);
	check_line(form.row.plan, sizeof(form.row.plan), 0);
	check_limits(&form.row.limits);
	return 0;
}

static int parse_key(bool is_new)
{
	struct key_form form = {.row = {.credit_cents = -1, .limits = STORE_LIMITS_PLAN}};
	int err = account_form_read_key(&form, &fault, json, json_len, is_new);

	if (err)
		return err;
	check_line(form.row.name, sizeof(form.row.name), 0);
	MUST(form.row.credit_cents >= -1 && form.row.expires_ms >= 0);
	check_limits(&form.row.limits);
	return 0;
}

static int parse_project(void)
{
	struct project_form form = {0};
	int err = account_form_read_project(&form, &fault, json, json_len);

	if (!err)
		check_line(form.row.name, sizeof(form.row.name), 1);
	return err;
}

static int parse_top_up(void)
{
	struct top_up_form form = {0};
	int err = account_form_read_top_up(&form, &fault, json, json_len);

	if (err)
		return err;
	MUST(form.row.amount_microcents != 0);
	check_line(form.row.id, sizeof(form.row.id), 1);
	check_line(form.row.note, sizeof(form.row.note), 0);
	return 0;
}

static int parse_token(void)
{
	struct token_form form = {.expires_in = SINGLE_USE_TOKEN_SECONDS};
	int err = account_form_read_token(&form, &fault, json, json_len);

	if (err)
		return err;
	check_line(form.row.path, sizeof(form.row.path), 1);
	MUST(form.expires_in >= 1 && form.expires_in <= SINGLE_USE_TOKEN_SECONDS_MAX);
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
	json = malloc(json_len ? json_len : 1); /* the exact size, for the sanitizer */
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
