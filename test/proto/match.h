/*
 * match.h: is a reply what a script expects?
 *
 * An expected object matches when each of its members does; other members may
 * stand beside them.  "*" is any value, "-" an absent member; numbers are equal
 * within a millionth.  Lists match member by member.
 */
#ifndef PROTO_MATCH_H
#define PROTO_MATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

bool match_json(const json_t *expected, const json_t *got);

/* Facts: a line of `name=value` words against what is known.  A value is a
 * number, a word, a "quoted text", or the name of another fact. */
struct match_fact {
	const char *name;
	const char *text; /* NULL: it is a number */
	double number;
};

/* NULL, or the first word that is not so (valid until the next call). */
const char *match_facts(const char *words, const struct match_fact *facts, size_t count);

#endif
