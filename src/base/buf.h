/*
 * buf.h: a byte buffer with a maximum size.
 *
 * The maximum is given when the buffer is created; an append beyond it is refused as a whole
 * (ENOBUFS) and changes nothing.  Memory is allocated for the first byte and freed by buf_reset, so
 * an idle buffer costs only the struct.
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

/* Frees the memory; the maximum stays. */
void buf_reset(struct buf *buf);

/* Frees the memory that is not used. */
void buf_trim(struct buf *buf);

/* Makes room for n more bytes; ENOBUFS beyond the maximum, or ENOMEM. */
int buf_reserve(struct buf *buf, size_t n);

int buf_append(struct buf *buf, const void *bytes, size_t n);
int buf_append_str(struct buf *buf, const char *str);
int buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Removes n bytes from the front. */
void buf_consume(struct buf *buf, size_t n);

#endif
