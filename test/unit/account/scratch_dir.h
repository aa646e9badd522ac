/*
 * scratch_dir.h: a directory of a test's own, and the files in it.
 */
#ifndef TEST_ACCOUNT_SCRATCH_DIR_H
#define TEST_ACCOUNT_SCRATCH_DIR_H

#include <stddef.h>
#include <stdint.h>

/* Makes it; its name stands in `dir`. */
#define SCRATCH_DIR_SIZE 64
void scratch_dir_make(char dir[SCRATCH_DIR_SIZE]);
/* With everything in it. */
void scratch_dir_remove(const char *dir);

/* Files in DIR/spool, or in DIR, whose names end so. */
size_t scratch_dir_count(const char *dir, const char *ending);

/* Changes one byte of a file, or where it ends. */
void scratch_dir_spoil(const char *path, size_t at);
void scratch_dir_cut(const char *path, size_t len);
void scratch_dir_write(const char *path, const char *text);

#endif
