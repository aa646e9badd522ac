/*
 * rows.h: rows to put into a store under test.
 */
#ifndef TEST_STORE_ROWS_H
#define TEST_STORE_ROWS_H

#include "store/store.h"

/* A key and a turn in which every field has a value of its own. */
struct store_key rows_key(const char *prefix);
struct store_turn rows_turn(const char *id, int64_t key_id);

void rows_assert_key(const struct store_key *key, const struct store_key *expected);
void rows_assert_turn(const struct store_turn *turn, const struct store_turn *expected);

/* How many turns the store lists. */
size_t rows_count_turns(struct store *store);

/* A fresh store of its own, by the backend's name. */
struct rows_backend {
	const char *name;
	struct store *store;
	char dir[64]; /* "" for one without files */
};
int rows_open(struct rows_backend *backend);
void rows_close(struct rows_backend *backend);

/* A new directory of its own, and its end with all that is in it. */
void rows_make_dir(char path[64]);
void rows_remove_dir(const char *path);

#endif
