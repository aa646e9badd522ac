/*
 * asking.h: what a command asks a server over HTTP, one GET after the other.
 *
 * On a loop; an answer that does not come is reported as well.
 */
#ifndef CLI_ASKING_H
#define CLI_ASKING_H

#include <stddef.h>

#include "loop/loop.h"

/* For a whole answer: a server that is busy answers in a few milliseconds. */
#define ASKING_WITHIN_MS 5000

/* Of an answer, head included; /metrics has some 15 KiB. */
#define ASKING_ANSWER_MAX (1024u * 1024u)

struct asking;

struct asking_place {
	const char *base; /* http://HOST:PORT */
	const char *key; /* may be NULL */
	const char *ca_file; /* NULL: the system's authorities */
};

struct asking_answer {
	const char *why; /* what kept it from coming; NULL: it is whole */
	unsigned status;
	char *body; /* ended by a NUL; may be changed */
	size_t len;
};

/* The asking may be asked again from it, and not dereferenced. */
typedef void(asking_h)(const struct asking_answer *answer, void *arg);

/* The loop is not referenced.  On failure `why` has the words. */
int asking_alloc(struct asking **askingp, struct loop *loop, const struct asking_place *place,
		 char *why, size_t why_size);

/* One at a time.  The handler is called once, later, and never after the asking's
 * end. */
int asking_get(struct asking *asking, const char *path, asking_h *handler, void *arg);

#endif
