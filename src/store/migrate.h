/*
 * migrate.h: moves everything from one store into an empty other one.
 *
 * Ids stay what they are, and so do keys, for a store has only their hashes.  Tokens,
 * leases and shared limits are not moved: they live for minutes, and no server runs
 * meanwhile.
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "store/store.h"

/* What there is of everything, for a person to compare. */
struct migrate_figures {
	int64_t accounts, projects, keys, top_ups, turns, dictionaries, entries, voices;
	int64_t credit_microcents; /* of all top-ups */
	int64_t spent_microcents; /* of all turns that somebody pays for */
	uint64_t audio_us, characters; /* of all turns */
	uint64_t heard_us;
	int64_t answers; /* of language models, and their tokens */
	uint64_t tokens_in, tokens_out;
};

enum migrate_problem {
	MIGRATE_WELL,
	MIGRATE_MENDED, /* also done: sums of the source are not those of its rows, the target's are */
	MIGRATE_CANNOT, /* one of them cannot be moved from or to: it is in memory */
	MIGRATE_NOT_EMPTY, /* the target */
	MIGRATE_IN_USE, /* one of them: a server runs on it */
	MIGRATE_UNSOUND, /* sums of the source are not those of its rows; they are logged */
	MIGRATE_CHANGED, /* the source, meanwhile: a server runs on it */
	MIGRATE_FAILED, /* one of the stores; it is logged */
};

/* The process that has a store's file open; 0: none that could be seen.  To be asked before
 * this process opens it. */
int migrate_holder(const char *address);

/* All or nothing: what is in the target is compared with the source before it is
 * kept.  *figures are the source's, *err is the errno of MIGRATE_FAILED. */
enum migrate_problem migrate(struct store *from, struct store *to, struct migrate_figures *figures,
			     int *err);

/* The same for callers that need the rows even if the source's sums are wrong: MIGRATE_MENDED instead of
 * MIGRATE_UNSOUND, and *figures have the target's sums. */
enum migrate_problem migrate_and_mend(struct store *from, struct store *to,
				      struct migrate_figures *figures, int *err);

/* The same as migrate_and_mend for a source that servers run on, as it is at one moment: it must be able to show
 * that (snapshot_begin in store.h), else MIGRATE_CANNOT. */
enum migrate_problem migrate_snapshot(struct store *from, struct store *to,
				      struct migrate_figures *figures, int *err);

/* What there is in one store. */
int migrate_count(struct store *store, struct migrate_figures *figures);

#endif
