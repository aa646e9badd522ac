/*
 * backup.c: `syrinx backup`: the store in one file, while servers run on it.
 *
 * A backup is a store of SQLite's, whatever the store is, so that there is one format, and
 * every command can look into one (--store sqlite:FILE).
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
#include "cli/store_verb.h"
#include "cli/waiting_rows.h"
#include "store/backup.h"

struct backup {
	const struct command_call *call;
	struct config config;
	const char *file;
	struct part_file part; /* the copy until it is whole */
	struct waiting_rows *rows;
	struct migrate_figures figures;
};

static int backup_fail(const struct backup *backup, int err, const char *what)
{
	return store_verb_failed(backup->call, err, "%s: %s", backup->file, what);
}

/* Beside the file, so that a backup is there whole or not at all. */
static int backup_name_part(struct backup *backup)
{
	int err = part_file_begin(&backup->part, backup->file);

	if (err)
		return backup_fail(backup, err, "cannot be written");
	if (access(backup->file, F_OK) == 0)
		return backup_fail(backup, 0, "it exists, and is not overwritten");
	return COMMAND_OK;
}

static int backup_copy_database(struct backup *backup, struct store *from)
{
	static const char *const problems[] = {
		[MIGRATE_CANNOT] = "a store of this kind cannot be backed up",
		[MIGRATE_CHANGED] = "the copy differs from the store: no backup was made",
		[MIGRATE_FAILED] = "no backup was made",
	};
	struct store *to = NULL;
	enum migrate_problem problem;
	/* A file that the store made by itself would be given to the owner of the directory. */
	int err = backup_make_file(part_file_path(&backup->part), false);

	if (err)
		return backup_fail(backup, err, "no backup was made");
	if (settings_open_store(&to, backup->part.address, backup->call->command) != 0)
		return COMMAND_FAILED;
	problem = migrate_snapshot(from, to, &backup->figures, &err);
	mem_deref(to);
	if (problem == MIGRATE_MENDED)
		fprintf(stderr,
			"syrinx backup: the totals of the store do not match its rows: see syrinx "
			"account check; those of the backup were computed from the rows\n");
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

/* Adds what servers have not delivered yet, and looks whether it is a store indeed. */
static int backup_complete(struct backup *backup)
{
	struct store *copy = NULL;
	int64_t wrong = 0;
	int err = settings_open_store(&copy, backup->part.address, backup->call->command);

	if (!err)
		err = waiting_rows_add(backup->rows, copy);
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
			"syrinx backup: the totals of the store do not match its rows; the backup has "
			"them as they are: see syrinx account check\n");
	return COMMAND_OK;
}

static int backup_publish(const struct backup *backup)
{
	int err = backup_name(part_file_path(&backup->part), backup->file);

	if (err)
		return backup_fail(backup, err, "cannot be written");
	figures_print(&backup->figures);
	printf("%s has these figures; it was read again and is whole.\n", backup->file);
	return COMMAND_OK;
}

static int backup_make(struct backup *backup)
{
	int status = backup_name_part(backup);

	if (status != COMMAND_OK)
		return status;
	if (waiting_rows_read(&backup->rows, backup->config.data_dir) != 0)
		return backup_fail(backup, 0, "no backup was made; the line above says why");
	status = backup_copy(backup);
	if (status == COMMAND_OK)
		status = backup_complete(backup);
	if (status == COMMAND_OK)
		status = backup_publish(backup);
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
		status = store_verb_look(call, &backup.config);
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
	.summary = "Copy the store into a file, also while servers run on it.",
	.options = options,
	.examples = "  syrinx backup /var/backups/syrinx.db\n"
		    "  syrinx backup --store postgresql://syrinx@db/syrinx copy.db\n",
	.run = backup_run,
};
