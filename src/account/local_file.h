/*
 * local_file.h: a file of a fixed size that one process uses at a time.
 *
 * Its blocks are allocated when it is created, so that a disk that fills up later cannot refuse a
 * write.  It is locked while it is open: a file without a lock was left by a process that ended.
 * Blocking; the reason of an error is logged.
 */
#ifndef ACCOUNT_LOCAL_FILE_H
#define ACCOUNT_LOCAL_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Creates a file of `size` zero bytes that only its owner can read.  The lock is released when *fd
 * is closed.  EEXIST, ENOSPC, EROFS, EACCES and others. */
int local_file_make(int *fd, const char *path, size_t size);

/* Opens an existing file and gives its size.  ENOENT; EBUSY when another process has it open; these
 * two are not logged.  EBADMSG when it is not a regular file. */
int local_file_open(int *fd, size_t *size, const char *path);

/* Read or write all `len` bytes at the offset `at`, or fail; EBADMSG when the file ends before. */
int local_file_read(int fd, uint8_t *bytes, size_t len, size_t at);
int local_file_write(int fd, const uint8_t *bytes, size_t len, size_t at);
int local_file_sync(int fd);

/* Makes it durable that files were created in the directory or removed from it. */
int local_file_sync_dir(const char *dir);

#endif
