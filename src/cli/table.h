/*
 * table.h: prints tables for people, with columns as wide as their content.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct table_column {
	const char *name;
	bool is_number; /* right-aligned */
};

struct table {
	const struct table_column *columns;
	size_t column_count;
	const unsigned char *ranks; /* see table_narrow; may be NULL */
	char **cells;
	size_t count, size;
	int err; /* the first error; nothing is added after it */
};

void table_open(struct table *table, const struct table_column *columns, size_t count);

/* On a terminal, hides columns until the table fits: first those that have "-" in every row, then
 * those with the highest rank. Columns of rank 0 are always shown. A line on standard error names
 * the hidden columns. Anywhere else the table has all columns. There must be one rank per column;
 * they are not copied. */
void table_narrow(struct table *table, const unsigned char *ranks);

/* Adds the next cell, row by row. Control characters are replaced by '?'. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the header and all rows to standard output and frees the table. Returns 0 or ENOMEM. */
int table_print(struct table *table);

#endif
