/*
 * postgres_import.c: copies rows of another store, including their ids.
 *
 * Rows are sent with COPY, one table at a time, because a statement for each of millions of rows
 * would take hours.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/count.h"
#include "store/postgres_private.h"
#include "store/row_values.h"

/* The API limits the texts of a row to far less than this. */
#define LINE_MAX ((size_t)1 << 20)

/* Copying a ledger may take any time, so there is no limit; the user can interrupt the command. */
static const char postgres_import_begin_sql[] =
	"BEGIN;"
	"SET LOCAL statement_timeout TO 0;"
	"SET LOCAL idle_in_transaction_session_timeout TO 0;"
	"LOCK TABLE account, project, key, turn, top_up, dictionary, entry,"
	" voice, speech_engine IN SHARE ROW EXCLUSIVE MODE";

static int postgres_import_check_empty(struct postgres *postgres)
{
	int64_t rows = 0;
	int err = postgres_execute(postgres,
				   "SELECT (SELECT count(*) FROM account WHERE id <> 1)"
				   " + (SELECT count(*) FROM project WHERE id <> 1)"
				   " + (SELECT count(*) FROM key) + (SELECT count(*) FROM turn)"
				   " + (SELECT count(*) FROM top_up)"
				   " + (SELECT count(*) FROM dictionary)"
				   " + (SELECT count(*) FROM voice)"
				   " + (SELECT count(*) FROM speech_engine)",
				   "cannot count rows", &rows);

	return err || rows == 0 ? err : ENOTEMPTY;
}

int postgres_import_begin(struct store *store)
{
	struct postgres *postgres = postgres_of(store);
	int err = postgres_execute(postgres, postgres_import_begin_sql, "cannot begin the import",
				   NULL);

	postgres->in_transaction = postgres->db != NULL;
	postgres->import_kind = STORE_ROW_KINDS;
	if (!err)
		err = postgres_import_check_empty(postgres);
	if (!err)
		err = postgres_execute(postgres, "DELETE FROM project; DELETE FROM account",
				       "cannot begin the import", NULL);
	return err ? postgres_import_end(store, err) : 0;
}

static int postgres_import_end_copy(struct postgres *postgres)
{
	if (postgres->import_kind == STORE_ROW_KINDS)
		return 0;
	postgres->import_kind = STORE_ROW_KINDS;
	return postgres_copy_end(postgres, "cannot import rows");
}

static int postgres_import_begin_copy(struct postgres *postgres, enum store_row_kind kind)
{
	char sql[512];
	int err = postgres_import_end_copy(postgres);

	if (err)
		return err;
	snprintf(sql, sizeof(sql), "COPY %s (%s) FROM STDIN", row_table(kind), row_columns(kind));
	err = postgres_copy_begin(postgres, sql, "cannot import rows");
	if (!err)
		postgres->import_kind = kind;
	return err;
}

/* Writes text in the format of COPY: characters that would end a value or a line are escaped. */
static int postgres_import_append_text(struct buf *line, const char *text)
{
	int err = 0;

	for (const char *c = text; !err && *c; ++c) {
		switch (*c) {
		case '\\':
			err = buf_append_str(line, "\\\\");
			break;
		case '\t':
			err = buf_append_str(line, "\\t");
			break;
		case '\n':
			err = buf_append_str(line, "\\n");
			break;
		case '\r':
			err = buf_append_str(line, "\\r");
			break;
		default:
			err = buf_append(line, c, 1);
		}
	}
	return err;
}

static int postgres_import_append_hash(struct buf *line, const uint8_t *hash)
{
	int err = buf_append_str(line, "\\\\x");

	for (size_t i = 0; !err && i < STORE_KEY_HASH_LEN; ++i)
		err = buf_printf(line, "%02x", hash[i]);
	return err;
}

static int postgres_import_append_value(struct buf *line, const struct row_value *value)
{
	switch (value->type) {
	case ROW_NUMBER:
		return buf_printf(line, "%lld", (long long)value->number);
	case ROW_REAL:
		return buf_printf(line, "%.17g", value->real);
	case ROW_TEXT:
		return postgres_import_append_text(line, value->text);
	case ROW_HASH:
		return postgres_import_append_hash(line, value->hash);
	case ROW_NULL:
	default:
		return buf_append_str(line, "\\N");
	}
}

static int postgres_import_send_line(struct postgres *postgres, const struct row_value *values,
				     size_t count)
{
	struct buf line;
	int err = 0;

	buf_init(&line, LINE_MAX);
	for (size_t i = 0; !err && i < count; ++i) {
		err = postgres_import_append_value(&line, &values[i]);
		if (!err)
			err = buf_append_str(&line, i + 1 < count ? "\t" : "\n");
	}
	if (!err)
		err = postgres_copy_send(postgres, line.bytes, line.len, "cannot import rows");
	buf_reset(&line);
	return err;
}

int postgres_import_row(struct store *store, const struct store_row *row)
{
	struct postgres *postgres = postgres_of(store);
	struct row_value values[ROW_VALUES_MAX];
	char *made;
	size_t count = row_values(values, row, &made);
	int err = count ? 0 : ENOMEM;

	if (!err && row->kind != postgres->import_kind)
		err = postgres_import_begin_copy(postgres, row->kind);
	if (!err)
		err = postgres_import_send_line(postgres, values, count);
	free(made);
	return err;
}

/* Sets a table's next id, after the last one that was ever used. */
static int postgres_import_set_last_id(struct postgres *postgres, const char *table,
				       const char *column, int64_t id)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "SELECT setval(pg_get_serial_sequence('%s', '%s'), g.last) FROM"
		 " (SELECT greatest(max(%s), %lld) AS last FROM %s) g WHERE g.last > 0",
		 table, column, column, (long long)id, table);
	return postgres_execute(postgres, sql, "cannot take the last ids over", NULL);
}

/* The sums need no computation: triggers have updated them with each row. */
int postgres_import_settle(struct store *store, const struct store_last_ids *ids)
{
	const struct {
		const char *table, *column;
		int64_t last;
	} sequences[] = {
		{"account", "id", 0},
		{"project", "id", 0},
		{"key", "id", 0},
		{"top_up", "seq", 0},
		{"turn", "seq", 0},
		{"dictionary", "id", ids->dictionary},
		{"entry", "id", ids->entry},
		{"voice", "id", ids->voice},
	};
	struct postgres *postgres = postgres_of(store);
	int err = postgres_import_end_copy(postgres);

	for (size_t i = 0; !err && i < COUNT(sequences); ++i)
		err = postgres_import_set_last_id(postgres, sequences[i].table, sequences[i].column,
						  sequences[i].last);
	return err;
}

int postgres_import_end(struct store *store, int err)
{
	struct postgres *postgres = postgres_of(store);

	if (!err)
		err = postgres_import_end_copy(postgres);
	if (!err)
		err = postgres_execute(postgres, "COMMIT", "cannot commit the import", NULL);
	/* A COPY that has not ended can be rolled back only by closing the connection. */
	if (err && postgres->import_kind != STORE_ROW_KINDS)
		postgres_disconnect(postgres);
	else if (err && postgres->db)
		postgres_execute(postgres, "ROLLBACK", "cannot roll back the import", NULL);
	postgres->in_transaction = false;
	return err;
}

/* Without the usual limit for idle transactions, because the reader is idle while the other store
 * writes. */
int postgres_snapshot_begin(struct store *store)
{
	struct postgres *postgres = postgres_of(store);
	int err = postgres_execute(postgres,
				   "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
				   "SET LOCAL idle_in_transaction_session_timeout TO 0",
				   "cannot begin to read", NULL);

	postgres->in_transaction = !err;
	return err;
}

void postgres_snapshot_end(struct store *store)
{
	struct postgres *postgres = postgres_of(store);

	if (postgres->db && postgres->in_transaction)
		postgres_execute(postgres, "ROLLBACK", "cannot end reading", NULL);
	postgres->in_transaction = false;
}

int postgres_last_ids(struct store *store, struct store_last_ids *ids)
{
	static const char *const questions[] = {
		"SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM dictionary_id_seq",
		"SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM entry_id_seq",
		"SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM voice_id_seq",
	};
	int64_t *const found[] = {&ids->dictionary, &ids->entry, &ids->voice};
	int err = 0;

	for (size_t i = 0; !err && i < 3; ++i)
		err = postgres_execute(postgres_of(store), questions[i], "cannot read the last ids",
				       found[i]);
	return err;
}
