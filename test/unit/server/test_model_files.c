/* What is missing for listening is told, and only that: the folders of models and voices are looked
 * at as an engine would. */
#include <fcntl.h>
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

#include "server/model_files.h"

#define EVERYTHING "ONNX Runtime, silero-vad and a model that recognizes speech"

static struct config config;

/* The test's directory is the working directory. */
static int set_up(void **state)
{
	char dir[] = "/tmp/test_model_files.XXXXXX";

	(void)state;
	memset(&config, 0, sizeof(config));
	if (!mkdtemp(dir) || chdir(dir) != 0 || mkdir("models", 0700) != 0 ||
	    mkdir("voices", 0700) != 0)
		return -1;
	snprintf(config.models_dir, sizeof(config.models_dir), "%s/models", dir);
	snprintf(config.voices_dir, sizeof(config.voices_dir), "%s/voices", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return system("rm -r \"$PWD\""); /* NOLINT(cert-env33-c): a test's own words */
}

static void put(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void assert_missing(const char *expected)
{
	char missing[MODEL_FILES_TEXT_SIZE];

	assert_int_equal(model_files_find_missing(missing, &config), expected[0] != '\0');
	assert_string_equal(missing, expected);
}

static void test_parts_are_missing_until_they_are_there(void **state)
{
	(void)state;
	assert_missing(EVERYTHING);
	put("models/libonnxruntime.so");
	assert_missing("silero-vad and a model that recognizes speech");
	assert_int_equal(mkdir("models/silero-vad", 0700), 0);
	assert_missing("silero-vad and a model that recognizes speech");
	put("models/silero-vad/model.onnx");
	assert_missing("a model that recognizes speech");
	put("models/notes.txt");
	assert_int_equal(mkdir("models/.stage", 0700), 0);
	assert_missing("a model that recognizes speech");
	assert_int_equal(mkdir("models/mine", 0700), 0);
	assert_missing("");
}

static void test_the_library_of_the_voices_will_do(void **state)
{
	(void)state;
	put("voices/libonnxruntime.so");
	assert_missing("silero-vad and a model that recognizes speech");
}

static void test_a_model_may_be_a_link(void **state)
{
	(void)state;
	assert_int_equal(mkdir("elsewhere", 0700), 0);
	assert_int_equal(symlink("../elsewhere", "models/mine"), 0);
	assert_missing("ONNX Runtime and silero-vad");
}

static void test_without_folders_everything_is_missing(void **state)
{
	(void)state;
	config.models_dir[0] = '\0';
	config.voices_dir[0] = '\0';
	put("libonnxruntime.so"); /* "" is not the working directory */
	assert_missing(EVERYTHING);
	snprintf(config.models_dir, sizeof(config.models_dir), "/no/such/folder");
	assert_missing(EVERYTHING);
}

#define IN_A_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_DIRECTORY(test_parts_are_missing_until_they_are_there),
		IN_A_DIRECTORY(test_the_library_of_the_voices_will_do),
		IN_A_DIRECTORY(test_a_model_may_be_a_link),
		IN_A_DIRECTORY(test_without_folders_everything_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
