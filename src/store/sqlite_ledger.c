/*
 * sqlite_ledger.c: turns in the SQLite store, their sums and reports of them.
 *
 * Each row is one INSERT; the sums of accounts, keys and leases are written once for a whole batch.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "store/row_values.h"
#include "store/sqlite_private.h"
#include "store/tally.h"

static int sqlite_ledger_insert(struct sqlite *sqlite, const struct store_turn *turn)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_TURN_ADD];
	char old_model[STORE_MODEL_OLD_SIZE];
	int constraint;

	row_old_model(old_model, turn->model_id);
	sqlite_bind_text(stmt, 1, turn->id);
	sqlite3_bind_int64(stmt, 2, turn->key_id);
	sqlite3_bind_int64(stmt, 3, turn->account_id);
	sqlite_bind_text(stmt, 4, turn->server);
	sqlite3_bind_int64(stmt, 5, turn->at_ms);
	sqlite_bind_text(stmt, 6, row_status_word(turn->status));
	sqlite3_bind_int64(stmt, 7, (int64_t)turn->samples);
	sqlite3_bind_int64(stmt, 8, turn->sample_rate);
	sqlite3_bind_int64(stmt, 9, (int64_t)turn->characters);
	sqlite3_bind_int64(stmt, 10, turn->voice_id);
	sqlite_bind_text(stmt, 11, old_model);
	sqlite3_bind_int64(stmt, 12, turn->amount_microcents);
	sqlite_bind_text(stmt, 13, row_kind_word(turn->kind));
	sqlite3_bind_int64(stmt, 14, (int64_t)store_turn_quantity(turn));
	sqlite_bind_text(stmt, 15, row_unit_word(turn->unit));
	sqlite3_bind_int64(stmt, 16, turn->is_estimated);
	sqlite_bind_text(stmt, 17, turn->model_id);
	return sqlite_run(sqlite, STATEMENT_TURN_ADD, "cannot book a turn", &constraint);
}

static bool sqlite_ledger_can_be(const struct store_turn *turn)
{
	return (turn->key_id == 0) == (turn->account_id == 0) && turn->amount_microcents >= 0;
}

static int sqlite_ledger_insert_all(struct sqlite *sqlite, const struct store_turn *turns,
				    size_t count, int *errs, struct tally *tallies,
				    size_t *tally_count)
{
	for (size_t i = 0; i < count; ++i) {
		errs[i] = sqlite_ledger_can_be(&turns[i]) ? sqlite_ledger_insert(sqlite, &turns[i])
							  : EINVAL;
		if (errs[i] && errs[i] != EINVAL)
			return errs[i];
		if (!errs[i] && sqlite3_changes(sqlite->db) > 0)
			*tally_count = tally_note(tallies, *tally_count, &turns[i]);
	}
	return 0;
}

static int sqlite_ledger_add_spent(struct sqlite *sqlite, const struct tally *tally)
{
	enum statement id = tally->holder.kind == STORE_HOLDER_ACCOUNT ? STATEMENT_ACCOUNT_SPENT
								       : STATEMENT_KEY_SPENT;
	sqlite3_stmt *stmt = sqlite->statements[id];

	sqlite3_bind_int64(stmt, 1, tally->holder.id);
	sqlite3_bind_int64(stmt, 2, tally->microcents);
	return sqlite_change(sqlite, id, "cannot sum up turns");
}

static int sqlite_ledger_take_off_lease(struct sqlite *sqlite, const struct tally *tally)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_LEASE_TAKE_OFF];
	int constraint;

	sqlite3_bind_int64(stmt, 1, tally->holder.kind);
	sqlite3_bind_int64(stmt, 2, tally->holder.id);
	sqlite_bind_text(stmt, 3, tally->server);
	sqlite3_bind_int64(stmt, 4, tally->microcents);
	return sqlite_run(sqlite, STATEMENT_LEASE_TAKE_OFF, "cannot take turns off a lease",
			  &constraint);
}

static int sqlite_ledger_write_tallies(struct sqlite *sqlite, struct tally *tallies, size_t count)
{
	int err = 0;

	count = tally_merge(tallies, count);
	for (size_t i = 0; !err && i < count; ++i) {
		err = sqlite_ledger_add_spent(sqlite, &tallies[i]);
		if (!err)
			err = sqlite_ledger_take_off_lease(sqlite, &tallies[i]);
	}
	return err;
}

int sqlite_turns_add(struct store *store, const struct store_turn *turns, size_t count, int *errs)
{
	struct sqlite *sqlite = sqlite_of(store);
	struct tally *tallies = tally_rows(count);
	size_t tally_count = 0;
	int err = tallies ? sqlite_begin(store) : ENOMEM;

	if (err)
		goto out;
	err = sqlite_ledger_insert_all(sqlite, turns, count, errs, tallies, &tally_count);
	if (!err)
		err = sqlite_ledger_write_tallies(sqlite, tallies, tally_count);
	err = sqlite_end(store, err);
out:
	free(tallies);
	return err;
}

static int sqlite_ledger_read_turn(struct store_turn *turn, sqlite3_stmt *stmt)
{
	*turn = (struct store_turn){.key_id = sqlite3_column_int64(stmt, 2)};
	if (!sqlite_column_text(turn->id, sizeof(turn->id), stmt, 1) ||
	    !sqlite_column_text(turn->server, sizeof(turn->server), stmt, 4) ||
	    row_status_parse(&turn->status, (const char *)sqlite3_column_text(stmt, 6)) ||
	    !sqlite_column_text(turn->model_id, sizeof(turn->model_id), stmt, 11) ||
	    row_kind_parse(&turn->kind, (const char *)sqlite3_column_text(stmt, 13)) ||
	    row_unit_parse(&turn->unit, (const char *)sqlite3_column_text(stmt, 15)))
		return sqlite_damaged("turn");
	turn->account_id = sqlite3_column_int64(stmt, 3);
	turn->at_ms = sqlite3_column_int64(stmt, 5);
	turn->samples = (uint64_t)sqlite3_column_int64(stmt, 7);
	turn->sample_rate = (uint32_t)sqlite3_column_int64(stmt, 8);
	turn->characters = (uint64_t)sqlite3_column_int64(stmt, 9);
	turn->voice_id = sqlite3_column_int64(stmt, 10);
	turn->amount_microcents = sqlite3_column_int64(stmt, 12);
	turn->quantity = (uint64_t)sqlite3_column_int64(stmt, 14);
	turn->is_estimated = sqlite3_column_int64(stmt, 16);
	return 0;
}

struct sqlite_turn_viewer {
	store_turn_h *each;
	store_paged_turn_h *each_of_page; /* used instead of `each`, with the row's seq */
	void *arg;
};

static int sqlite_ledger_show_turn(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_turn_viewer *viewer = arg;
	struct store_turn turn;
	int err = sqlite_ledger_read_turn(&turn, stmt);
	bool goes_on;

	if (err)
		return err;
	if (viewer->each)
		goes_on = viewer->each(&turn, viewer->arg);
	else
		goes_on = viewer->each_of_page(sqlite3_column_int64(stmt, 0), &turn, viewer->arg);
	return goes_on ? 0 : ECANCELED;
}

int sqlite_turn_list(struct store *store, store_turn_h *each, void *arg)
{
	struct sqlite_turn_viewer viewer = {.each = each, .arg = arg};
	int err = sqlite_rows(sqlite_of(store), STATEMENT_TURN_LIST, "cannot list the turns",
			      sqlite_ledger_show_turn, &viewer);

	return err == ENOENT ? 0 : err;
}

static void sqlite_ledger_bind_filter(sqlite3_stmt *stmt, const struct store_turn_filter *filter)
{
	sqlite3_bind_int64(stmt, 1, filter->account_id);
	sqlite3_bind_int64(stmt, 2, filter->project_id);
	sqlite3_bind_int64(stmt, 3, filter->key_id);
	sqlite3_bind_int64(stmt, 4, filter->from_ms ? filter->from_ms : INT64_MIN);
	sqlite3_bind_int64(stmt, 5, filter->to_ms ? filter->to_ms : INT64_MAX);
}

int sqlite_turn_page(struct store *store, const struct store_turn_filter *filter, int64_t after_seq,
		     int64_t limit, store_paged_turn_h *each, void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	enum statement id =
		filter->account_id ? STATEMENT_TURN_PAGE_OF_ACCOUNT : STATEMENT_TURN_PAGE;
	struct sqlite_turn_viewer viewer = {.each_of_page = each, .arg = arg};
	int err;

	sqlite_ledger_bind_filter(sqlite->statements[id], filter);
	sqlite3_bind_int64(sqlite->statements[id], 6, after_seq);
	sqlite3_bind_int64(sqlite->statements[id], 7, limit);
	err = sqlite_rows(sqlite, id, "cannot list turns", sqlite_ledger_show_turn, &viewer);
	return err == ENOENT ? 0 : err;
}

struct sqlite_usage_viewer {
	store_usage_h *each;
	void *arg;
};

static int sqlite_ledger_show_usage(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_usage_viewer *viewer = arg;
	struct store_usage usage = {
		.day_ms = sqlite3_column_int64(stmt, 0),
		.key_id = sqlite3_column_int64(stmt, 1),
		.voice_id = sqlite3_column_int64(stmt, 2),
		.turns = sqlite3_column_int64(stmt, 5),
		.audio_us = (uint64_t)sqlite3_column_int64(stmt, 6),
		.characters = (uint64_t)sqlite3_column_int64(stmt, 7),
		.heard_us = (uint64_t)sqlite3_column_int64(stmt, 8),
		.answers = sqlite3_column_int64(stmt, 9),
		.tokens_in = (uint64_t)sqlite3_column_int64(stmt, 10),
		.tokens_out = (uint64_t)sqlite3_column_int64(stmt, 11),
		.tokens_estimated = (uint64_t)sqlite3_column_int64(stmt, 12),
		.amount_microcents = sqlite3_column_int64(stmt, 13),
	};

	if (!sqlite_column_text(usage.model_id, sizeof(usage.model_id), stmt, 3) ||
	    row_kind_parse(&usage.kind, (const char *)sqlite3_column_text(stmt, 4)))
		return sqlite_damaged("turn");
	return viewer->each(&usage, viewer->arg) ? 0 : ECANCELED;
}

int sqlite_usage_sum(struct store *store, const struct store_turn_filter *filter, unsigned by,
		     store_usage_h *each, void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	enum statement id = filter->account_id ? STATEMENT_USAGE_OF_ACCOUNT : STATEMENT_USAGE;
	struct sqlite_usage_viewer viewer = {each, arg};
	int err;

	sqlite_ledger_bind_filter(sqlite->statements[id], filter);
	sqlite3_bind_int64(sqlite->statements[id], 6, by);
	err = sqlite_rows(sqlite, id, "cannot sum up turns", sqlite_ledger_show_usage, &viewer);
	return err == ENOENT ? 0 : err;
}

static int sqlite_ledger_tell_wrong(sqlite3_stmt *stmt, void *arg)
{
	int64_t *wrong = arg;

	log_error(
		"store", "%s %" PRId64 " is kept as %" PRId64 " microcents, its rows are %" PRId64,
		(const char *)sqlite3_column_text(stmt, 0), (int64_t)sqlite3_column_int64(stmt, 1),
		(int64_t)sqlite3_column_int64(stmt, 2), (int64_t)sqlite3_column_int64(stmt, 3));
	++*wrong;
	return 0;
}

int sqlite_audit(struct store *store, int64_t *wrong)
{
	int err;

	*wrong = 0;
	err = sqlite_rows(sqlite_of(store), STATEMENT_AUDIT, "cannot audit the ledger",
			  sqlite_ledger_tell_wrong, wrong);
	return err == ENOENT ? 0 : err;
}
