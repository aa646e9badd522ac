/*
 * migrate.c: copies everything from one store to another (see migrate.h).
 */
#include "store/migrate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"

/* The argument of the handlers that receive rows of one store and write them to the other.  A
 * handler that fails ends its list and stores its errno here. */
struct migrate_mover {
	struct store *from, *to;
	int err;
};

static bool migrate_put(struct migrate_mover *mover, const struct store_row *row)
{
	mover->err = mover->to->ops->import_row(mover->to, row);
	return !mover->err;
}

static bool migrate_put_account(const struct store_account *account, void *mover)
{
	return migrate_put(mover,
			   &(struct store_row){.kind = STORE_ROW_ACCOUNT, .account = account});
}

static bool migrate_put_project(const struct store_project *project, void *mover)
{
	return migrate_put(mover,
			   &(struct store_row){.kind = STORE_ROW_PROJECT, .project = project});
}

static bool migrate_put_key(const struct store_key *key, void *mover)
{
	return migrate_put(mover, &(struct store_row){.kind = STORE_ROW_KEY, .key = key});
}

static bool migrate_put_top_up(const struct store_top_up *top_up, void *mover)
{
	return migrate_put(mover, &(struct store_row){.kind = STORE_ROW_TOP_UP, .top_up = top_up});
}

static bool migrate_put_turn(int64_t seq, const struct store_turn *turn, void *mover)
{
	return migrate_put(mover,
			   &(struct store_row){.kind = STORE_ROW_TURN, .seq = seq, .turn = turn});
}

static bool migrate_put_dictionary(const struct store_dictionary *dictionary, void *mover)
{
	return migrate_put(
		mover, &(struct store_row){.kind = STORE_ROW_DICTIONARY, .dictionary = dictionary});
}

static bool migrate_put_entry(const struct store_entry *entry, void *mover)
{
	return migrate_put(mover, &(struct store_row){.kind = STORE_ROW_ENTRY, .entry = entry});
}

static bool migrate_put_voice(const struct store_voice *voice, void *mover)
{
	return migrate_put(mover, &(struct store_row){.kind = STORE_ROW_VOICE, .voice = voice});
}

static bool migrate_put_speech_engine(const struct store_speech_engine *engine, void *mover)
{
	return migrate_put(mover, &(struct store_row){.kind = STORE_ROW_SPEECH_ENGINE,
						      .speech_engine = engine});
}

/* Ids for nested lists are collected first, because a backend can have only one list open at a
 * time. */
struct migrate_ids {
	int64_t *ids;
	size_t count, size;
	bool is_short; /* there was not enough memory for all ids */
};

static bool migrate_note(struct migrate_ids *ids, int64_t id)
{
	if (ids->count == ids->size) {
		size_t size = ids->size ? ids->size * 2 : 64;
		int64_t *grown = realloc(ids->ids, size * sizeof(*grown));

		if (!grown) {
			ids->is_short = true;
			return false;
		}
		ids->ids = grown;
		ids->size = size;
	}
	ids->ids[ids->count++] = id;
	return true;
}

static bool migrate_note_account(const struct store_account *account, void *ids)
{
	return migrate_note(ids, account->id);
}

static bool migrate_note_project(const struct store_project *project, void *ids)
{
	return migrate_note(ids, project->id);
}

static bool migrate_note_dictionary(const struct store_dictionary *dictionary, void *ids)
{
	return migrate_note(ids, dictionary->id);
}

/* Calls `each` for every id, and frees them. */
typedef int(each_id_h)(struct migrate_mover *mover, int64_t id);

static int migrate_for_each_id(struct migrate_mover *mover, struct migrate_ids *ids, int err,
			       each_id_h *each)
{
	if (ids->is_short)
		err = ENOMEM;
	for (size_t i = 0; !err && i < ids->count; ++i)
		err = each(mover, ids->ids[i]);
	free(ids->ids);
	return err;
}

/* Returns the errno of a list, or that of the handler that received its rows. */
static int migrate_outcome(const struct migrate_mover *mover, int err)
{
	return err ? err : mover->err;
}

static int migrate_move_top_ups(struct migrate_mover *mover, int64_t account_id)
{
	struct store *from = mover->from;

	return migrate_outcome(mover,
			       from->ops->top_up_list(from, account_id, migrate_put_top_up, mover));
}

static int migrate_move_all_top_ups(struct migrate_mover *mover)
{
	struct migrate_ids accounts = {0};
	int err = mover->from->ops->account_list(mover->from, migrate_note_account, &accounts);

	return migrate_for_each_id(mover, &accounts, err, migrate_move_top_ups);
}

static int migrate_move_dictionaries(struct migrate_mover *mover, int64_t project_id)
{
	struct store *from = mover->from;

	return migrate_outcome(
		mover, from->ops->dictionary_list(from, project_id, migrate_put_dictionary, mover));
}

static int migrate_move_all_dictionaries(struct migrate_mover *mover)
{
	struct migrate_ids projects = {0};
	int err = mover->from->ops->project_list(mover->from, 0, migrate_note_project, &projects);

	return migrate_for_each_id(mover, &projects, err, migrate_move_dictionaries);
}

static int migrate_move_entries(struct migrate_mover *mover, int64_t dictionary_id)
{
	static const struct store_page all = {.limit = -1};
	struct store *from = mover->from;

	return migrate_outcome(
		mover, from->ops->entry_list(from, dictionary_id, &all, migrate_put_entry, mover));
}

static int migrate_move_entries_of_project(struct migrate_mover *mover, int64_t project_id)
{
	struct migrate_ids dictionaries = {0};
	int err = mover->from->ops->dictionary_list(mover->from, project_id,
						    migrate_note_dictionary, &dictionaries);

	return migrate_for_each_id(mover, &dictionaries, err, migrate_move_entries);
}

static int migrate_move_all_entries(struct migrate_mover *mover)
{
	struct migrate_ids projects = {0};
	int err = mover->from->ops->project_list(mover->from, 0, migrate_note_project, &projects);

	return migrate_for_each_id(mover, &projects, err, migrate_move_entries_of_project);
}

static int migrate_move_accounts(struct migrate_mover *mover)
{
	return mover->from->ops->account_list(mover->from, migrate_put_account, mover);
}

static int migrate_move_projects(struct migrate_mover *mover)
{
	return mover->from->ops->project_list(mover->from, 0, migrate_put_project, mover);
}

static int migrate_move_keys(struct migrate_mover *mover)
{
	return mover->from->ops->key_list(mover->from, migrate_put_key, mover);
}

static int migrate_move_turns(struct migrate_mover *mover)
{
	static const struct store_turn_filter all;

	return mover->from->ops->turn_page(mover->from, &all, 0, -1, migrate_put_turn, mover);
}

static int migrate_move_voices(struct migrate_mover *mover)
{
	return mover->from->ops->voice_list(mover->from, migrate_put_voice, mover);
}

static const struct store_speech_engine_page migrate_all_speech_engines = {.limit = -1};

static int migrate_move_speech_engines(struct migrate_mover *mover, int64_t project_id)
{
	struct store *from = mover->from;

	return migrate_outcome(
		mover, from->ops->speech_engine_list(from, project_id, &migrate_all_speech_engines,
						     migrate_put_speech_engine, mover));
}

static int migrate_move_all_speech_engines(struct migrate_mover *mover)
{
	struct migrate_ids projects = {0};
	int err = mover->from->ops->project_list(mover->from, 0, migrate_note_project, &projects);

	return migrate_for_each_id(mover, &projects, err, migrate_move_speech_engines);
}

/* In the order of the kinds, so that a row is written after the rows that it refers to. */
static int (*const moves[])(struct migrate_mover *mover) = {
	migrate_move_accounts,    migrate_move_projects, migrate_move_keys,
	migrate_move_all_top_ups, migrate_move_turns,    migrate_move_all_dictionaries,
	migrate_move_all_entries, migrate_move_voices,   migrate_move_all_speech_engines,
};

static bool migrate_count_account(const struct store_account *account, void *arg)
{
	struct migrate_figures *figures = arg;

	++figures->accounts;
	figures->credit_microcents += account->credit_microcents;
	figures->spent_microcents += account->spent_microcents;
	return true;
}

static bool migrate_count_key(const struct store_key *key, void *arg)
{
	(void)key;
	++((struct migrate_figures *)arg)->keys;
	return true;
}

static bool migrate_count_top_up(const struct store_top_up *top_up, void *arg)
{
	(void)top_up;
	++((struct migrate_figures *)arg)->top_ups;
	return true;
}

static bool migrate_count_usage(const struct store_usage *usage, void *arg)
{
	struct migrate_figures *figures = arg;

	figures->turns = usage->turns;
	figures->audio_us = usage->audio_us;
	figures->characters = usage->characters;
	figures->heard_us = usage->heard_us;
	figures->answers = usage->answers;
	figures->tokens_in = usage->tokens_in;
	figures->tokens_out = usage->tokens_out;
	return true;
}

static bool migrate_count_voice(const struct store_voice *voice, void *arg)
{
	(void)voice;
	++((struct migrate_figures *)arg)->voices;
	return true;
}

static bool migrate_count_speech_engine(const struct store_speech_engine *engine, void *arg)
{
	(void)engine;
	++((struct migrate_figures *)arg)->speech_engines;
	return true;
}

/* Counts what must be counted id by id, in one store. */
struct migrate_counter {
	struct migrate_mover mover; /* only its `from` is used */
	struct migrate_figures *figures;
};

static struct migrate_figures *migrate_figures_of(struct migrate_mover *mover)
{
	return ((struct migrate_counter *)(void *)mover)->figures;
}

static int migrate_count_top_ups(struct migrate_mover *mover, int64_t account_id)
{
	return mover->from->ops->top_up_list(mover->from, account_id, migrate_count_top_up,
					     migrate_figures_of(mover));
}

static int migrate_count_entries(struct migrate_mover *mover, int64_t dictionary_id)
{
	int64_t count = 0;
	int err = mover->from->ops->entry_count(mover->from, &count, dictionary_id, NULL);

	migrate_figures_of(mover)->entries += count;
	++migrate_figures_of(mover)->dictionaries;
	return err;
}

/* Counts what belongs to a project. */
static int migrate_count_project(struct migrate_mover *mover, int64_t project_id)
{
	struct migrate_ids dictionaries = {0};
	int err = mover->from->ops->speech_engine_list(
		mover->from, project_id, &migrate_all_speech_engines, migrate_count_speech_engine,
		migrate_figures_of(mover));

	if (!err)
		err = mover->from->ops->dictionary_list(mover->from, project_id,
							migrate_note_dictionary, &dictionaries);
	++migrate_figures_of(mover)->projects;
	return migrate_for_each_id(mover, &dictionaries, err, migrate_count_entries);
}

static int migrate_count_owned(struct store *store, struct migrate_figures *figures)
{
	struct migrate_counter counter = {.mover.from = store, .figures = figures};
	struct migrate_ids accounts = {0};
	struct migrate_ids projects = {0};
	int err = store->ops->account_list(store, migrate_note_account, &accounts);

	err = migrate_for_each_id(&counter.mover, &accounts, err, migrate_count_top_ups);
	if (!err)
		err = store->ops->project_list(store, 0, migrate_note_project, &projects);
	return migrate_for_each_id(&counter.mover, &projects, err, migrate_count_project);
}

static int migrate_count_all(struct store *store, struct migrate_figures *figures)
{
	static const struct store_turn_filter all;
	int err = store->ops->account_list(store, migrate_count_account, figures);

	if (!err)
		err = store->ops->key_list(store, migrate_count_key, figures);
	if (!err)
		err = store->ops->usage_sum(store, &all, 0, migrate_count_usage, figures);
	if (!err)
		err = store->ops->voice_list(store, migrate_count_voice, figures);
	return err ? err : migrate_count_owned(store, figures);
}

static int migrate_move_rows(struct migrate_mover *mover)
{
	struct store_last_ids ids;
	int err = mover->from->ops->last_ids(mover->from, &ids);

	for (size_t i = 0; !err && i < COUNT(moves); ++i)
		err = migrate_outcome(mover, moves[i](mover));
	return err ? err : mover->to->ops->import_settle(mover->to, &ids);
}

/* ESTALE if the source has changed since it was read.  The target has computed its sums from its
 * rows; if the source's sums differ, the source is unsound. */
static int migrate_compare(struct store *from, struct store *to, bool is_sound,
			   struct migrate_figures *figures)
{
	struct migrate_figures copied;
	int64_t wrong = 0;
	int err;

	memset(figures, 0, sizeof(*figures));
	memset(&copied, 0, sizeof(copied));
	err = migrate_count_all(from, figures);
	if (!err)
		err = migrate_count_all(to, &copied);
	if (!err)
		err = to->ops->audit(to, &wrong);
	if (err)
		return err;
	if (!is_sound) {
		figures->credit_microcents = copied.credit_microcents;
		figures->spent_microcents = copied.spent_microcents;
	}
	return wrong || memcmp(figures, &copied, sizeof(copied)) != 0 ? ESTALE : 0;
}

/* SQLite, as we open it, holds a shared lock on these bytes of its file while it is open
 * ("The Lock-Byte Page" of its file format). */
#define SQLITE_LOCKED_FROM 0x40000002
#define SQLITE_LOCKED_LEN 510

int migrate_holder(const char *address)
{
	const char *path = store_sqlite_path(address);
	struct flock lock = {.l_type = F_WRLCK,
			     .l_whence = SEEK_SET,
			     .l_start = SQLITE_LOCKED_FROM,
			     .l_len = SQLITE_LOCKED_LEN};
	int holder = 0;
	int fd;

	if (!path)
		return 0;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 0; /* opening it will fail and log the reason */
	if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		holder = lock.l_pid;
	close(fd);
	return holder;
}

/* The connections of a server that has just ended may exist a little longer, so the check is
 * repeated. */
#define OTHERS_LOOKS 20
#define OTHERS_LOOK_MS 100

static int migrate_count_others(struct store *store, int64_t *count)
{
	static const struct timespec pause = {.tv_nsec = OTHERS_LOOK_MS * 1000000L};
	int err = 0;

	*count = 0;
	for (int i = 0; store->ops->others && i < OTHERS_LOOKS; ++i) {
		err = store->ops->others(store, count);
		if (err || *count == 0)
			return err;
		nanosleep(&pause, NULL);
	}
	return err;
}

/* EBUSY if a server is running on one of the stores. */
static int migrate_check_alone(struct store *from, struct store *to)
{
	int64_t at_source = 0;
	int64_t at_target = 0;
	int err = migrate_count_others(from, &at_source);

	if (!err && at_source == 0)
		err = migrate_count_others(to, &at_target);
	return err ? err : (at_source || at_target ? EBUSY : 0);
}

/* Copies everything, all or nothing. */
static enum migrate_problem migrate_copy_all(struct store *from, struct store *to, bool mends,
					     struct migrate_figures *figures, int *err)
{
	struct migrate_mover mover = {.from = from, .to = to};
	int64_t wrong = 0;

	*err = from->ops->audit(from, &wrong);
	if (!*err && wrong && !mends)
		return MIGRATE_UNSOUND;
	if (!*err)
		*err = to->ops->import_begin(to);
	if (*err)
		return *err == ENOTEMPTY ? MIGRATE_NOT_EMPTY : MIGRATE_FAILED;
	*err = migrate_move_rows(&mover);
	if (!*err)
		*err = migrate_compare(from, to, wrong == 0, figures);
	*err = to->ops->import_end(to, *err);
	if (*err == ESTALE)
		return MIGRATE_CHANGED;
	if (*err)
		return MIGRATE_FAILED;
	return wrong ? MIGRATE_MENDED : MIGRATE_WELL;
}

static enum migrate_problem migrate_alone(struct store *from, struct store *to, bool mends,
					  struct migrate_figures *figures, int *err)
{
	*err = 0;
	if (from->is_volatile || to->is_volatile)
		return MIGRATE_CANNOT;
	*err = migrate_check_alone(from, to);
	if (*err)
		return *err == EBUSY ? MIGRATE_IN_USE : MIGRATE_FAILED;
	return migrate_copy_all(from, to, mends, figures, err);
}

enum migrate_problem migrate(struct store *from, struct store *to, struct migrate_figures *figures,
			     int *err)
{
	return migrate_alone(from, to, false, figures, err);
}

enum migrate_problem migrate_and_mend(struct store *from, struct store *to,
				      struct migrate_figures *figures, int *err)
{
	return migrate_alone(from, to, true, figures, err);
}

enum migrate_problem migrate_snapshot(struct store *from, struct store *to,
				      struct migrate_figures *figures, int *err)
{
	enum migrate_problem problem;

	*err = 0;
	if (!from->ops->snapshot_begin || to->is_volatile)
		return MIGRATE_CANNOT;
	*err = from->ops->snapshot_begin(from);
	if (*err)
		return MIGRATE_FAILED;
	problem = migrate_copy_all(from, to, true, figures, err);
	from->ops->snapshot_end(from);
	return problem;
}

int migrate_count(struct store *store, struct migrate_figures *figures)
{
	memset(figures, 0, sizeof(*figures));
	return migrate_count_all(store, figures);
}
