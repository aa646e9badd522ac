/*
 * multipart.c: parses a form with files (see multipart.h).
 *
 *   START -> AFTER -> LINE_END -> HEAD -> CONTENT -> AFTER ...
 *              | -> DASH -> END
 *
 * AFTER is after a delimiter.  A CR occurs only at the beginning of a delimiter.  So when the input
 * stops being equal to it, the bytes that were equal cannot contain the beginning of another one.
 */
#include "wire/multipart.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { START, AFTER, BLANKS, LINE_END, DASH, HEAD, CONTENT, END, BAD };

/* Returns the first byte that is not a blank. */
static const char *multipart_skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		++at;
	return at;
}

/* Finds the value of a parameter in `text`: NAME=VALUE or NAME="VALUE", after a ';' outside quoted
 * values.  Browsers percent-encode quotes inside a value, so a quoted value ends at the next
 * quote.  Returns NULL if there is none, or if a quote before it is not closed. */
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

int multipart_open(struct multipart *form, const char *content_type)
{
	static const char type[] = "multipart/form-data";
	const char *boundary;
	size_t len;

	if (!content_type || strncasecmp(content_type, type, strlen(type)) != 0)
		return EINVAL;
	boundary = multipart_parameter(content_type, strlen(content_type), "boundary", &len);
	if (!boundary || len == 0 || len > MULTIPART_BOUNDARY_MAX || memchr(boundary, '\r', len))
		return EINVAL;
	*form = (struct multipart){.state = START};
	memcpy(form->delimiter, "\r\n--", 4);
	memcpy(form->delimiter + 4, boundary, len);
	form->delimiter_len = 4 + len;
	/* The first delimiter is at the start of the body, without a line ending before it. */
	form->matched = form->given = 2;
	return 0;
}

/* Compares the input with the rest of the delimiter; returns whether that is complete.  The input
 * is consumed if it is, or may be after the next bytes. */
static bool multipart_match(struct multipart *form, const char **bytes, size_t *len)
{
	size_t rest = form->delimiter_len - form->matched;
	size_t n = *len < rest ? *len : rest;

	if (memcmp(*bytes, form->delimiter + form->matched, n) != 0)
		return false;
	form->matched += n;
	*bytes += n;
	*len -= n;
	return n == rest;
}

/* Reads what may follow a delimiter, and the headers of a part.  Returns EINVAL, or EAGAIN to
 * continue with the next byte. */
static int multipart_read_line(struct multipart *form, char c)
{
	bool is_blank = c == ' ' || c == '\t';

	switch (form->state) {
	case AFTER:
	case BLANKS:
		if (c == '-' && form->state == AFTER)
			form->state = DASH;
		else if (is_blank || c == '\r')
			form->state = is_blank ? BLANKS : LINE_END;
		else
			return EINVAL;
		return EAGAIN;
	case DASH:
		form->state = END;
		return c == '-' ? EAGAIN : EINVAL;
	case LINE_END:
		form->state = HEAD;
		form->head_len = 0;
		return c == '\n' && ++form->parts <= MULTIPART_PARTS_MAX ? EAGAIN : EINVAL;
	default: /* HEAD */
		if (form->head_len == sizeof(form->head))
			return EINVAL;
		form->head[form->head_len++] = c;
		return EAGAIN;
	}
}

/* Whether the headers are complete: an empty line follows them, or there are none. */
static bool multipart_has_head(const struct multipart *form)
{
	const char *end = form->head + form->head_len;

	return (form->head_len == 2 && memcmp(form->head, "\r\n", 2) == 0) ||
	       (form->head_len >= 4 && memcmp(end - 4, "\r\n\r\n", 4) == 0);
}

/* Finds the part's name in its headers, and begins with its bytes. */
static int multipart_begin_part(struct multipart *form, struct multipart_piece *piece)
{
	static const char disposition[] = "content-disposition:";
	const char *at = form->head;
	const char *end = form->head + form->head_len - 2; /* at the empty line */

	*piece = (struct multipart_piece){.kind = MULTIPART_HEAD};
	while (at < end) {
		const char *line_end = memmem(at, (size_t)(end - at), "\r\n", 2);
		size_t len = (size_t)(line_end - at);

		if (len > strlen(disposition) &&
		    strncasecmp(at, disposition, strlen(disposition)) == 0)
			piece->name = multipart_parameter(at, len, "name", &piece->name_len);
		at = line_end + 2;
	}
	form->state = CONTENT;
	/* The line ending of the empty line can be that of the delimiter: then there are no bytes. */
	form->matched = form->given = 2;
	return piece->name ? 0 : EINVAL;
}

/* How many bytes at the end of the input may be the beginning of a delimiter. */
static size_t multipart_suspect(const struct multipart *form, const char *bytes, size_t len)
{
	size_t tail = len < form->delimiter_len - 1 ? len : form->delimiter_len - 1;
	const char *cr = memrchr(bytes + len - tail, '\r', tail);
	size_t n = cr ? (size_t)(bytes + len - cr) : 0;

	return cr && memcmp(cr, form->delimiter, n) == 0 ? n : 0;
}

static int multipart_read_content(struct multipart *form, const char **bytes, size_t *len,
				  size_t max, struct multipart_piece *piece)
{
	size_t window = *len;
	const char *found;
	size_t n;

	*piece = (struct multipart_piece){.kind = MULTIPART_BYTES};
	if (form->matched > 0 && multipart_match(form, bytes, len))
		goto delimiter;
	if (*len == 0)
		return EAGAIN;
	if (form->given < form->matched) { /* it was not a delimiter */
		n = form->matched - form->given;
		piece->bytes = form->delimiter + form->given;
		piece->len = n < max ? n : max;
		form->given += piece->len;
		return piece->len > 0 ? 0 : ENOBUFS;
	}
	form->matched = form->given = 0;
	/* A delimiter that begins within the next max bytes ends within the window. */
	if (max < window && window - max > form->delimiter_len)
		window = max + form->delimiter_len;
	found = memmem(*bytes, window, form->delimiter, form->delimiter_len);
	n = found ? (size_t)(found - *bytes) : window;
	if (!found && window == *len)
		n -= multipart_suspect(form, *bytes, window);
	if (n > 0) {
		piece->bytes = *bytes;
		piece->len = n < max ? n : max;
		*bytes += piece->len;
		*len -= piece->len;
		return piece->len > 0 ? 0 : ENOBUFS;
	}
	if (!multipart_match(form, bytes, len))
		return EAGAIN; /* it may become one */
delimiter:
	piece->kind = MULTIPART_TAIL;
	form->state = AFTER;
	return 0;
}

int multipart_read(struct multipart *form, const char **bytes, size_t *len, size_t max,
		   struct multipart_piece *piece)
{
	int err = EAGAIN;

	if (form->state == START && *len > 0) {
		if (multipart_match(form, bytes, len))
			form->state = AFTER;
		else if (*len > 0)
			form->state = BAD;
	}
	if (form->state == CONTENT && *len > 0)
		return multipart_read_content(form, bytes, len, max, piece);
	while (err == EAGAIN && form->state != START && form->state<END && * len> 0) {
		err = multipart_read_line(form, **bytes);
		++*bytes;
		--*len;
		if (err == EAGAIN && form->state == HEAD && multipart_has_head(form))
			err = multipart_begin_part(form, piece);
		if (err == EINVAL)
			form->state = BAD;
	}
	if (form->state == BAD)
		return EINVAL;
	if (form->state == END) {
		*bytes += *len;
		*len = 0;
		return ENOENT;
	}
	return err;
}

/* A part that is in memory with the delimiter after it is one piece, because no delimiter can be
 * suspected before it is found. */
int multipart_next_part(struct multipart *form, char **body, size_t *len,
			struct multipart_part *part)
{
	struct multipart_piece piece = {.kind = MULTIPART_HEAD};
	const char *at = *body;
	int err;

	*part = (struct multipart_part){.bytes = *body};
	while ((err = multipart_read(form, &at, len, SIZE_MAX, &piece)) == 0) {
		*body += at - *body;
		if (piece.kind == MULTIPART_HEAD) {
			part->name = piece.name;
			part->name_len = piece.name_len;
			part->bytes = *body;
		} else if (piece.kind == MULTIPART_BYTES) {
			part->bytes = *body - piece.len;
			part->len = piece.len;
		} else {
			return 0;
		}
	}
	return err == ENOENT ? ENOENT : EINVAL;
}
