/*
 * The owner of the folder cannot make another user's command, for example root's, write
 * elsewhere: neither by replacing the staging directory nor with links in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "cli/command.h"
#include "cli/install_file.h"
#include "cli/install_folder.h"
#include "cli/subprocess.h"

#define NOBODY 65534
#define SECRET "nobody may overwrite this"

const struct command *const command_table[] = {NULL};

/* What an attacker does just after the staging directory was created. */
enum attack { ATTACK_NONE, ATTACK_DIRECTORY, ATTACK_LINK, ATTACK_OPEN_DIRECTORY };

struct bed {
	char dir[64];
	char path[96]; /* the path of the folder */
	char victim[96];
	struct install_folder folder;
	char why[INSTALL_WHY_SIZE];
};

static enum attack attack;

int __real_mkdirat(int dir_fd, const char *name, mode_t mode);
int __wrap_mkdirat(int dir_fd, const char *name, mode_t mode);

int __wrap_mkdirat(int dir_fd, const char *name, mode_t mode)
{
	int result = __real_mkdirat(dir_fd, name, mode);

	if (strcmp(name, INSTALL_FOLDER_STAGE) != 0 || attack == ATTACK_NONE)
		return result;
	assert_int_equal(result, 0);
	assert_int_equal(renameat(dir_fd, name, dir_fd, "taken"), 0);
	if (attack == ATTACK_LINK)
		return symlinkat("taken", dir_fd, name);
	result = __real_mkdirat(dir_fd, name, 0700);
	assert_int_equal(symlinkat("../../victim", dir_fd, INSTALL_FOLDER_STAGE "/output"), 0);
	if (attack == ATTACK_DIRECTORY)
		assert_int_equal(fchownat(dir_fd, name, NOBODY, NOBODY, 0), 0);
	else
		assert_int_equal(fchmodat(dir_fd, name, 0777, 0), 0);
	return result;
}

static void wait_for_nobody(void)
{
	fail_msg("nobody else has the lock");
}

static int open_folder(struct bed *bed)
{
	return install_folder_open(&bed->folder, bed->path, "--folder DIR", wait_for_nobody,
				   bed->why);
}

static int set_up(void **state)
{
	static struct bed bed;

	bed = (struct bed){.dir = "/tmp/test_install_folder.XXXXXX",
			   .folder = INSTALL_FOLDER_CLOSED};
	attack = ATTACK_NONE;
	assert_non_null(mkdtemp(bed.dir));
	snprintf(bed.path, sizeof(bed.path), "%s/voices", bed.dir);
	snprintf(bed.victim, sizeof(bed.victim), "%s/victim", bed.dir);
	assert_int_equal(install_file_write(AT_FDCWD, bed.victim, SECRET, strlen(SECRET)), 0);
	*state = &bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	install_folder_close(&bed->folder);
	install_file_remove(AT_FDCWD, bed->dir);
	return 0;
}

static void assert_unharmed(const struct bed *bed)
{
	struct buf text;

	buf_init(&text, 4096);
	assert_int_equal(install_file_read(&text, AT_FDCWD, bed->victim), 0);
	assert_int_equal(text.len, strlen(SECRET));
	assert_memory_equal(text.bytes, SECRET, text.len);
	buf_reset(&text);
}

static void refuse_stage(struct bed *bed, enum attack kind)
{
	attack = kind;
	assert_int_equal(open_folder(bed), EPERM);
	assert_non_null(strstr(bed->why, INSTALL_FOLDER_STAGE " was replaced"));
	assert_unharmed(bed);
}

static void test_a_stage_of_another_user_is_refused(void **state)
{
	if (geteuid() != 0) {
		print_message("skipped: only root can make a directory of another user\n");
		skip();
	}
	refuse_stage(*state, ATTACK_DIRECTORY);
}

static void test_a_stage_that_others_can_write_to_is_refused(void **state)
{
	refuse_stage(*state, ATTACK_OPEN_DIRECTORY);
}

static void test_a_link_in_the_place_of_the_stage_is_refused(void **state)
{
	refuse_stage(*state, ATTACK_LINK);
}

static int say_something(void *arg)
{
	(void)arg;
	printf("said\n");
	fflush(stdout);
	return EXIT_SUCCESS;
}

static void test_a_link_in_the_stage_is_replaced_not_followed(void **state)
{
	struct bed *bed = *state;
	struct subprocess process = {.run = say_something, .output = "output"};
	struct stat status;

	assert_int_equal(open_folder(bed), 0);
	process.dir_fd = bed->folder.stage_fd;
	assert_int_equal(symlinkat(bed->victim, process.dir_fd, "output"), 0);
	assert_int_equal(subprocess_run(&process), 0);
	assert_unharmed(bed);
	assert_int_equal(fstatat(process.dir_fd, "output", &status, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISREG(status.st_mode) && status.st_size == 5);
	assert_int_equal(subprocess_run(&process), 0); /* replaces the output of the last one */
	assert_int_equal(symlinkat(bed->victim, process.dir_fd, "voice.onnx"), 0);
	assert_int_equal(install_file_write(process.dir_fd, "voice.onnx", "new", 3), 0);
	assert_unharmed(bed);
	assert_int_equal(install_file_size(process.dir_fd, "voice.onnx"), 3);
}

static void test_a_folder_that_cannot_be_written_tells_how_to_name_another(void **state)
{
	struct bed *bed = *state;

	if (geteuid() == 0) {
		print_message("skipped: root can write to every folder\n");
		skip();
	}
	assert_int_equal(mkdir(bed->path, 0500), 0);
	assert_int_equal(open_folder(bed), EACCES);
	assert_non_null(strstr(bed->why, "name a writable folder with --folder DIR"));
}

/* Directories: models */

static void stage_model(const struct bed *bed, const char *text)
{
	int stage = bed->folder.stage_fd;

	assert_int_equal(install_file_make_parents(stage, "tiny/onnx/model.onnx"), 0);
	assert_int_equal(install_file_write(stage, "tiny/onnx/model.onnx", text, strlen(text)), 0);
	assert_int_equal(install_file_write(stage, "tiny/config.json", "{}", 2), 0);
}

static void assert_model(const struct bed *bed, const char *expected)
{
	struct buf text;

	buf_init(&text, 4096);
	assert_int_equal(install_file_read(&text, bed->folder.dir_fd, "tiny/onnx/model.onnx"), 0);
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.bytes, expected, text.len);
	buf_reset(&text);
}

static void test_a_directory_is_placed_as_a_whole_and_replaces_the_one_before(void **state)
{
	struct bed *bed = *state;
	int dir;

	assert_int_equal(open_folder(bed), 0);
	dir = bed->folder.dir_fd;
	stage_model(bed, "first");
	assert_int_equal(install_folder_place(&bed->folder, "tiny", bed->why), 0);
	assert_model(bed, "first");
	assert_int_equal(install_file_write(dir, "tiny/old.txt", "x", 1), 0);
	stage_model(bed, "second");
	assert_int_equal(install_folder_place(&bed->folder, "tiny", bed->why), 0);
	assert_model(bed, "second");
	assert_int_not_equal(faccessat(dir, "tiny/old.txt", F_OK, 0), 0);
	install_folder_close(&bed->folder);
	assert_int_equal(open_folder(bed), 0);
	assert_model(bed, "second");
}

static void test_a_link_in_the_place_of_a_directory_is_replaced_and_its_target_kept(void **state)
{
	struct bed *bed = *state;
	int dir;

	assert_int_equal(open_folder(bed), 0);
	dir = bed->folder.dir_fd;
	assert_int_equal(install_file_make_parents(dir, "elsewhere/onnx/model.onnx"), 0);
	assert_int_equal(install_file_write(dir, "elsewhere/onnx/model.onnx", "kept", 4), 0);
	assert_int_equal(symlinkat("elsewhere", dir, "tiny"), 0);
	assert_model(bed, "kept");
	stage_model(bed, "new");
	assert_int_equal(install_folder_place(&bed->folder, "tiny", bed->why), 0);
	assert_model(bed, "new");
	install_folder_close(&bed->folder);
	assert_int_equal(open_folder(bed), 0);
	assert_int_equal(install_file_size(bed->folder.dir_fd, "elsewhere/onnx/model.onnx"), 4);
}

static void test_a_directory_that_root_places_belongs_to_the_owner_of_the_folder(void **state)
{
	static const char *const names[] = {"tiny", "tiny/onnx", "tiny/onnx/model.onnx",
					    "tiny/config.json"};
	struct bed *bed = *state;
	struct stat status;

	if (geteuid() != 0) {
		print_message("skipped: only root can give files away\n");
		skip();
	}
	assert_int_equal(mkdir(bed->path, 0755), 0);
	assert_int_equal(chown(bed->path, NOBODY, NOBODY), 0);
	assert_int_equal(open_folder(bed), 0);
	stage_model(bed, "first");
	assert_int_equal(symlinkat(bed->victim, bed->folder.stage_fd, "tiny/link"), 0);
	assert_int_equal(install_folder_place(&bed->folder, "tiny", bed->why), 0);
	for (size_t i = 0; i < COUNT(names); ++i) {
		assert_int_equal(fstatat(bed->folder.dir_fd, names[i], &status, 0), 0);
		assert_int_equal(status.st_uid, NOBODY);
		assert_int_equal(status.st_gid, NOBODY);
	}
	assert_int_equal(stat(bed->victim, &status), 0);
	assert_int_equal(status.st_uid, 0);
}

static void test_what_is_removed_is_gone_and_a_link_leaves_its_target(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(open_folder(bed), 0);
	stage_model(bed, "first");
	assert_int_equal(install_folder_place(&bed->folder, "tiny", bed->why), 0);
	assert_int_equal(symlinkat("tiny", bed->folder.dir_fd, "link"), 0);
	assert_int_equal(install_folder_remove(&bed->folder, "link", bed->why), 0);
	assert_model(bed, "first");
	assert_int_equal(install_folder_remove(&bed->folder, "tiny", bed->why), 0);
	assert_int_not_equal(faccessat(bed->folder.dir_fd, "tiny", F_OK, 0), 0);
	assert_int_equal(install_folder_remove(&bed->folder, "tiny", bed->why), ENOENT);
}

#define FRESH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(test_a_stage_of_another_user_is_refused),
		FRESH(test_a_stage_that_others_can_write_to_is_refused),
		FRESH(test_a_link_in_the_place_of_the_stage_is_refused),
		FRESH(test_a_link_in_the_stage_is_replaced_not_followed),
		FRESH(test_a_folder_that_cannot_be_written_tells_how_to_name_another),
		FRESH(test_a_directory_is_placed_as_a_whole_and_replaces_the_one_before),
		FRESH(test_a_link_in_the_place_of_a_directory_is_replaced_and_its_target_kept),
		FRESH(test_a_directory_that_root_places_belongs_to_the_owner_of_the_folder),
		FRESH(test_what_is_removed_is_gone_and_a_link_leaves_its_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
