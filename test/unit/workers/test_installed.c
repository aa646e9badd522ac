/* The name of a program says what its engine does, before it is started. */
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

#include "workers/installed.h"

static const char *const files[] = {
	"syrinx",
	"syrinx-",
	"syrinx-espeak",
	"syrinx-hear",
	"syrinx-hear-mine",
	"syrinx-hearsay",
	"syrinx-decode",
	"syrinx-decoder",
	"syrinx-bench",
	"syrinx-tone.old",
	"syrinx-a-name-that-is-longer-than-that-of-any-engine",
	"other-hear",
};

struct found {
	char names[256];
	size_t len;
	unsigned count;
	int err;
};

static int on_engine(const char *name, const char *path, void *arg)
{
	struct found *found = arg;

	assert_int_equal(access(path, X_OK), 0);
	assert_non_null(strstr(path, name));
	found->len += (size_t)snprintf(found->names + found->len, sizeof(found->names) - found->len,
				       "<%s>", name);
	assert_true(found->len < sizeof(found->names));
	++found->count;
	return found->err;
}

static void make(const char *dir, const char *name, mode_t mode)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

static void test_engines_are_found_by_what_they_do(void **state)
{
	char dir[] = "/tmp/syrinx-installed-XXXXXX";
	struct found speak = {0}, listen = {0}, decode = {0}, first = {.err = EINTR};
	char path[256];

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (unsigned i = 0; i < sizeof(files) / sizeof(*files); ++i)
		make(dir, files[i], 0700);
	make(dir, "syrinx-text", 0600);

	assert_int_equal(installed_each(dir, INSTALLED_SPEAKS, on_engine, &speak), 0);
	assert_int_equal(speak.count, 3);
	assert_non_null(strstr(speak.names, "<espeak>"));
	assert_non_null(strstr(speak.names, "<hearsay>"));
	assert_non_null(strstr(speak.names, "<decoder>"));

	assert_int_equal(installed_each(dir, INSTALLED_LISTENS, on_engine, &listen), 0);
	assert_int_equal(listen.count, 2);
	assert_non_null(strstr(listen.names, "<hear>"));
	assert_non_null(strstr(listen.names, "<hear-mine>"));

	assert_int_equal(installed_each(dir, INSTALLED_DECODES, on_engine, &decode), 0);
	assert_string_equal(decode.names, "<decode>");

	assert_int_equal(installed_each(dir, INSTALLED_LISTENS, on_engine, &first), EINTR);
	assert_int_equal(first.count, 1);

	for (unsigned i = 0; i < sizeof(files) / sizeof(*files); ++i) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/syrinx-text", dir);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(installed_each(dir, INSTALLED_SPEAKS, on_engine, &speak), ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_engines_are_found_by_what_they_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
