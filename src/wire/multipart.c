/*
 * multipart.c: the body of a form with a file (see multipart.h).
 */
#include "wire/multipart.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Returns the first byte that is not a blank. */
static const char *multipart_skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		++at;
	return at;
}

/* The value of a parameter in `text`: NAME=VALUE or NAME="VALUE", after a ';' outside quoted
 * values.  Quotes inside a value are percent-encoded by browsers, so a quoted value ends at the next
 * quote.  NULL: there is none, or a quote before it is not closed. */
static const char *multipart_parameter(const char *text, size_t text_len, const char *name,
				       size_t *len)
{
	const char *end = text + text_len;
	const char *at = memchr(text, ';', text_len);
	size_t name_len = strlen(name);

	while (at) {
		const char *key = multipart_skip_blanks(at + 1, end);
		const char *equals = key;
		const char *value, *close;

		while (equals < end && *equals != '=' && *equals != ';')
			++equals;
		if (equals == end)
			return NULL;
		value = *equals == '=' ? equals + 1 : equals;
		close = value;
		if (value < end && *value == '"') {
			++value;
			close = memchr(value, '"', (size_t)(end - value));
		} else {
			while (close < end && *close != ';' && *close != ' ')
				++close;
		}
		if (!close)
			return NULL;
		if (*equals == '=' && (size_t)(equals - key) == name_len &&
		    strncasecmp(key, name, name_len) == 0) {
			*len = (size_t)(close - value);
			return value;
		}
		at = memchr(close, ';', (size_t)(end - close));
	}
	return NULL;
}

int multipart_open(struct multipart *form, const char *content_type, char *body, size_t len)
{
	static const char type[] = "multipart/form-data";
	const char *boundary;
	size_t boundary_len;

	if (!content_type || strncasecmp(content_type, type, strlen(type)) != 0)
		return EINVAL;
	boundary =
		multipart_parameter(content_type, strlen(content_type), "boundary", &boundary_len);
	if (!boundary || boundary_len == 0 || boundary_len > MULTIPART_BOUNDARY_MAX)
		return EINVAL;
	*form = (struct multipart){.end = body + len};
	memcpy(form->delimiter, "\r\n--", 4);
	memcpy(form->delimiter + 4, boundary, boundary_len);
	form->delimiter_len = 4 + boundary_len;
	/* The first one begins the body, without a line end before it. */
	if (len < form->delimiter_len - 2 ||
	    memcmp(body, form->delimiter + 2, form->delimiter_len - 2) != 0)
		return EINVAL;
	form->at = body + form->delimiter_len - 2;
	return 0;
}

static bool multipart_has(const struct multipart *form, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(form->end - form->at) >= len && memcmp(form->at, text, len) == 0;
}

/* Reads the headers of a part and the empty line after them. */
static int multipart_read_head(struct multipart *form, struct multipart_part *part)
{
	static const char disposition[] = "content-disposition:";

	part->name = NULL;
	while (!multipart_has(form, "\r\n")) {
		char *end = memmem(form->at, (size_t)(form->end - form->at), "\r\n", 2);

		if (!end)
			return EINVAL;
		if ((size_t)(end - form->at) > strlen(disposition) &&
		    strncasecmp(form->at, disposition, strlen(disposition)) == 0)
			part->name = multipart_parameter(form->at, (size_t)(end - form->at), "name",
							 &part->name_len);
		form->at = end + 2;
	}
	form->at += 2;
	return part->name ? 0 : EINVAL;
}

int multipart_next(struct multipart *form, struct multipart_part *part)
{
	char *end;

	if (multipart_has(form, "--"))
		return ENOENT;
	while (form->at < form->end && (*form->at == ' ' || *form->at == '\t'))
		++form->at;
	if (!multipart_has(form, "\r\n") || form->parts++ == MULTIPART_PARTS_MAX)
		return EINVAL;
	form->at += 2;
	if (multipart_read_head(form, part) != 0)
		return EINVAL;
	part->bytes = form->at;
	if ((size_t)(form->end - form->at) >= form->delimiter_len - 2 &&
	    memcmp(form->at, form->delimiter + 2, form->delimiter_len - 2) == 0)
		end = form->at - 2; /* nothing: the empty line's end is the delimiter's */
	else
		end = memmem(form->at, (size_t)(form->end - form->at), form->delimiter,
			     form->delimiter_len);
	if (!end)
		return EINVAL;
	part->len = end < part->bytes ? 0 : (size_t)(end - part->bytes);
	form->at = end + form->delimiter_len;
	return 0;
}
