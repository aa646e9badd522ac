/*
 * spooled_rows.h: adds turns that a server keeps in its spool to a copy of the store.
 *
 * A running server may have rows in its spool that are not in the store yet. They are read
 * before the store is copied, and then added to the copy. A row that was delivered in between is
 * in both, and is recorded only once because of its id.
 */
#ifndef CLI_SPOOLED_ROWS_H
#define CLI_SPOOLED_ROWS_H

#include "store/store.h"

struct spooled_rows;

/* Reads the spool files of a data directory, including those of running servers. Release the rows
 * with mem_deref. */
int spooled_rows_read(struct spooled_rows **rowsp, const char *data_dir);

/* Adds the rows that are not in the store. */
int spooled_rows_add(const struct spooled_rows *rows, struct store *store);

#endif
