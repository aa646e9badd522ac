/*
 * number.h: numbers as words, by a language's rules.
 *
 * A set is a list of rules, ordered by their base; the rule of a number is the
 * last whose base is not above it.  In a rule's text
 *
 *     <<   is the number divided by the rule's divisor, by the same set
 *     >>   is what remains, by the same set
 *     <x<  >x>  are the same by the set whose key is x
 *     =x=  is the number itself by set x
 *     [a]  stands only when something remains; [a|b] is b when nothing does
 *
 * and everything else is said as it is written.  The divisor is the largest
 * power of ten in the base when none is given.
 *
 *     {20, 0, "twenty[->>]"}, {100, 0, "<< hundred[ >>]"}
 *
 * ICU has such rules too, and is the oracle of their tests; docs/decisions/numbers.md
 * tells why these are our own.
 */
#ifndef TEXT_NUMBER_H
#define TEXT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct number_rule {
	uint64_t base;
	uint64_t divisor; /* 0: the largest power of ten that is not above base */
	const char *text;
};

/* Keys are single characters; reading.h says which are asked for. */
struct number_set {
	char key; /* 0 ends a list of sets */
	const struct number_rule *rules; /* a base of NUMBER_RULES_END ends them */
};

#define NUMBER_RULES_END UINT64_MAX

/* The largest number that rules are asked for; longer ones are read digit by
 * digit. */
#define NUMBER_MAX UINT64_C(999999999999999999)

/* Appends the words of n; a key without a set is read by set 'c'.  The first
 * error of buf.h; ELOOP for rules that call each other for ever. */
int number_say(struct buf *out, const struct number_set *sets, char key, uint64_t n);

#endif
