/*
 * scratch_dir.h: a temporary directory for a test, and the files in it.
 */
#ifndef TEST_ACCOUNT_SCRATCH_DIR_H
#define TEST_ACCOUNT_SCRATCH_DIR_H

#include <stddef.h>
#include <stdint.h>

/* Creates the directory and writes its name to `dir`. */
#define SCRATCH_DIR_SIZE 64
void scratch_dir_make(char dir[SCRATCH_DIR_SIZE]);
/* Removes the directory and everything in it. */
void scratch_dir_remove(const char *dir);

/* How many files in DIR/spool, or in DIR, have names with this ending. */
size_t scratch_dir_count(const char *dir, const char *ending);

/* Change one byte of a file, truncate it, or write a new one. */
void scratch_dir_spoil(const char *path, size_t at);
void scratch_dir_cut(const char *path, size_t len);
void scratch_dir_write(const char *path, const char *text);

#endif
