/*
 * scratch_dir.c: a temporary directory for a test (see scratch_dir.h).
 */
#include "scratch_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void scratch_dir_make(char dir[SCRATCH_DIR_SIZE])
{
	snprintf(dir, SCRATCH_DIR_SIZE, "/tmp/syrinx-account-XXXXXX");
	assert_non_null(mkdtemp(dir));
}

static int scratch_dir_remove_one(const char *path, const struct stat *status, int type,
				  struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

void scratch_dir_remove(const char *dir)
{
	assert_int_equal(nftw(dir, scratch_dir_remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

size_t scratch_dir_count(const char *dir, const char *ending)
{
	char path[2 * SCRATCH_DIR_SIZE];
	struct dirent *entry;
	size_t count = 0;
	DIR *list;

	snprintf(path, sizeof(path), "%s/spool", dir);
	list = opendir(access(path, F_OK) == 0 ? path : dir);
	assert_non_null(list);
	while ((entry = readdir(list))) {
		size_t len = strlen(entry->d_name);

		count += len >= strlen(ending) &&
			 strcmp(entry->d_name + len - strlen(ending), ending) == 0;
	}
	closedir(list);
	return count;
}

void scratch_dir_spoil(const char *path, size_t at)
{
	int fd = open(path, O_RDWR);
	uint8_t byte;

	assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
	byte ^= 0x40;
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
	close(fd);
}

void scratch_dir_cut(const char *path, size_t len)
{
	assert_int_equal(truncate(path, (off_t)len), 0);
}

void scratch_dir_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}
