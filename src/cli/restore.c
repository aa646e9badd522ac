/*
 * restore.c: `syrinx restore`: a store from the file of a backup.
 *
 * The file is copied and checked first, so that a damaged one changes nothing, and a store of
 * an older release is migrated in the copy.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "cli/data_dir.h"
#include "cli/figures.h"
#include "cli/settings.h"
#include "cli/store_verb.h"
#include "store/backup.h"

#define RESTORE_PATH_SIZE (PARAM_STRING_SIZE + 64)

/* What SQLite keeps beside a database; a log of another one would be applied to a new one. */
static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

struct restore {
	const struct command_call *call;
	struct config config;
	const char *file;
	const char *target; /* SQLite's file; NULL: a database */
	char part[RESTORE_PATH_SIZE]; /* the copy, until it is checked */
	char part_address[RESTORE_PATH_SIZE + 8];
	struct migrate_figures figures;
};

static int restore_fail(const struct restore *restore, int err, const char *what)
{
	return store_verb_failed(restore->call, err, "%s: %s", restore->file, what);
}

static bool restore_target_exists(const struct restore *restore)
{
	char path[RESTORE_PATH_SIZE];

	for (size_t i = 0; i < COUNT(suffixes); ++i) {
		snprintf(path, sizeof(path), "%s%s", restore->target, suffixes[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

/* A server of the directory holds a share of its lock, also one whose store is a database. */
static bool restore_has_server(const struct config *config)
{
	char path[RESTORE_PATH_SIZE];
	bool has_server;
	int fd;

	snprintf(path, sizeof(path), "%s/syrinx.lock", config->data_dir);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	has_server = flock(fd, LOCK_EX | LOCK_NB) != 0;
	close(fd);
	return has_server;
}

/* What must be so before anything is done. */
static int restore_check_target(const struct restore *restore)
{
	const struct command_call *call = restore->call;
	int holder;

	if (restore_has_server(&restore->config))
		return store_verb_failed(call, 0, "a server of %s is running: stop it first",
					 restore->config.data_dir);
	holder = migrate_holder(restore->config.store_address);
	if (holder)
		return store_verb_failed(call, 0, "process %d has %s open: stop it first", holder,
					 restore->target);
	if (restore->target && restore_target_exists(restore) && !command_value(call, "replace"))
		return store_verb_failed(call, 0,
					 "there is a store in %s: --replace keeps it under another "
					 "name and puts the backup in its place",
					 restore->target);
	if (!restore->target && command_value(call, "replace"))
		return command_usage_error(call->command,
					   "--replace is for a store in a file; a database must be "
					   "emptied first: DROP SCHEMA syrinx CASCADE");
	return COMMAND_OK;
}

/* Beside the target or, for a database, in the data directory, which is private. */
static int restore_copy(struct restore *restore)
{
	int n = restore->target
			? snprintf(restore->part, sizeof(restore->part), "%s.%ld.part",
				   restore->target, (long)getpid())
			: snprintf(restore->part, sizeof(restore->part), "%s/syrinx.%ld.part",
				   restore->config.data_dir, (long)getpid());
	int err = n > 0 && (size_t)n < sizeof(restore->part) ? 0 : ENAMETOOLONG;

	snprintf(restore->part_address, sizeof(restore->part_address), "sqlite:%s", restore->part);
	if (!err)
		err = access(restore->file, R_OK) == 0 ? 0 : errno;
	if (!err)
		err = backup_copy_file(restore->part, restore->file, true);
	if (!err)
		err = backup_seal(restore->part);
	if (!err)
		err = store_look(restore->part_address);
	if (err == ENOENT || err == EBADMSG)
		return restore_fail(restore, access(restore->file, F_OK) == 0 ? 0 : ENOENT,
				    "it is no backup of a store, or damaged; nothing was changed");
	return err ? restore_fail(restore, err, "nothing was changed") : COMMAND_OK;
}

/* Migrates the copy of an older release, and looks whether its figures can be read. */
static int restore_check_copy(struct restore *restore, struct store **storep)
{
	int64_t wrong = 0;
	int err = settings_open_store(storep, restore->part_address, restore->call->command);

	if (!err)
		err = (*storep)->ops->audit(*storep, &wrong);
	if (!err)
		err = migrate_count(*storep, &restore->figures);
	if (err)
		return restore_fail(restore, err, "nothing was changed");
	if (wrong)
		fprintf(stderr,
			"syrinx restore: the totals of this backup do not match its rows: see syrinx "
			"account check\n");
	return COMMAND_OK;
}

/* The files of the store that is replaced keep belonging together: X-wal is X's. */
static int restore_set_aside(const struct restore *restore)
{
	char from[RESTORE_PATH_SIZE];
	char to[RESTORE_PATH_SIZE + 32];
	char moment[24];
	time_t now = time(NULL);
	struct tm utc;

	strftime(moment, sizeof(moment), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
	for (size_t i = 0; i < COUNT(suffixes); ++i) {
		snprintf(from, sizeof(from), "%s%s", restore->target, suffixes[i]);
		snprintf(to, sizeof(to), "%s.replaced-%s%s", restore->target, moment, suffixes[i]);
		if (access(from, F_OK) != 0)
			continue;
		if (access(to, F_OK) == 0 || rename(from, to) != 0)
			return store_verb_failed(restore->call, errno ? errno : EEXIST,
						 "cannot keep %s as %s", from, to);
		if (i == 0)
			printf("the store that was there is kept as %s\n", to);
	}
	return COMMAND_OK;
}

static int restore_into_file(const struct restore *restore)
{
	int err = backup_seal(restore->part);
	int status = err ? restore_fail(restore, err, "nothing was changed") : COMMAND_OK;

	if (status == COMMAND_OK && restore_target_exists(restore))
		status = restore_set_aside(restore);
	if (status != COMMAND_OK)
		return status;
	err = backup_name(restore->part, restore->target);
	return err ? store_verb_failed(restore->call, err, "%s", restore->target) : COMMAND_OK;
}

static int restore_into_database(struct restore *restore, struct store *copy)
{
	static const char *const problems[] = {
		[MIGRATE_CANNOT] = "this kind of store cannot be restored",
		[MIGRATE_NOT_EMPTY] =
			"the database is not empty: DROP SCHEMA syrinx CASCADE empties "
			"it; nothing was changed",
		[MIGRATE_IN_USE] = "a server runs on the database: stop it first",
		[MIGRATE_UNSOUND] = "its totals do not match its rows; nothing was changed",
		[MIGRATE_CHANGED] = "the database has other figures than the backup; nothing was "
				    "changed",
		[MIGRATE_FAILED] = "nothing was changed",
	};
	struct store *to = NULL;
	enum migrate_problem problem;
	int err = settings_open_store(&to, restore->config.store_address, restore->call->command);

	if (err)
		return COMMAND_FAILED;
	problem = migrate(copy, to, &restore->figures, &err);
	mem_deref(to);
	if (problem == MIGRATE_WELL)
		return COMMAND_OK;
	return restore_fail(restore, problem == MIGRATE_FAILED ? err : 0, problems[problem]);
}

static void restore_remove_part(const struct restore *restore)
{
	char path[RESTORE_PATH_SIZE + 16];

	for (size_t i = 0; i < COUNT(suffixes); ++i) {
		snprintf(path, sizeof(path), "%s%s", restore->part, suffixes[i]);
		unlink(path);
	}
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
	restore_remove_part(restore);
	if (status != COMMAND_OK)
		return status;
	figures_print(&restore->figures);
	printf("The store has these figures, those of %s.\n", restore->file);
	return COMMAND_OK;
}

static int run(const struct command_call *call)
{
	static const char sqlite[] = "sqlite:";
	static struct restore restore; /* large */
	int status = settings_load_of_server(&restore.config, call);

	if (status != COMMAND_OK)
		return status;
	restore.call = call;
	restore.file = call->operands[0];
	if (strncmp(restore.config.store_address, sqlite, strlen(sqlite)) == 0)
		restore.target = restore.config.store_address + strlen(sqlite);
	if (strcmp(restore.config.store_address, "memory:") == 0)
		return store_verb_failed(call, 0, "a store in memory is its server's alone");
	status = restore_check_target(&restore);
	if (status == COMMAND_OK && data_dir_make(&restore.config) != 0)
		status = COMMAND_FAILED;
	return status == COMMAND_OK ? restore_put_back(&restore) : status;
}

static const struct command_option options[] = {
	STORE_VERB_OPTIONS,
	{"replace", 0, NULL, "keep the store that is there under another name"},
	{0},
};

const struct command command_restore = {
	.name = "restore",
	.operands = "FILE",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "Make the store from the file of a backup; no server may run on it.",
	.options = options,
	.examples = "  syrinx restore /var/backups/syrinx.db\n"
		    "  syrinx restore --data data --replace copy.db\n",
	.run = run,
};
