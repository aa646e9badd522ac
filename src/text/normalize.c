/*
 * normalize.c: what is written becomes what is said (see normalize.h).
 */
#include "text/normalize.h"

void normalize(struct mapped *out, struct mapped_cursor *in, size_t begin, size_t end,
	       const struct language *language)
{
	(void)language;
	mapped_keep(out, in, begin, end);
}
