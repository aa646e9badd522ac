/*
 * normal.h: the normalizer's golden cases, read from test/unit/text/normal.
 *
 * A file XX.txt is of language XX.  A line is a kind, what is written and what
 * is said, parted by tabs; the kind tells where the truth comes from:
 *
 *     rule    the language's grammar or orthography
 *     style   a style guide, or a standard of how such things are written
 *     usage   what people commonly say
 *     spec    the protocol's own examples
 *
 * \n, \t and \\ stand for what they stand for in C.  "# " begins a comment.
 */
#ifndef TEST_TEXT_NORMAL_H
#define TEST_TEXT_NORMAL_H

#include <stddef.h>

struct normal_case {
	char where[64]; /* file:line */
	char language[8];
	char kind[8];
	char *written;
	char *said;
};

typedef void(normal_h)(const struct normal_case *normal, void *arg);

/* Calls the handler for each case; gives their number, and stops the program at
 * a line that makes no sense.  language NULL: all. */
size_t normal_each(const char *directory, const char *language, normal_h *handler, void *arg);

#endif
