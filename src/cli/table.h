/*
 * table.h: rows for people, in columns that are as wide as their content.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct table_column {
	const char *name;
	bool is_number; /* on the right */
};

struct table {
	const struct table_column *columns;
	size_t column_count;
	const unsigned char *ranks; /* NULL: see table_narrow */
	char **cells;
	size_t count, size;
	int err; /* the first, which sticks */
};

void table_open(struct table *table, const struct table_column *columns, size_t count);

/* On a terminal, leaves columns out: first those that have "-" in every row, then the highest rank
 * first until the table fits, which a line on standard error says.  Columns of rank 0 stay.  Anywhere
 * else the table has all columns.  There is a rank for each column; they are not copied. */
void table_narrow(struct table *table, const unsigned char *ranks);

/* The next cell, row by row; control characters become '?'. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The header and all rows on standard output; ends the table.  0 or ENOMEM. */
int table_print(struct table *table);

#endif
