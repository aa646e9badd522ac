/*
 * params.c: parameters of a program, one table row each (see params.h).
 */
#include "base/params_private.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/similar.h"

/* Errors quote the value, but a very long one would hide the rest of the line. */
#define SHOWN_MAX 60

static void params_key_of(char key[PARAM_KEY_SIZE], const struct param *row)
{
	int n = snprintf(key, PARAM_KEY_SIZE, "%s.%s", row->section, row->name);

	assert(n > 0 && (size_t)n < PARAM_KEY_SIZE);
}

static const struct param *params_find(const struct param *rows, size_t count, const char *key)
{
	for (size_t i = 0; i < count; ++i) {
		char have[PARAM_KEY_SIZE];

		params_key_of(have, &rows[i]);
		if (strcmp(have, key) == 0)
			return &rows[i];
	}
	return NULL;
}

/* Returns the key that was probably meant, or NULL.  At most a third of the letters may differ.
 * The right name in the wrong section is one mistake. */
static const struct param *params_nearest(const struct param *rows, size_t count, const char *key)
{
	const char *dot = strchr(key, '.');
	const char *name = dot ? dot + 1 : key;
	const struct param *best = NULL;
	size_t best_edits = SIMILAR_MAX;

	if (strlen(key) >= PARAM_KEY_SIZE)
		return NULL;
	for (size_t i = 0; i < count; ++i) {
		const struct param *row = &rows[i];
		char have[PARAM_KEY_SIZE];
		size_t n;
		size_t n_name = similar_edits(name, row->name) + 1;

		params_key_of(have, row);
		n = similar_edits(key, have);
		if (n_name < n)
			n = n_name;
		if (n < best_edits && similar_is_near(name, n)) {
			best_edits = n;
			best = row;
		}
	}
	return best;
}

/* Appends an error line.  Lines that do not fit are dropped. */
#define complain(errors, where, ...)                                                               \
	do {                                                                                       \
		(void)buf_printf(errors, "%s: ", where);                                           \
		(void)buf_printf(errors, __VA_ARGS__);                                             \
		(void)buf_append_str(errors, "\n");                                                \
	} while (0)

static int params_parse_int(int64_t *number, const char *value)
{
	char *end;
	long long n;

	if (!isdigit((unsigned char)value[0]) && value[0] != '-')
		return EINVAL; /* strtoll would accept blanks and a plus */
	errno = 0;
	n = strtoll(value, &end, 10);
	if (errno || *end != '\0' || end == value)
		return EINVAL;
	*number = n;
	return 0;
}

/* Converts "5.4" to 5400000 digit by digit: a binary fraction would be a different price. */
static int params_parse_decimal(int64_t *millionths, const char *value)
{
	int64_t n = 0;
	int decimals = -1; /* the number of digits after the point; -1 before it */
	bool digit = false;

	for (; *value; ++value) {
		if (*value == '.' && decimals < 0) {
			decimals = 0;
			continue;
		}
		if (!isdigit((unsigned char)*value) || decimals == 6)
			return EINVAL;
		if (n > (INT64_MAX / PARAM_MILLION - 10) / 10 && decimals < 0)
			return EINVAL;
		n = n * 10 + (*value - '0');
		decimals += decimals >= 0;
		digit = true;
	}
	for (int i = decimals < 0 ? 0 : decimals; i < 6; ++i)
		n *= 10;
	*millionths = n;
	return digit ? 0 : EINVAL;
}

static int params_parse_bool(bool *flag, const char *value)
{
	static const char *const words[] = {"off", "on", "false", "true", "no", "yes"};

	for (size_t i = 0; i < COUNT(words); ++i) {
		if (strcmp(value, words[i]) == 0) {
			*flag = i % 2;
			return 0;
		}
	}
	return EINVAL;
}

static int params_parse_enum(int *index, const char *value, const char *const *words)
{
	for (int i = 0; words[i]; ++i) {
		if (strcmp(value, words[i]) == 0) {
			*index = i;
			return 0;
		}
	}
	return EINVAL;
}

static int params_parse_ranged(const struct param *row, int64_t *field, const char *value)
{
	int64_t n;
	int err;

	if (row->type == PARAM_DECIMAL && value[0] == '\0') {
		*field = PARAM_NONE;
		return 0;
	}
	err = row->type == PARAM_DECIMAL ? params_parse_decimal(&n, value)
					 : params_parse_int(&n, value);
	if (err || n < row->min || n > row->max)
		return EINVAL;
	*field = n;
	return 0;
}

size_t param_size(const struct param *row)
{
	return row->size ? row->size : PARAM_STRING_SIZE;
}

static int params_parse_string(const struct param *row, char *field, const char *value)
{
	size_t size = strlen(value) + 1;

	if (size > param_size(row))
		return EINVAL;
	memcpy(field, value, size);
	return 0;
}

static int params_parse(const struct param *row, void *values, const char *value)
{
	void *field = (char *)values + row->offset;

	switch (row->type) {
	case PARAM_STRING:
		return params_parse_string(row, field, value);
	case PARAM_INT:
	case PARAM_DECIMAL:
		return params_parse_ranged(row, field, value);
	case PARAM_BOOL:
		return params_parse_bool(field, value);
	case PARAM_ENUM:
		return params_parse_enum(field, value, row->words);
	}
	assert(false && "a row without a type");
	return EINVAL;
}

static void params_complain_unknown(const struct param *rows, size_t count, const char *key,
				    const char *where, struct buf *errors)
{
	const struct param *meant = params_nearest(rows, count, key);

	if (meant)
		complain(errors, where, "no such key: %s; did you mean %s.%s?", key, meant->section,
			 meant->name);
	else
		complain(errors, where, "no such key: %.*s", SHOWN_MAX, key);
}

/* Appends the value, unless it is secret, to a line about an invalid value. */
static void params_append_value(struct buf *errors, const struct param *row, const char *before,
				const char *value)
{
	if (!row->is_secret)
		(void)buf_printf(errors, "%s\"%.*s\"", before, SHOWN_MAX, value);
	(void)buf_append_str(errors, "\n");
}

static int params_set_row(const struct param *row, void *values, const char *value,
			  const char *where, struct buf *errors)
{
	const char *why = NULL;

	if (params_parse(row, values, value) != 0) {
		(void)buf_printf(errors, "%s: %s.%s must be ", where, row->section, row->name);
		params_append_range(errors, row);
		params_append_value(errors, row, ", not ", value);
		return EINVAL;
	}
	if (row->check)
		why = row->check(value);
	if (why) {
		(void)buf_printf(errors, "%s: %s.%s %s", where, row->section, row->name, why);
		params_append_value(errors, row, ": ", value);
		return EINVAL;
	}
	return 0;
}

static void params_set_initial_row(const struct param *rows, size_t count, void *values)
{
	assert(count <= PARAMS_MAX);
	for (size_t i = 0; i < count; ++i) {
		int err = params_parse(&rows[i], values, rows[i].initial);

		assert(!err); /* a default must be valid */
		(void)err;
	}
}

void params_set_initial(const struct params *params, void *values)
{
	assert(params->groups_count <= PARAM_GROUPS_MAX);
	params_set_initial_row(params->rows, params->count, values);
}

int params_set(const struct params *params, void *values, const char *key, const char *value,
	       const char *where, struct buf *errors)
{
	const struct param *row = params_find(params->rows, params->count, key);

	if (!row) {
		params_complain_unknown(params->rows, params->count, key, where, errors);
		return EINVAL;
	}
	return params_set_row(row, values, value, where, errors);
}

/* The place where the values of a section are stored. */
struct params_place {
	const struct param *rows;
	size_t count;
	void *values;
	unsigned *seen; /* the line that set each row; 0 if none has */
	bool is_wrong; /* the section itself is invalid: its lines are skipped without another error */
};

/* A file that is being read. */
struct params_reading {
	const struct params *params;
	void *values;
	struct buf *errors;
	const char *path;
	unsigned line;
	char section[PARAM_KEY_SIZE]; /* without the object's name */
	struct params_place place;
	unsigned seen[PARAMS_MAX];
	unsigned seen_in_groups[PARAM_GROUPS_MAX][PARAM_OBJECTS_MAX][PARAMS_MAX];
	bool failed;
};

/* Room for a path and a line number. */
#define WHERE_SIZE (PARAM_STRING_SIZE + 16)

static void params_where_of(char where[WHERE_SIZE], const struct params_reading *reading)
{
	snprintf(where, WHERE_SIZE, "%.*s:%u", PARAM_STRING_SIZE, reading->path, reading->line);
}

#define complain_here(reading, ...)                                                                \
	do {                                                                                       \
		char where_[WHERE_SIZE];                                                           \
		params_where_of(where_, reading);                                                  \
		complain((reading)->errors, where_, __VA_ARGS__);                                  \
		(reading)->failed = true;                                                          \
	} while (0)

/* Removes blanks at both ends. */
static char *params_trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	len = strlen(text);
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		--len;
	text[len] = '\0';
	return text;
}

static void params_cut_comment(char *text)
{
	for (char *c = text; (c = strchr(c, ';')); ++c) {
		if (c == text || c[-1] == ' ' || c[-1] == '\t') {
			*c = '\0';
			return;
		}
	}
}

static bool params_is_name(const char *name)
{
	size_t len =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	return len > 0 && len < PARAM_NAME_SIZE && name[len] == '\0';
}

static const struct param_group *params_find_group(const struct params *params, const char *section)
{
	for (size_t i = 0; i < params->groups_count; ++i) {
		if (strcmp(params->groups[i].section, section) == 0)
			return &params->groups[i];
	}
	return NULL;
}

/* Returns the object with this name, and creates it if there is none; NULL if there are too
 * many. */
static char *params_object_of(const struct param_group *group, void *values, const char *name,
			      size_t *index)
{
	size_t *used = (size_t *)(void *)((char *)values + group->used);
	char *object = (char *)values + group->array;

	assert(group->max <= PARAM_OBJECTS_MAX);
	for (*index = 0; *index < *used; ++*index, object += group->size) {
		if (strcmp(object, name) == 0)
			return object;
	}
	if (*used == group->max)
		return NULL;
	++*used;
	memcpy(object, name, strlen(name) + 1);
	params_set_initial_row(group->rows, group->count, object);
	return object;
}

static void params_enter_object(struct params_reading *reading, const struct param_group *group,
				const char *name)
{
	size_t index;
	char *object;

	if (!params_is_name(name)) {
		complain_here(reading, "[%s NAME] wants a name of at most %d letters and digits",
			      group->section, PARAM_NAME_SIZE - 1);
		return;
	}
	object = params_object_of(group, reading->values, name, &index);
	if (!object) {
		complain_here(reading, "there are more than %zu [%s NAME] sections", group->max,
			      group->section);
		return;
	}
	reading->place = (struct params_place){
		.rows = group->rows,
		.count = group->count,
		.values = object,
		.seen = reading->seen_in_groups[group - reading->params->groups][index],
	};
}

/* `title` is what is between the brackets. */
static void params_enter_section(struct params_reading *reading, char *title)
{
	const struct param_group *group;
	size_t len = strcspn(title, " \t");
	char *name = title[len] ? params_trim(title + len) : title + len;

	title[len] = '\0';
	snprintf(reading->section, sizeof(reading->section), "%s", title);
	group = params_find_group(reading->params, title);
	reading->place = (struct params_place){.is_wrong = true};
	if (group) {
		params_enter_object(reading, group, name);
	} else if (name[0]) {
		complain_here(reading, "no such section: [%.*s ...]", SHOWN_MAX, title);
	} else {
		reading->place = (struct params_place){
			.rows = reading->params->rows,
			.count = reading->params->count,
			.values = reading->values,
			.seen = reading->seen,
		};
	}
}

static void params_set_value(struct params_reading *reading, const char *name, const char *value)
{
	const struct params_place *place = &reading->place;
	const struct param *row;
	char key[2 * PARAM_KEY_SIZE];
	char where[WHERE_SIZE];
	unsigned *seen;

	if (place->is_wrong)
		return;
	params_where_of(where, reading);
	snprintf(key, sizeof(key), "%s%s%s", reading->section, reading->section[0] ? "." : "",
		 name);
	row = params_find(place->rows, place->count, key);
	if (!row) {
		params_complain_unknown(place->rows, place->count, key, where, reading->errors);
		reading->failed = true;
		return;
	}
	seen = &place->seen[row - place->rows];
	if (*seen)
		complain_here(reading, "%s was already set in line %u", key, *seen);
	else if (params_set_row(row, place->values, value, where, reading->errors) != 0)
		reading->failed = true;
	*seen = reading->line;
}

static void params_read_line(struct params_reading *reading, char *line)
{
	char *end;

	line = params_trim(line);
	if (line[0] == '\0' || line[0] == '#' || line[0] == ';')
		return;
	params_cut_comment(line);
	if (line[0] == '[' && (end = strchr(line, ']'))) {
		*end = '\0';
		params_enter_section(reading, params_trim(line + 1));
	} else if (line[0] != '[' && (end = strpbrk(line, "=:"))) {
		*end = '\0';
		params_set_value(reading, params_trim(line), params_trim(end + 1));
	} else {
		complain_here(reading, "this is neither [section] nor name = value");
	}
}

static int params_read_lines(struct params_reading *reading, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while ((len = getline(&line, &size, file)) >= 0) {
		++reading->line;
		if (len > PARAM_LINE_MAX)
			complain_here(reading, "the line is longer than %d bytes", PARAM_LINE_MAX);
		else if (strlen(line) != (size_t)len)
			complain_here(reading, "there is a zero byte in the line");
		else
			params_read_line(reading, line);
	}
	free(line);
	return ferror(file) ? EIO : 0;
}

int params_read_file(const struct params *params, void *values, const char *path,
		     struct buf *errors)
{
	FILE *file = fopen(path, "re");
	int err = file ? 0 : errno;
	struct params_reading *reading = err ? NULL : calloc(1, sizeof(*reading));

	if (!reading) {
		err = err ? err : ENOMEM;
		complain(errors, path, "%s", strerror(err));
		goto out;
	}
	*reading = (struct params_reading){
		.params = params, .values = values, .errors = errors, .path = path};
	params_enter_section(reading, (char[]){""});
	err = params_read_lines(reading, file);
	if (err) /* for example because it is a directory */
		complain(errors, path, "cannot be read");
	else if (reading->failed)
		err = EINVAL;
out:
	if (file)
		fclose(file);
	free(reading);
	return err;
}

void params_env_name(char *name, size_t size, const struct params *params, const struct param *row)
{
	int n = snprintf(name, size, "%s%s_%s", params->env_prefix, row->section, row->name);

	assert(n > 0 && (size_t)n < size);
	for (; *name; ++name)
		*name = (char)toupper((unsigned char)*name);
}

/* Returns the key that an unknown variable was probably meant to be, or NULL.  At most two letters
 * may differ, so that a variable of another program is not taken for ours. */
static const struct param *params_is_misspelt(const struct params *params, const char *variable)
{
	if (strlen(variable) >= PARAM_KEY_SIZE)
		return NULL;
	for (size_t i = 0; i < params->count; ++i) {
		char name[PARAM_KEY_SIZE];

		params_env_name(name, sizeof(name), params, &params->rows[i]);
		if (similar_edits(variable, name) <= 2)
			return &params->rows[i];
	}
	return NULL;
}

static int params_read_variable(const struct params *params, void *values, const char *variable,
				const char *value, struct buf *errors)
{
	const struct param *meant;
	char name[PARAM_KEY_SIZE];

	for (size_t i = 0; i < params->count; ++i) {
		params_env_name(name, sizeof(name), params, &params->rows[i]);
		if (strcmp(name, variable) == 0)
			return params_set_row(&params->rows[i], values, value, variable, errors);
	}
	meant = params_is_misspelt(params, variable);
	if (!meant)
		return 0;
	params_env_name(name, sizeof(name), params, meant);
	complain(errors, variable, "no such key; did you mean %s?", name);
	return EINVAL;
}

int params_read_env(const struct params *params, void *values, char *const *environment,
		    struct buf *errors)
{
	size_t prefix_len = strlen(params->env_prefix);
	int err = 0;

	for (; *environment; ++environment) {
		char variable[2 * PARAM_KEY_SIZE];
		const char *equals = strchr(*environment, '=');
		size_t len;

		if (!equals || strncmp(*environment, params->env_prefix, prefix_len) != 0)
			continue;
		len = (size_t)(equals - *environment);
		if (len >= sizeof(variable))
			continue; /* longer than any key */
		memcpy(variable, *environment, len);
		variable[len] = '\0';
		if (params_read_variable(params, values, variable, equals + 1, errors) != 0)
			err = EINVAL;
	}
	return err;
}
