/*
 * buf.c: a byte buffer with a maximum size (see buf.h).
 */
#include "base/buf.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A small message (a token, a command) fits without growing the buffer. */
#define SIZE_MIN 256u

void buf_init(struct buf *buf, size_t max)
{
	*buf = (struct buf){.max = max};
}

void buf_reset(struct buf *buf)
{
	free(buf->bytes);
	buf->bytes = NULL;
	buf->len = buf->size = 0;
}

void buf_trim(struct buf *buf)
{
	char *bytes;

	if (buf->len == 0) {
		buf_reset(buf);
		return;
	}
	bytes = realloc(buf->bytes, buf->len);
	if (!bytes)
		return; /* if it cannot shrink, it stays as large as it was */
	buf->bytes = bytes;
	buf->size = buf->len;
}

int buf_reserve(struct buf *buf, size_t n)
{
	size_t size;
	char *bytes;

	if (n > buf->max - buf->len)
		return ENOBUFS;
	if (n <= buf->size - buf->len)
		return 0;
	size = buf->size ? buf->size : SIZE_MIN;
	while (size < buf->len + n)
		size *= 2;
	if (size > buf->max)
		size = buf->max;
	bytes = realloc(buf->bytes, size);
	if (!bytes)
		return ENOMEM;
	buf->bytes = bytes;
	buf->size = size;
	return 0;
}

int buf_append(struct buf *buf, const void *bytes, size_t n)
{
	int err = buf_reserve(buf, n);

	if (err)
		return err;
	if (n > 0)
		memcpy(buf->bytes + buf->len, bytes, n);
	buf->len += n;
	return 0;
}

int buf_append_str(struct buf *buf, const char *str)
{
	return buf_append(buf, str, strlen(str));
}

int buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	va_list again;
	int n;
	int err;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0) {
		va_end(again);
		return EINVAL;
	}
	err = buf_reserve(buf, (size_t)n + 1); /* vsnprintf writes a NUL */
	if (!err) {
		vsnprintf(buf->bytes + buf->len, (size_t)n + 1, format, again);
		buf->len += (size_t)n;
	}
	va_end(again);
	return err;
}

void buf_consume(struct buf *buf, size_t n)
{
	assert(n <= buf->len);
	if (n == 0)
		return;
	memmove(buf->bytes, buf->bytes + n, buf->len - n);
	buf->len -= n;
}
