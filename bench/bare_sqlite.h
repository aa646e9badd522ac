/*
 * bare_sqlite.h: SQLite with nothing around it, as durable as the store's.
 *
 * One table with the columns of a turn, its id unique: no sums, no checks.
 */
#ifndef BENCH_BARE_SQLITE_H
#define BENCH_BARE_SQLITE_H

#include <stddef.h>
#include <stdint.h>

struct bare_sqlite;

/* mem_deref closes it. */
int bare_sqlite_open(struct bare_sqlite **barep, const char *path);

/* Adds so many rows, each with an id of its own, in one transaction. */
int bare_sqlite_commit(struct bare_sqlite *bare, size_t rows);

#endif
