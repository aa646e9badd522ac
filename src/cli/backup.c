/*
 * backup.c: `syrinx backup`: copies the store to a file, while servers are using it.
 *
 * A backup is always a SQLite store, whatever the original is, so that there is one format, and
 * every command can read it (--store sqlite:FILE).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/figures.h"
#include "cli/part_file.h"
#include "cli/settings.h"
#include "cli/spooled_rows.h"
#include "cli/store_verb.h"
#include "store/backup.h"

struct backup {
	const struct command_call *call;
	struct config config;
	const char *file;
	struct part_file part; /* the copy until it is complete */
	struct spooled_rows *rows;
	struct migrate_figures figures;
};

static int backup_fail(const struct backup *backup, int err, const char *what)
{
	return store_verb_failed(backup->call, err, "%s: %s", backup->file, what);
}

static int backup_copy_database(struct backup *backup, struct store *from)
{
	static const char *const problems[] = {
		[MIGRATE_CANNOT] = "this kind of store cannot be backed up",
		[MIGRATE_CHANGED] = "the copy differs from the store; no backup was made",
		[MIGRATE_FAILED] = "no backup was made",
	};
	struct store *to = NULL;
	enum migrate_problem problem;
	/* Created here because the store would give a new file to the owner of the directory. */
	int err = backup_make_file(part_file_path(&backup->part), false);

	if (err)
		return backup_fail(backup, err, "no backup was made");
	if (settings_open_store(&to, backup->part.address, backup->call->command) != 0)
		return COMMAND_FAILED;
	problem = migrate_snapshot(from, to, &backup->figures, &err);
	mem_deref(to);
	if (problem == MIGRATE_MENDED)
		fprintf(stderr,
			"syrinx backup: the totals in the store do not match its rows (see: "
			"syrinx account check); the totals in the backup were recomputed "
			"from the rows\n");
	if (problem == MIGRATE_WELL || problem == MIGRATE_MENDED)
		return COMMAND_OK;
	return backup_fail(backup, problem == MIGRATE_FAILED ? err : 0,
			   problems[problem] ? problems[problem] : "no backup was made");
}

static int backup_copy(struct backup *backup)
{
	const char *address = backup->config.store_address;
	const char *path = store_sqlite_path(address);
	struct store *from = NULL;
	int status;
	int err;

	if (path) {
		err = backup_copy_file(part_file_path(&backup->part), path, false);
		return err ? backup_fail(backup, err, "no backup was made") : COMMAND_OK;
	}
	if (settings_open_store(&from, address, backup->call->command) != 0)
		return COMMAND_FAILED;
	status = backup_copy_database(backup, from);
	mem_deref(from);
	return status;
}

/* Adds the turns that servers have not delivered to the store yet, and verifies that the copy can
 * be opened. */
static int backup_complete(struct backup *backup)
{
	struct store *copy = NULL;
	int64_t wrong = 0;
	int err = settings_open_store(&copy, backup->part.address, backup->call->command);

	if (!err)
		err = spooled_rows_add(backup->rows, copy);
	if (!err)
		err = copy->ops->audit(copy, &wrong);
	if (!err)
		err = migrate_count(copy, &backup->figures);
	mem_deref(copy);
	if (!err)
		err = backup_seal(part_file_path(&backup->part));
	if (err)
		return backup_fail(backup, err, "no backup was made");
	if (wrong)
		fprintf(stderr,
			"syrinx backup: the totals in the store do not match its rows (see: "
			"syrinx account check); the backup has the same totals\n");
	return COMMAND_OK;
}

/* The copy is made next to the file and renamed, so that a backup is either complete or absent. */
static int backup_make(struct backup *backup)
{
	int err = part_file_begin(&backup->part, backup->file);
	int status;

	if (err)
		return backup_fail(backup, err, "cannot be written");
	if (access(backup->file, F_OK) == 0)
		return backup_fail(backup, 0, "the file exists and will not be overwritten");
	if (spooled_rows_read(&backup->rows, backup->config.data_dir) != 0)
		return backup_fail(backup, 0, "no backup was made; see the line above");
	status = backup_copy(backup);
	if (status == COMMAND_OK)
		status = backup_complete(backup);
	if (status == COMMAND_OK) {
		err = backup_name(part_file_path(&backup->part), backup->file);
		if (err)
			status = backup_fail(backup, err, "cannot be written");
	}
	if (status == COMMAND_OK) {
		figures_print(&backup->figures);
		printf("%s contains the records above; it was read back and is complete.\n",
		       backup->file);
	}
	part_file_end(&backup->part);
	mem_deref(backup->rows);
	return status;
}

static int backup_run(const struct command_call *call)
{
	static struct backup backup; /* large */
	int status = settings_load_of_server(&backup.config, call);

	backup.call = call;
	backup.file = call->operands[0];
	if (status == COMMAND_OK)
		status = store_verb_check_store(call, &backup.config);
	return status == COMMAND_OK ? backup_make(&backup) : status;
}

static const struct command_option options[] = {
	STORE_VERB_OPTIONS,
	{0},
};

const struct command command_backup = {
	.name = "backup",
	.operands = "FILE",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "Copy the store to a file, even while servers are using it.",
	.options = options,
	.examples = "  syrinx backup /var/backups/syrinx.db\n"
		    "  syrinx backup --store postgresql://syrinx@db/syrinx copy.db\n",
	.run = backup_run,
};
