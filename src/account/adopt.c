/*
 * adopt.c: what processes that have ended left behind (see adopt.h).
 *
 * The rows of a process come before its marks: a turn that was booked as it was is
 * not booked again as lost, for its id is known.  Its file of rows stays locked
 * meanwhile, so that two processes that start together do not both do it; if they
 * did, the ids would see to it that nothing is booked twice.
 */
#include "account/adopt.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "account/account_private.h"
#include "account/disk_record.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"

#define PATH_SIZE 1100

static const char rows_ending[] = ".rows";
static const char marks_ending[] = ".marks";
static const char damaged_ending[] = ".damaged"; /* appended to one of those */
static const char read_ending[] = ".read"; /* appended to that */

/* Turns on their way to the store. */
struct adoption {
	struct store *store;
	bool is_found; /* there was a file */
	bool has_ended; /* in order, as adopt_tell knows it */
	bool is_lost; /* those that come are marks */
	bool is_set_aside; /* from a file that was kept as damaged */
	size_t rows, lost; /* that were booked */
	size_t count;
	struct store_turn turns[LEDGER_BATCH];
	int errs[LEDGER_BATCH];
	bool has_store_failed; /* with any file, at least once: this member stays */
};

static int book_all(struct adoption *adoption)
{
	struct store *store = adoption->store;
	size_t booked = 0;
	int err = 0;

	if (adoption->count == 0)
		return 0;
	memset(adoption->errs, 0, sizeof(adoption->errs));
	err = store->ops->turns_add(store, adoption->turns, adoption->count, adoption->errs);
	if (err) {
		adoption->has_store_failed = true;
		return err;
	}
	for (size_t i = 0; i < adoption->count; ++i) {
		if (adoption->errs[i])
			ledger_log("a turn cannot be booked, its key does not exist:",
				   &adoption->turns[i]);
		else
			++booked;
	}
	*(adoption->is_lost ? &adoption->lost : &adoption->rows) += booked;
	adoption->count = 0;
	return 0;
}

/* A mark, or a row that was rescued. */
static int add(const struct store_turn *turn, void *arg)
{
	struct adoption *adoption = arg;
	struct store_turn *to = &adoption->turns[adoption->count];

	/* All complete records in it were booked by the process that set it aside. */
	if (adoption->is_set_aside && disk_record_version(turn) == DISK_RECORD_SPEECH)
		return 0;
	*to = *turn;
	if (adoption->is_lost) {
		if (turn->kind == STORE_KIND_SPEECH)
			metrics_add_at(METRIC_TURNS, STORE_TURN_LOST, 1);
		to->status = STORE_TURN_LOST;
		to->amount_microcents = 0;
	}
	return ++adoption->count == LEDGER_BATCH ? book_all(adoption) : 0;
}

static void set_aside(const char *path)
{
	char aside[PATH_SIZE + sizeof(damaged_ending)];

	snprintf(aside, sizeof(aside), "%s%s", path, damaged_ending);
	if (rename(path, aside) == 0)
		log_error("account",
			  "%s is damaged: what was whole in it is booked, and it is kept as %s",
			  path, aside);
}

static int deliver(struct adoption *adoption, struct spool *spool)
{
	int err = 0;

	while (!err && spool_count(spool) > 0) {
		size_t count;

		err = spool_peek(spool, adoption->turns, LEDGER_BATCH, &count);
		if (err)
			return err;
		adoption->count = count;
		err = book_all(adoption);
		if (!err)
			err = spool_remove(spool, count);
	}
	return err;
}

static int rescue_rows(struct adoption *adoption, const char *path)
{
	int err = spool_rescue(path, add, adoption);

	if (!err)
		err = book_all(adoption);
	if (!err)
		set_aside(path);
	return err;
}

static int adopt_marks(struct adoption *adoption, const char *path)
{
	bool is_damaged;
	int err;

	adoption->is_lost = true;
	err = marks_read(path, add, adoption);
	is_damaged = err == EBADMSG;
	adoption->has_ended = err == ENOENT;
	if (err == ENOENT)
		return 0;
	if (err != EBUSY)
		adoption->is_found = true;
	if (!err || is_damaged)
		err = book_all(adoption);
	if (err)
		return err;
	if (is_damaged)
		set_aside(path);
	else
		unlink(path);
	return 0;
}

static void give_back(struct store *store, const char *id)
{
	if (store->ops->lease_return)
		store->ops->lease_return(store, id);
	if (store->ops->share_return)
		store->ops->share_return(store, id);
}

static int adopt_rows(struct adoption *adoption, struct spool **spoolp, const char *path)
{
	int err = spool_open(spoolp, path, 0);

	if (err == ENOENT)
		return 0;
	if (err != EBUSY)
		adoption->is_found = true;
	if (err == EBADMSG)
		return rescue_rows(adoption, path);
	return err ? err : deliver(adoption, *spoolp);
}

/* A process that ends in order removes its file of marks, and leaves that of rows only if it has
 * some that the store has not taken. */
static void adopt_tell(const struct adoption *adoption, const char *dir, const char *id)
{
	if (adoption->has_ended)
		log_info("account", "recorded %zu turn%s that server %s left in %s when it ended",
			 adoption->rows, adoption->rows == 1 ? "" : "s", id, dir);
	else
		log_warn("account",
			 "server %s had died: recorded %zu finished turns from %s, and %zu "
			 "unfinished ones as lost",
			 id, adoption->rows, dir, adoption->lost);
}

/* EBUSY: it lives. */
static int adopt_one(struct adoption *adoption, const char *dir, const char *id)
{
	char rows[PATH_SIZE];
	char marks[PATH_SIZE];
	struct spool *spool = NULL;
	int err;

	snprintf(rows, sizeof(rows), "%s/%s%s", dir, id, rows_ending);
	snprintf(marks, sizeof(marks), "%s/%s%s", dir, id, marks_ending);
	err = adopt_rows(adoption, &spool, rows);
	if (!err)
		err = adopt_marks(adoption, marks);
	if (!err && spool)
		unlink(rows);
	mem_deref(spool);
	if (err || !adoption->is_found)
		return err;
	give_back(adoption->store, id);
	adopt_tell(adoption, dir, id);
	return 0;
}

/* The server whose file it is; false for another file, and for the second of two. */
static bool read_id(char id[STORE_SERVER_ID_LEN + 1], const char *dir, const char *name)
{
	const char *ending = name + STORE_SERVER_ID_LEN;
	char rows[PATH_SIZE];

	for (int i = 0; i < STORE_SERVER_ID_LEN; ++i) {
		if (!isxdigit((unsigned char)name[i]))
			return false;
	}
	memcpy(id, name, STORE_SERVER_ID_LEN);
	id[STORE_SERVER_ID_LEN] = '\0';
	if (strcmp(ending, marks_ending) != 0)
		return strcmp(ending, rows_ending) == 0;
	snprintf(rows, sizeof(rows), "%s/%s%s", dir, id, rows_ending);
	return access(rows, F_OK) != 0;
}

/* The previous release cannot read rows of kinds other than speech: it treats a file that has
 * any as damaged and keeps it.  Such rows are booked from the kept file, and a file from
 * which something was booked is renamed once more. */
static int adopt_set_aside(struct adoption *adoption, const char *dir, const char *name)
{
	char path[PATH_SIZE];
	char read[PATH_SIZE + sizeof(read_ending)];
	int err;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	adoption->is_set_aside = true;
	if (adoption->is_lost)
		err = marks_rescue(path, add, adoption);
	else
		err = spool_rescue(path, add, adoption);
	if (!err)
		err = book_all(adoption);
	if (err || adoption->rows + adoption->lost == 0)
		return err;
	snprintf(read, sizeof(read), "%s%s", path, read_ending);
	log_info("account", "%s: %zu rows and %zu that had been running are booked", path,
		 adoption->rows, adoption->lost);
	return rename(path, read) == 0 ? 0 : errno;
}

/* Rows must be booked before marks, whichever process left them, so the directory is read
 * three times. */
enum adopt_pass { ADOPT_ROWS_SET_ASIDE, ADOPT_MARKS_SET_ASIDE, ADOPT_LEFT, ADOPT_PASSES };

/* Whether a file was set aside: its name is ID, its ending, and the ending for damaged files. */
static bool adopt_is_set_aside(const char *name, const char *ending)
{
	size_t len = strlen(ending);

	if (strspn(name, "0123456789abcdefABCDEF") != STORE_SERVER_ID_LEN)
		return false;
	name += STORE_SERVER_ID_LEN;
	return strncmp(name, ending, len) == 0 && strcmp(name + len, damaged_ending) == 0;
}

static int adopt_entry(struct adoption *adoption, enum adopt_pass pass, const char *dir,
		       const char *name)
{
	char id[STORE_SERVER_ID_LEN + 1];

	if (pass == ADOPT_LEFT)
		return read_id(id, dir, name) ? adopt_one(adoption, dir, id) : 0;
	if (!adopt_is_set_aside(name, pass == ADOPT_ROWS_SET_ASIDE ? rows_ending : marks_ending))
		return 0;
	adoption->is_lost = pass == ADOPT_MARKS_SET_ASIDE;
	return adopt_set_aside(adoption, dir, name);
}

static int adopt_all(struct adoption *adoption, enum adopt_pass pass, DIR *list, const char *dir,
		     struct store *store)
{
	struct dirent *entry;
	int err = 0;

	rewinddir(list);
	while ((entry = readdir(list))) {
		int one;

		memset(adoption, 0, offsetof(struct adoption, turns));
		adoption->store = store;
		one = adopt_entry(adoption, pass, dir, entry->d_name);
		if (one && one != EBUSY) {
			log_error("account", "%s/%s has to wait: %s", dir, entry->d_name,
				  strerror(one));
			err = one;
		}
	}
	return err;
}

int adopt_left(struct store *store, const char *dir)
{
	struct adoption *adoption = mem_zalloc(sizeof(*adoption), NULL);
	DIR *list = adoption ? opendir(dir) : NULL;
	int err = adoption ? 0 : ENOMEM;

	/* A file that cannot be read does not keep other files from being booked; a store
	 * that fails does, because rows that wait for it must be booked before the marks of
	 * the same answers. */
	for (int pass = 0; list && !adoption->has_store_failed && pass < ADOPT_PASSES; ++pass) {
		int one = adopt_all(adoption, (enum adopt_pass)pass, list, dir, store);

		err = err ? err : one;
	}
	if (list)
		closedir(list);
	mem_deref(adoption);
	return err;
}
