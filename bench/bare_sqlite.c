/*
 * bare_sqlite.c: SQLite without the store around it (see bare_sqlite.h).
 */
#include "bench/bare_sqlite.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

struct bare_sqlite {
	sqlite3 *db;
	sqlite3_stmt *insert;
	uint64_t number;
};

static const char schema[] =
	"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
	"CREATE TABLE turn (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key_id INTEGER,"
	" account_id INTEGER, server TEXT, at_ms INTEGER, status TEXT, samples INTEGER,"
	" sample_rate INTEGER, characters INTEGER, voice_id INTEGER, model_id TEXT,"
	" amount_microcents INTEGER)";

static const char insert[] =
	"INSERT INTO turn (id, key_id, account_id, server, at_ms, status, samples, sample_rate,"
	" characters, voice_id, model_id, amount_microcents)"
	" VALUES (?1, 1, 1, '0123456789abcdef', 1794782117165, 'finished', 46080, 24000, 31, 1,"
	" 'kugel-3', 172800)";

static void bare_sqlite_destroy(void *object)
{
	struct bare_sqlite *bare = object;

	sqlite3_finalize(bare->insert);
	sqlite3_close(bare->db);
}

int bare_sqlite_open(struct bare_sqlite **barep, const char *path)
{
	struct bare_sqlite *bare = mem_zalloc(sizeof(*bare), bare_sqlite_destroy);

	if (!bare)
		return ENOMEM;
	if (sqlite3_open(path, &bare->db) != SQLITE_OK ||
	    sqlite3_exec(bare->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(bare->db, insert, -1, &bare->insert, NULL) != SQLITE_OK) {
		mem_deref(bare);
		return EIO;
	}
	*barep = bare;
	return 0;
}

/* The ids are unordered, like those of turns. */
static int bare_sqlite_add_row(struct bare_sqlite *bare)
{
	uint64_t mixed = ++bare->number * UINT64_C(0x9e3779b97f4a7c15);
	char id[33];

	snprintf(id, sizeof(id), "%016" PRIx64 "%016" PRIx64, mixed, bare->number);
	sqlite3_bind_text(bare->insert, 1, id, -1, SQLITE_STATIC);
	if (sqlite3_step(bare->insert) != SQLITE_DONE)
		return EIO;
	return sqlite3_reset(bare->insert) == SQLITE_OK ? 0 : EIO;
}

int bare_sqlite_commit(struct bare_sqlite *bare, size_t rows)
{
	int err = sqlite3_exec(bare->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) ? EIO : 0;

	for (size_t i = 0; i < rows && !err; ++i)
		err = bare_sqlite_add_row(bare);
	return err || sqlite3_exec(bare->db, "COMMIT", NULL, NULL, NULL) ? EIO : 0;
}
