/*
 * migrate.c: `syrinx migrate`: copies accounts, keys, dictionaries, voices and the ledger from
 * one store to another, while no server is using either.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/settings.h"
#include "store/migrate.h"

static const char *const problems[] = {
	[MIGRATE_CANNOT] = "an in-memory store cannot be migrated",
	[MIGRATE_NOT_EMPTY] = "the target is not empty; it must be a new store",
	[MIGRATE_IN_USE] = "a server is using one of the stores; nothing was moved. Stop the "
			   "server first",
	[MIGRATE_UNSOUND] = "the totals in the source do not match its ledger; nothing was moved",
	[MIGRATE_CHANGED] = "the source changed during the migration; nothing was moved. Stop "
			    "its servers first",
	[MIGRATE_FAILED] = "nothing was moved",
};

static int migrate_failed(const char *what, int err)
{
	if (err)
		fprintf(stderr, "syrinx migrate: %s: %s\n", what, strerror(err));
	else
		fprintf(stderr, "syrinx migrate: %s\n", what);
	return COMMAND_FAILED;
}

/* A wrong path must not look like an empty store. */
static int migrate_check_source(const char *address)
{
	const char *path = store_sqlite_path(address);

	return !path || access(path, F_OK) == 0 ? 0 : errno;
}

/* Turns that a server records while its store is read would be lost. */
static int migrate_check_alone(const char *address)
{
	int holder = migrate_holder(address);

	if (holder)
		fprintf(stderr,
			"syrinx migrate: process %d has %s open; nothing was moved. Stop it "
			"first\n",
			holder, address);
	return holder ? EBUSY : 0;
}

static int migrate_move(struct store *from, struct store *to)
{
	struct migrate_figures figures;
	int err;
	enum migrate_problem problem = migrate(from, to, &figures, &err);

	if (problem != MIGRATE_WELL)
		return migrate_failed(problems[problem], problem == MIGRATE_FAILED ? err : 0);
	figures_print(&figures);
	printf("Both stores contain the records above.\n");
	return COMMAND_OK;
}

static int migrate_run(const struct command_call *call)
{
	const char *from_address = command_value(call, "from");
	const char *to_address = command_value(call, "to");
	struct store *from = NULL;
	struct store *to = NULL;
	int status = COMMAND_FAILED;
	int err;

	if (!from_address || !to_address)
		return command_usage_error(call->command, "--from and --to are required");
	if (strcmp(from_address, to_address) == 0)
		return command_usage_error(call->command, "--from and --to are the same");
	err = migrate_check_source(from_address);
	if (err)
		return migrate_failed("the source", err);
	if (migrate_check_alone(from_address) || migrate_check_alone(to_address))
		return COMMAND_FAILED;
	err = settings_open_store(&from, from_address, call->command);
	if (!err)
		err = settings_open_store(&to, to_address, call->command);
	if (!err)
		status = migrate_move(from, to);
	mem_deref(to);
	mem_deref(from);
	return status;
}

static const struct command_option options[] = {
	{"from", 0, "ADDRESS",
	 "the store to copy from, which is not changed: sqlite:PATH, "
	 "postgresql://..."},
	{"to", 0, "ADDRESS", "the store to copy to, which must be empty"},
	{0},
};

const struct command command_migrate = {
	.name = "migrate",
	.summary = "Copy all accounts, keys, dictionaries, voices and the ledger to a "
		   "new store.",
	.options = options,
	.run = migrate_run,
	.examples =
		"  syrinx migrate --from sqlite:data/syrinx.db --to postgresql://syrinx@db.example.com/syrinx\n"
		"  syrinx migrate --from sqlite:old.db --to sqlite:data/syrinx.db\n",
};
