/*
 * sqlite_place.h: a file of its own for each test of the SQLite store.
 */
#ifndef TEST_STORE_SQLITE_PLACE_H
#define TEST_STORE_SQLITE_PLACE_H

#include <sqlite3.h>

#include "rows.h"

struct sqlite_place {
	char dir[64];
	char path[80];
	char address[96];
};

/* Setup and teardown of a test, whose state is the place.  The teardown checks that no object is
 * left. */
int sqlite_place_make(void **state);
int sqlite_place_remove(void **state);

struct store *sqlite_place_open(const struct sqlite_place *place);
/* Opens the same file with SQLite directly. */
sqlite3 *sqlite_place_bare(const struct sqlite_place *place);
void sqlite_place_execute(const struct sqlite_place *place, const char *sql); /* must succeed */
int64_t sqlite_place_number(const struct sqlite_place *place, const char *sql);

#define SQLITE_PLACE_TEST(test)                                                                    \
	cmocka_unit_test_setup_teardown(test, sqlite_place_make, sqlite_place_remove)

#endif
