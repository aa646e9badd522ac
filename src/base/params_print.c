/*
 * params_print.c: prints a table of parameters as a sample file and as a manual page (see
 * params.h).
 */
#include <string.h>

#include "base/params_private.h"

static void params_print_append_words(struct buf *out, const char *const *words)
{
	for (size_t i = 0; words[i]; ++i)
		(void)buf_printf(out, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

static void params_print_append_unit(struct buf *out, const struct param *row)
{
	if (row->unit)
		(void)buf_printf(out, " %s", row->unit);
}

void params_append_range(struct buf *out, const struct param *row)
{
	switch (row->type) {
	case PARAM_STRING:
		(void)buf_printf(out, "text of at most %zu bytes", param_size(row) - 1);
		break;
	case PARAM_INT:
		(void)buf_printf(out, "a number from %lld to %lld", (long long)row->min,
				 (long long)row->max);
		params_print_append_unit(out, row);
		break;
	case PARAM_BOOL:
		(void)buf_append_str(out, "on or off");
		break;
	case PARAM_ENUM:
		params_print_append_words(out, row->words);
		break;
	case PARAM_DECIMAL:
		(void)buf_printf(out, "a number from %lld to %lld",
				 (long long)(row->min / PARAM_MILLION),
				 (long long)(row->max / PARAM_MILLION));
		params_print_append_unit(out, row);
		(void)buf_append_str(out, " with at most six decimals, or nothing");
		break;
	}
}

/* Prints text in comment lines of at most 78 columns. */
static void params_print_append_comment(struct buf *out, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column > 0 && column + 1 + word > 78) {
			(void)buf_append_str(out, "\n");
			column = 0;
		}
		(void)buf_append_str(out, column == 0 ? "#" : "");
		(void)buf_printf(out, " %.*s", (int)word, text);
		column += column == 0 ? word + 2 : word + 1;
		text += word;
		text += strspn(text, " ");
	}
	(void)buf_append_str(out, "\n");
}

static bool params_print_starts_section(const struct params *params, size_t i)
{
	return i == 0 || strcmp(params->rows[i].section, params->rows[i - 1].section) != 0;
}

static int params_print_row(const struct param *row, struct buf *out)
{
	(void)buf_append_str(out, "\n");
	params_print_append_comment(out, row->text);
	if (row->type != PARAM_STRING) {
		(void)buf_append_str(out, "# Values: ");
		params_append_range(out, row);
		(void)buf_append_str(out, ".\n");
	}
	return buf_printf(out, "#%s =%s%s\n", row->name, row->initial[0] ? " " : "", row->initial);
}

static int params_print_group(const struct param_group *group, struct buf *out)
{
	int err;

	(void)buf_append_str(out, "\n");
	params_print_append_comment(out, group->text);
	err = buf_printf(out, "#[%s NAME]\n", group->section);
	for (size_t i = 0; i < group->count && !err; ++i)
		err = params_print_row(&group->rows[i], out);
	return err;
}

int params_print_sample(const struct params *params, struct buf *out)
{
	int err = 0;

	for (size_t i = 0; i < params->count && !err; ++i) {
		if (params_print_starts_section(params, i))
			(void)buf_printf(out, "%s[%s]\n", i == 0 ? "" : "\n",
					 params->rows[i].section);
		err = params_print_row(&params->rows[i], out);
	}
	for (size_t i = 0; i < params->groups_count && !err; ++i)
		err = params_print_group(&params->groups[i], out);
	return err;
}

/* In roff, a hyphen is not a minus, and a point or quote at the start of a line would be a
 * request. */
static void params_print_append_roff(struct buf *out, const char *text)
{
	for (const char *c = text; *c; ++c) {
		if (*c == '-' || *c == '\\')
			(void)buf_printf(out, "\\%s", *c == '-' ? "-" : "e");
		else if ((*c == '.' || *c == '\'') && c == text)
			(void)buf_printf(out, "\\&%c", *c);
		else
			(void)buf_append(out, c, 1);
	}
}

static int params_print_manual_row(const struct param *row, struct buf *out)
{
	(void)buf_printf(out, ".TP\n.B %s\n", row->name);
	params_print_append_roff(out, row->text);
	(void)buf_append_str(out, "\n.br\nDefault: ");
	params_print_append_roff(out, row->initial[0] ? row->initial : "empty");
	if (row->type != PARAM_STRING) {
		(void)buf_append_str(out, ". Values: ");
		params_append_range(out, row);
	}
	return buf_append_str(out, ".\n");
}

static int params_print_manual_group(const struct param_group *group, struct buf *out)
{
	int err;

	(void)buf_printf(out, ".SS [%s NAME]\n", group->section);
	params_print_append_roff(out, group->text);
	err = buf_append_str(out, "\n");
	for (size_t i = 0; i < group->count && !err; ++i)
		err = params_print_manual_row(&group->rows[i], out);
	return err;
}

int params_print_manual(const struct params *params, struct buf *out)
{
	int err = 0;

	for (size_t i = 0; i < params->count && !err; ++i) {
		const struct param *row = &params->rows[i];
		char variable[PARAM_KEY_SIZE];

		if (params_print_starts_section(params, i))
			(void)buf_printf(out, ".SS [%s]\n", row->section);
		(void)params_print_manual_row(row, out);
		params_env_name(variable, sizeof(variable), params, row);
		err = buf_printf(out, ".br\nVariable: %s.\n", variable);
	}
	for (size_t i = 0; i < params->groups_count && !err; ++i)
		err = params_print_manual_group(&params->groups[i], out);
	return err;
}
