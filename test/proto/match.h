/*
 * match.h: checks whether a reply is what a script expects.
 *
 * An expected object matches if each of its members matches; the reply may have other members as
 * well.  "*" matches any value, "-" means that the member must be absent; numbers are compared with
 * a tolerance of a millionth.  Lists match element by element.
 */
#ifndef PROTO_MATCH_H
#define PROTO_MATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

bool match_json(const json_t *expected, const json_t *got);

/* A fact that a line of `name=value` words can check.  A value is a number, a word, a "quoted
 * string", or the name of another fact. */
struct match_fact {
	const char *name;
	const char *text; /* NULL: it is a number */
	double number;
};

/* Compares the words with the facts.  NULL, or the first word that is wrong (valid until the next
 * call). */
const char *match_facts(const char *words, const struct match_fact *facts, size_t count);

#endif
