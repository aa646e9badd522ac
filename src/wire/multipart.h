/*
 * multipart.h: the body of a form with a file (multipart/form-data, RFC 7578), which is in memory
 * whole.
 *
 * Only what forms need: the name of a part and its bytes.  Other headers of a part are
 * ignored; transfer encodings, which the RFC deprecates, are not undone.
 */
#ifndef WIRE_MULTIPART_H
#define WIRE_MULTIPART_H

#include <stddef.h>

#define MULTIPART_BOUNDARY_MAX 70 /* RFC 2046 */
#define MULTIPART_PARTS_MAX 32

struct multipart {
	char delimiter[4 + MULTIPART_BOUNDARY_MAX]; /* "\r\n--" and the boundary */
	size_t delimiter_len;
	char *at, *end;
	unsigned parts;
};

/* Slices of the body.  The byte after each may be overwritten: it belongs to the delimiter. */
struct multipart_part {
	const char *name;
	size_t name_len;
	char *bytes;
	size_t len;
};

/* EINVAL when the content type is not that of a form, or the body does not begin as one. */
int multipart_open(struct multipart *form, const char *content_type, char *body, size_t len);

/* ENOENT after the last part; EINVAL for a form that is malformed, cut off, or has too many
 * parts. */
int multipart_next(struct multipart *form, struct multipart_part *part);

#endif
