/*
 * sse.h: parses Server-Sent Events incrementally.
 *
 * It follows the HTML standard, "Server-sent events", including its three line endings, wherever
 * the bytes are split.  The caller pulls: it passes bytes and receives complete events.  Pure.
 *
 *	struct sse_event event;
 *	while ((err = sse_next(&sse, &bytes, &len, &event)) == 0)
 *		…                             EAGAIN: all bytes were consumed
 *
 * Only `event` and `data` are read; ids and retry times matter only to clients that reconnect.
 */
#ifndef WIRE_SSE_H
#define WIRE_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* The size of the buffer for an event's type.  Models use at most 40 characters. */
#define SSE_TYPE_MAX 64u

struct sse {
	struct buf line;
	struct buf data;
	char type[SSE_TYPE_MAX];
	bool is_begun; /* the first line was read, so a byte order mark can no longer follow */
	bool after_cr; /* the last byte was a CR, so a line feed that follows belongs to it */
	bool has_event; /* `data` is an event that was returned, to be cleared on the next call */
};

struct sse_event {
	const char *type; /* "" if there was none, or if it was too long */
	char *data; /* ends with a NUL; the caller may change it */
	size_t len;
};

/* Limits an event's data and each of its lines to event_max bytes. */
void sse_init(struct sse *sse, size_t event_max);
void sse_reset(struct sse *sse);

/* Returns 0 with an event that is valid until the next call, after advancing *bytes and *len;
 * EAGAIN if every byte was consumed; ENOBUFS if it is longer than event_max; or ENOMEM. */
int sse_next(struct sse *sse, const char **bytes, size_t *len, struct sse_event *event);

#endif
