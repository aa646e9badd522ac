/*
 * sse.h: Server-Sent Events out of bytes, as they come.
 *
 * By the HTML standard, "Server-sent events", with its three line ends, wherever
 * the bytes are split.  The caller pulls: bytes in, whole events out.  Pure.
 *
 *	struct sse_event event;
 *	while ((err = sse_next(&sse, &bytes, &len, &event)) == 0)
 *		…                             EAGAIN: all bytes were taken
 *
 * Only `event` and `data` are read; ids and times to reconnect after are for
 * those who reconnect.
 */
#ifndef WIRE_SSE_H
#define WIRE_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* The longest name of an event that is told apart: models' have at most 40. */
#define SSE_TYPE_MAX 64u

struct sse {
	struct buf line;
	struct buf data;
	char type[SSE_TYPE_MAX];
	bool is_begun; /* a byte order mark may only stand before */
	bool after_cr; /* a line feed that follows belongs to it */
	bool has_event; /* the last one was given and is to be forgotten */
};

struct sse_event {
	const char *type; /* "" when it was not said, or too long to be known */
	char *data; /* with a NUL behind it; the caller's to change */
	size_t len;
};

/* An event's data and each of its lines are at most event_max bytes long. */
void sse_init(struct sse *sse, size_t event_max);
void sse_reset(struct sse *sse);

/* 0: an event, valid until the next call, and *bytes and *len have moved on;
 * EAGAIN: every byte was taken; ENOBUFS: longer than event_max; ENOMEM. */
int sse_next(struct sse *sse, const char **bytes, size_t *len, struct sse_event *event);

#endif
