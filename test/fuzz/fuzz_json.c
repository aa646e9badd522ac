/*
 * fuzz_json.c: the scanner against jansson.
 *
 * Both must accept or refuse the same texts and read the same values, except where ours differs as
 * documented: halves of surrogate pairs and U+0000 are read as U+FFFD, numbers of any size are
 * JSON, and lists may be nested JSON_DEPTH_MAX deep.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void compare_value(struct json *json, const json_t *expected);

static void compare_members(struct json *json, const json_t *expected)
{
	struct json_value key;
	size_t count = 0;

	while (json_member(json, &key)) {
		const json_t *value = json_object_getn(expected, key.text, key.len);

		MUST(value);
		compare_value(json, value);
		++count;
	}
	MUST(count == json_object_size(expected));
}

static void compare_elements(struct json *json, const json_t *expected)
{
	size_t count = 0;

	while (json_element(json))
		compare_value(json, json_array_get(expected, count++));
	MUST(count == json_array_size(expected));
}

/* The bits of a number, which distinguish -0 from 0. */
static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static void compare_number(const struct json_value *value, const json_t *expected)
{
	int64_t integer;
	double number;
	int err = json_to_double(&number, value);

	if (json_is_integer(expected)) {
		MUST(json_to_integer(&integer, value) == 0);
		MUST(integer == json_integer_value(expected));
	} else if (value->len <= 64) {
		MUST(err == 0);
		MUST(bits_of(number) == bits_of(json_real_value(expected)));
	}
}

static void compare_value(struct json *json, const json_t *expected)
{
	struct json_value value;

	MUST(expected);
	MUST(json_value(json, &value) == 0);
	switch (value.kind) {
	case JSON_KIND_NULL:
		MUST(json_is_null(expected));
		break;
	case JSON_KIND_BOOL:
		MUST(value.truth ? json_is_true(expected) : json_is_false(expected));
		break;
	case JSON_KIND_NUMBER:
		MUST(json_is_number(expected));
		compare_number(&value, expected);
		break;
	case JSON_KIND_STRING:
		MUST(json_is_string(expected));
		MUST(value.len == json_string_length(expected));
		MUST(memcmp(value.text, json_string_value(expected), value.len) == 0);
		break;
	case JSON_KIND_ARRAY:
		MUST(json_is_array(expected));
		compare_elements(json, expected);
		break;
	case JSON_KIND_OBJECT:
		MUST(json_is_object(expected));
		compare_members(json, expected);
		break;
	}
}

/* Skips the whole text; returns the scanner's reason if it refuses the text, NULL otherwise. */
static const char *refusal(char *text, size_t len)
{
	struct json json;
	struct json_value value;

	json_open(&json, text, len);
	if (json_value(&json, &value) == 0)
		json_skip(&json, &value);
	MUST((json_close(&json) == 0) == (json.reason == NULL));
	MUST(!json.reason || json.fault_at <= len);
	return json.reason;
}

/* Whether jansson has refused the text for a reason that is not one for our scanner.  It stopped
 * there, so nothing is known about the rest. */
static bool differs_by_intent(const json_error_t *error)
{
	enum json_error_code code = json_error_code(error);

	return code == json_error_null_character || code == json_error_null_byte_in_key ||
	       code == json_error_numeric_overflow || code == json_error_duplicate_key ||
	       strncmp(error->text, "invalid Unicode", 15) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	char *copy = malloc(len ? len : 1); /* the exact size, for the sanitizer */
	json_error_t error;
	json_t *expected;
	const char *reason;
	struct json json;

	MUST(copy);
	if (len > 0)
		memcpy(copy, bytes, len);
	reason = refusal(copy, len);
	expected = json_loadb((const char *)bytes, len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES,
			      &error);
	if (expected && reason) {
		/* jansson treats a NUL byte after the value as the end. */
		MUST(strcmp(reason, "nested too deep") == 0 || memchr(bytes, '\0', len));
	} else if (expected) {
		memcpy(copy, bytes, len);
		json_open(&json, copy, len);
		compare_value(&json, expected);
		MUST(json_close(&json) == 0);
	} else if (!reason) {
		MUST(differs_by_intent(&error));
	}
	json_decref(expected);
	free(copy);
	return 0;
}
