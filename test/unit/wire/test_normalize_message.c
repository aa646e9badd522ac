/* The text to be normalized and its language are read, and invalid bodies are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/normalize_message.h"

static struct normalize_message message;
static struct stream_fault fault;
static char bytes[256];

static int parse(const char *json)
{
	size_t len = strlen(json);

	assert_true(len < sizeof(bytes));
	memcpy(bytes, json, len + 1);
	return normalize_message_parse(&message, &fault, bytes, len);
}

static void test_the_language_is_english_unless_given(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"text\":\"I owe you 5 €.\"}"), 0);
	assert_string_equal(message.text, "I owe you 5 €.");
	assert_string_equal(message.language, "en");
	assert_int_equal(parse("{\"text\":\"5\",\"language\":null}"), 0);
	assert_string_equal(message.language, "en");
	assert_int_equal(parse("{\"text\":\"5\",\"language\":\"DE-at\"}"), 0);
	assert_string_equal(message.language, "de");
}

static void test_wrong_bodies_are_refused(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"text\":\"5\",\"language\":\"tlh\"}"), EINVAL);
	assert_string_equal(fault.detail,
			    "language must be the code of a supported language (got \"tlh\")");
	assert_int_equal(parse("{\"text\":\"\"}"), EINVAL);
	assert_string_equal(fault.detail, "text must have 1 to 10000 characters (got 0)");
	assert_int_equal(parse("{\"text\":\"a\",\"voice_id\":1}"), EINVAL);
	assert_string_equal(fault.detail, "a key must be a known one (got \"voice_id\")");
	assert_int_equal(parse("{}"), EINVAL);
	assert_string_equal(fault.detail, "text is required");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_language_is_english_unless_given),
		cmocka_unit_test(test_wrong_bodies_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
