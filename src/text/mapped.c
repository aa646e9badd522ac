/*
 * mapped.c: text that records where it came from (see mapped.h).
 */
#include "text/mapped.h"

#include <assert.h>

#include "base/utf8.h"

void mapped_init(struct mapped *mapped, size_t text_max)
{
	buf_init(&mapped->text, text_max);
	/* At worst each byte is a piece. */
	buf_init(&mapped->pieces, text_max * sizeof(struct spoken_piece));
	mapped->err = 0;
}

void mapped_reset(struct mapped *mapped)
{
	buf_reset(&mapped->text);
	buf_reset(&mapped->pieces);
	mapped->err = 0;
}

void mapped_clear(struct mapped *mapped)
{
	mapped->text.len = 0;
	mapped->pieces.len = 0;
}

static struct spoken_piece *mapped_last_piece(struct mapped *mapped)
{
	if (mapped->pieces.len == 0)
		return NULL;
	return (struct spoken_piece *)(void *)(mapped->pieces.bytes + mapped->pieces.len) - 1;
}

/* True when the piece can simply be extended. */
static bool mapped_continues(const struct spoken_piece *last, const struct spoken_piece *piece)
{
	if (last->is_verbatim != piece->is_verbatim)
		return false;
	if (piece->is_verbatim)
		return last->to == piece->from;
	return last->from == piece->from && last->to == piece->to;
}

static void mapped_append(struct mapped *mapped, const char *bytes, size_t n,
			  struct spoken_piece piece)
{
	struct spoken_piece *last = mapped_last_piece(mapped);

	if (mapped->err || n == 0)
		return;
	mapped->err = buf_append(&mapped->text, bytes, n);
	if (mapped->err)
		return;
	piece.end = (uint32_t)mapped->text.len;
	if (last && mapped_continues(last, &piece)) {
		last->end = piece.end;
		last->to = piece.to;
		return;
	}
	mapped->err = buf_append(&mapped->pieces, &piece, sizeof(piece));
	if (mapped->err) /* keeps text and pieces consistent */
		mapped->text.len -= n;
}

void mapped_copy(struct mapped *mapped, const char *bytes, size_t n, uint32_t from)
{
	mapped_append(mapped, bytes, n,
		      (struct spoken_piece){
			      .from = from,
			      .to = from + (uint32_t)utf8_count(bytes, n),
			      .is_verbatim = true,
		      });
}

void mapped_put(struct mapped *mapped, const char *bytes, size_t n, uint32_t from, uint32_t to)
{
	mapped_append(mapped, bytes, n, (struct spoken_piece){.from = from, .to = to});
}

void mapped_cut(struct mapped *mapped, size_t n)
{
	size_t end = mapped->text.len - n;
	struct spoken_piece *last;

	while ((last = mapped_last_piece(mapped))) {
		size_t begin = mapped->pieces.len == sizeof(*last) ? 0 : last[-1].end;

		if (begin < end) {
			if (last->is_verbatim)
				last->to -= (uint32_t)utf8_count(mapped->text.bytes + end,
								 last->end - end);
			last->end = (uint32_t)end;
			break;
		}
		mapped->pieces.len -= sizeof(*last);
	}
	mapped->text.len = end;
}

void mapped_read(struct mapped_cursor *cursor, const struct mapped *from)
{
	*cursor = (struct mapped_cursor){
		.text = from->text.bytes,
		.pieces = (const struct spoken_piece *)(const void *)from->pieces.bytes,
		.pieces_len = from->pieces.len / sizeof(struct spoken_piece),
	};
}

void mapped_read_part(struct mapped_cursor *cursor, const struct spoken_part *part)
{
	*cursor = (struct mapped_cursor){
		.text = part->text,
		.pieces = part->pieces,
		.pieces_len = part->pieces_len,
	};
}

/* Moves to the piece that contains a byte, and to that byte. */
static const struct spoken_piece *mapped_seek(struct mapped_cursor *cursor, size_t byte)
{
	const struct spoken_piece *piece;

	if (byte < cursor->byte)
		cursor->piece = cursor->begin = cursor->byte = cursor->count = 0;
	piece = &cursor->pieces[cursor->piece];
	while (byte >= piece->end && cursor->piece + 1 < cursor->pieces_len) {
		cursor->begin = cursor->byte = piece->end;
		cursor->count = 0;
		piece = &cursor->pieces[++cursor->piece];
	}
	if (piece->is_verbatim)
		cursor->count +=
			(uint32_t)utf8_count(cursor->text + cursor->byte, byte - cursor->byte);
	cursor->byte = byte;
	return piece;
}

void mapped_origin(struct mapped_cursor *cursor, size_t begin, size_t end, uint32_t *from,
		   uint32_t *to)
{
	const struct spoken_piece *piece = mapped_seek(cursor, begin);

	assert(begin < end);
	*from = piece->is_verbatim ? piece->from + cursor->count : piece->from;
	piece = mapped_seek(cursor, end - 1);
	*to = piece->to;
	if (piece->is_verbatim)
		*to = piece->from + cursor->count + (uint32_t)utf8_count(cursor->text + end - 1, 1);
}

void mapped_keep(struct mapped *to, struct mapped_cursor *cursor, size_t begin, size_t end)
{
	while (begin < end) {
		const struct spoken_piece *piece = mapped_seek(cursor, begin);
		size_t stop = piece->end < end ? piece->end : end;

		if (piece->is_verbatim)
			mapped_copy(to, cursor->text + begin, stop - begin,
				    piece->from + cursor->count);
		else
			mapped_put(to, cursor->text + begin, stop - begin, piece->from, piece->to);
		begin = stop;
	}
}

void mapped_replace(struct mapped *to, struct mapped_cursor *cursor, size_t begin, size_t end,
		    const char *bytes, size_t n)
{
	uint32_t first, last;

	mapped_origin(cursor, begin, end, &first, &last);
	mapped_put(to, bytes, n, first, last);
}
