/* Confined processes: what they must not do fails or kills them, and what they
 * need still works. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "workers/confine.h"

static const struct confine_request request = {.memory_mb = 256};

/* Runs a function in a confined child; its return value is the exit status. */
static int in_outer(int (*function)(void))
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(confine_outer(&request, NULL) ? 99 : function());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void assert_exits_with(int (*function)(void), int value)
{
	int status = in_outer(function);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), value);
}

static int open_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int open_local_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int write_file(void)
{
	char name[] = "/tmp/syrinx-confine-XXXXXX";
	int fd = mkstemp(name);
	int err = fd < 0 ? errno : write(fd, "x", 1) < 0 ? errno : 0;

	unlink(name);
	return err;
}

static int mount_something(void)
{
	return mount("none", "/proc", "proc", 0, NULL) ? errno : 0;
}

static int read_file(void)
{
	char byte;
	int fd = open("/proc/self/status", O_RDONLY);

	return fd >= 0 && read(fd, &byte, 1) == 1 ? 0 : 1;
}

static int execute(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return 1;
}

static int confine_again(void)
{
	return confine_outer(&request, NULL);
}

static int raise_a_limit(void)
{
	const struct rlimit wide = {.rlim_cur = 1024, .rlim_max = 1024};

	return setrlimit(RLIMIT_FSIZE, &wide) ? errno : 0;
}

static void test_sockets_are_refused(void **state)
{
	(void)state;
	assert_exits_with(open_socket, EACCES);
	assert_exits_with(open_local_socket, EACCES);
}

static void test_files_cannot_be_written(void **state)
{
	int status = in_outer(write_file);

	(void)state;
	assert_true(WIFEXITED(status));
	/* By the filter; in a build with a sanitizer by Landlock, or by the limit. */
	assert_true(WEXITSTATUS(status) == EPERM || WEXITSTATUS(status) == EACCES ||
		    WEXITSTATUS(status) == EFBIG);
}

static void test_calls_that_nobody_makes_by_accident_kill(void **state)
{
	int status;

	(void)state;
	status = in_outer(mount_something);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}

static void test_files_are_read_and_programs_executed(void **state)
{
	(void)state;
	assert_exits_with(read_file, 0);
	assert_exits_with(execute, 0);
}

static void test_a_confined_process_may_confine_itself_again(void **state)
{
	(void)state;
	assert_exits_with(confine_again, 0);
}

static void test_limits_stay_even_for_root(void **state)
{
	(void)state;
	assert_exits_with(raise_a_limit, EPERM);
}

static bool shows(const char *path)
{
	char where[PATH_MAX];

	return confine_shows(where, sizeof(where), &request, path);
}

/* A model is a folder, and it or a part of it may be a link to another disk. */
static void test_models_are_readable_also_those_that_are_links(void **state)
{
	static const char *const folders[] = {"models", "models/tiny", "weights", "other",
					      "private"};
	char root[] = "/tmp/syrinx-confine-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_int_equal(chdir(root), 0);
	for (size_t i = 0; i < COUNT(folders); ++i)
		assert_int_equal(mkdir(folders[i], 0700), 0);
	assert_int_equal(symlink("../../weights", "models/tiny/onnx"), 0);
	assert_int_equal(symlink("../other", "models/base"), 0);
	assert_false(shows("models/tiny"));
	setenv(CONFINE_MODELS_VARIABLE, "models", 1);
	assert_true(shows("models/tiny"));
	assert_true(shows("weights"));
	assert_true(shows("other"));
	assert_false(shows("private"));
	unsetenv(CONFINE_MODELS_VARIABLE);
	unlink("models/tiny/onnx");
	unlink("models/base");
	for (size_t i = COUNT(folders); i > 0; --i)
		rmdir(folders[i - 1]);
	assert_int_equal(rmdir(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sockets_are_refused),
		cmocka_unit_test(test_files_cannot_be_written),
		cmocka_unit_test(test_calls_that_nobody_makes_by_accident_kill),
		cmocka_unit_test(test_files_are_read_and_programs_executed),
		cmocka_unit_test(test_a_confined_process_may_confine_itself_again),
		cmocka_unit_test(test_limits_stay_even_for_root),
		cmocka_unit_test(test_models_are_readable_also_those_that_are_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
