/*
 * install_file.h: hashes, copies, moves and writes files of a folder of voices or models.
 *
 * File names are relative to an open directory. Written files are on the disk when a function
 * returns, because they are about to be renamed to where an engine looks for them.
 */
#ifndef CLI_INSTALL_FILE_H
#define CLI_INSTALL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

#define INSTALL_FILE_HASH_LEN 64 /* hexadecimal digits of a SHA-256 */

/* All of these return EINTR if cli/interrupt.h has recorded a signal. */

int install_file_hash(char hash[INSTALL_FILE_HASH_LEN + 1], int dir_fd, const char *name);

/* Whether the file exists and has this hash; cheap if there is no file. */
bool install_file_is(int dir_fd, const char *name, const char *hash);

/* Part of a file; if len is 0, up to its end. */
struct install_piece {
	int dir_fd;
	const char *name;
	uint64_t offset, len;
};

/* Opens a new file for writing, replacing an existing one; -1 and errno on failure. A symbolic
 * link is replaced, not followed, because it may lead to any file. */
int install_file_create(int dir_fd, const char *name);

/* Copies the piece to a new file, replacing an existing one, and returns the hash of the copy.
 * EPIPE if the source is too short. */
int install_file_copy(char hash[INSTALL_FILE_HASH_LEN + 1], int dir_fd, const char *name,
		      const struct install_piece *piece);

/* Moves a file to another name on the same disk, readable for all, and returns its hash. */
int install_file_move(char hash[INSTALL_FILE_HASH_LEN + 1], int dir_fd, const char *name,
		      int from_fd, const char *from);

/* Creates the directories of the path `name`, except its last part. */
int install_file_make_parents(int dir_fd, const char *name);

int install_file_write(int dir_fd, const char *name, const void *bytes, size_t len);

/* Appends the file to the buffer; ENOBUFS if it does not fit. */
int install_file_read(struct buf *out, int dir_fd, const char *name);

/* Also true for a link to one. */
bool install_file_is_folder(int dir_fd, const char *name);

/* The size of a file, or of all files below a directory, in bytes; 0 if it does not exist. */
uint64_t install_file_size(int dir_fd, const char *name);

/* Gives a file, or a directory with its content, to a user. Links are not followed. */
int install_file_give(int dir_fd, const char *name, uid_t uid, gid_t gid);

/* Removes a file, or a directory with its content, as far as possible. */
void install_file_remove(int dir_fd, const char *name);

#endif
