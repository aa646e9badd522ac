/*
 * sse.c: parses Server-Sent Events incrementally (see sse.h).
 */
#include "wire/sse.h"

#include <errno.h>
#include <string.h>

/* `data` has space for one more byte, because the line feed after the last line is added first and
 * then replaced by a NUL. */
void sse_init(struct sse *sse, size_t event_max)
{
	*sse = (struct sse){0};
	buf_init(&sse->line, event_max);
	buf_init(&sse->data, event_max + 1);
}

void sse_reset(struct sse *sse)
{
	buf_reset(&sse->line);
	buf_reset(&sse->data);
}

static bool sse_is_field(const char *name, size_t name_len, const char *field)
{
	return name_len == strlen(field) && memcmp(name, field, name_len) == 0;
}

static void sse_set_type(struct sse *sse, const char *value, size_t len)
{
	if (len >= sizeof(sse->type))
		len = 0;
	if (len > 0)
		memcpy(sse->type, value, len);
	sse->type[len] = '\0';
}

static int sse_add_data(struct sse *sse, const char *value, size_t len)
{
	int err = buf_reserve(&sse->data, len + 1);

	if (err)
		return err;
	err = buf_append(&sse->data, value, len);
	return err ? err : buf_append(&sse->data, "\n", 1);
}

static int sse_read_field(struct sse *sse, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	size_t name_len = colon ? (size_t)(colon - line) : len;
	const char *value = colon ? colon + 1 : line + len;
	size_t value_len = (size_t)(line + len - value);

	if (value_len > 0 && *value == ' ') {
		++value;
		--value_len;
	}
	if (sse_is_field(line, name_len, "data"))
		return sse_add_data(sse, value, value_len);
	if (sse_is_field(line, name_len, "event"))
		sse_set_type(sse, value, value_len);
	return 0;
}

/* Handles a blank line, which ends an event.  An event without data is ignored. */
static bool sse_end_event(struct sse *sse, struct sse_event *event)
{
	if (sse->data.len == 0) {
		sse->type[0] = '\0';
		return false;
	}
	sse->data.bytes[sse->data.len - 1] = '\0';
	*event = (struct sse_event){
		.type = sse->type, .data = sse->data.bytes, .len = sse->data.len - 1};
	sse->has_event = true;
	return true;
}

/* Returns 0 if this line has ended an event, EAGAIN if not, or the error of a full buffer. */
static int sse_end_line(struct sse *sse, struct sse_event *event)
{
	static const char mark[] = "\xef\xbb\xbf"; /* a byte order mark */
	const char *line = sse->line.bytes;
	size_t len = sse->line.len;
	int err;

	if (!sse->is_begun && len >= 3 && memcmp(line, mark, 3) == 0) {
		line += 3;
		len -= 3;
	}
	sse->is_begun = true;
	sse->line.len = 0;
	if (len == 0)
		return sse_end_event(sse, event) ? 0 : EAGAIN;
	err = sse_read_field(sse, line, len);
	return err ? err : EAGAIN;
}

static void sse_clear_event(struct sse *sse)
{
	sse->has_event = false;
	sse->type[0] = '\0';
	sse->data.len = 0;
}

static size_t sse_find_line_end(const char *bytes, size_t len)
{
	size_t n = 0;

	while (n < len && bytes[n] != '\r' && bytes[n] != '\n')
		++n;
	return n;
}

int sse_next(struct sse *sse, const char **bytes, size_t *len, struct sse_event *event)
{
	if (sse->has_event)
		sse_clear_event(sse);
	while (*len > 0) {
		size_t n = sse_find_line_end(*bytes, *len);
		int err = n > 0 ? buf_append(&sse->line, *bytes, n) : 0;
		bool is_second = n == 0 && sse->after_cr && **bytes == '\n';

		if (err)
			return err;
		sse->after_cr = false;
		*bytes += n;
		*len -= n;
		if (*len == 0)
			break;
		sse->after_cr = **bytes == '\r';
		++*bytes;
		--*len;
		if (is_second)
			continue; /* the LF of a CR LF whose CR has already ended the line */
		err = sse_end_line(sse, event);
		if (err != EAGAIN)
			return err;
	}
	return EAGAIN;
}
