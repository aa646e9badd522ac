/*
 * local_file.h: a file of a fixed size that one process has at a time.
 *
 * It is made whole beforehand, so that a disk that fills up later cannot refuse
 * it, and locked while it is open: a file that nobody has locked is one that its
 * process left.  Blocking; the reason of an error is logged.
 */
#ifndef ACCOUNT_LOCAL_FILE_H
#define ACCOUNT_LOCAL_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A new one, of zeros, for its owner alone.  EEXIST, ENOSPC, EROFS, EACCES... */
int local_file_make(int *fd, const char *path, size_t size);

/* One that is there, and its size.  ENOENT and EBUSY are not logged; EBADMSG when
 * it is no file. */
int local_file_open(int *fd, size_t *size, const char *path);

/* All of it or an errno; EBADMSG where the file ends before. */
int local_file_read(int fd, uint8_t *bytes, size_t len, size_t at);
int local_file_write(int fd, const uint8_t *bytes, size_t len, size_t at);
int local_file_sync(int fd);

/* After files of a directory were made or removed. */
int local_file_sync_dir(const char *dir);

#endif
