/*
 * voices_folder.h: the folder where voices are installed, held by one command.
 *
 * One command at a time changes the folder: it holds a lock.  What it makes is
 * made in a stage, a directory inside the folder and so on the same disk, and
 * moved into place by a rename: a program that watches the folder never sees half a
 * file.  The stage goes with the command; one that a crash left goes
 * with the next.
 *
 * The folder may belong to another user than the command's, the service's say,
 * while root installs voices.  That user must not be able to make root write
 * elsewhere: the stage belongs to the command's user alone, and files in it are
 * newly created, never opened (see voices_file_create).
 */
#ifndef CLI_VOICES_FOLDER_H
#define CLI_VOICES_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#define VOICES_FOLDER_STAGE ".stage"

/* Room for what went wrong, in words. */
#define VOICES_WHY_SIZE 512

struct voices_folder {
	const char *path; /* lent */
	int dir_fd;
	int stage_fd;
	int lock_fd;
};

/* Makes the folder where it is missing, for the owner of the directory above it, and waits for
 * its lock; `waiting` is called once when that takes time.  Close it also after a failure. */
int voices_folder_open(struct voices_folder *folder, const char *path, void (*waiting)(void),
		       char why[VOICES_WHY_SIZE]);
void voices_folder_close(struct voices_folder *folder);

/* Moves a file from the stage into the folder, whose owner then owns it, too. */
int voices_folder_place(struct voices_folder *folder, const char *name, char why[VOICES_WHY_SIZE]);

/* ENOSPC when the disk has less room than that. */
int voices_folder_check_space(const struct voices_folder *folder, uint64_t bytes,
			      char why[VOICES_WHY_SIZE]);

/* Writes what went wrong with a file and gives the error back. */
int voices_folder_failed(const struct voices_folder *folder, const char *name, int err,
			 char why[VOICES_WHY_SIZE]);

#endif
