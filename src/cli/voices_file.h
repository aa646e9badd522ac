/*
 * voices_file.h: files of the voices folder: hashed, copied, written.
 *
 * Files are named relative to a directory that is open.  What is written is on
 * the disk when the function returns: it is about to be renamed to where an
 * engine looks for it.
 */
#ifndef CLI_VOICES_FILE_H
#define CLI_VOICES_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define VOICES_FILE_HASH_LEN 64 /* hexadecimal digits of a SHA-256 */

/* All of these give EINTR when cli/interrupt.h noted a signal. */

int voices_file_hash(char hash[VOICES_FILE_HASH_LEN + 1], int dir_fd, const char *name);

/* Whether there is a file with this hash; a cheap no when there is none. */
bool voices_file_is(int dir_fd, const char *name, const char *hash);

/* A part of a file; len 0 is up to its end. */
struct voices_piece {
	int dir_fd;
	const char *name;
	uint64_t offset, len;
};

/* Opens a new file for writing, in the place of an old one of that name; -1 and errno after a
 * failure.  A link is replaced, not followed: it may lead to any file. */
int voices_file_create(int dir_fd, const char *name);

/* Copies it into a new file, in the place of an old one; the copy's hash comes with it.
 * EPIPE: the file is shorter. */
int voices_file_copy(char hash[VOICES_FILE_HASH_LEN + 1], int dir_fd, const char *name,
		     const struct voices_piece *piece);

int voices_file_write(int dir_fd, const char *name, const void *bytes, size_t len);

/* Appends the file to the buffer, whose maximum counts: ENOBUFS. */
int voices_file_read(struct buf *out, int dir_fd, const char *name);

/* Bytes of a file, or of all files below a directory; 0 for what is missing. */
uint64_t voices_file_size(int dir_fd, const char *name);

/* Removes a file or a directory with all that is in it, as far as it can. */
void voices_file_remove(int dir_fd, const char *name);

#endif
