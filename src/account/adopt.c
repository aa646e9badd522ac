/*
 * adopt.c: what processes left behind that died (see adopt.h).
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
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"

#define PATH_SIZE 1100

static const char rows_ending[] = ".rows";
static const char marks_ending[] = ".marks";

/* Turns on their way to the store. */
struct adoption {
	struct store *store;
	bool is_found; /* there was a file */
	bool is_lost; /* those that come are marks */
	size_t rows, lost; /* that were booked */
	size_t count;
	struct store_turn turns[LEDGER_BATCH];
	int errs[LEDGER_BATCH];
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
	if (err)
		return err;
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

	*to = *turn;
	if (adoption->is_lost) {
		metrics_add_at(METRIC_TURNS, STORE_TURN_LOST, 1);
		to->status = STORE_TURN_LOST;
		to->amount_microcents = 0;
	}
	return ++adoption->count == LEDGER_BATCH ? book_all(adoption) : 0;
}

static void set_aside(const char *path)
{
	char aside[PATH_SIZE + sizeof(".damaged")];

	snprintf(aside, sizeof(aside), "%s.damaged", path);
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
	log_info("account", "server %s had died: %zu rows delivered, %zu turns had been running",
		 id, adoption->rows, adoption->lost);
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

int adopt_left(struct store *store, const char *dir)
{
	struct adoption *adoption = mem_zalloc(sizeof(*adoption), NULL);
	DIR *list = adoption ? opendir(dir) : NULL;
	struct dirent *entry;
	char id[STORE_SERVER_ID_LEN + 1];
	int err = adoption ? 0 : ENOMEM;

	while (list && (entry = readdir(list))) {
		int one;

		if (!read_id(id, dir, entry->d_name))
			continue;
		memset(adoption, 0, offsetof(struct adoption, turns));
		adoption->store = store;
		one = adopt_one(adoption, dir, id);
		if (one && one != EBUSY) {
			log_error("account", "what server %s left in %s has to wait: %s", id, dir,
				  strerror(one));
			err = one;
		}
	}
	if (list)
		closedir(list);
	mem_deref(adoption);
	return err;
}
