/*
 * buf.h: a byte buffer with a maximum size.
 *
 * The maximum is given when the buffer is created; an append beyond it is refused as a whole
 * (ENOBUFS) and changes nothing.  Memory is allocated for the first byte and freed by buf_reset, so
 * an idle buffer costs only the struct.
 *
 * A buffer can have room around its content: bytes of its allocation before the first and after
 * the last one, which are not counted in its length or size.  Whoever takes over the memory puts
 * there what the content must be sent with, without copying the content (net/outgoing.h).
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

/* Frees the memory; the maximum stays. */
void buf_reset(struct buf *buf);

/* Frees the memory that is not used. */
void buf_trim(struct buf *buf);

/* Makes room for n more bytes; ENOBUFS beyond the maximum, or ENOMEM.  The first call allocates exactly
 * that much; later ones double what there is. */
int buf_reserve(struct buf *buf, size_t n);

int buf_append(struct buf *buf, const void *bytes, size_t n);
int buf_append_str(struct buf *buf, const char *str);
int buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Removes n bytes from the front. */
void buf_consume(struct buf *buf, size_t n);

#endif
