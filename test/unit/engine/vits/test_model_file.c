/* Metadata files are read completely, and rejected with a reason when the engine cannot use
 * them. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/vits/model_file_private.h"

#define SYMBOLS "\"phoneme_id_map\":{\"_\":[0],\"^\":[1],\"$\":[2],\" \":[3],\"a\":[14]}"
#define AUDIO "\"audio\":{\"sample_rate\":22050,\"quality\":\"high\"}"
#define ESPEAK "\"espeak\":{\"voice\":\"en-us\"}"
#define LEAST AUDIO "," ESPEAK "," SYMBOLS

static char why[256];

static int test_model_file_parse_as(struct model_file **filep, const char *path, const char *json)
{
	why[0] = '\0';
	return model_file_parse(filep, path, MODEL_COMPANION_JSON, json, strlen(json), NULL, why,
				sizeof(why));
}

static struct model_file *test_model_file_parse(const char *json)
{
	struct model_file *file = NULL;
	int err = test_model_file_parse_as(&file, "/voices/en_US-amy-low.onnx", json);

	if (err)
		fail_msg("%s", why);
	return file;
}

static bool test_model_file_is_near(float a, float b)
{
	return fabsf(a - b) < 1e-6f;
}

static void test_model_file_pipers_form_is_read(void **state)
{
	struct model_file *file = test_model_file_parse(
		"{\"dataset\":\"amy\"," AUDIO ",\"espeak\":{\"voice\":\"de\"},"
		"\"language\":{\"code\":\"de_AT\",\"family\":\"de\",\"name_native\":\"Deutsch\"},"
		"\"inference\":{\"noise_scale\":0.5,\"length_scale\":1.25,\"noise_w\":0.25},"
		"\"phoneme_type\":\"espeak\",\"phoneme_map\":{}," SYMBOLS
		",\"num_symbols\":256,\"num_speakers\":1,\"speaker_id_map\":{}}");

	(void)state;
	assert_int_equal(file->family, MODEL_VITS);
	assert_string_equal(file->path, "/voices/en_US-amy-low.onnx");
	assert_string_equal(file->name, "en_US-amy-low");
	assert_string_equal(file->licence, "");
	assert_string_equal(file->espeak_voice, "de");
	assert_string_equal(file->language, "de");
	assert_int_equal(file->sample_rate, 22050);
	assert_int_equal(file->quality, ENGINE_HIGH);
	assert_true(test_model_file_is_near(file->noise_scale, 0.5f));
	assert_true(test_model_file_is_near(file->length_scale, 1.25f));
	assert_true(test_model_file_is_near(file->noise_w, 0.25f));
	assert_int_equal(file->speaker_count, 1);
	assert_int_equal(file->speaker_count_listed, 1);
	assert_string_equal(file->speakers[0].name, "en_US-amy-low");
	assert_string_equal(file->speakers[0].title, "Amy");
	assert_false(file->speakers[0].has_gain);
	assert_int_equal(model_file_id(file, 'a'), 14);
	assert_int_equal(model_file_id(file, ' '), 3);
	assert_int_equal(model_file_id(file, 'b'), -1);
	mem_deref(file);
	assert_int_equal(mem_live(), 0);
}

static void test_model_file_old_files_leave_things_out(void **state)
{
	struct model_file *file =
		test_model_file_parse("{\"audio\":{\"sample_rate\":16000}," ESPEAK "," SYMBOLS
				      ",\"language\":null,\"num_speakers\":0}");

	(void)state;
	assert_string_equal(file->language, "en"); /* by the voice */
	assert_int_equal(file->quality, ENGINE_LOW); /* by the file's name */
	assert_true(test_model_file_is_near(file->noise_scale, 0.667f));
	assert_true(test_model_file_is_near(file->length_scale, 1));
	assert_true(test_model_file_is_near(file->noise_w, 0.8f));
	assert_int_equal(file->speaker_count, 1);
	mem_deref(file);
}

static void test_model_file_languages_are_codes(void **state)
{
	static const struct {
		const char *tag;
		const char *code;
	} rows[] = {{"en_US", "en"}, {"de", "de"},      {"nb-NO", "no"}, {"cmn-latn", "zh"},
		    {"yue", "yue"},  {"English", "en"}, {"EN", "en"},    {"", "en"}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		char json[512];
		struct model_file *file;

		snprintf(json, sizeof(json), "{" LEAST ",\"language\":{\"code\":\"%s\"}}",
			 rows[i].tag);
		file = test_model_file_parse(json);
		assert_string_equal(file->language, rows[i].code);
		mem_deref(file);
	}
}

static void test_model_file_titles_are_for_people(void **state)
{
	static const struct {
		const char *name;
		const char *title;
	} rows[] = {{"en_US-amy-medium", "Amy"},
		    {"en_US-libritts_r-medium", "Libritts R"},
		    {"de_DE-thorsten_emotional-x_low", "Thorsten Emotional"},
		    {"kokoro", "Kokoro"},
		    {"my-own-voice", "My Own Voice"},
		    {"medium", "medium"}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct model_file *file = NULL;
		char path[128];

		snprintf(path, sizeof(path), "%s.onnx", rows[i].name);
		assert_int_equal(test_model_file_parse_as(&file, path, "{" LEAST "}"), 0);
		assert_string_equal(file->speakers[0].title, rows[i].title);
		mem_deref(file);
	}
}

static void test_model_file_speakers_are_called_by_the_map_or_by_number(void **state)
{
	struct model_file *file = test_model_file_parse(
		"{" LEAST ",\"num_speakers\":100,"
		"\"speaker_id_map\":{\"p225\":0,\"odd one\":1,\"p3\":2,\"p99\":99}}");

	(void)state;
	assert_int_equal(file->speaker_count, 100);
	assert_int_equal(file->speaker_count_listed, MODEL_FILE_SPEAKERS_MAX);
	assert_string_equal(file->speakers[0].name, "en_US-amy-low:p225");
	assert_string_equal(file->speakers[0].title, "Amy p225");
	assert_string_equal(file->speakers[1].name, "en_US-amy-low:1");
	assert_string_equal(file->speakers[2].name, "en_US-amy-low:p3");
	assert_int_equal(file->speakers[63].speaker, 63);
	mem_deref(file);
}

static void test_model_file_chosen_speakers_are_the_voices(void **state)
{
	struct model_file *file = test_model_file_parse(
		"{\"syrinx\":{\"family\":\"vits\",\"licence\":\"CC BY 4.0\",\"speakers\":["
		"{\"name\":\"clara\",\"title\":\"Clara\",\"speaker\":12,"
		"\"sex\":\"female\",\"gain_db\":-2.5,\"unknown\":[{}]},"
		"{\"name\":\"ross\",\"speaker\":903,\"sex\":\"male\"}]},"
		"\"num_speakers\":904," LEAST "}");

	(void)state;
	assert_string_equal(file->licence, "CC BY 4.0");
	assert_int_equal(file->speaker_count_listed, 2);
	assert_string_equal(file->speakers[0].name, "en_US-amy-low:clara");
	assert_string_equal(file->speakers[0].title, "Clara");
	assert_int_equal(file->speakers[0].speaker, 12);
	assert_int_equal(file->speakers[0].sex, ENGINE_FEMALE);
	assert_true(file->speakers[0].has_gain);
	assert_true(test_model_file_is_near(file->speakers[0].gain_db, -2.5f));
	assert_string_equal(file->speakers[1].title, "Ross");
	assert_int_equal(file->speakers[1].sex, ENGINE_MALE);
	assert_false(file->speakers[1].has_gain);
	mem_deref(file);
}

static void test_model_file_kokoros_speakers_have_styles_and_languages(void **state)
{
	struct model_file *file = test_model_file_parse(
		"{\"audio\":{\"sample_rate\":24000}," ESPEAK
		",\"phoneme_id_map\":{\"$\":0,\"a\":43},\"syrinx\":{\"family\":\"kokoro\","
		"\"speakers\":[{\"name\":\"heart\",\"style_file\":\"kokoro-af_heart.bin\"},"
		"{\"name\":\"dora\",\"style_file\":\"kokoro-ef_dora.bin\","
		"\"espeak_voice\":\"es\",\"language\":\"es\"}]}}");

	(void)state;
	assert_int_equal(file->family, MODEL_KOKORO);
	assert_int_equal(model_file_id(file, 'a'), 43);
	assert_string_equal(file->speakers[0].style_file, "kokoro-af_heart.bin");
	assert_null(file->speakers[0].espeak_voice);
	assert_string_equal(file->speakers[0].language, "");
	assert_string_equal(file->speakers[1].espeak_voice, "es");
	assert_string_equal(file->speakers[1].language, "es");
	mem_deref(file);
}

static void test_model_file_symbols_of_several_code_points_are_left_out(void **state)
{
	struct model_file *file = test_model_file_parse(
		"{" AUDIO "," ESPEAK ",\"phoneme_id_map\":{\"_\":[0],\"^\":[1],\"$\":[2],"
		"\"ts\":[5],\"\":[6],\"\\u0283\":[7],\"\\ud83d\\ude00\":[8]}}");

	(void)state;
	assert_int_equal(file->symbols_ignored, 2);
	assert_int_equal(file->symbol_count, 5);
	assert_int_equal(model_file_id(file, 0x283), 7);
	assert_int_equal(model_file_id(file, 0x1f600), 8);
	mem_deref(file);
}

static void test_model_file_the_last_of_two_members_counts(void **state)
{
	struct model_file *file =
		test_model_file_parse("{" LEAST ",\"espeak\":{\"voice\":\"de\"}," SYMBOLS "}");

	(void)state;
	assert_string_equal(file->espeak_voice, "de");
	assert_int_equal(file->symbol_count, 5);
	mem_deref(file);
}

#define LISTED(row) "{" LEAST ",\"num_speakers\":4,\"syrinx\":{\"speakers\":[" row "]}}"

static void test_model_file_what_cannot_be_is_refused_with_its_member(void **state)
{
	static const struct {
		const char *json;
		const char *reason;
	} rows[] = {
		{"", "line 1"},
		{"{\n\"audio\":{}\n\"espeak\":{}}", "line 3"},
		{"{" LEAST "} x", "line 1"},
		{"[]", "no object"},
		{"{}", "phoneme_id_map"},
		{"{" ESPEAK "," SYMBOLS "}", "audio.sample_rate"},
		{"{" AUDIO "," SYMBOLS "}", "espeak.voice"},
		{"{\"audio\":7}", "\"audio\" is no object"},
		{"{\"audio\":{\"sample_rate\":7999}}", "audio.sample_rate"},
		{"{\"audio\":{\"sample_rate\":48001}}", "audio.sample_rate"},
		{"{\"audio\":{\"sample_rate\":22050.5}}", "audio.sample_rate"},
		{"{\"audio\":{\"sample_rate\":\"22050\"}}", "audio.sample_rate"},
		{"{\"audio\":{\"sample_rate\":[]}}", "audio.sample_rate"},
		{"{\"espeak\":{\"voice\":\"../en\"}}", "espeak.voice"},
		{"{\"espeak\":{\"voice\":\"\"}}", "espeak.voice"},
		{"{\"espeak\":{\"voice\":3}}", "espeak.voice"},
		{"{\"phoneme_type\":\"text\"}", "\"text\""},
		{"{\"phoneme_type\":1}", "phoneme_type"},
		{"{\"inference\":{\"length_scale\":0}}", "inference.length_scale"},
		{"{\"inference\":{\"noise_scale\":-1}}", "inference.noise_scale"},
		{"{\"inference\":{\"noise_w\":1e9}}", "inference.noise_w"},
		{"{\"num_speakers\":-1}", "num_speakers"},
		{"{\"num_speakers\":\"many\"}", "num_speakers"},
		{"{\"phoneme_id_map\":[]}", "phoneme_id_map"},
		{"{\"phoneme_id_map\":{\"a\":[]}}", "0 ids"},
		{"{\"phoneme_id_map\":{\"a\":[1,2]}}", "2 ids"},
		{"{\"phoneme_id_map\":{\"a\":[-1]}}", "phoneme_id_map"},
		{"{\"phoneme_id_map\":{\"a\":[\"1\"]}}", "phoneme_id_map"},
		{"{" AUDIO "," ESPEAK ",\"phoneme_id_map\":{\"_\":[0],\"^\":[1]}}", "\"$\""},
		{"{" LEAST ",\"num_symbols\":14}", "num_symbols"},
		{"{" LEAST ",\"syrinx\":{\"family\":\"gpt\"}}", "syrinx.family"},
		{"{" LEAST ",\"syrinx\":{\"family\":\"kokoro\"}}", "syrinx.speakers"},
		{"{\"syrinx\":{\"licence\":\"a\\nb\"}}", "syrinx.licence"},
		{"{\"syrinx\":{\"speakers\":{}}}", "syrinx.speakers"},
		{LISTED("7"), "syrinx.speakers"},
		{LISTED("{\"name\":\"a\",\"speaker\":4}"), "the model has 4"},
		{LISTED("{\"name\":\"a\",\"speaker\":-1}"), "syrinx.speakers.speaker"},
		{LISTED("{\"name\":\"a\"},{\"name\":\"a\"}"), "called en_US-amy-low:a"},
		{LISTED("{\"name\":\"a\"},{\"speaker\":2}"), "syrinx.speakers.name"},
		{LISTED("{\"name\":\"a b\"}"), "syrinx.speakers.name"},
		{LISTED("{\"name\":\"a\",\"gain_db\":31}"), "syrinx.speakers.gain_db"},
		{LISTED("{\"name\":\"a\",\"sex\":\"yes\"}"), "syrinx.speakers.sex"},
		{LISTED("{\"name\":\"a\",\"style_file\":\"../x\"}"), "style_file"},
		{LISTED("{\"name\":\"a\",\"style_file\":\"a/x\"}"), "style_file"},
		{LISTED("{\"name\":\"a234567890123456789012345678901234\"},{\"name\":\"b\"}"),
		 "longer than 47"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct model_file *file = NULL;

		assert_int_equal(
			test_model_file_parse_as(&file, "/voices/en_US-amy-low.onnx", rows[i].json),
			EINVAL);
		assert_null(file);
		if (!strstr(why, rows[i].reason))
			fail_msg("%s: \"%s\", not \"%s\"", rows[i].json, why, rows[i].reason);
	}
	assert_int_equal(mem_live(), 0);
}

static void test_model_file_names_of_files_must_do_as_names_of_voices(void **state)
{
	static const char *const paths[] = {
		"voice.bin",
		".onnx",
		"/voices/.hidden.onnx",
		"a voice.onnx",
		"stimme-f\xc3\xbcr.onnx",
		"a:b.onnx",
		"a23456789012345678901234567890123456789012345678.onnx",
	};
	struct model_file *file = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT(paths); ++i) {
		assert_int_equal(test_model_file_parse_as(&file, paths[i], "{" LEAST "}"), EINVAL);
		assert_non_null(strstr(why, "its name"));
	}
}

static size_t test_model_file_put_string(uint8_t *out, unsigned field, const char *string)
{
	size_t n = 0;

	out[n++] = (uint8_t)(field << 3 | 2);
	out[n++] = (uint8_t)strlen(string);
	while (*string)
		out[n++] = (uint8_t)*string++;
	return n;
}

/* One of a model's metadata_props. */
static size_t test_model_file_put_note(uint8_t *out, const char *key, const char *value)
{
	size_t n = 2;

	n += test_model_file_put_string(out + n, 1, key);
	n += test_model_file_put_string(out + n, 2, value);
	out[0] = 14 << 3 | 2;
	out[1] = (uint8_t)(n - 2);
	return n;
}

struct note {
	const char *key, *value;
};

/* With a model that has nothing but notes and an empty graph. */
static int test_model_file_parse_tokens(struct model_file **filep, const struct note *notes,
					size_t count, const char *tokens)
{
	static const uint8_t model[] = {1 << 3, 8, 7 << 3 | 2, 3, 2 << 3 | 2, 1, 'g'};
	uint8_t bytes[512];
	size_t len = sizeof(model);
	struct onnx *onnx = NULL;
	int err;

	memcpy(bytes, model, sizeof(model));
	for (size_t i = 0; i < count; ++i)
		len += test_model_file_put_note(bytes + len, notes[i].key, notes[i].value);
	if (onnx_parse(&onnx, bytes, len, why, sizeof(why)))
		fail_msg("%s", why);
	err = model_file_parse(filep, "libritts.onnx", MODEL_COMPANION_TOKENS, tokens,
			       strlen(tokens), onnx, why, sizeof(why));
	mem_deref(onnx);
	return err;
}

static void test_model_file_tokens_and_notes_do_instead_of_json(void **state)
{
	static const struct note notes[] = {
		{"model_type", "vits"},   {"comment", "piper"}, {"language", "English"},
		{"voice", "en-us"},       {"has_espeak", "1"},  {"n_speakers", "904"},
		{"sample_rate", "22050"},
	};
	struct model_file *file = NULL;

	(void)state;
	assert_int_equal(test_model_file_parse_tokens(&file, notes, COUNT(notes),
						      "  3\r\n! 4\n$ 2\n^ 1\n_ 0\nɐ 50\n\nts 60\n"),
			 0);
	assert_string_equal(file->espeak_voice, "en-us");
	assert_string_equal(file->language, "en");
	assert_int_equal(file->sample_rate, 22050);
	assert_int_equal(file->speaker_count, 904);
	assert_int_equal(file->symbol_count, 6);
	assert_int_equal(file->symbols_ignored, 1);
	assert_int_equal(model_file_id(file, ' '), 3);
	assert_int_equal(model_file_id(file, 0x250), 50);
	assert_string_equal(file->speakers[1].name, "libritts:1");
	mem_deref(file);
}

static void test_model_file_notes_of_other_models_are_refused(void **state)
{
	static const struct note good[] = {
		{"model_type", "vits"}, {"voice", "en-us"}, {"sample_rate", "22050"}};
	static const struct {
		struct note note; /* instead of or besides a good one */
		const char *tokens;
		const char *reason;
	} rows[] = {
		{{"model_type", "kokoro"}, "_ 0", "model_type"},
		{{"comment", "coqui"}, "_ 0", "not of Piper's kind"},
		{{"has_espeak", "0"}, "_ 0", "not of Piper's kind"},
		{{"sample_rate", "fast"}, "_ 0", "sample_rate"},
		{{"voice", "no/../where"}, "_ 0", "voice"},
		{{"x", "y"}, "_ 0\nabc\n", "line 2"},
		{{"x", "y"}, "_ 0\na -1\n", "line 2"},
		{{"x", "y"}, "_ 0\n^ 1\n", "\"$\""},
		{{"x", "y"}, "", "phoneme_id_map"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct note notes[COUNT(good) + 1];
		struct model_file *file = NULL;
		size_t count = 0;

		notes[count++] = rows[i].note;
		for (size_t k = 0; k < COUNT(good); ++k)
			if (strcmp(good[k].key, rows[i].note.key) != 0)
				notes[count++] = good[k];
		assert_int_equal(test_model_file_parse_tokens(&file, notes, count, rows[i].tokens),
				 EINVAL);
		if (!strstr(why, rows[i].reason))
			fail_msg("row %zu: \"%s\"", i, why);
	}
}

/* A folder with a companion of some size in it. */
static void test_model_file_write_beside(const char *path, const char *start, size_t size)
{
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	fputs(start, stream);
	for (size_t i = strlen(start); i < size; ++i)
		fputc(' ', stream);
	assert_int_equal(fclose(stream), 0);
}

static void test_model_file_companions_are_found_beside_the_model(void **state)
{
	char folder[] = "/tmp/syrinx-test-XXXXXX";
	char model[64];
	char json[64];
	struct model_file *file = NULL;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(model, sizeof(model), "%s/amy.onnx", folder);
	snprintf(json, sizeof(json), "%s/amy.onnx.json", folder);
	assert_int_equal(model_file_read(&file, model, NULL, why, sizeof(why)), EINVAL);
	assert_non_null(strstr(why, "neither"));

	test_model_file_write_beside(json, "{" LEAST "}", 0);
	assert_int_equal(model_file_read(&file, model, NULL, why, sizeof(why)), 0);
	assert_string_equal(file->name, "amy");
	file = mem_deref(file);

	test_model_file_write_beside(json, "{" LEAST "}", MODEL_FILE_SIZE_MAX);
	assert_int_equal(model_file_read(&file, model, NULL, why, sizeof(why)), 0);
	file = mem_deref(file);
	test_model_file_write_beside(json, "{" LEAST "}", MODEL_FILE_SIZE_MAX + 1);
	assert_int_equal(model_file_read(&file, model, NULL, why, sizeof(why)), EINVAL);
	assert_non_null(strstr(why, "larger than 4 MiB"));

	unlink(json);
	assert_int_equal(mkdir(json, 0700), 0);
	assert_int_equal(model_file_read(&file, model, NULL, why, sizeof(why)), EISDIR);
	rmdir(json);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model_file_pipers_form_is_read),
		cmocka_unit_test(test_model_file_old_files_leave_things_out),
		cmocka_unit_test(test_model_file_languages_are_codes),
		cmocka_unit_test(test_model_file_titles_are_for_people),
		cmocka_unit_test(test_model_file_speakers_are_called_by_the_map_or_by_number),
		cmocka_unit_test(test_model_file_chosen_speakers_are_the_voices),
		cmocka_unit_test(test_model_file_kokoros_speakers_have_styles_and_languages),
		cmocka_unit_test(test_model_file_symbols_of_several_code_points_are_left_out),
		cmocka_unit_test(test_model_file_the_last_of_two_members_counts),
		cmocka_unit_test(test_model_file_what_cannot_be_is_refused_with_its_member),
		cmocka_unit_test(test_model_file_names_of_files_must_do_as_names_of_voices),
		cmocka_unit_test(test_model_file_tokens_and_notes_do_instead_of_json),
		cmocka_unit_test(test_model_file_notes_of_other_models_are_refused),
		cmocka_unit_test(test_model_file_companions_are_found_beside_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
