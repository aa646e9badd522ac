/*
 * table.h: rows for people, in columns as wide as what stands in them.
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
	char **cells;
	size_t count, size;
	int err; /* the first, which sticks */
};

void table_open(struct table *table, const struct table_column *columns, size_t count);

/* The next cell, row by row; control characters become '?'. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The header and all rows on standard output; ends the table.  0 or ENOMEM. */
int table_print(struct table *table);

#endif
