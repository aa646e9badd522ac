/*
 * bare_sqlite.h: SQLite without the store around it, with the same durability.
 *
 * One table with the columns of a turn and a unique id; no totals, no checks.
 */
#ifndef BENCH_BARE_SQLITE_H
#define BENCH_BARE_SQLITE_H

#include <stddef.h>
#include <stdint.h>

struct bare_sqlite;

/* Close it with mem_deref. */
int bare_sqlite_open(struct bare_sqlite **barep, const char *path);

/* Adds this many rows, each with a unique id, in one transaction. */
int bare_sqlite_commit(struct bare_sqlite *bare, size_t rows);

#endif
