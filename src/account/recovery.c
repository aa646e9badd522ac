/*
 * recovery.c: books what ended processes left on the disk (see recovery.h).
 *
 * The rows of a process are booked before its marks: the store ignores a mark whose turn is already
 * booked, because it knows the id.  The file of rows stays locked meanwhile, so that two processes
 * that start together do not both book it; if they did, the ids would prevent double bookings.
 */
#include "account/recovery.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "account/async_store_private.h"
#include "account/disk_record.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"

#define PATH_SIZE 1100

static const char recovery_rows_ending[] = ".rows";
static const char recovery_marks_ending[] = ".marks";
static const char recovery_damaged_ending[] = ".damaged"; /* appended to .rows or .marks */
static const char recovery_read_ending[] = ".read"; /* appended to .damaged */

/* Turns that are collected for the store.  The members before `turns` are about the current file,
 * and are reset for each one. */
struct recovery {
	struct store *store;
	bool is_found; /* a file was found */
	bool has_ended; /* the process ended normally (see recovery_log) */
	bool is_lost; /* the records being read are marks, not rows */
	bool is_set_aside; /* the file was kept as damaged by another process */
	size_t rows, lost; /* how many were booked */
	size_t count;
	struct store_turn turns[LEDGER_BATCH];
	int errs[LEDGER_BATCH];
	bool has_store_failed; /* at any file */
};

static int recovery_book_all(struct recovery *recovery)
{
	struct store *store = recovery->store;
	size_t booked = 0;
	int err = 0;

	if (recovery->count == 0)
		return 0;
	memset(recovery->errs, 0, sizeof(recovery->errs));
	err = store->ops->turns_add(store, recovery->turns, recovery->count, recovery->errs);
	if (err) {
		recovery->has_store_failed = true;
		return err;
	}
	for (size_t i = 0; i < recovery->count; ++i) {
		if (recovery->errs[i])
			ledger_log("a turn cannot be booked, its key does not exist:",
				   &recovery->turns[i]);
		else
			++booked;
	}
	*(recovery->is_lost ? &recovery->lost : &recovery->rows) += booked;
	recovery->count = 0;
	return 0;
}

/* Adds a mark, or a row that was read from a damaged file. */
static int recovery_add_row(const struct store_turn *turn, void *arg)
{
	struct recovery *recovery = arg;
	struct store_turn *to = &recovery->turns[recovery->count];

	/* The process that renamed the file has booked all complete records in it. */
	if (recovery->is_set_aside && disk_record_version(turn) == DISK_RECORD_SPEECH)
		return 0;
	*to = *turn;
	if (recovery->is_lost) {
		if (turn->kind == STORE_KIND_SPEECH)
			metrics_add_at(METRIC_TURNS, STORE_TURN_LOST, 1);
		to->status = STORE_TURN_LOST;
		to->amount_microcents = 0;
	}
	return ++recovery->count == LEDGER_BATCH ? recovery_book_all(recovery) : 0;
}

static void recovery_keep_damaged(const char *path)
{
	char aside[PATH_SIZE + sizeof(recovery_damaged_ending)];

	snprintf(aside, sizeof(aside), "%s%s", path, recovery_damaged_ending);
	if (rename(path, aside) == 0)
		log_error("account",
			  "%s is damaged: what was whole in it is booked, and it is kept as %s",
			  path, aside);
}

static int recovery_deliver_rows(struct recovery *recovery, struct spool *spool)
{
	int err = 0;

	while (!err && spool_count(spool) > 0) {
		size_t count;

		err = spool_peek(spool, recovery->turns, LEDGER_BATCH, &count);
		if (err)
			return err;
		recovery->count = count;
		err = recovery_book_all(recovery);
		if (!err)
			err = spool_remove(spool, count);
	}
	return err;
}

static int recovery_rescue_rows(struct recovery *recovery, const char *path)
{
	int err = spool_rescue(path, recovery_add_row, recovery);

	if (!err)
		err = recovery_book_all(recovery);
	if (!err)
		recovery_keep_damaged(path);
	return err;
}

static int recovery_marks(struct recovery *recovery, const char *path)
{
	bool is_damaged;
	int err;

	recovery->is_lost = true;
	err = marks_read(path, recovery_add_row, recovery);
	is_damaged = err == EBADMSG;
	recovery->has_ended = err == ENOENT;
	if (err == ENOENT)
		return 0;
	if (err != EBUSY)
		recovery->is_found = true;
	if (!err || is_damaged)
		err = recovery_book_all(recovery);
	if (err)
		return err;
	if (is_damaged)
		recovery_keep_damaged(path);
	else
		unlink(path);
	return 0;
}

static void recovery_release(struct store *store, const char *id)
{
	if (store->ops->lease_return)
		store->ops->lease_return(store, id);
	if (store->ops->share_return)
		store->ops->share_return(store, id);
}

static int recovery_rows(struct recovery *recovery, struct spool **spoolp, const char *path)
{
	int err = spool_open(spoolp, path, 0);

	if (err == ENOENT)
		return 0;
	if (err != EBUSY)
		recovery->is_found = true;
	if (err == EBADMSG)
		return recovery_rescue_rows(recovery, path);
	return err ? err : recovery_deliver_rows(recovery, *spoolp);
}

/* A process that ends normally removes its file of marks, and leaves its file of rows only if it
 * contains some that the store has not accepted. */
static void recovery_log(const struct recovery *recovery, const char *dir, const char *id)
{
	if (recovery->has_ended)
		log_info("account", "recorded %zu turn%s that server %s left in %s when it ended",
			 recovery->rows, recovery->rows == 1 ? "" : "s", id, dir);
	else
		log_warn("account",
			 "server %s had died: recorded %zu finished turns from %s, and %zu "
			 "unfinished ones as lost",
			 id, recovery->rows, dir, recovery->lost);
}

/* EBUSY: the process is alive. */
static int recovery_one(struct recovery *recovery, const char *dir, const char *id)
{
	char rows[PATH_SIZE];
	char marks[PATH_SIZE];
	struct spool *spool = NULL;
	int err;

	snprintf(rows, sizeof(rows), "%s/%s%s", dir, id, recovery_rows_ending);
	snprintf(marks, sizeof(marks), "%s/%s%s", dir, id, recovery_marks_ending);
	err = recovery_rows(recovery, &spool, rows);
	if (!err)
		err = recovery_marks(recovery, marks);
	if (!err && spool)
		unlink(rows);
	mem_deref(spool);
	if (err || !recovery->is_found)
		return err;
	recovery_release(recovery->store, id);
	recovery_log(recovery, dir, id);
	return 0;
}

/* Reads the server's id from the name of a file.  False for files of other kinds, and for a file of
 * marks if there is also a file of rows, because both are handled together. */
static bool recovery_read_id(char id[STORE_SERVER_ID_LEN + 1], const char *dir, const char *name)
{
	const char *ending = name + STORE_SERVER_ID_LEN;
	char rows[PATH_SIZE];

	for (int i = 0; i < STORE_SERVER_ID_LEN; ++i) {
		if (!isxdigit((unsigned char)name[i]))
			return false;
	}
	memcpy(id, name, STORE_SERVER_ID_LEN);
	id[STORE_SERVER_ID_LEN] = '\0';
	if (strcmp(ending, recovery_marks_ending) != 0)
		return strcmp(ending, recovery_rows_ending) == 0;
	snprintf(rows, sizeof(rows), "%s/%s%s", dir, id, recovery_rows_ending);
	return access(rows, F_OK) != 0;
}

/* The previous release can read only rows of speech.  It treats a file with other rows as damaged:
 * it books the speech in it and keeps the file.  Here the other rows are booked from the kept file,
 * which is renamed if there were any. */
static int recovery_read_damaged(struct recovery *recovery, const char *dir, const char *name)
{
	char path[PATH_SIZE];
	char read[PATH_SIZE + sizeof(recovery_read_ending)];
	int err;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	recovery->is_set_aside = true;
	if (recovery->is_lost)
		err = marks_rescue(path, recovery_add_row, recovery);
	else
		err = spool_rescue(path, recovery_add_row, recovery);
	if (!err)
		err = recovery_book_all(recovery);
	if (err || recovery->rows + recovery->lost == 0)
		return err;
	snprintf(read, sizeof(read), "%s%s", path, recovery_read_ending);
	log_info("account", "%s: %zu rows and %zu that had been running are booked", path,
		 recovery->rows, recovery->lost);
	return rename(path, read) == 0 ? 0 : errno;
}

/* The row of a turn must be booked before its mark, even if the file of rows was set aside as
 * damaged and the file of marks was not, so the directory is read three times. */
enum recovery_pass {
	RECOVERY_ROWS_SET_ASIDE,
	RECOVERY_MARKS_SET_ASIDE,
	RECOVERY_LEFT,
	RECOVERY_PASSES
};

/* Whether a file was set aside: its name is a server's id, then `ending`, then ".damaged". */
static bool recovery_is_damaged(const char *name, const char *ending)
{
	size_t len = strlen(ending);

	if (strspn(name, "0123456789abcdefABCDEF") != STORE_SERVER_ID_LEN)
		return false;
	name += STORE_SERVER_ID_LEN;
	return strncmp(name, ending, len) == 0 && strcmp(name + len, recovery_damaged_ending) == 0;
}

static int recovery_entry(struct recovery *recovery, enum recovery_pass pass, const char *dir,
			  const char *name)
{
	char id[STORE_SERVER_ID_LEN + 1];

	if (pass == RECOVERY_LEFT)
		return recovery_read_id(id, dir, name) ? recovery_one(recovery, dir, id) : 0;
	if (!recovery_is_damaged(name, pass == RECOVERY_ROWS_SET_ASIDE ? recovery_rows_ending
								       : recovery_marks_ending))
		return 0;
	recovery->is_lost = pass == RECOVERY_MARKS_SET_ASIDE;
	return recovery_read_damaged(recovery, dir, name);
}

static int recovery_all(struct recovery *recovery, enum recovery_pass pass, DIR *list,
			const char *dir, struct store *store)
{
	struct dirent *entry;
	int err = 0;

	rewinddir(list);
	while ((entry = readdir(list))) {
		int one;

		memset(recovery, 0, offsetof(struct recovery, turns));
		recovery->store = store;
		one = recovery_entry(recovery, pass, dir, entry->d_name);
		if (one && one != EBUSY) {
			log_error("account", "%s/%s has to wait: %s", dir, entry->d_name,
				  strerror(one));
			err = one;
		}
	}
	return err;
}

int recovery_run(struct store *store, const char *dir)
{
	struct recovery *recovery = mem_zalloc(sizeof(*recovery), NULL);
	DIR *list = recovery ? opendir(dir) : NULL;
	int err = recovery ? 0 : ENOMEM;

	/* A file that cannot be read does not keep other files from being booked.  If the store
	 * fails, the later passes are skipped, because rows that wait for it must be booked before
	 * the marks of the same turns. */
	for (int pass = 0; list && !recovery->has_store_failed && pass < RECOVERY_PASSES; ++pass) {
		int one = recovery_all(recovery, (enum recovery_pass)pass, list, dir, store);

		err = err ? err : one;
	}
	if (list)
		closedir(list);
	mem_deref(recovery);
	return err;
}
