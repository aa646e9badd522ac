/*
 * multipart.h: parses a form with files (multipart/form-data, RFC 7578) as its bytes arrive.
 *
 * The caller pulls: it passes bytes and receives one piece of the form after another.  A delimiter
 * may be split anywhere.  It reads only what forms need: the name of a part and its bytes.  Other
 * headers of a part are ignored; transfer encodings, which the RFC deprecates, are not decoded.
 * Pure, and takes no memory but the struct.
 *
 *	struct multipart_piece piece;
 *	while ((err = multipart_read(&form, &bytes, &len, SIZE_MAX, &piece)) == 0)
 *		…                             EAGAIN: all bytes were consumed; ENOENT: the form has ended
 */
#ifndef WIRE_MULTIPART_H
#define WIRE_MULTIPART_H

#include <stddef.h>

#define MULTIPART_BOUNDARY_MAX 70 /* RFC 2046 */
#define MULTIPART_DELIMITER_MAX (4 + MULTIPART_BOUNDARY_MAX)
#define MULTIPART_HEAD_MAX 2048u /* all headers of a part, with a long file name */
#define MULTIPART_PARTS_MAX 128u /* lists of words are sent with a part for each */

struct multipart {
	char delimiter[MULTIPART_DELIMITER_MAX]; /* "\r\n--" followed by the boundary */
	size_t delimiter_len;
	/* The bytes of the delimiter that the last bytes of the input were equal to.  If the rest is
	 * different, those from `given` on are bytes of the part. */
	size_t matched;
	size_t given;
	char head[MULTIPART_HEAD_MAX]; /* the headers of the part */
	size_t head_len;
	unsigned parts;
	unsigned char state;
};

enum multipart_kind {
	MULTIPART_HEAD, /* a part begins */
	MULTIPART_BYTES, /* the next bytes of the part */
	MULTIPART_TAIL, /* the part has ended */
};

/* The name is valid until the next part begins, the bytes until the next call. */
struct multipart_piece {
	enum multipart_kind kind;
	const char *name; /* of HEAD */
	size_t name_len;
	const char
		*bytes; /* of BYTES; in the input, or in the parser if a delimiter was suspected */
	size_t len; /* never 0 */
};

/* Returns EINVAL if the content type is not that of a form. */
int multipart_open(struct multipart *form, const char *content_type);

/* Returns 0 with the next piece, after advancing *bytes and *len; it has at most `max` bytes of the
 * part.  EAGAIN if all bytes were consumed; ENOBUFS if the next piece is bytes of a part and max is
 * 0; ENOENT after the last part, and then all bytes that follow are ignored; EINVAL for a form that
 * is malformed, whose part has headers that are too long, or that has too many parts. */
int multipart_read(struct multipart *form, const char **bytes, size_t *len, size_t max,
		   struct multipart_piece *piece);

/* A part of a form that is in memory. */
struct multipart_part {
	const char *name; /* valid until the next call */
	size_t name_len;
	char *bytes; /* in the body; the byte after them may be overwritten */
	size_t len;
};

/* Returns 0 with the next part of a form that is in memory as a whole, after advancing *body and
 * *len; ENOENT after the last part; EINVAL as multipart_read, and for a form that is cut off. */
int multipart_next_part(struct multipart *form, char **body, size_t *len,
			struct multipart_part *part);

#endif
