/*
 * mapped.h: text that knows where it came from, built from left to right.
 *
 * What stands in it is either the client's own characters or words that stand
 * for some of them.  A later stage reads one mapped text and writes the next;
 * what it leaves alone and what it replaces both lead back to the client's
 * text.  The first failure (no memory, too long) stays in `err`, and nothing is
 * added after it: one look at the end is enough.
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
void mapped_clear(struct mapped *mapped); /* empty; keeps its memory and err */

/* n bytes of the client's text, the first of them code point `from`. */
void mapped_copy(struct mapped *mapped, const char *bytes, size_t n, uint32_t from);

/* n bytes that stand for the client's code points [from, to). */
void mapped_put(struct mapped *mapped, const char *bytes, size_t n, uint32_t from, uint32_t to);

/* Takes n bytes back from the end. */
void mapped_cut(struct mapped *mapped, size_t n);

/* A place in pieces that is moved forward; going back costs a new start.  The
 * text is the one that the pieces describe. */
struct mapped_cursor {
	const char *text;
	const struct spoken_piece *pieces;
	size_t pieces_len;
	size_t piece; /* where we are: in this piece, */
	size_t begin; /* which begins at this byte, */
	size_t byte; /* at this byte, */
	uint32_t count; /* so many code points after its beginning */
};

void mapped_read(struct mapped_cursor *cursor, const struct mapped *from);
void mapped_read_part(struct mapped_cursor *cursor, const struct spoken_part *part);

/* The client's code points [*from, *to) behind bytes [begin, end). */
void mapped_origin(struct mapped_cursor *cursor, size_t begin, size_t end, uint32_t *from,
		   uint32_t *to);

/* What a stage does with bytes [begin, end) of the text before it: takes them
 * over, or has n other bytes stand for them. */
void mapped_keep(struct mapped *to, struct mapped_cursor *cursor, size_t begin, size_t end);
void mapped_replace(struct mapped *to, struct mapped_cursor *cursor, size_t begin, size_t end,
		    const char *bytes, size_t n);

#endif
