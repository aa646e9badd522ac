/*
 * sqlite_import.c: copies rows of another store, including their ids.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/row_values.h"
#include "store/sqlite_private.h"

static int sqlite_import_execute(struct sqlite *sqlite, const char *sql, const char *what)
{
	if (sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return sqlite_failed(sqlite, what);
	return 0;
}

/* Reads the first column of the only row of a query's result. */
static int sqlite_import_ask(struct sqlite *sqlite, const char *sql, const char *what,
			     int64_t *number)
{
	sqlite3_stmt *stmt;
	int err = 0;

	if (sqlite3_prepare_v2(sqlite->db, sql, -1, &stmt, NULL) != SQLITE_OK)
		return sqlite_failed(sqlite, what);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		*number = sqlite3_column_int64(stmt, 0);
	else
		err = sqlite_failed(sqlite, what);
	sqlite3_finalize(stmt);
	return err;
}

static int sqlite_import_check_empty(struct sqlite *sqlite)
{
	int64_t rows = 0;
	int err = sqlite_import_ask(
		sqlite,
		"SELECT (SELECT count(*) FROM account WHERE id <> 1)"
		" + (SELECT count(*) FROM project WHERE id <> 1)"
		" + (SELECT count(*) FROM key) + (SELECT count(*) FROM turn)"
		" + (SELECT count(*) FROM top_up) + (SELECT count(*) FROM dictionary)"
		" + (SELECT count(*) FROM voice) + (SELECT count(*) FROM speech_engine)",
		"cannot count rows", &rows);

	return err || rows == 0 ? err : ENOTEMPTY;
}

int sqlite_import_begin(struct store *store)
{
	struct sqlite *sqlite = sqlite_of(store);
	int err = sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_import_check_empty(sqlite);
	if (!err)
		err = sqlite_import_execute(sqlite, "DELETE FROM project; DELETE FROM account",
					    "cannot begin the import");
	return err ? sqlite_end(store, err) : 0;
}

static void sqlite_import_bind(sqlite3_stmt *stmt, int at, const struct row_value *value)
{
	switch (value->type) {
	case ROW_NUMBER:
		sqlite3_bind_int64(stmt, at, value->number);
		break;
	case ROW_REAL:
		sqlite3_bind_double(stmt, at, value->real);
		break;
	case ROW_TEXT:
		sqlite_bind_text(stmt, at, value->text);
		break;
	case ROW_HASH:
		sqlite3_bind_blob(stmt, at, value->hash, STORE_KEY_HASH_LEN, SQLITE_STATIC);
		break;
	case ROW_NULL:
	default:
		sqlite3_bind_null(stmt, at);
	}
}

static int sqlite_import_insert(struct sqlite *sqlite, enum store_row_kind kind,
				const struct row_value *values, size_t count)
{
	sqlite3_stmt *stmt = sqlite->imports[kind];
	int err = 0;

	for (size_t i = 0; i < count; ++i)
		sqlite_import_bind(stmt, (int)i + 1, &values[i]);
	/* A row that a trigger has ignored is an error too. */
	if (sqlite3_step(stmt) != SQLITE_DONE)
		err = sqlite_failed(sqlite, "cannot take a row over");
	else if (sqlite3_changes(sqlite->db) != 1)
		err = EEXIST;
	sqlite_release(stmt);
	return err;
}

/* Prepares "INSERT INTO table (columns) VALUES (?, ...)". */
static int sqlite_import_prepare(struct sqlite *sqlite, enum store_row_kind kind, size_t count)
{
	char sql[640];
	int len;

	if (sqlite->imports[kind])
		return 0;
	/* The column `seen` of an entry is 0: no replacement of all entries has written it. */
	len = snprintf(sql, sizeof(sql), "INSERT INTO %s (%s%s) VALUES (%s?", row_table(kind),
		       kind == STORE_ROW_ENTRY ? "seen, " : "", row_columns(kind),
		       kind == STORE_ROW_ENTRY ? "0, " : "");
	for (size_t i = 1; i < count; ++i)
		len += snprintf(sql + len, sizeof(sql) - (size_t)len, ", ?");
	len += snprintf(sql + len, sizeof(sql) - (size_t)len, ")");
	assert((size_t)len < sizeof(sql));
	if (sqlite3_prepare_v2(sqlite->db, sql, -1, &sqlite->imports[kind], NULL) != SQLITE_OK)
		return sqlite_failed(sqlite, "cannot prepare a statement");
	return 0;
}

int sqlite_import_row(struct store *store, const struct store_row *row)
{
	struct sqlite *sqlite = sqlite_of(store);
	struct row_value values[ROW_VALUES_MAX];
	char *made;
	size_t count = row_values(values, row, &made);
	int err = count ? sqlite_import_prepare(sqlite, row->kind, count) : ENOMEM;

	if (!err)
		err = sqlite_import_insert(sqlite, row->kind, values, count);
	free(made);
	return err;
}

static int sqlite_import_set_last_id(struct sqlite *sqlite, const char *table, int64_t id)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO sqlite_sequence (name, seq) SELECT '%s', 0 WHERE NOT EXISTS"
		 " (SELECT 1 FROM sqlite_sequence WHERE name = '%s');"
		 "UPDATE sqlite_sequence SET seq = max(seq, %lld) WHERE name = '%s'",
		 table, table, (long long)id, table);
	return sqlite_import_execute(sqlite, sql, "cannot take the last ids over");
}

int sqlite_import_settle(struct store *store, const struct store_last_ids *ids)
{
	struct sqlite *sqlite = sqlite_of(store);
	int err = sqlite_import_execute(
		sqlite,
		"UPDATE account SET"
		" spent_microcents = (SELECT ifnull(sum(amount_microcents), 0)"
		"  FROM turn WHERE account_id = account.id),"
		" credit_microcents = (SELECT ifnull(sum(amount_microcents), 0)"
		"  FROM top_up WHERE account_id = account.id);"
		"UPDATE key SET spent_microcents = ifnull(spent.sum, 0) FROM"
		" (SELECT key_id, sum(amount_microcents) AS sum FROM turn"
		"  WHERE key_id IS NOT NULL GROUP BY 1) AS spent"
		" WHERE spent.key_id = key.id",
		"cannot compute the sums");

	if (!err)
		err = sqlite_import_set_last_id(sqlite, "dictionary", ids->dictionary);
	if (!err)
		err = sqlite_import_set_last_id(sqlite, "entry", ids->entry);
	return err ? err : sqlite_import_set_last_id(sqlite, "voice", ids->voice);
}

int sqlite_import_end(struct store *store, int err)
{
	return sqlite_end(store, err);
}

int sqlite_last_ids(struct store *store, struct store_last_ids *ids)
{
	static const char format[] =
		"SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = '%s'), 0)";
	static const char *const tables[] = {"dictionary", "entry", "voice"};
	int64_t *const found[] = {&ids->dictionary, &ids->entry, &ids->voice};
	char sql[128];
	int err = 0;

	for (size_t i = 0; !err && i < 3; ++i) {
		snprintf(sql, sizeof(sql), format, tables[i]);
		err = sqlite_import_ask(sqlite_of(store), sql, "cannot read the last ids",
					found[i]);
	}
	return err;
}
