/*
 * sqlite_place.c: a file of its own for each test (see sqlite_place.h).
 */
#include "sqlite_place.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

int sqlite_place_make(void **state)
{
	struct sqlite_place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	rows_make_dir(place->dir);
	snprintf(place->path, sizeof(place->path), "%s/test.db", place->dir);
	snprintf(place->address, sizeof(place->address), "sqlite:%s", place->path);
	*state = place;
	return 0;
}

int sqlite_place_remove(void **state)
{
	struct sqlite_place *place = *state;

	rows_remove_dir(place->dir);
	free(place);
	return mem_live() == 0 ? 0 : -1;
}

struct store *sqlite_place_open(const struct sqlite_place *place)
{
	struct store *store;

	assert_int_equal(store_open(&store, place->address), 0);
	return store;
}

sqlite3 *sqlite_place_bare(const struct sqlite_place *place)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
	return db;
}

void sqlite_place_execute(const struct sqlite_place *place, const char *sql)
{
	sqlite3 *db = sqlite_place_bare(place);

	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

int64_t sqlite_place_number(const struct sqlite_place *place, const char *sql)
{
	sqlite3 *db = sqlite_place_bare(place);
	sqlite3_stmt *stmt;
	int64_t number;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	number = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return number;
}
