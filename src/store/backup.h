/*
 * backup.h: a store in one file that can be copied, kept and read anywhere.
 *
 * A backup is a store of SQLite's, whatever the store is, without a write-ahead log.
 * Blocking; what goes wrong is logged.
 */
#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H

#include <stdbool.h>

/* Makes an empty file for a copy.  It must not exist: EEXIST.  It is for its owner alone, who is
 * this user or, for root with `to_owner`, the owner of the directory. */
int backup_make_file(const char *path, bool to_owner);

/* Copies a database of SQLite's as it is at one moment, while others write to it.  The copy
 * is made as by backup_make_file.  On failure there is none. */
int backup_copy_file(const char *to, const char *from, bool to_owner);

/* Checks every page of a file that nothing uses, and makes it a single one: without a
 * write-ahead log, all of it on the disk.  EBADMSG: it is damaged. */
int backup_seal(const char *path);

/* Gives a file its name, durably.  EEXIST: nothing is overwritten. */
int backup_name(const char *from, const char *to);

#endif
