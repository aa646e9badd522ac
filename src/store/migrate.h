/*
 * migrate.h: copies everything from one store to another, which must be empty.
 *
 * Ids stay the same, and keys stay valid, because a store contains only their hashes.  Tokens,
 * leases and shared limits are not copied: they are valid for minutes, and no server runs during
 * the migration.
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "store/store.h"

/* Counts and sums of everything in a store, for the operator to compare. */
struct migrate_figures {
	int64_t accounts, projects, keys, top_ups, turns, dictionaries, entries, voices;
	int64_t speech_engines;
	int64_t credit_microcents; /* the sum of all top-ups */
	int64_t spent_microcents; /* the sum of all turns that are charged */
	uint64_t audio_us, characters; /* the sums of all turns */
	uint64_t heard_us; /* transcribed audio */
	int64_t answers; /* answers of language models */
	uint64_t tokens_in, tokens_out;
};

enum migrate_problem {
	MIGRATE_WELL, /* done */
	MIGRATE_MENDED, /* done; the source's sums did not match its rows, but the target's do */
	MIGRATE_CANNOT, /* one of the stores is in memory, and cannot be migrated from or to */
	MIGRATE_NOT_EMPTY, /* the target is not empty */
	MIGRATE_IN_USE, /* a server is running on one of the stores */
	MIGRATE_UNSOUND, /* the source's sums do not match its rows; they are logged */
	MIGRATE_CHANGED, /* the source has changed meanwhile, because a server is running on it */
	MIGRATE_FAILED, /* an operation of one of the stores failed; it is logged */
};

/* Returns the pid of a process that has the SQLite file at this address open; 0 if none is visible,
 * or if the store is not in a file.  Call it before this process opens the file, because closing
 * the descriptor that it uses would release this process's own locks. */
int migrate_holder(const char *address);

/* Migrates everything or nothing: the target is compared with the source before it is committed.
 * *figures receives those of the source, and *err the errno of MIGRATE_FAILED. */
enum migrate_problem migrate(struct store *from, struct store *to, struct migrate_figures *figures,
			     int *err);

/* The same for callers that need the rows even if the source's sums are wrong: returns
 * MIGRATE_MENDED instead of MIGRATE_UNSOUND, with the target's sums in *figures. */
enum migrate_problem migrate_and_mend(struct store *from, struct store *to,
				      struct migrate_figures *figures, int *err);

/* The same as migrate_and_mend for a source that servers are running on, as of one moment.  Returns
 * MIGRATE_CANNOT if the source has no snapshots (snapshot_begin in store.h). */
enum migrate_problem migrate_snapshot(struct store *from, struct store *to,
				      struct migrate_figures *figures, int *err);

/* Counts what one store contains. */
int migrate_count(struct store *store, struct migrate_figures *figures);

#endif
