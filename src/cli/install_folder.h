/*
 * install_folder.h: a folder in which voices or models are installed.
 *
 * Only one command at a time changes the folder: it holds a lock. New files are created in a
 * staging directory inside the folder, and so on the same disk, and are renamed into place, alone
 * or with a directory that contains them: a program that watches the folder never sees an
 * incomplete file. The staging directory is removed when the command ends, and after a crash by
 * the next command.
 *
 * The folder may belong to another user, such as the service's, while root installs files. That
 * user must not be able to make root write elsewhere: the staging directory belongs to the user
 * who runs the command, and files in it are always created, never opened (see
 * install_file_create).
 */
#ifndef CLI_INSTALL_FOLDER_H
#define CLI_INSTALL_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#define INSTALL_FOLDER_STAGE ".stage"

/* Room for an error in words. */
#define INSTALL_WHY_SIZE 512

struct install_folder {
	const char *path; /* not copied */
	const char *choice; /* how the user can name another folder; not copied */
	int dir_fd;
	int stage_fd;
	int lock_fd;
};

/* A folder that is not open, for install_folder_close. */
#define INSTALL_FOLDER_CLOSED                                                                      \
	{                                                                                          \
		.path = "", .choice = "", .dir_fd = -1, .stage_fd = -1, .lock_fd = -1              \
	}

/* Creates the folder if it does not exist, for the owner of its parent directory, and waits for
 * its lock; `waiting` is called once if the lock is taken. install_folder_close must be called
 * even after a failure. */
int install_folder_open(struct install_folder *folder, const char *path, const char *choice,
			void (*waiting)(void), char why[INSTALL_WHY_SIZE]);
void install_folder_close(struct install_folder *folder);

/* Moves a file, or a directory with its content, from the staging directory to the folder, where it
 * replaces one of the same name, and gives it to the folder's owner. */
int install_folder_place(struct install_folder *folder, const char *name,
			 char why[INSTALL_WHY_SIZE]);

/* Removes a directory with its content; others see all of it or nothing. ENOENT, without a reason
 * in `why`, if there is no such directory. */
int install_folder_remove(struct install_folder *folder, const char *name,
			  char why[INSTALL_WHY_SIZE]);

/* ENOSPC if the disk has less free space than `bytes`. */
int install_folder_check_space(const struct install_folder *folder, uint64_t bytes,
			       char why[INSTALL_WHY_SIZE]);

/* Writes the reason for a failure with a file to `why` and returns `err`. */
int install_folder_failed(const struct install_folder *folder, const char *name, int err,
			  char why[INSTALL_WHY_SIZE]);

#endif
