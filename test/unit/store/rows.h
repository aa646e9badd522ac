/*
 * rows.h: stores under test, and rows to put into them.
 *
 * A suite runs against every backend: rows_run gives each test a new store.  A new backend needs a
 * row in the table of rows.c.
 */
#ifndef TEST_STORE_ROWS_H
#define TEST_STORE_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/store.h"

#define ROWS_SERVER "0123456789abcdef" /* the server of the turns below */

struct rows_backend {
	const char *name;
	/* Writes the address of a store that does not exist yet.  If this machine has no such
	 * backend, prints the reason and returns ENOTSUP. */
	int (*make)(struct rows_backend *backend);
	void (*remove)(struct rows_backend *backend); /* NULL: there is nothing to remove */
	/* Sets the backend's own clock; NULL if it has none. */
	void (*set_now)(struct rows_backend *backend, int64_t now_ms);
	bool is_shared; /* the address can be opened twice */
	CMFixtureFunction setup; /* the test's own, called after the store was opened */
	struct store *store;
	char address[192];
	char dir[64];
};

/* Runs each test against each backend; returns how many failed.  The `state` of a test and of its
 * setup is its backend; teardowns are not called. */
#define ROWS_RUN(tests) rows_run(tests, sizeof(tests) / sizeof((tests)[0]))
int rows_run(const struct CMUnitTest *tests, size_t count);

struct store *rows_store(void **state);
void rows_set_now(void **state, int64_t now_ms);
/* Opens another handle, as another process would; NULL if the backend allows only one. */
struct store *rows_open_again(void **state);

/* A key, a turn and an account in which every field has a different value. */
struct store_key rows_key(const char *prefix);
struct store_turn rows_turn(const char *id, int64_t key_id);
struct store_account rows_account(const char *name);

void rows_assert_key(const struct store_key *key, const struct store_key *expected);
void rows_assert_turn(const struct store_turn *turn, const struct store_turn *expected);
void rows_assert_account(const struct store_account *account, const struct store_account *expected);

/* These must succeed, except rows_book, which returns its error. */
int64_t rows_add_account(struct store *store, const char *name, bool is_prepaid);
struct store_key rows_add_key(struct store *store, const char *prefix, int64_t account_id);
int rows_book(struct store *store, const struct store_turn *turn);
void rows_top_up(struct store *store, const char *id, int64_t account_id, int64_t microcents);
struct store_account rows_get_account(struct store *store, int64_t id);
struct store_key rows_find_key(struct store *store, const char *prefix);

/* How many turns the store lists. */
size_t rows_count_turns(struct store *store);

/* Creates a directory, and removes it with everything in it. */
void rows_make_dir(char path[64]);
void rows_remove_dir(const char *path);

#endif
