/*
 * mapped.h: text that records where it came from, built from left to right.
 *
 * It consists of the client's own characters and of words that replace some of them. A later
 * stage reads one mapped text and writes the next; both what it copies and what it replaces
 * can be traced back to the client's text. The first failure (ENOMEM, ENOBUFS) is stored in
 * `err`, and nothing is added after it, so checking once at the end is enough.
 */
#ifndef TEXT_MAPPED_H
#define TEXT_MAPPED_H

#include "base/buf.h"
#include "text/spoken.h"

struct mapped {
	struct buf text;
	struct buf pieces; /* struct spoken_piece */
	int err; /* ENOMEM, ENOBUFS */
};

void mapped_init(struct mapped *mapped, size_t text_max);
void mapped_reset(struct mapped *mapped);
void mapped_clear(struct mapped *mapped); /* makes it empty; keeps its memory and err */

/* Appends n bytes of the client's text, which begin at code point `from`. */
void mapped_copy(struct mapped *mapped, const char *bytes, size_t n, uint32_t from);

/* Appends n bytes that replace the client's code points [from, to). */
void mapped_put(struct mapped *mapped, const char *bytes, size_t n, uint32_t from, uint32_t to);

/* Removes n bytes from the end. */
void mapped_cut(struct mapped *mapped, size_t n);

/* A position in the pieces of a text. It moves forward; going back restarts at the beginning.
 * The text is the one that the pieces describe. */
struct mapped_cursor {
	const char *text;
	const struct spoken_piece *pieces;
	size_t pieces_len;
	size_t piece; /* index of the current piece */
	size_t begin; /* byte at which that piece begins */
	size_t byte; /* byte of the position */
	uint32_t count; /* code points from the beginning of the piece to the position */
};

void mapped_read(struct mapped_cursor *cursor, const struct mapped *from);
void mapped_read_part(struct mapped_cursor *cursor, const struct spoken_part *part);

/* The client's code points [*from, *to) that bytes [begin, end) came from. */
void mapped_origin(struct mapped_cursor *cursor, size_t begin, size_t end, uint32_t *from,
		   uint32_t *to);

/* Copies bytes [begin, end) of the previous stage's text, or appends n bytes that replace
 * them. */
void mapped_keep(struct mapped *to, struct mapped_cursor *cursor, size_t begin, size_t end);
void mapped_replace(struct mapped *to, struct mapped_cursor *cursor, size_t begin, size_t end,
		    const char *bytes, size_t n);

#endif
