/* Voices are written with the keys and values that clients' libraries expect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/voice_json.h"

static struct buf out;

typedef void(write_h)(struct json_write *json, const struct voice_json *voice);

static void assert_json(write_h *write, const struct voice_json *voice, const char *expected)
{
	struct json_write json;

	buf_init(&out, 4096);
	json_write_open(&json, &out);
	write(&json, voice);
	assert_int_equal(json_write_close(&json), 0);
	assert_int_equal(out.len, strlen(expected));
	assert_memory_equal(out.bytes, expected, out.len);
	buf_reset(&out);
}

static const struct voice_json sally = {
	.id = 1071,
	.handle = "sally",
	.name = "Sally",
	.category = "premade",
	.sex = "female",
	.quality = "high",
	.languages = "en",
	.is_public = true,
	.availability = "ready",
};

static const struct voice_json mine = {
	.id = 100000,
	.handle = "mine-100000",
	.name = "Mi\"ne",
	.description = "deep",
	.category = "designed",
	.age = "old",
	.quality = "low",
	.languages = "de,en",
	.sample_url = "/v1/voices/100000/sample",
	.generative_description = "g",
	.sample_text = "t",
	.base_id = 2001,
	.pitch = -1.5,
	.rate = 1.25,
	.variant = "f3",
	.availability = "stand_in",
};

static void test_what_is_unknown_is_null(void **state)
{
	(void)state;
	assert_json(voice_json_write, &sally,
		    "{\"id\":1071,\"voice_id\":1071,\"handle\":\"sally\",\"public_id\":null,"
		    "\"name\":\"Sally\",\"description\":null,\"category\":\"premade\","
		    "\"sex\":\"female\",\"age\":null,\"quality\":\"high\","
		    "\"supported_languages\":[\"en\"],\"sample_url\":null,\"avatar_url\":null,"
		    "\"is_public\":true,\"availability\":\"ready\"}");
}

static void test_a_derived_voice_shows_what_makes_it(void **state)
{
	(void)state;
	assert_json(
		voice_json_write_detail, &mine,
		"{\"id\":100000,\"voice_id\":100000,\"handle\":\"mine-100000\","
		"\"public_id\":null,\"name\":\"Mi\\\"ne\",\"description\":\"deep\","
		"\"category\":\"designed\",\"sex\":null,\"age\":\"old\",\"quality\":\"low\","
		"\"supported_languages\":[\"de\",\"en\"],"
		"\"sample_url\":\"/v1/voices/100000/sample\",\"avatar_url\":null,"
		"\"is_public\":false,\"availability\":\"stand_in\",\"base_voice_id\":2001,\"pitch\":-1.5,\"rate\":1.25,"
		"\"variant\":\"f3\",\"generative_voice_description\":\"g\","
		"\"verified\":false,\"pending_verification\":false,\"sample_text\":\"t\"}");
}

static void test_languages_are_whole_codes(void **state)
{
	(void)state;
	assert_true(voice_json_has_language("de", "de"));
	assert_true(voice_json_has_language("de,yue,en", "yue"));
	assert_false(voice_json_has_language("de,yue", "yu"));
	assert_false(voice_json_has_language("yue", "y"));
	assert_false(voice_json_has_language("", "de"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_unknown_is_null),
		cmocka_unit_test(test_a_derived_voice_shows_what_makes_it),
		cmocka_unit_test(test_languages_are_whole_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
