/*
 * sqlite_backup.c: writes a store to a single file (see backup.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "store/backup.h"
#include "store/sqlite_private.h"

/* How long to wait for another process that changes the journal mode or checkpoints the log. */
#define BACKUP_BUSY_MS 10000

static int sqlite_backup_failed(sqlite3 *db, const char *what, const char *path)
{
	int err = db ? sqlite_errno(db) : ENOMEM;

	log_error("store", "%s %s: %s", what, path, db ? sqlite3_errmsg(db) : strerror(err));
	return err;
}

static int sqlite_backup_open(sqlite3 **dbp, const char *path, int flags)
{
	if (sqlite3_open_v2(path, dbp, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		return sqlite_backup_failed(*dbp, "cannot open", path);
	sqlite3_busy_timeout(*dbp, BACKUP_BUSY_MS);
	return 0;
}

int backup_make_file(const char *path, bool to_owner)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);

	if (fd < 0)
		return errno;
	if (to_owner)
		sqlite_give_to_owner(fd, path);
	close(fd);
	return 0;
}

/* Copies all pages in one step, which reads in one transaction, so others may write meanwhile
 * without affecting the copy.  With several steps, each write of another process would restart the
 * copy. */
static int sqlite_backup_copy_pages(sqlite3 *to, sqlite3 *from, const char *path)
{
	sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
	int code = backup ? sqlite3_backup_step(backup, -1) : SQLITE_ERROR;

	sqlite3_backup_finish(backup);
	if (code == SQLITE_DONE)
		return 0;
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return EBUSY;
	return sqlite_backup_failed(to, "cannot copy to", path);
}

int backup_copy_file(const char *to, const char *from, bool to_owner)
{
	sqlite3 *source = NULL;
	sqlite3 *copy = NULL;
	int err = backup_make_file(to, to_owner);

	if (err)
		return err;
	/* Reading a write-ahead log that no other process has open requires write permission. */
	err = sqlite_backup_open(&source, from,
				 access(from, W_OK) == 0 ? SQLITE_OPEN_READWRITE
							 : SQLITE_OPEN_READONLY);
	if (!err)
		err = sqlite_backup_open(&copy, to, SQLITE_OPEN_READWRITE);
	if (!err)
		err = sqlite_backup_copy_pages(copy, source, to);
	sqlite3_close(copy);
	sqlite3_close(source);
	if (err)
		unlink(to);
	return err;
}

static int sqlite_backup_check_pages(sqlite3 *db, const char *path)
{
	sqlite3_stmt *stmt = NULL;
	const char *first;
	int err = 0;

	if (sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL) != SQLITE_OK)
		return sqlite_backup_failed(db, "cannot check", path);
	if (sqlite3_step(stmt) != SQLITE_ROW) {
		err = sqlite_backup_failed(db, "cannot check", path);
	} else {
		first = (const char *)sqlite3_column_text(stmt, 0);
		if (!first || strcmp(first, "ok") != 0) {
			log_error("store", "%s is damaged: %s", path, first ? first : "?");
			err = EBADMSG;
		}
	}
	sqlite3_finalize(stmt);
	return err;
}

static int sqlite_backup_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 || fsync(fd) != 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

int backup_seal(const char *path)
{
	sqlite3 *db = NULL;
	int err = sqlite_backup_open(&db, path, SQLITE_OPEN_READWRITE);

	if (!err && sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) != SQLITE_OK)
		err = sqlite_backup_failed(db, "cannot finish", path);
	if (!err)
		err = sqlite_backup_check_pages(db, path);
	sqlite3_close(db);
	return err ? err : sqlite_backup_sync(path);
}

/* Does not use a hard link, because file systems for backups may not support them. */
int backup_name(const char *from, const char *to)
{
	char dir[PATH_MAX];
	bool has_flag = true;

	if (strlen(to) >= sizeof(dir))
		return ENAMETOOLONG;
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) != 0) {
		has_flag = errno != EINVAL && errno != ENOSYS;
		if (has_flag)
			return errno;
	}
	if (!has_flag && access(to, F_OK) == 0)
		return EEXIST;
	if (!has_flag && rename(from, to) != 0)
		return errno;
	memcpy(dir, to, strlen(to) + 1);
	return sqlite_backup_sync(dirname(dir));
}
