/*
 * backup.h: writes a store to a single file that can be copied, kept and read anywhere.
 *
 * Whatever the backend of the store, a backup is an SQLite store without a write-ahead log.  All
 * functions block, and log their errors.
 */
#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H

#include <stdbool.h>

/* Creates an empty file that only its owner can read: the current user or, if root passes
 * `to_owner`, the owner of the directory.  EEXIST if the file exists. */
int backup_make_file(const char *path, bool to_owner);

/* Copies an SQLite database as of one moment, even while others write to it, to a file created like
 * that of backup_make_file.  After a failure there is no copy. */
int backup_copy_file(const char *to, const char *from, bool to_owner);

/* Checks every page of a file that is not in use, merges its write-ahead log into it and syncs it
 * to disk.  EBADMSG if it is damaged. */
int backup_seal(const char *path);

/* Renames a file durably.  EEXIST if the new name exists: nothing is overwritten. */
int backup_name(const char *from, const char *to);

#endif
