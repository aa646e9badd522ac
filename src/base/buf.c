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

/* The minimum size of an allocation, so that a small message fits without growing the buffer. */
#define SIZE_MIN 256u

void buf_init(struct buf *buf, size_t max)
{
	buf_init_with_room(buf, max, 0, 0);
}

void buf_init_with_room(struct buf *buf, size_t max, uint16_t headroom, uint16_t tailroom)
{
	assert(max <= UINT32_MAX);
	*buf = (struct buf){.max = (uint32_t)max, .headroom = headroom, .tailroom = tailroom};
}

/* Returns the beginning of the allocation, which includes the headroom, or NULL. */
static void *buf_memory(const struct buf *buf)
{
	return buf->bytes ? buf->bytes - buf->headroom : NULL;
}

/* On ENOMEM nothing has changed. */
static int buf_resize(struct buf *buf, size_t size)
{
	char *memory = realloc(buf_memory(buf), buf->headroom + size + buf->tailroom);

	if (!memory)
		return ENOMEM;
	buf->bytes = memory + buf->headroom;
	buf->size = size;
	return 0;
}

void buf_reset(struct buf *buf)
{
	free(buf_memory(buf));
	buf->bytes = NULL;
	buf->len = buf->size = 0;
}

void buf_trim(struct buf *buf)
{
	if (buf->len == 0)
		buf_reset(buf);
	else
		(void)buf_resize(buf, buf->len); /* on failure it keeps its size */
}

int buf_reserve(struct buf *buf, size_t n)
{
	size_t size;

	if (n > buf->max - buf->len)
		return ENOBUFS;
	if (n <= buf->size - buf->len)
		return 0;
	size = buf->size ? buf->size : (n > SIZE_MIN ? n : SIZE_MIN);
	while (size < buf->len + n)
		size *= 2;
	return buf_resize(buf, size < buf->max ? size : buf->max);
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
