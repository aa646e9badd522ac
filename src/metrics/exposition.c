/*
 * exposition.c: reads the text format of Prometheus (see exposition.h).
 */
#include "metrics/exposition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define BLANKS " \t"

/* Each of these functions reads an element at `at` and returns the position after it, or NULL if
 * there is no such element. */

static char *exposition_skip_blanks(char *at)
{
	return at + strspn(at, BLANKS);
}

static char *exposition_take_name(char *at, const char *letters)
{
	size_t len = strspn(at, letters);

	return len > 0 && !strchr(DIGITS, *at) ? at + len : NULL;
}

/* Reads a value in quotes and removes its escapes in place. */
static char *exposition_take_quoted(char *at, const char **value)
{
	char *to = at + 1;

	if (*at++ != '"')
		return NULL;
	*value = to;
	while (*at && *at != '"') {
		char c = *at++;

		if (c == '\\') {
			c = *at++;
			if (c == '\0' || !strchr("\\\"n", c))
				return NULL;
			c = c == 'n' ? '\n' : c;
		}
		*to++ = c;
	}
	if (*at != '"')
		return NULL;
	*to = '\0'; /* at the closing quote or before it */
	return at + 1;
}

static char *exposition_take_label(struct exposition_sample *sample, char *at)
{
	const char *value;

	at = exposition_take_name(at, LETTERS DIGITS);
	at = at ? exposition_skip_blanks(at) : NULL;
	if (!at || *at != '=')
		return NULL;
	at = exposition_take_quoted(exposition_skip_blanks(at + 1), &value);
	if (at && sample->label_count++ == 0)
		sample->label = value;
	return at ? exposition_skip_blanks(at) : NULL;
}

/* Reads {a="b",c="d"}, which may be empty and may end with a comma. */
static char *exposition_take_labels(struct exposition_sample *sample, char *at)
{
	at = exposition_skip_blanks(at + 1);
	while (at && *at != '}') {
		at = exposition_take_label(sample, at);
		if (at && *at == ',')
			at = exposition_skip_blanks(at + 1);
		else if (at && *at != '}')
			return NULL;
	}
	return at ? at + 1 : NULL;
}

/* strtod accepts every number of the format, but also leading blanks and hexadecimal numbers, which
 * are refused here. */
static char *exposition_take_number(double *number, char *at)
{
	size_t len = strcspn(at, BLANKS);
	char *end;

	if (len == 0 || strcspn(at, "xXpP(") < len)
		return NULL;
	*number = strtod(at, &end);
	return end == at + len ? end : NULL;
}

/* Skips the milliseconds since 1970, which are not used. */
static char *exposition_take_moment(char *at)
{
	at += *at == '-';
	return strchr(DIGITS, *at) && *at ? at + strspn(at, DIGITS) : NULL;
}

static int exposition_take_sample(struct exposition_sample *sample, char *line)
{
	char *name_end = exposition_take_name(line, LETTERS DIGITS ":");
	char *at = name_end ? exposition_skip_blanks(name_end) : NULL;

	*sample = (struct exposition_sample){.name = line};
	if (at && *at == '{')
		at = exposition_take_labels(sample, at);
	at = at ? exposition_take_number(&sample->number, exposition_skip_blanks(at)) : NULL;
	at = at ? exposition_skip_blanks(at) : NULL;
	if (at && *at)
		at = exposition_take_moment(at);
	if (!at || *exposition_skip_blanks(at))
		return EBADMSG;
	*name_end = '\0';
	return 0;
}

static int exposition_take_line(struct exposition *exposition, char *line)
{
	int err;

	line = exposition_skip_blanks(line);
	if (*line == '\0' || *line == '#')
		return 0;
	if (exposition->count == EXPOSITION_SAMPLES_MAX)
		return ENOBUFS;
	err = exposition_take_sample(&exposition->samples[exposition->count], line);
	if (!err)
		++exposition->count;
	return err;
}

int exposition_parse(struct exposition *exposition, char *text, size_t len, size_t *line)
{
	char *end = text + len;
	int err = memchr(text, '\0', len) ? EBADMSG : 0;

	exposition->count = 0;
	*line = 0;
	while (!err && text < end) {
		char *next = text + strcspn(text, "\n");

		++*line;
		*next = '\0'; /* the last line already ends with a NUL */
		err = exposition_take_line(exposition, text);
		text = next + 1;
	}
	return err;
}

const struct exposition_sample *exposition_find(const struct exposition *exposition,
						const char *name, const char *label)
{
	for (size_t i = 0; i < exposition->count; ++i) {
		const struct exposition_sample *sample = &exposition->samples[i];

		if (strcmp(sample->name, name) != 0 || sample->label_count != (label ? 1 : 0))
			continue;
		if (!label || strcmp(sample->label, label) == 0)
			return sample;
	}
	return NULL;
}
