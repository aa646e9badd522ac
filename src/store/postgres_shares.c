/*
 * postgres_shares.c: limits that apply across the servers of one database.
 *
 * Each operation is one statement that does not wait for the disk (postgres_schema.c has the
 * rules). A database that has crashed has lost all shares.
 */
#include <errno.h>

#include "store/postgres_exchange.h"

/* ESTALE after a reconnection, because the database may have crashed and lost the shares. */
static int postgres_shares_check_memory(struct postgres *postgres)
{
	int err = postgres_be_connected(postgres);

	return err || !postgres->has_forgotten ? err : ESTALE;
}

struct postgres_shares_refusal {
	bool is_one;
	int64_t short_of;
	int64_t wait_ms;
};

static int postgres_shares_read_refusal(const struct postgres_row *row, void *arg)
{
	struct postgres_shares_refusal *refusal = arg;

	refusal->is_one = postgres_text_at(row, 0) != NULL;
	if (refusal->is_one) {
		refusal->short_of = postgres_number_at(row, 0);
		refusal->wait_ms = postgres_number_at(row, 1);
	}
	return 0;
}

/* The columns are meter, kind, holder, amount and max. */
#define COLUMNS 5

static void postgres_shares_put_share(struct postgres_array columns[COLUMNS],
				      const struct store_share *share)
{
	postgres_array_number(&columns[0], share->meter);
	postgres_array_number(&columns[1], share->holder.kind);
	postgres_array_number(&columns[2], share->holder.id);
	postgres_array_number(&columns[3], share->amount);
	postgres_array_number(&columns[4], share->max);
}

static int postgres_shares_ask(struct postgres *postgres, const char *server,
			       const struct postgres_array columns[COLUMNS],
			       struct postgres_shares_refusal *refusal)
{
	struct postgres_values values = {.count = 0};
	int err = 0;

	postgres_put_text(&values, server);
	for (size_t i = 0; !err && i < COLUMNS; ++i)
		err = postgres_put_array(&values, &columns[i]);
	return err ? err
		   : postgres_rows(postgres, POSTGRES_SHARE_TAKE, &values,
				   "cannot take from a shared limit", postgres_shares_read_refusal,
				   refusal);
}

int postgres_share_take(struct store *store, const char *server, const struct store_share *shares,
			size_t count, size_t *short_of, int64_t *wait_ms)
{
	struct postgres_array columns[COLUMNS];
	struct postgres_shares_refusal refusal = {.is_one = false};
	int err = postgres_shares_check_memory(postgres_of(store));

	if (err)
		return err;
	for (size_t i = 0; i < COLUMNS; ++i)
		postgres_array_numbers(&columns[i], count);
	for (size_t i = 0; i < count; ++i)
		postgres_shares_put_share(columns, &shares[i]);
	err = postgres_shares_ask(postgres_of(store), server, columns, &refusal);
	for (size_t i = 0; i < COLUMNS; ++i)
		postgres_array_reset(&columns[i]);
	if (err || !refusal.is_one)
		return err;
	*short_of = (size_t)refusal.short_of;
	*wait_ms = refusal.wait_ms;
	return EDQUOT;
}

int postgres_share_heartbeat(struct store *store, const char *server)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;
	int err = postgres_shares_check_memory(postgres_of(store));

	postgres_put_text(&values, server);
	return err ? err
		   : postgres_run(postgres_of(store), POSTGRES_SHARE_HEARTBEAT, &values,
				  "cannot send a heartbeat", &answer);
}

int postgres_share_return(struct store *store, const char *server)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;
	int err;

	postgres_put_text(&values, server);
	err = postgres_run(postgres_of(store), POSTGRES_SHARE_RETURN, &values,
			   "cannot return shared limits", &answer);
	if (!err)
		postgres_of(store)->has_forgotten = false;
	return err;
}
