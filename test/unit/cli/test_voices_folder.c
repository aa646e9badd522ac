/* Who owns the folder cannot make a command of another user, root say, write elsewhere: neither by
 * putting something in the place of the stage nor by links in it. */
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

#include "cli/command.h"
#include "cli/tool.h"
#include "cli/voices_file.h"
#include "cli/voices_folder.h"

#define NOBODY 65534
#define SECRET "nobody may overwrite this"

const struct command *const command_table[] = {NULL};

/* What an attacker does in the moment after the stage was made. */
enum attack { ATTACK_NONE, ATTACK_DIRECTORY, ATTACK_LINK, ATTACK_OPEN_DIRECTORY };

struct bed {
	char dir[64];
	char path[96]; /* of the folder */
	char victim[96];
	struct voices_folder folder;
	char why[VOICES_WHY_SIZE];
};

static enum attack attack;

int __real_mkdirat(int dir_fd, const char *name, mode_t mode);
int __wrap_mkdirat(int dir_fd, const char *name, mode_t mode);

int __wrap_mkdirat(int dir_fd, const char *name, mode_t mode)
{
	int result = __real_mkdirat(dir_fd, name, mode);

	if (strcmp(name, VOICES_FOLDER_STAGE) != 0 || attack == ATTACK_NONE)
		return result;
	assert_int_equal(result, 0);
	assert_int_equal(renameat(dir_fd, name, dir_fd, "taken"), 0);
	if (attack == ATTACK_LINK)
		return symlinkat("taken", dir_fd, name);
	result = __real_mkdirat(dir_fd, name, 0700);
	assert_int_equal(symlinkat("../../victim", dir_fd, VOICES_FOLDER_STAGE "/output"), 0);
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
	return voices_folder_open(&bed->folder, bed->path, wait_for_nobody, bed->why);
}

static int set_up(void **state)
{
	static struct bed bed;

	bed = (struct bed){.dir = "/tmp/test_voices_folder.XXXXXX", .folder = {NULL, -1, -1, -1}};
	attack = ATTACK_NONE;
	assert_non_null(mkdtemp(bed.dir));
	snprintf(bed.path, sizeof(bed.path), "%s/voices", bed.dir);
	snprintf(bed.victim, sizeof(bed.victim), "%s/victim", bed.dir);
	assert_int_equal(voices_file_write(AT_FDCWD, bed.victim, SECRET, strlen(SECRET)), 0);
	*state = &bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	voices_folder_close(&bed->folder);
	voices_file_remove(AT_FDCWD, bed->dir);
	return 0;
}

static void assert_unharmed(const struct bed *bed)
{
	struct buf text;

	buf_init(&text, 4096);
	assert_int_equal(voices_file_read(&text, AT_FDCWD, bed->victim), 0);
	assert_int_equal(text.len, strlen(SECRET));
	assert_memory_equal(text.bytes, SECRET, text.len);
	buf_reset(&text);
}

static void refuse_stage(struct bed *bed, enum attack kind)
{
	attack = kind;
	assert_int_equal(open_folder(bed), EPERM);
	assert_non_null(strstr(bed->why, VOICES_FOLDER_STAGE " was replaced"));
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
	struct tool tool = {.run = say_something, .output = "output"};
	struct stat status;

	assert_int_equal(open_folder(bed), 0);
	tool.dir_fd = bed->folder.stage_fd;
	assert_int_equal(symlinkat(bed->victim, tool.dir_fd, "output"), 0);
	assert_int_equal(tool_run(&tool), 0);
	assert_unharmed(bed);
	assert_int_equal(fstatat(tool.dir_fd, "output", &status, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISREG(status.st_mode) && status.st_size == 5);
	assert_int_equal(tool_run(&tool), 0); /* over the output of the last one */
	assert_int_equal(symlinkat(bed->victim, tool.dir_fd, "voice.onnx"), 0);
	assert_int_equal(voices_file_write(tool.dir_fd, "voice.onnx", "new", 3), 0);
	assert_unharmed(bed);
	assert_int_equal(voices_file_size(tool.dir_fd, "voice.onnx"), 3);
}

#define FRESH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(test_a_stage_of_another_user_is_refused),
		FRESH(test_a_stage_that_others_can_write_to_is_refused),
		FRESH(test_a_link_in_the_place_of_the_stage_is_refused),
		FRESH(test_a_link_in_the_stage_is_replaced_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
