/*
 * postgres_ledger.c: turns in the PostgreSQL store, reports of them, and leases.
 *
 * A batch is one statement, and therefore one round trip and one commit.  Triggers of the table
 * keep the sums (postgres_schema.c).
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "base/log.h"
#include "store/postgres_private.h"
#include "store/row_values.h"

/* The number of turns fetched at once, so that a long ledger is never completely in memory. */
#define PAGE_ROWS 1000

/* The columns of a batch, in the order of the statement. */
enum postgres_ledger_column {
	COLUMN_ID,
	COLUMN_KEY,
	COLUMN_ACCOUNT,
	COLUMN_SERVER,
	COLUMN_AT,
	COLUMN_STATUS,
	COLUMN_SAMPLES,
	COLUMN_RATE,
	COLUMN_CHARACTERS,
	COLUMN_VOICE,
	COLUMN_MODEL,
	COLUMN_AMOUNT,
	COLUMN_KIND,
	COLUMN_QUANTITY,
	COLUMN_UNIT,
	COLUMN_ESTIMATED,
	COLUMN_WHOLE_MODEL,
	COLUMN_COUNT
};

static bool postgres_ledger_is_text(enum postgres_ledger_column column)
{
	return column == COLUMN_ID || column == COLUMN_SERVER || column == COLUMN_STATUS ||
	       column == COLUMN_MODEL || column == COLUMN_KIND || column == COLUMN_UNIT ||
	       column == COLUMN_WHOLE_MODEL;
}

static void postgres_ledger_begin_columns(struct postgres_array columns[COLUMN_COUNT], size_t count)
{
	for (int i = 0; i < COLUMN_COUNT; ++i) {
		if (postgres_ledger_is_text((enum postgres_ledger_column)i))
			postgres_array_texts(&columns[i], count);
		else
			postgres_array_numbers(&columns[i], count);
	}
}

static void postgres_ledger_put_turn(struct postgres_array columns[COLUMN_COUNT],
				     const struct store_turn *turn)
{
	char old_model[STORE_MODEL_OLD_SIZE];

	row_old_model(old_model, turn->model_id);
	postgres_array_text(&columns[COLUMN_ID], turn->id);
	postgres_array_number(&columns[COLUMN_KEY], turn->key_id);
	postgres_array_number(&columns[COLUMN_ACCOUNT], turn->account_id);
	postgres_array_text(&columns[COLUMN_SERVER], turn->server);
	postgres_array_number(&columns[COLUMN_AT], turn->at_ms);
	postgres_array_text(&columns[COLUMN_STATUS], row_status_word(turn->status));
	postgres_array_number(&columns[COLUMN_SAMPLES], (int64_t)turn->samples);
	postgres_array_number(&columns[COLUMN_RATE], turn->sample_rate);
	postgres_array_number(&columns[COLUMN_CHARACTERS], (int64_t)turn->characters);
	postgres_array_number(&columns[COLUMN_VOICE], turn->voice_id);
	postgres_array_text(&columns[COLUMN_MODEL], old_model);
	postgres_array_number(&columns[COLUMN_AMOUNT], turn->amount_microcents);
	postgres_array_text(&columns[COLUMN_KIND], row_kind_word(turn->kind));
	postgres_array_number(&columns[COLUMN_QUANTITY], (int64_t)store_turn_quantity(turn));
	postgres_array_text(&columns[COLUMN_UNIT], row_unit_word(turn->unit));
	postgres_array_number(&columns[COLUMN_ESTIMATED], turn->is_estimated);
	postgres_array_text(&columns[COLUMN_WHOLE_MODEL], turn->model_id);
}

struct postgres_ledger_refusals {
	int *errs;
	size_t count;
};

static int postgres_ledger_note_refusal(const struct postgres_row *row, void *arg)
{
	const struct postgres_ledger_refusals *refusals = arg;
	int64_t n = postgres_number_at(row, 0);

	assert(n >= 1 && (uint64_t)n <= refusals->count);
	refusals->errs[n - 1] = EINVAL;
	return 0;
}

static int postgres_ledger_send_columns(struct postgres *postgres,
					const struct postgres_array columns[COLUMN_COUNT],
					struct postgres_ledger_refusals *refusals)
{
	struct postgres_values values = {.count = 0};
	int err = 0;

	for (int i = 0; !err && i < COLUMN_COUNT; ++i)
		err = postgres_put_array(&values, &columns[i]);
	if (!err)
		err = postgres_rows(postgres, POSTGRES_TURNS_ADD, &values, "cannot book turns",
				    postgres_ledger_note_refusal, refusals);
	return err == ENOENT ? 0 : err;
}

int postgres_turns_add(struct store *store, const struct store_turn *turns, size_t count, int *errs)
{
	struct postgres_array columns[COLUMN_COUNT];
	struct postgres_ledger_refusals refusals = {errs, count};
	int err;

	postgres_ledger_begin_columns(columns, count);
	for (size_t i = 0; i < count; ++i) {
		postgres_ledger_put_turn(columns, &turns[i]);
		errs[i] = 0;
	}
	err = postgres_ledger_send_columns(postgres_of(store), columns, &refusals);
	for (int i = 0; i < COLUMN_COUNT; ++i)
		postgres_array_reset(&columns[i]);
	return err;
}

static int postgres_ledger_read_turn(struct store_turn *turn, const struct postgres_row *row)
{
	*turn = (struct store_turn){.key_id = postgres_number_at(row, 2)};
	if (!postgres_copy_text(turn->id, sizeof(turn->id), row, 1) ||
	    !postgres_copy_text(turn->server, sizeof(turn->server), row, 4) ||
	    row_status_parse(&turn->status, postgres_text_at(row, 6)) ||
	    !postgres_copy_text(turn->model_id, sizeof(turn->model_id), row, 11) ||
	    row_kind_parse(&turn->kind, postgres_text_at(row, 13)) ||
	    row_unit_parse(&turn->unit, postgres_text_at(row, 15)))
		return postgres_damaged("turn");
	turn->account_id = postgres_number_at(row, 3);
	turn->at_ms = postgres_number_at(row, 5);
	turn->samples = (uint64_t)postgres_number_at(row, 7);
	turn->sample_rate = (uint32_t)postgres_number_at(row, 8);
	turn->characters = (uint64_t)postgres_number_at(row, 9);
	turn->voice_id = postgres_number_at(row, 10);
	turn->amount_microcents = postgres_number_at(row, 12);
	turn->quantity = (uint64_t)postgres_number_at(row, 14);
	turn->is_estimated = postgres_is_true_at(row, 16);
	return 0;
}

struct postgres_turn_viewer {
	store_paged_turn_h *each;
	void *arg;
	int64_t last_seq;
	int64_t shown;
	bool has_enough;
};

static int postgres_ledger_show_turn(const struct postgres_row *row, void *arg)
{
	struct postgres_turn_viewer *viewer = arg;
	struct store_turn turn;
	int err = postgres_ledger_read_turn(&turn, row);

	if (err)
		return err;
	viewer->last_seq = postgres_number_at(row, 0);
	++viewer->shown;
	viewer->has_enough = !viewer->each(viewer->last_seq, &turn, viewer->arg);
	return viewer->has_enough ? ECANCELED : 0;
}

static void postgres_ledger_put_filter(struct postgres_values *values,
				       const struct store_turn_filter *filter)
{
	postgres_put_number(values, filter->account_id);
	postgres_put_number(values, filter->project_id);
	postgres_put_number(values, filter->key_id);
	postgres_put_number(values, filter->from_ms);
	postgres_put_number(values, filter->to_ms);
}

static int postgres_ledger_show_page(struct postgres *postgres,
				     const struct store_turn_filter *filter, int64_t limit,
				     struct postgres_turn_viewer *viewer)
{
	struct postgres_values values = {.count = 0};
	int err;

	postgres_put_number(&values, viewer->last_seq);
	postgres_ledger_put_filter(&values, filter);
	postgres_put_number(&values, limit);
	err = postgres_rows(postgres, POSTGRES_TURN_PAGE, &values, "cannot list turns",
			    postgres_ledger_show_turn, viewer);
	return err == ENOENT ? 0 : err;
}

int postgres_turn_page(struct store *store, const struct store_turn_filter *filter,
		       int64_t after_seq, int64_t limit, store_paged_turn_h *each, void *arg)
{
	struct postgres_turn_viewer viewer = {.each = each, .arg = arg, .last_seq = after_seq};
	int err = 0;

	while (!err && !viewer.has_enough && (limit < 0 || viewer.shown < limit)) {
		int64_t left = limit < 0 ? PAGE_ROWS : limit - viewer.shown;
		int64_t wanted = left < PAGE_ROWS ? left : PAGE_ROWS;
		int64_t before = viewer.shown;

		err = postgres_ledger_show_page(postgres_of(store), filter, wanted, &viewer);
		if (viewer.shown - before < wanted)
			break;
	}
	return err;
}

struct postgres_ledger_list_viewer {
	store_turn_h *each;
	void *arg;
};

static bool postgres_ledger_show_without_seq(int64_t seq, const struct store_turn *turn, void *arg)
{
	const struct postgres_ledger_list_viewer *viewer = arg;

	(void)seq;
	return viewer->each(turn, viewer->arg);
}

int postgres_turn_list(struct store *store, store_turn_h *each, void *arg)
{
	static const struct store_turn_filter all;
	struct postgres_ledger_list_viewer viewer = {each, arg};

	return postgres_turn_page(store, &all, 0, -1, postgres_ledger_show_without_seq, &viewer);
}

struct postgres_usage_viewer {
	store_usage_h *each;
	void *arg;
};

static int postgres_ledger_show_usage(const struct postgres_row *row, void *arg)
{
	const struct postgres_usage_viewer *viewer = arg;
	struct store_usage usage = {
		.day_ms = postgres_number_at(row, 0),
		.key_id = postgres_number_at(row, 1),
		.voice_id = postgres_number_at(row, 2),
		.turns = postgres_number_at(row, 5),
		.audio_us = (uint64_t)postgres_number_at(row, 6),
		.characters = (uint64_t)postgres_number_at(row, 7),
		.heard_us = (uint64_t)postgres_number_at(row, 8),
		.answers = postgres_number_at(row, 9),
		.tokens_in = (uint64_t)postgres_number_at(row, 10),
		.tokens_out = (uint64_t)postgres_number_at(row, 11),
		.tokens_estimated = (uint64_t)postgres_number_at(row, 12),
		.amount_microcents = postgres_number_at(row, 13),
	};

	if (!postgres_copy_text(usage.model_id, sizeof(usage.model_id), row, 3) ||
	    row_kind_parse(&usage.kind, postgres_text_at(row, 4)))
		return postgres_damaged("turn");
	return viewer->each(&usage, viewer->arg) ? 0 : ECANCELED;
}

int postgres_usage_sum(struct store *store, const struct store_turn_filter *filter, unsigned by,
		       store_usage_h *each, void *arg)
{
	struct postgres_values values = {.count = 0};
	struct postgres_usage_viewer viewer = {each, arg};
	int err;

	postgres_put_number(&values, by);
	postgres_ledger_put_filter(&values, filter);
	err = postgres_rows(postgres_of(store), POSTGRES_USAGE_SUM, &values, "cannot sum up turns",
			    postgres_ledger_show_usage, &viewer);
	return err == ENOENT ? 0 : err;
}

static int postgres_ledger_tell_wrong(const struct postgres_row *row, void *arg)
{
	int64_t *wrong = arg;

	log_error("store", "%s of %s %" PRId64 " is %" PRId64 ", its rows are %" PRId64,
		  postgres_text_at(row, 2), postgres_text_at(row, 0), postgres_number_at(row, 1),
		  postgres_number_at(row, 3), postgres_number_at(row, 4));
	++*wrong;
	return 0;
}

int postgres_audit(struct store *store, int64_t *wrong)
{
	int err;

	*wrong = 0;
	err = postgres_rows(postgres_of(store), POSTGRES_AUDIT, NULL, "cannot audit the ledger",
			    postgres_ledger_tell_wrong, wrong);
	return err == ENOENT ? 0 : err;
}

static int postgres_ledger_read_lease(const struct postgres_row *row, void *arg)
{
	struct store_lease *lease = arg;

	lease->granted_microcents = postgres_number_at(row, 0);
	lease->held_microcents = postgres_number_at(row, 1);
	lease->left_microcents = postgres_number_at(row, 2);
	lease->elsewhere_microcents = postgres_number_at(row, 3);
	lease->booked_microcents = postgres_number_at(row, 4);
	lease->last_seq = postgres_number_at(row, 5);
	return 0;
}

/* Expiry uses the database's clock, because those of the servers differ. */
int postgres_lease_take(struct store *store, struct store_lease *lease)
{
	struct postgres_values values = {.count = 0};

	postgres_put_text(&values, lease->server);
	postgres_put_number(&values, lease->holder.kind);
	postgres_put_number(&values, lease->holder.id);
	postgres_put_number(&values, lease->want_microcents);
	postgres_put_number(&values, lease->expires_ms - lease->at_ms);
	postgres_put_number(&values, lease->after_seq);
	postgres_put_number(&values, lease->since_ms);
	return postgres_rows(postgres_of(store), POSTGRES_LEASE_TAKE, &values,
			     "cannot take a lease", postgres_ledger_read_lease, lease);
}

int postgres_lease_return(struct store *store, const char *server)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_put_text(&values, server);
	return postgres_run(postgres_of(store), POSTGRES_LEASE_RETURN, &values,
			    "cannot return leases", &answer);
}
