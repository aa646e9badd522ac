/*
 * spooled_rows.c: turns that a server keeps in its spool (see spooled_rows.h).
 */
#include "cli/spooled_rows.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/spool.h"
#include "base/log.h"
#include "base/mem.h"

#define SPOOLED_ROWS_BATCH 500

struct spooled_rows {
	struct store_turn *turns;
	size_t count, size;
};

static void spooled_rows_destroy(void *object)
{
	struct spooled_rows *rows = object;

	free(rows->turns);
}

static int spooled_rows_note(const struct store_turn *turn, void *arg)
{
	struct spooled_rows *rows = arg;

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

static int spooled_rows_read_file(struct spooled_rows *rows, const char *dir, const char *name)
{
	static const char ending[] = ".rows";
	char path[PATH_MAX];
	size_t len = strlen(name);
	int err;

	if (len <= strlen(ending) || strcmp(name + len - strlen(ending), ending) != 0)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return ENAMETOOLONG;
	err = spool_look(path, spooled_rows_note, rows);
	if (err && err != ENOENT) /* ENOENT: its server has delivered the rows and exited */
		log_error("store", "cannot read %s: %s", path, strerror(err));
	return err == ENOENT ? 0 : err;
}

int spooled_rows_read(struct spooled_rows **rowsp, const char *data_dir)
{
	struct spooled_rows *rows = mem_zalloc(sizeof(*rows), spooled_rows_destroy);
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
		err = spooled_rows_read_file(rows, path, entry->d_name);
	if (dir)
		closedir(dir);
	if (err)
		mem_deref(rows);
	else
		*rowsp = rows;
	return err;
}

int spooled_rows_add(const struct spooled_rows *rows, struct store *store)
{
	int errs[SPOOLED_ROWS_BATCH];
	int err = 0;

	for (size_t at = 0; at < rows->count && !err; at += SPOOLED_ROWS_BATCH) {
		size_t left = rows->count - at;

		memset(errs, 0, sizeof(errs));
		err = store->ops->turns_add(store, rows->turns + at,
					    left < SPOOLED_ROWS_BATCH ? left : SPOOLED_ROWS_BATCH,
					    errs);
	}
	return err;
}
