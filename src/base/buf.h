/*
 * buf.h: a byte buffer with a maximum size.
 *
 * The maximum is given when the buffer is created; an append beyond it is refused as a whole
 * (ENOBUFS) and changes nothing.  Memory is allocated for the first byte and freed by buf_reset, so
 * an idle buffer costs only the struct.  The content does not end with a NUL.
 *
 * A buffer can have room around its content: allocated bytes before the first and after the last
 * one, which are not counted in its length or size.  Code that takes over the memory can add a
 * header or trailer there without copying the content (net/outgoing.h).
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
	char *bytes;
	size_t len;
	size_t size; /* allocated */
	uint32_t max;
	uint16_t headroom, tailroom; /* bytes allocated before and after the content */
};

/* The maximum is below 4 GiB. */
void buf_init(struct buf *buf, size_t max);
void buf_init_with_room(struct buf *buf, size_t max, uint16_t headroom, uint16_t tailroom);

/* Frees the memory; the maximum is kept. */
void buf_reset(struct buf *buf);

/* Frees the memory that is not used. */
void buf_trim(struct buf *buf);

/* Makes room for n more bytes, which the caller may write at bytes + len before it increases len.
 * ENOBUFS beyond the maximum, or ENOMEM.  The first allocation has the size that is needed, but at
 * least 256 bytes; later ones double it.  No allocation exceeds the maximum. */
int buf_reserve(struct buf *buf, size_t n);

/* All three return an error of buf_reserve.  buf_printf needs room for one byte more than it
 * appends, because vsnprintf writes a NUL. */
int buf_append(struct buf *buf, const void *bytes, size_t n);
int buf_append_str(struct buf *buf, const char *str);
int buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Removes n bytes, at most len, from the front; the rest is moved. */
void buf_consume(struct buf *buf, size_t n);

#endif
