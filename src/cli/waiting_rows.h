/*
 * waiting_rows.h: turns that a server keeps in its spool, for a copy of the store.
 *
 * A server that runs may have rows there that the store does not have yet.  They are read
 * before the store is copied and added to the copy: a row that was delivered in between is in
 * both, and is booked once, by its id.
 */
#ifndef CLI_WAITING_ROWS_H
#define CLI_WAITING_ROWS_H

#include "store/store.h"

struct waiting_rows;

/* Reads the spool files of a data directory, also of servers that run.  mem_deref ends it. */
int waiting_rows_read(struct waiting_rows **rowsp, const char *data_dir);

/* Adds those that the store does not have. */
int waiting_rows_add(const struct waiting_rows *rows, struct store *store);

#endif
