/*
 * sqlite_leases.c: credit that is lent to servers, in the SQLite store.
 */
#include <errno.h>

#include "store/lend.h"
#include "store/sqlite_private.h"

static int sqlite_leases_read_holder(struct lend_balance *balance, struct sqlite *sqlite,
				     const struct store_holder *holder)
{
	struct store_account account;
	struct store_key key;
	int err;

	if (holder->kind == STORE_HOLDER_ACCOUNT) {
		err = sqlite_account_get(&sqlite->store, &account, holder->id);
		if (!err)
			lend_of_account(balance, &account);
	} else {
		err = sqlite_key_get(sqlite, &key, holder->id);
		if (!err)
			lend_of_key(balance, &key);
	}
	return err;
}

static void sqlite_leases_bind_holder(sqlite3_stmt *stmt, const struct store_holder *holder)
{
	sqlite3_bind_int64(stmt, 1, holder->kind);
	sqlite3_bind_int64(stmt, 2, holder->id);
}

static int sqlite_leases_forget_old(struct sqlite *sqlite, const struct store_lease *lease)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_LEASE_FORGET_OLD];
	int constraint;

	sqlite_leases_bind_holder(stmt, &lease->holder);
	sqlite3_bind_int64(stmt, 3, lease->at_ms);
	return sqlite_run(sqlite, STATEMENT_LEASE_FORGET_OLD, "cannot forget a lease", &constraint);
}

static int sqlite_leases_note_sums(sqlite3_stmt *stmt, void *arg)
{
	struct lend_balance *balance = arg;

	balance->lent_microcents = sqlite3_column_int64(stmt, 0);
	balance->held_microcents = sqlite3_column_int64(stmt, 1);
	return 0;
}

static int sqlite_leases_read_sums(struct lend_balance *balance, struct sqlite *sqlite,
				   const struct store_lease *lease)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_LEASE_SUMS];

	sqlite_leases_bind_holder(stmt, &lease->holder);
	sqlite_bind_text(stmt, 3, lease->server);
	return sqlite_rows(sqlite, STATEMENT_LEASE_SUMS, "cannot sum up leases",
			   sqlite_leases_note_sums, balance);
}

static int sqlite_leases_put(struct sqlite *sqlite, const struct store_lease *lease)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_LEASE_PUT];
	int constraint;

	sqlite_leases_bind_holder(stmt, &lease->holder);
	sqlite_bind_text(stmt, 3, lease->server);
	sqlite3_bind_int64(stmt, 4, lease->held_microcents);
	sqlite3_bind_int64(stmt, 5, lease->expires_ms);
	return sqlite_run(sqlite, STATEMENT_LEASE_PUT, "cannot lend credit", &constraint);
}

static int sqlite_leases_note_booked(sqlite3_stmt *stmt, void *arg)
{
	struct store_lease *lease = arg;

	lease->booked_microcents = sqlite3_column_int64(stmt, 0);
	lease->last_seq = sqlite3_column_int64(stmt, 1);
	return 0;
}

/* Selects rows after a known row by their order, otherwise by time, so that only new rows are read,
 * however long the ledger is. */
static int sqlite_leases_sum_up_booked(struct sqlite *sqlite, struct store_lease *lease)
{
	enum statement id =
		lease->after_seq > 0 ? STATEMENT_LEASE_BOOKED_AFTER : STATEMENT_LEASE_BOOKED_SINCE;
	sqlite3_stmt *stmt = sqlite->statements[id];

	sqlite_leases_bind_holder(stmt, &lease->holder);
	sqlite_bind_text(stmt, 3, lease->server);
	sqlite3_bind_int64(stmt, 4, lease->since_ms);
	sqlite3_bind_int64(stmt, 5, lease->after_seq);
	return sqlite_rows(sqlite, id, "cannot sum up what was booked", sqlite_leases_note_booked,
			   lease);
}

int sqlite_lease_take(struct store *store, struct store_lease *lease)
{
	struct sqlite *sqlite = sqlite_of(store);
	struct lend_balance balance = {0};
	int err = sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_leases_read_holder(&balance, sqlite, &lease->holder);
	if (!err)
		err = sqlite_leases_forget_old(sqlite, lease);
	if (!err)
		err = sqlite_leases_read_sums(&balance, sqlite, lease);
	if (!err)
		lend(lease, &balance);
	lease->booked_microcents = 0;
	lease->last_seq = lease->after_seq;
	if (!err && balance.is_limited)
		err = sqlite_leases_put(sqlite, lease);
	if (!err && balance.is_limited)
		err = sqlite_leases_sum_up_booked(sqlite, lease);
	return sqlite_end(store, err);
}

int sqlite_lease_return(struct store *store, const char *server)
{
	struct sqlite *sqlite = sqlite_of(store);
	int constraint;

	sqlite_bind_text(sqlite->statements[STATEMENT_LEASE_RETURN], 1, server);
	return sqlite_run(sqlite, STATEMENT_LEASE_RETURN, "cannot return leases", &constraint);
}
