/*
 * A package is installed completely or not at all, and only if it is the pinned one. The
 * registry is a process that gives the answers that the test prepared.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/count.h"
#include "cli/command.h"
#include "cli/install_file.h"
#include "cli/voices_packages.h"

const struct command *const command_table[] = {NULL};

/* sha256sum of "0123456789" and parts of it. */
#define WHOLE "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"
#define PART_234 "114bd151f8fb0c58642d2170da4ae7d7c57977260ac2cc8905306cab6b2acabc"

#define REQUEST "GET /npm/some-voice/-/some-voice-1.2.3.tgz HTTP/1.1\n"

static int describe(struct buf *json, const struct buf *symbols)
{
	return buf_printf(json, "{\"from\":\"%.*s\"}", (int)symbols->len, symbols->bytes);
}

static int describe_nothing(struct buf *out, const struct buf *member)
{
	(void)out;
	(void)member;
	return EINVAL;
}

static const struct pinned_package_file files[] = {
	{"voice.tokens.txt", "package/pack.data", 2, 3, PART_234, NULL},
	{"voice.onnx", "package/pack.data", 0, 0, WHOLE, NULL},
};

struct bed {
	char dir[64];
	pid_t registry;
	char archive_hash[INSTALL_FILE_HASH_LEN + 1];
	struct install_folder folder;
	struct progress progress;
	struct pinned_package package;
	char why[INSTALL_WHY_SIZE];
};

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c): a test's own words */
}

/* Sets the registry's answer: a head, and the file with this name in the test's directory. */
static void answer(const struct bed *bed, const char *head, const char *body)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/answer", bed->dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\r\n\r\n", head);
	fclose(file);
	if (body)
		run("cat %s/%s >>%s/answer", bed->dir, body, bed->dir);
}

static void deliver(const struct bed *bed)
{
	answer(bed, "HTTP/1.1 200 OK", "archive.tgz");
}

/* Runs in the process of the registry: records each request's first line and answers it. */
static void serve(int listener, const char *dir)
{
	char path[128];
	char bytes[4096];

	for (;;) {
		int client = accept(listener, NULL, NULL);
		ssize_t n = recv(client, bytes, sizeof(bytes) - 1, 0);
		FILE *calls, *file;

		bytes[n > 0 ? n : 0] = '\0';
		bytes[strcspn(bytes, "\r")] = '\0';
		snprintf(path, sizeof(path), "%s/calls", dir);
		calls = fopen(path, "a");
		fprintf(calls, "%s\n", bytes);
		fclose(calls);
		snprintf(path, sizeof(path), "%s/answer", dir);
		file = fopen(path, "r");
		while ((n = (ssize_t)fread(bytes, 1, sizeof(bytes), file)) > 0)
			send(client, bytes, (size_t)n, MSG_NOSIGNAL);
		fclose(file);
		close(client);
	}
}

static void start_registry(struct bed *bed)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	char registry[64];

	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listener, 8), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	bed->registry = fork();
	assert_true(bed->registry >= 0);
	if (bed->registry == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listener, bed->dir);
	}
	close(listener);
	snprintf(registry, sizeof(registry), "http://127.0.0.1:%u/npm", ntohs(address.sin_port));
	setenv("npm_config_registry", registry, 1);
	setenv("npm_config_noproxy", "127.0.0.1", 1);
}

static void no_wait(void)
{
	fail();
}

static int set_up(void **state)
{
	struct bed *bed = calloc(1, sizeof(*bed));
	char path[512];

	assert_non_null(bed);
	snprintf(bed->dir, sizeof(bed->dir), "/tmp/test_voices.XXXXXX");
	assert_non_null(mkdtemp(bed->dir));
	run("cd %s && mkdir -p package && printf 0123456789 >package/pack.data && "
	    "tar -czf archive.tgz package && touch calls",
	    bed->dir);
	snprintf(path, sizeof(path), "%s/archive.tgz", bed->dir);
	assert_int_equal(install_file_hash(bed->archive_hash, AT_FDCWD, path), 0);
	bed->package = (struct pinned_package){
		.what = "a voice",
		.name = "some-voice",
		.version = "1.2.3",
		.licence = "MIT",
		.hash = bed->archive_hash,
		.size = install_file_size(AT_FDCWD, path),
		.files = files,
		.file_count = COUNT(files),
		.describe = describe,
		.json = "voice.onnx.json",
		.symbols = "voice.tokens.txt",
	};
	start_registry(bed);
	progress_init(&bed->progress, true);
	run("mkdir %s/voices", bed->dir);
	snprintf(path, sizeof(path), "%s/voices", bed->dir);
	assert_int_equal(
		install_folder_open(&bed->folder, strdup(path), "--dir", no_wait, bed->why), 0);
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;
	char *path = (char *)(uintptr_t)bed->folder.path;

	install_folder_close(&bed->folder);
	kill(bed->registry, SIGKILL);
	waitpid(bed->registry, NULL, 0);
	run("rm -rf %s", bed->dir);
	free(path);
	free(bed);
	return 0;
}

static int install(struct bed *bed)
{
	return pinned_package_install(&bed->package, &bed->folder, &bed->progress, bed->why);
}

static size_t calls(const struct bed *bed)
{
	return install_file_size(bed->folder.dir_fd, "../calls") / strlen(REQUEST);
}

static bool has(const struct bed *bed, const char *name)
{
	return faccessat(bed->folder.dir_fd, name, F_OK, 0) == 0;
}

static void assert_nothing_installed(const struct bed *bed)
{
	assert_false(has(bed, "voice.onnx"));
	assert_false(has(bed, "voice.onnx.json"));
	assert_false(has(bed, "voice.tokens.txt"));
}

static void test_parts_of_a_package_become_files_with_a_description(void **state)
{
	struct bed *bed = *state;
	struct buf json;

	deliver(bed);
	assert_int_equal(install(bed), 0);
	assert_true(install_file_is(bed->folder.dir_fd, "voice.onnx", WHOLE));
	assert_true(install_file_is(bed->folder.dir_fd, "voice.tokens.txt", PART_234));
	buf_init(&json, 1024);
	assert_int_equal(install_file_read(&json, bed->folder.dir_fd, "voice.onnx.json"), 0);
	assert_int_equal(json.len, strlen("{\"from\":\"234\"}"));
	assert_memory_equal(json.bytes, "{\"from\":\"234\"}", json.len);
	buf_reset(&json);
}

static void test_what_is_installed_is_not_fetched_again(void **state)
{
	struct bed *bed = *state;

	deliver(bed);
	assert_int_equal(install(bed), 0);
	assert_int_equal(install(bed), 0);
	assert_int_equal(calls(bed), 1);
}

static void test_a_description_that_was_lost_is_written_without_a_fetch(void **state)
{
	struct bed *bed = *state;

	deliver(bed);
	assert_int_equal(install(bed), 0);
	assert_int_equal(unlinkat(bed->folder.dir_fd, "voice.onnx.json", 0), 0);
	assert_int_equal(install(bed), 0);
	assert_true(has(bed, "voice.onnx.json"));
	assert_int_equal(calls(bed), 1);
}

static void test_a_damaged_file_is_fetched_again(void **state)
{
	struct bed *bed = *state;

	deliver(bed);
	assert_int_equal(install(bed), 0);
	assert_int_equal(install_file_write(bed->folder.dir_fd, "voice.onnx", "012345678x", 10), 0);
	assert_int_equal(install(bed), 0);
	assert_int_equal(calls(bed), 2);
	assert_true(install_file_is(bed->folder.dir_fd, "voice.onnx", WHOLE));
}

static void test_another_archive_is_refused(void **state)
{
	struct bed *bed = *state;

	run("printf x >>%s/archive.tgz", bed->dir);
	deliver(bed);
	assert_int_equal(install(bed), EIO);
	assert_non_null(strstr(bed->why, "longer than expected"));
	run("cd %s && printf x | dd of=archive.tgz bs=1 seek=20 conv=notrunc status=none && "
	    "truncate -s -1 archive.tgz",
	    bed->dir);
	deliver(bed);
	assert_int_equal(install(bed), EBADMSG);
	assert_non_null(strstr(bed->why, "some-voice-1.2.3.tgz is not the expected file"));
	assert_nothing_installed(bed);
}

static void test_a_file_that_is_not_the_pinned_one_is_refused(void **state)
{
	struct bed *bed = *state;
	struct pinned_package_file other[] = {files[0], files[1]};

	other[1].hash = PART_234;
	bed->package.files = other;
	deliver(bed);
	assert_int_equal(install(bed), EBADMSG);
	assert_non_null(strstr(bed->why, "voice.onnx"));
	assert_nothing_installed(bed);
}

static void test_a_part_past_the_end_of_its_file_is_refused(void **state)
{
	struct bed *bed = *state;
	struct pinned_package_file other[] = {files[0], files[1]};

	other[0].offset = 8;
	bed->package.files = other;
	deliver(bed);
	assert_int_equal(install(bed), EPIPE);
	assert_nothing_installed(bed);
}

static void test_a_member_that_is_missing_is_refused(void **state)
{
	struct bed *bed = *state;
	struct pinned_package_file other[] = {files[0], files[1]};

	other[1].member = "package/other.data";
	bed->package.files = other;
	deliver(bed);
	assert_int_equal(install(bed), EIO);
	assert_non_null(strstr(bed->why, "tar"));
	assert_nothing_installed(bed);
}

static void test_what_the_registry_refuses_is_told_with_the_address(void **state)
{
	struct bed *bed = *state;

	answer(bed, "HTTP/1.1 404 Not Found\r\nContent-Length: 0", NULL);
	assert_int_equal(install(bed), EIO);
	assert_non_null(strstr(bed->why, "cannot fetch some-voice@1.2.3: http://127.0.0.1:"));
	assert_non_null(strstr(bed->why, "/npm/some-voice/-/some-voice-1.2.3.tgz: HTTP 404"));
	assert_nothing_installed(bed);
}

static void test_an_answer_that_is_cut_short_is_refused(void **state)
{
	struct bed *bed = *state;

	answer(bed, "HTTP/1.1 200 OK\r\nContent-Length: 100000", "archive.tgz");
	assert_int_equal(install(bed), EIO);
	assert_non_null(strstr(bed->why, "cannot fetch some-voice@1.2.3: "));
	assert_nothing_installed(bed);
}

static void test_an_answer_that_is_no_http_is_refused(void **state)
{
	struct bed *bed = *state;

	answer(bed, "hello", NULL);
	assert_int_equal(install(bed), EIO);
	assert_nothing_installed(bed);
}

static void test_a_redirect_that_never_ends_is_refused(void **state)
{
	struct bed *bed = *state;

	answer(bed, "HTTP/1.1 302 Found\r\nLocation: /npm/some-voice/-/some-voice-1.2.3.tgz", NULL);
	assert_int_equal(install(bed), EIO);
	assert_non_null(strstr(bed->why, "HTTP 302"));
	assert_int_equal(calls(bed), 6);
}

static void test_a_registry_that_is_not_there_is_told(void **state)
{
	struct bed *bed = *state;

	kill(bed->registry, SIGKILL);
	waitpid(bed->registry, NULL, 0);
	assert_int_equal(install(bed), EIO);
	assert_non_null(strstr(bed->why, "Connection refused"));
	assert_nothing_installed(bed);
}

static void test_too_little_room_is_told_before_the_fetch(void **state)
{
	struct bed *bed = *state;

	deliver(bed);
	bed->package.size = UINT64_C(1) << 60;
	assert_int_equal(install(bed), ENOSPC);
	assert_non_null(strstr(bed->why, "MB free"));
	assert_int_equal(calls(bed), 0);
}

static void test_the_stage_goes_with_the_command_and_a_stale_one_before_it(void **state)
{
	struct bed *bed = *state;
	const char *path = bed->folder.path;

	answer(bed, "HTTP/1.1 500 Broken", NULL);
	assert_int_equal(install(bed), EIO);
	install_folder_close(&bed->folder);
	run("test ! -e %s/" INSTALL_FOLDER_STAGE, path);
	run("mkdir -p %s/" INSTALL_FOLDER_STAGE "/a/b && touch %s/" INSTALL_FOLDER_STAGE "/a/b/c",
	    path, path);
	assert_int_equal(install_folder_open(&bed->folder, path, "--dir", no_wait, bed->why), 0);
	assert_int_equal(install_file_size(bed->folder.dir_fd, INSTALL_FOLDER_STAGE), 0);
	run("test ! -e %s/" INSTALL_FOLDER_STAGE "/a", path);
}

/* A package of a scope, whose files are a directory */

#define SCOPED_REQUEST "GET /npm/@of/some-model/-/some-model-1.2.3.tgz HTTP/1.1\n"

static int keep_digits(struct buf *out, const struct buf *member)
{
	return member->len == 10 ? buf_append(out, member->bytes + 2, 3) : EINVAL;
}

static const struct pinned_package_file model_files[] = {
	{.name = "tiny/vocabulary.txt",
	 .member = "package/pack.data",
	 .hash = PART_234,
	 .convert = keep_digits},
	{.name = "tiny/onnx/model.onnx", .member = "package/pack.data", .hash = WHOLE},
};

static void use_model(struct bed *bed)
{
	bed->package.name = "@of/some-model";
	bed->package.files = model_files;
	bed->package.file_count = COUNT(model_files);
	bed->package.describe = NULL;
}

static int stage(struct bed *bed)
{
	return pinned_package_stage(&bed->package, &bed->folder, &bed->progress, bed->why);
}

static void test_files_of_a_directory_are_staged_converted_and_placed_together(void **state)
{
	struct bed *bed = *state;
	struct stat status;
	struct buf asked;

	use_model(bed);
	deliver(bed);
	assert_false(pinned_package_installed(&bed->package, &bed->folder));
	assert_int_equal(stage(bed), 0);
	assert_false(has(bed, "tiny"));
	assert_int_equal(install_folder_place(&bed->folder, "tiny", bed->why), 0);
	assert_true(pinned_package_installed(&bed->package, &bed->folder));
	assert_int_equal(fstatat(bed->folder.dir_fd, "tiny/onnx/model.onnx", &status, 0), 0);
	assert_int_equal(status.st_mode & 0777, 0644);
	buf_init(&asked, 1024);
	assert_int_equal(install_file_read(&asked, bed->folder.dir_fd, "../calls"), 0);
	assert_int_equal(asked.len, strlen(SCOPED_REQUEST));
	assert_memory_equal(asked.bytes, SCOPED_REQUEST, asked.len);
	buf_reset(&asked);
}

static void test_staged_files_that_are_installed_are_copied(void **state)
{
	struct bed *bed = *state;

	use_model(bed);
	deliver(bed);
	assert_int_equal(stage(bed), 0);
	assert_int_equal(install_folder_place(&bed->folder, "tiny", bed->why), 0);
	answer(bed, "HTTP/1.1 500 Broken", NULL);
	assert_int_equal(stage(bed), 0);
	assert_true(install_file_is(bed->folder.stage_fd, "tiny/onnx/model.onnx", WHOLE));
	assert_true(install_file_is(bed->folder.stage_fd, "tiny/vocabulary.txt", PART_234));
	assert_true(pinned_package_installed(&bed->package, &bed->folder));
}

static void test_what_a_conversion_refuses_or_gets_wrong_is_refused(void **state)
{
	struct bed *bed = *state;
	struct pinned_package_file other[] = {model_files[0], model_files[1]};

	use_model(bed);
	bed->package.files = other;
	deliver(bed);
	other[0].hash = WHOLE;
	assert_int_equal(stage(bed), EBADMSG);
	assert_non_null(
		strstr(bed->why, "tiny/vocabulary.txt of some-model-1.2.3.tgz has SHA-256"));
	other[0] = model_files[0];
	other[0].convert = describe_nothing;
	assert_int_equal(stage(bed), EINVAL);
	assert_false(has(bed, "tiny"));
}

/* The packages of the catalogue */

static json_t *describe_package(const struct pinned_package *package, const char *symbols)
{
	struct buf json, in;
	json_t *tree;

	buf_init(&json, 1u << 20);
	buf_init(&in, 1u << 20);
	assert_int_equal(buf_append_str(&in, symbols), 0);
	assert_int_equal(package->describe(&json, &in), 0);
	tree = json_loadb(json.bytes, json.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(tree);
	buf_reset(&json);
	buf_reset(&in);
	return tree;
}

static int64_t symbol_id(const json_t *tree, const char *symbol)
{
	const json_t *list = json_object_get(json_object_get(tree, "phoneme_id_map"), symbol);

	assert_int_equal(json_array_size(list), 1);
	return json_integer_value(json_array_get(list, 0));
}

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	assert_non_null(value);
	return value;
}

static void test_the_english_model_is_described_with_a_dozen_speakers(void **state)
{
	json_t *tree =
		describe_package(&voices_package_libritts, "  3\n\" 150\n\\ 7\n_ 0\n\xc9\x99 59");
	const json_t *speakers = json_object_get(json_object_get(tree, "syrinx"), "speakers");
	size_t women = 0;

	(void)state;
	assert_int_equal(symbol_id(tree, " "), 3);
	assert_int_equal(symbol_id(tree, "\""), 150);
	assert_int_equal(symbol_id(tree, "\\"), 7);
	assert_int_equal(symbol_id(tree, "\xc9\x99"), 59);
	assert_int_equal(json_array_size(speakers), 12);
	for (size_t i = 0; i < 12; ++i) {
		const json_t *speaker = json_array_get(speakers, i);

		women += strcmp(text(speaker, "sex"), "female") == 0;
		assert_in_range(json_integer_value(json_object_get(speaker, "speaker")), 0, 903);
		for (size_t j = 0; j < i; ++j) {
			const json_t *other = json_array_get(speakers, j);

			assert_string_not_equal(text(speaker, "name"), text(other, "name"));
			assert_false(json_equal(json_object_get(speaker, "speaker"),
						json_object_get(other, "speaker")));
		}
	}
	assert_int_equal(women, 6);
	json_decref(tree);
}

static void test_kokoro_is_described_with_a_language_for_each_speaker(void **state)
{
	json_t *tree = describe_package(
		&voices_package_kokoro,
		"{\"x\":[{}],\"model\":{\"y\":1,\"vocab\":{\"$\":0,\"\\\"\":11}}}");
	const json_t *speakers = json_object_get(json_object_get(tree, "syrinx"), "speakers");
	const json_t *speaker;
	size_t i;

	(void)state;
	assert_int_equal(symbol_id(tree, "\""), 11);
	json_array_foreach(speakers, i, speaker)
	{
		const char *file = text(speaker, "style_file");

		assert_string_equal(file, voices_package_kokoro.files[i].name);
		assert_non_null(strstr(file, text(speaker, "name")));
		assert_true(strlen(text(speaker, "language")) == 2);
		assert_true(strlen(text(speaker, "espeak_voice")) >= 2);
	}
	assert_int_equal(i, voices_package_kokoro.file_count - 2);
	json_decref(tree);
}

static void test_a_table_of_symbols_that_is_none_is_refused(void **state)
{
	struct buf json, in;

	(void)state;
	buf_init(&json, 1u << 20);
	buf_init(&in, 1024);
	assert_int_equal(buf_append_str(&in, "{\"model\": 7}"), 0);
	assert_int_equal(voices_package_kokoro.describe(&json, &in), EINVAL);
	in.len = 0;
	assert_int_equal(buf_append_str(&in, "nothing"), 0);
	assert_int_equal(voices_package_libritts.describe(&json, &in), EINVAL);
	in.len = 0;
	assert_int_equal(buf_append_str(&in, "a 1\nb x2"), 0);
	assert_int_equal(voices_package_libritts.describe(&json, &in), EINVAL);
	assert_int_equal(json.len, 0);
	buf_reset(&json);
	buf_reset(&in);
}

#define IN_A_BED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_BED(test_parts_of_a_package_become_files_with_a_description),
		IN_A_BED(test_what_is_installed_is_not_fetched_again),
		IN_A_BED(test_a_description_that_was_lost_is_written_without_a_fetch),
		IN_A_BED(test_a_damaged_file_is_fetched_again),
		IN_A_BED(test_another_archive_is_refused),
		IN_A_BED(test_a_file_that_is_not_the_pinned_one_is_refused),
		IN_A_BED(test_a_part_past_the_end_of_its_file_is_refused),
		IN_A_BED(test_a_member_that_is_missing_is_refused),
		IN_A_BED(test_what_the_registry_refuses_is_told_with_the_address),
		IN_A_BED(test_an_answer_that_is_cut_short_is_refused),
		IN_A_BED(test_an_answer_that_is_no_http_is_refused),
		IN_A_BED(test_a_redirect_that_never_ends_is_refused),
		IN_A_BED(test_a_registry_that_is_not_there_is_told),
		IN_A_BED(test_too_little_room_is_told_before_the_fetch),
		IN_A_BED(test_the_stage_goes_with_the_command_and_a_stale_one_before_it),
		IN_A_BED(test_files_of_a_directory_are_staged_converted_and_placed_together),
		IN_A_BED(test_staged_files_that_are_installed_are_copied),
		IN_A_BED(test_what_a_conversion_refuses_or_gets_wrong_is_refused),
		cmocka_unit_test(test_the_english_model_is_described_with_a_dozen_speakers),
		cmocka_unit_test(test_kokoro_is_described_with_a_language_for_each_speaker),
		cmocka_unit_test(test_a_table_of_symbols_that_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
