/*
 * waiting_rows.c: turns that a server keeps in its spool (see waiting_rows.h).
 */
#include "cli/waiting_rows.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/spool.h"
#include "base/log.h"
#include "base/mem.h"

#define WAITING_ROWS_BATCH 500

struct waiting_rows {
	struct store_turn *turns;
	size_t count, size;
};

static void waiting_rows_destroy(void *object)
{
	struct waiting_rows *rows = object;

	free(rows->turns);
}

static int waiting_rows_note(const struct store_turn *turn, void *arg)
{
	struct waiting_rows *rows = arg;

	if (rows->count == rows->size) {
		size_t size = rows->size ? rows->size * 2 : 64;
		struct store_turn *grown = realloc(rows->turns, size * sizeof(*grown));

		if (!grown)
			return ENOMEM;
		rows->turns = grown;
		rows->size = size;
	}
	rows->turns[rows->count++] = *turn;
	return 0;
}

static int waiting_rows_read_file(struct waiting_rows *rows, const char *dir, const char *name)
{
	static const char ending[] = ".rows";
	char path[PATH_MAX];
	size_t len = strlen(name);
	int err;

	if (len <= strlen(ending) || strcmp(name + len - strlen(ending), ending) != 0)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return ENAMETOOLONG;
	err = spool_look(path, waiting_rows_note, rows);
	if (err && err != ENOENT) /* its server has ended meanwhile, and delivered */
		log_error("store", "cannot read %s: %s", path, strerror(err));
	return err == ENOENT ? 0 : err;
}

int waiting_rows_read(struct waiting_rows **rowsp, const char *data_dir)
{
	struct waiting_rows *rows = mem_zalloc(sizeof(*rows), waiting_rows_destroy);
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *dir;
	int err = 0;

	if (!rows)
		return ENOMEM;
	snprintf(path, sizeof(path), "%s/spool", data_dir);
	dir = opendir(path);
	if (!dir && errno != ENOENT) {
		err = errno;
		log_error("store", "cannot read %s: %s", path, strerror(err));
	}
	while (!err && dir && (entry = readdir(dir)))
		err = waiting_rows_read_file(rows, path, entry->d_name);
	if (dir)
		closedir(dir);
	if (err)
		mem_deref(rows);
	else
		*rowsp = rows;
	return err;
}

int waiting_rows_add(const struct waiting_rows *rows, struct store *store)
{
	int errs[WAITING_ROWS_BATCH];
	int err = 0;

	for (size_t at = 0; at < rows->count && !err; at += WAITING_ROWS_BATCH) {
		size_t left = rows->count - at;

		memset(errs, 0, sizeof(errs));
		err = store->ops->turns_add(store, rows->turns + at,
					    left < WAITING_ROWS_BATCH ? left : WAITING_ROWS_BATCH,
					    errs);
	}
	return err;
}
