/* Models are recognized by their files, and what cannot be used is reported. */
#include <errno.h>
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

#include "base/mem.h"
#include "ears.h"
#include "engine/hear/hear_models.h"

static char folder[PATH_MAX];
static bool has_runtime;

static void test_hear_models_link(const char *name, const char *target)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(symlink(target, path), 0);
}

/* A tiny model under another name. */
static void test_hear_models_add(const char *name, const char *tiny)
{
	char target[PATH_MAX];

	ears_tiny(target, tiny);
	test_hear_models_link(name, target);
}

/* A folder with one file. */
static void test_hear_models_add_file(const char *name, const char *file, const char *bytes)
{
	char path[2 * PATH_MAX];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (mkdir(path, 0700) != 0)
		assert_int_equal(errno, EEXIST);
	snprintf(path, sizeof(path), "%s/%s/%s", folder, name, file);
	stream = fopen(path, "w");
	assert_non_null(stream);
	fputs(bytes, stream);
	fclose(stream);
}

static struct hear_models *test_hear_models_read(void)
{
	const struct engine_options options = {.models_dir = folder};
	struct hear_models *models;

	assert_int_equal(hear_models_read(&models, &options), 0);
	return models;
}

static const char *test_hear_models_note(const struct hear_models *models, const char *about)
{
	for (size_t i = 0; i < models->note_count; ++i)
		if (strcmp(models->notes[i].about, about) == 0)
			return models->notes[i].text;
	return "";
}

static void test_hear_models_the_default_comes_first(void **state)
{
	struct hear_models *models;

	(void)state;
	if (!has_runtime)
		skip();
	test_hear_models_add("a-detector", "silero-vad");
	test_hear_models_add("a-model", "moonshine-tiny");
	test_hear_models_add("moonshine-tiny", "moonshine-tiny");
	test_hear_models_add("z-ja", "moonshine-tiny");
	models = test_hear_models_read();
	assert_int_equal(models->note_count, 0);
	assert_non_null(models->vad);
	assert_int_equal(models->model_count, 3);
	assert_string_equal(models->models[0].name, "moonshine-tiny");
	assert_string_equal(models->models[1].name, "a-model");
	assert_string_equal(models->models[1].recognizer->languages, "en");
	assert_string_equal(models->models[1].recognizer->licence, "");
	assert_string_equal(models->models[2].recognizer->languages, "ja");
	mem_deref(models);
}

static void test_hear_models_without_a_detector_there_are_none(void **state)
{
	struct hear_models *models;

	(void)state;
	if (!has_runtime)
		skip();
	test_hear_models_add("moonshine-tiny", "moonshine-tiny");
	models = test_hear_models_read();
	assert_int_equal(models->model_count, 0);
	assert_non_null(strstr(test_hear_models_note(models, "silero-vad"), "models fetch"));
	mem_deref(models);
}

static void test_hear_models_what_is_broken_is_reported(void **state)
{
	struct hear_models *models;

	(void)state;
	if (!has_runtime)
		skip();
	test_hear_models_add("silero-vad", "silero-vad");
	test_hear_models_add("silero-vad-2", "silero-vad");
	test_hear_models_add("good", "moonshine-tiny");
	test_hear_models_add_file("bad-detector", "model.onnx", "no model");
	test_hear_models_add_file("half", "encoder_model.onnx", "no model");
	test_hear_models_add_file("no-words", "encoder_model.onnx", "no model");
	test_hear_models_add_file("no-words", "decoder_model_merged.onnx", "no model");
	test_hear_models_add_file("bad", "encoder_model.onnx", "no model");
	test_hear_models_add_file("bad", "decoder_model_merged.onnx", "no model");
	test_hear_models_add_file("bad", "vocabulary.txt", "<unk>\n<s>\n</s>\na\n");
	test_hear_models_add_file("something-else", "readme.txt", "");
	models = test_hear_models_read();
	assert_int_equal(models->model_count, 1);
	assert_int_equal(models->note_count, 5);
	assert_non_null(strstr(test_hear_models_note(models, "bad-detector"), "no ONNX model"));
	assert_non_null(strstr(test_hear_models_note(models, "silero-vad-2"), "another detector"));
	assert_non_null(strstr(test_hear_models_note(models, "half"), "decoder_model_merged.onnx"));
	assert_non_null(strstr(test_hear_models_note(models, "no-words"), "vocabulary.txt"));
	assert_non_null(strstr(test_hear_models_note(models, "bad"), "encoder_model.onnx: "));
	mem_deref(models);
}

static void test_hear_models_a_missing_runtime_is_reported(void **state)
{
	const char *elsewhere = getenv(RUNTIME_VARIABLE);
	char *saved = elsewhere ? strdup(elsewhere) : NULL;
	struct hear_models *models;

	(void)state;
	unsetenv(RUNTIME_VARIABLE);
	test_hear_models_add("moonshine-tiny", "moonshine-tiny");
	models = test_hear_models_read();
	assert_int_equal(models->model_count, 0);
	assert_non_null(strstr(test_hear_models_note(models, RUNTIME_FILE), "models fetch"));
	mem_deref(models);
	if (saved)
		setenv(RUNTIME_VARIABLE, saved, 1);
	free(saved);
}

static void test_hear_models_an_empty_or_missing_folder_has_none(void **state)
{
	const struct engine_options nowhere = {.models_dir = "/no/such/folder"};
	struct hear_models *models = test_hear_models_read();

	(void)state;
	assert_int_equal(models->model_count + models->note_count, 0);
	mem_deref(models);
	assert_int_equal(hear_models_read(&models, &nowhere), 0);
	assert_int_equal(models->model_count + models->note_count, 0);
	mem_deref(models);
	assert_int_equal(hear_models_read(&models, &(struct engine_options){0}), 0);
	mem_deref(models);
}

static int test_hear_models_make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "%s/syrinx-hear-models-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int test_hear_models_remove_folder(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static int test_hear_models_set_up(void **state)
{
	struct runtime *runtime = ears_open_runtime();

	(void)state;
	has_runtime = runtime != NULL;
	mem_deref(runtime);
	return 0;
}

#define TEST(function)                                                                             \
	cmocka_unit_test_setup_teardown(function, test_hear_models_make_folder,                    \
					test_hear_models_remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_hear_models_the_default_comes_first),
		TEST(test_hear_models_without_a_detector_there_are_none),
		TEST(test_hear_models_what_is_broken_is_reported),
		TEST(test_hear_models_a_missing_runtime_is_reported),
		TEST(test_hear_models_an_empty_or_missing_folder_has_none),
	};

	return cmocka_run_group_tests(tests, test_hear_models_set_up, NULL);
}
