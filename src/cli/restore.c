/*
 * restore.c: `syrinx restore`: restores the store from a backup file.
 *
 * The file is copied and verified first, so that a damaged one changes nothing, and a store of
 * an older release is migrated in the copy. Meanwhile no server of the data directory can start.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "cli/data_dir.h"
#include "cli/figures.h"
#include "cli/interrupt.h"
#include "cli/part_file.h"
#include "cli/settings.h"
#include "cli/store_verb.h"
#include "server/siblings.h"
#include "store/backup.h"

#define RESTORE_PATH_SIZE (PARAM_STRING_SIZE + 64)
#define RESTORE_NO_BACKUP "this is not a backup, or it is damaged; nothing was changed"

struct restore {
	const struct command_call *call;
	struct config config;
	const char *file;
	const char *target; /* the SQLite file; NULL for a database */
	struct part_file part; /* the copy, until it is verified */
	struct siblings siblings; /* the lock that keeps servers from starting */
	struct migrate_figures figures;
};

static int restore_fail(const struct restore *restore, int err, const char *what)
{
	return store_verb_failed(restore->call, err, "%s: %s", restore->file, what);
}

/* Called before anything is created. */
static int restore_check_file(const struct restore *restore)
{
	static const char magic[16] = "SQLite format 3";
	char start[sizeof(magic)];
	int fd = open(restore->file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, start, sizeof(start));
	int err = n < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	if (err)
		return store_verb_failed(restore->call, err, "%s", restore->file);
	if ((size_t)n < sizeof(start) || memcmp(start, magic, sizeof(magic)) != 0)
		return restore_fail(restore, 0, RESTORE_NO_BACKUP);
	return COMMAND_OK;
}

/* Also finds the write-ahead log of a store that was lost, because it would be applied to the new
 * one. */
static bool restore_target_exists(const struct restore *restore)
{
	char path[RESTORE_PATH_SIZE];

	for (size_t i = 0; i < COUNT(part_file_suffixes); ++i) {
		snprintf(path, sizeof(path), "%s%s", restore->target, part_file_suffixes[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

/* Whether the store, or the copy for a database, will be in the data directory. */
static bool restore_needs_dir(const struct restore *restore)
{
	size_t len = strlen(restore->config.data_dir);

	return !restore->target || (strncmp(restore->target, restore->config.data_dir, len) == 0 &&
				    restore->target[len] == '/');
}

/* Keeps servers of the directory from starting, even those whose store is a database. A directory
 * that does not exist has none. */
static int restore_lock(struct restore *restore)
{
	const char *dir = restore->config.data_dir;
	int err;

	if (restore_needs_dir(restore) && data_dir_make(&restore->config) != 0)
		return COMMAND_FAILED;
	err = siblings_open(&restore->siblings, dir, restore->config.listen);
	if (!err)
		err = siblings_exclude(&restore->siblings);
	if (err == EBUSY)
		return store_verb_failed(restore->call, 0,
					 "a server of %s is running: stop it first", dir);
	if (err == ENOENT && !restore_needs_dir(restore))
		return COMMAND_OK;
	return err ? store_verb_failed(restore->call, err, "cannot lock %s", dir) : COMMAND_OK;
}

static int restore_check_holder(const struct restore *restore)
{
	int holder = migrate_holder(restore->config.store_address);

	return holder ? store_verb_failed(restore->call, 0, "process %d has %s open: stop it first",
					  holder, restore->target)
		      : COMMAND_OK;
}

/* Checks the conditions for restoring, before anything is changed. */
static int restore_check_target(const struct restore *restore)
{
	const struct command_call *call = restore->call;

	if (restore->target && restore_target_exists(restore) && !command_value(call, "replace"))
		return store_verb_failed(
			call, 0,
			"there is already a store in %s; --replace renames it and puts the "
			"backup in its place",
			restore->target);
	return COMMAND_OK;
}

/* Copies the backup next to the target or, for a database, to the data directory, which is
 * private. */
static int restore_copy(struct restore *restore)
{
	const char *part = part_file_path(&restore->part);
	char beside[RESTORE_PATH_SIZE];
	int err;

	snprintf(beside, sizeof(beside), "%s/syrinx", restore->config.data_dir);
	err = part_file_begin(&restore->part, restore->target ? restore->target : beside);
	if (!err)
		err = backup_copy_file(part, restore->file, true);
	if (!err)
		err = backup_seal(part);
	if (!err)
		err = store_look(restore->part.address);
	if (err == EBADMSG || (err == ENOENT && access(part, F_OK) == 0))
		return restore_fail(restore, 0, RESTORE_NO_BACKUP);
	return err ? restore_fail(restore, err, "nothing was changed") : COMMAND_OK;
}

/* Migrates the copy if it is from an older release, and verifies that it can be read. */
static int restore_check_copy(struct restore *restore, struct store **storep)
{
	int64_t wrong = 0;
	int err = settings_open_store(storep, restore->part.address, restore->call->command);

	if (!err)
		err = (*storep)->ops->audit(*storep, &wrong);
	if (!err)
		err = migrate_count(*storep, &restore->figures);
	if (err)
		return restore_fail(restore, err, "nothing was changed");
	if (wrong)
		fprintf(stderr,
			"syrinx restore: the totals in this backup do not match its rows%s\n",
			restore->target ? " (see: syrinx account check)" : "");
	return COMMAND_OK;
}

/* Renames the files of the existing store consistently, because X-wal belongs to X. */
static int restore_set_aside(const struct restore *restore)
{
	char from[RESTORE_PATH_SIZE];
	char to[RESTORE_PATH_SIZE + 32];
	char moment[24];
	time_t now = time(NULL);
	struct tm utc;

	strftime(moment, sizeof(moment), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
	for (size_t i = 0; i < COUNT(part_file_suffixes); ++i) {
		const char *suffix = part_file_suffixes[i];
		int err = 0;

		snprintf(from, sizeof(from), "%s%s", restore->target, suffix);
		snprintf(to, sizeof(to), "%s.replaced-%s%s", restore->target, moment, suffix);
		if (access(from, F_OK) != 0)
			continue;
		if (access(to, F_OK) == 0)
			err = EEXIST;
		else if (rename(from, to) != 0)
			err = errno;
		if (err)
			return store_verb_failed(restore->call, err, "cannot rename %s to %s", from,
						 to);
		if (i == 0)
			printf("the previous store was renamed to %s\n", to);
	}
	return COMMAND_OK;
}

static int restore_into_file(const struct restore *restore)
{
	int err = backup_seal(part_file_path(&restore->part));
	int status = err ? restore_fail(restore, err, "nothing was changed")
			 : restore_check_holder(restore);

	part_file_defer_signals(); /* between the two renames there is no store */
	if (status == COMMAND_OK && restore_target_exists(restore))
		status = restore_set_aside(restore);
	if (status != COMMAND_OK)
		return status;
	err = backup_name(part_file_path(&restore->part), restore->target);
	return err ? store_verb_failed(restore->call, err, "%s", restore->target) : COMMAND_OK;
}

static int restore_into_database(struct restore *restore, struct store *copy)
{
	static const char *const problems[] = {
		[MIGRATE_CANNOT] = "this kind of store cannot be restored",
		[MIGRATE_NOT_EMPTY] =
			"the database is not empty: DROP SCHEMA syrinx CASCADE empties "
			"it; nothing was changed",
		[MIGRATE_IN_USE] = "a server is using the database: stop it first",
		[MIGRATE_CHANGED] = "the database differs from the backup; nothing was changed",
		[MIGRATE_FAILED] = "nothing was changed",
	};
	struct store *to = NULL;
	enum migrate_problem problem;
	int err = settings_open_store(&to, restore->config.store_address, restore->call->command);

	if (err)
		return COMMAND_FAILED;
	problem = migrate_and_mend(copy, to, &restore->figures, &err);
	mem_deref(to);
	if (problem == MIGRATE_MENDED)
		fprintf(stderr,
			"syrinx restore: the totals in the database were recomputed from the "
			"rows\n");
	if (problem == MIGRATE_WELL || problem == MIGRATE_MENDED)
		return COMMAND_OK;
	return restore_fail(restore, problem == MIGRATE_FAILED ? err : 0,
			    problems[problem] ? problems[problem] : "nothing was changed");
}

static int restore_put_back(struct restore *restore)
{
	struct store *copy = NULL;
	int status = restore_copy(restore);

	if (status == COMMAND_OK)
		status = restore_check_copy(restore, &copy);
	if (status == COMMAND_OK && !restore->target)
		status = restore_into_database(restore, copy);
	mem_deref(copy);
	if (status == COMMAND_OK && restore->target)
		status = restore_into_file(restore);
	part_file_end(&restore->part);
	if (status != COMMAND_OK)
		return status;
	figures_print(&restore->figures);
	printf("The store contains the records above, the same as %s.\n", restore->file);
	return COMMAND_OK;
}

static int restore_all(struct restore *restore)
{
	int status = restore_check_file(restore);

	restore->siblings = (struct siblings){.servers_fd = -1, .lock_fd = -1, .slot = -1};
	if (status == COMMAND_OK)
		status = restore_lock(restore);
	if (status == COMMAND_OK)
		status = restore_check_holder(restore);
	if (status == COMMAND_OK)
		status = restore_check_target(restore);
	if (status == COMMAND_OK)
		status = restore_put_back(restore);
	siblings_close(&restore->siblings);
	return status;
}

static int restore_run(const struct command_call *call)
{
	static struct restore restore; /* large */
	int status = settings_load_of_server(&restore.config, call);

	if (status != COMMAND_OK)
		return status;
	restore.call = call;
	restore.file = call->operands[0];
	restore.target = store_sqlite_path(restore.config.store_address);
	if (strcmp(restore.config.store_address, "memory:") == 0)
		return store_verb_failed(call, 0,
					 "an in-memory store can be used only by its server");
	if (!restore.target && command_value(call, "replace"))
		return command_usage_error(
			call->command,
			"--replace works only for a store in a file; empty a database first: "
			"DROP SCHEMA syrinx CASCADE");
	status = restore_all(&restore);
	fflush(stdout); /* the result is printed even if a signal has arrived */
	interrupt_raise_again();
	return status;
}

static const struct command_option options[] = {
	STORE_VERB_OPTIONS,
	{"replace", 0, NULL, "rename an existing store instead of refusing to replace it"},
	{0},
};

const struct command command_restore = {
	.name = "restore",
	.operands = "FILE",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "Restore the store from a backup file, while no server is using it.",
	.options = options,
	.examples = "  syrinx restore /var/backups/syrinx.db\n"
		    "  syrinx restore --data data --replace copy.db\n",
	.run = restore_run,
};
