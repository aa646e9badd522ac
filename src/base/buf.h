/*
 * buf.h: a byte buffer that knows its maximum.
 *
 * A buffer is told how large it may become when it is made; an append beyond
 * that is refused whole (ENOBUFS) and changes nothing.  Memory comes with the
 * first byte and goes with buf_reset, so an idle owner costs only the struct.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
	char *bytes;
	size_t len;
	size_t size; /* allocated */
	size_t max;
};

void buf_init(struct buf *buf, size_t max);

/* Gives the memory back; the maximum stays. */
void buf_reset(struct buf *buf);

/* Gives back what is not used. */
void buf_trim(struct buf *buf);

/* Makes room for n more bytes: ENOBUFS past the maximum, ENOMEM. */
int buf_reserve(struct buf *buf, size_t n);

int buf_append(struct buf *buf, const void *bytes, size_t n);
int buf_append_str(struct buf *buf, const char *str);
int buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes n bytes off the front. */
void buf_consume(struct buf *buf, size_t n);

#endif
