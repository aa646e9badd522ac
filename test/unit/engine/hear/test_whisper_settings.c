/* config.json and generation_config.json of Whisper models. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "engine/hear/whisper_settings.h"

#define WHY_SIZE 128

#define NUMBERS                                                                                    \
	"\"decoder_layers\": 4, \"decoder_attention_heads\": 6, \"d_model\": 384, "                \
	"\"num_mel_bins\": 80, \"max_source_positions\": 1500, \"max_target_positions\": 448, "    \
	"\"vocab_size\": 51865"

static int test_whisper_settings_read(struct whisper_settings *settings, const char *json,
				      char why[WHY_SIZE])
{
	char *copy = strdup(json);
	int err;

	assert_non_null(copy);
	why[0] = '\0';
	err = whisper_settings_read(settings, copy, strlen(copy), why, WHY_SIZE);
	free(copy);
	return err;
}

static void test_whisper_settings_are_read(void **state)
{
	static const char generation[] =
		"{\"alignment_heads\": [[2, 2], [3, 0], [4, 0], [0, 6], [1], \"x\", [3, 5]],"
		" \"suppress_tokens\": [1, 2, 7], \"lang_to_id\": {\"<|de|>\": 50261}}";
	struct whisper_settings settings;
	char why[WHY_SIZE];
	char *copy;

	(void)state;
	assert_int_equal(test_whisper_settings_read(
				 &settings,
				 "{\"model_type\": \"whisper\", \"begin_suppress_tokens\": [220, "
				 "50257], \"suppress_tokens\": [5, -1, null], " NUMBERS "}",
				 why),
			 0);
	assert_int_equal(settings.layers, 4);
	assert_int_equal(settings.heads, 6);
	assert_int_equal(settings.width, 384);
	assert_int_equal(settings.bins, 80);
	assert_int_equal(settings.positions, 1500);
	assert_int_equal(settings.tokens_max, 448);
	assert_int_equal(settings.vocabulary, 51865);
	assert_true(settings.is_multilingual);
	assert_int_equal(settings.suppressed.count, 1);
	assert_int_equal(settings.begin_suppressed.count, 2);
	assert_int_equal(settings.begin_suppressed.ids[1], 50257);
	assert_int_equal(settings.aligned_count, 0);

	copy = strdup(generation);
	assert_non_null(copy);
	assert_int_equal(
		whisper_settings_read_generation(&settings, copy, strlen(copy), why, sizeof(why)),
		0);
	free(copy);
	assert_int_equal(settings.suppressed.count, 3);
	assert_int_equal(settings.begin_suppressed.count, 2);
	assert_int_equal(settings.aligned_count, 3); /* those that the model has */
	assert_int_equal(settings.aligned[2].layer, 3);
	assert_int_equal(settings.aligned[2].head, 5);
}

static void test_whisper_settings_say_what_is_wrong(void **state)
{
	static const struct {
		const char *json, *why;
	} files[] = {
		{"", "it is damaged at byte 0"},
		{"17", "it is no object"},
		{"{\"model_type\": \"moonshine\", " NUMBERS "}", "is not \"whisper\""},
		{"{" NUMBERS "}", "is not \"whisper\""},
		{"{\"model_type\": \"whisper\", \"decoder_layers\": 4}",
		 "\"decoder_attention_heads\""},
		{"{\"decoder_layers\": 0}", "\"decoder_layers\" is no number from 1 to 12"},
		{"{\"decoder_layers\": 13}", "\"decoder_layers\" is no number from 1 to 12"},
		{"{\"d_model\": \"384\"}", "\"d_model\" is no number"},
		{"{\"model_type\": \"whisper\", " NUMBERS ", \"d_model\": 383}",
		 "6 heads do not divide a width of 383"},
		{"{\"suppress_tokens\": [1", "it is damaged"},
		{"{\"alignment_heads\": [[1, 2}", "it is damaged"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); ++i) {
		struct whisper_settings settings;
		char why[WHY_SIZE];

		assert_int_equal(test_whisper_settings_read(&settings, files[i].json, why), EINVAL);
		if (!strstr(why, files[i].why))
			fail_msg("%s: %s", files[i].json, why);
	}
}

static void test_whisper_settings_english_models_have_no_languages(void **state)
{
	struct whisper_settings settings;
	char why[WHY_SIZE];
	char *copy;

	(void)state;
	assert_int_equal(test_whisper_settings_read(&settings,
						    "{\"model_type\": \"whisper\", " NUMBERS
						    ", \"vocab_size\": 51864}",
						    why),
			 0);
	assert_false(settings.is_multilingual);
	copy = strdup("{\"is_multilingual\": true}");
	assert_non_null(copy);
	assert_int_equal(
		whisper_settings_read_generation(&settings, copy, strlen(copy), why, sizeof(why)),
		0);
	free(copy);
	assert_true(settings.is_multilingual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whisper_settings_are_read),
		cmocka_unit_test(test_whisper_settings_say_what_is_wrong),
		cmocka_unit_test(test_whisper_settings_english_models_have_no_languages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
