/*
 * table.c: prints tables for people (see table.h).
 */
#include "cli/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/terminal.h"

void table_open(struct table *table, const struct table_column *columns, size_t count)
{
	*table = (struct table){.columns = columns, .column_count = count};
}

void table_narrow(struct table *table, const unsigned char *ranks)
{
	table->ranks = isatty(STDOUT_FILENO) ? ranks : NULL;
}

static int table_make_room(struct table *table)
{
	size_t more = table->size ? 2 * table->size : 64;
	char **cells;

	if (table->count < table->size)
		return 0;
	cells = reallocarray(table->cells, more, sizeof(char *));
	if (!cells)
		return ENOMEM;
	table->cells = cells;
	table->size = more;
	return 0;
}

void table_cell(struct table *table, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	if (!table->err)
		table->err = table_make_room(table);
	if (table->err)
		return;
	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0) {
		table->err = ENOMEM;
		return;
	}
	for (char *c = text; *c; ++c) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	table->cells[table->count++] = text;
}

static int table_width_of(const char *text)
{
	return (int)utf8_count(text, strlen(text));
}

static int table_width_of_column(const struct table *table, size_t column)
{
	int width = table_width_of(table->columns[column].name);

	for (size_t i = column; i < table->count; i += table->column_count) {
		int w = table_width_of(table->cells[i]);

		width = w > width ? w : width;
	}
	return width;
}

static bool table_is_empty(const struct table *table, size_t column)
{
	for (size_t i = column; i < table->count; i += table->column_count) {
		if (strcmp(table->cells[i], "-") != 0)
			return false;
	}
	return true;
}

/* Hidden columns get the width -1. */
static void table_hide(const struct table *table, int *widths)
{
	unsigned columns, rows;
	char names[256] = "";
	size_t len = 0;

	terminal_size(&columns, &rows);
	for (size_t i = 0; i < table->column_count; ++i) {
		if (table->ranks[i] && table_is_empty(table, i))
			widths[i] = -1;
	}
	for (;;) {
		size_t least = table->column_count; /* the least important one */
		int total = -2;

		for (size_t i = 0; i < table->column_count; ++i) {
			if (widths[i] < 0)
				continue;
			total += widths[i] + 2;
			if (table->ranks[i] &&
			    (least == table->column_count || table->ranks[i] > table->ranks[least]))
				least = i;
		}
		if (total <= (int)columns || least == table->column_count)
			break;
		widths[least] = -1;
		if (len < sizeof(names))
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
						len ? ", " : "", table->columns[least].name);
	}
	if (len > 0)
		fprintf(stderr,
			"(not shown because the terminal is too narrow: %s; --json shows "
			"everything)\n",
			names);
}

static void table_print_cell(const struct table *table, size_t column, const int *widths,
			     const char *text)
{
	int width = widths[column];
	bool is_last = column + 1 == table->column_count;
	int gap = width - table_width_of(text);

	if (width < 0) {
		fputs(is_last ? "\n" : "", stdout);
		return;
	}
	if (table->columns[column].is_number)
		printf("%*s%s", gap, "", text);
	else
		printf("%s%*s", text, is_last ? 0 : gap, "");
	fputs(is_last ? "\n" : "  ", stdout);
}

int table_print(struct table *table)
{
	int *widths = calloc(table->column_count, sizeof(int));
	int err = widths ? table->err : ENOMEM;

	for (size_t i = 0; !err && i < table->column_count; ++i)
		widths[i] = table_width_of_column(table, i);
	if (!err && table->ranks)
		table_hide(table, widths);
	for (size_t i = 0; !err && i < table->column_count; ++i)
		table_print_cell(table, i, widths, table->columns[i].name);
	for (size_t i = 0; !err && i < table->count; ++i)
		table_print_cell(table, i % table->column_count, widths, table->cells[i]);
	for (size_t i = 0; i < table->count; ++i)
		free(table->cells[i]);
	free(table->cells);
	free(widths);
	*table = (struct table){0};
	return err;
}
