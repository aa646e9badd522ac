/*
 * number.h: numbers as words, by a language's rules.
 *
 * A set is a list of rules, ordered by their base; the rule for a number is the last whose
 * base is not above it. In a rule's text
 *
 *         <<   is the number divided by the rule's divisor, by the same set
 *         >>   is the remainder, by the same set
 *         <x<  >x>  are the same by the set whose key is x
 *         =x=  is the number itself by set x
 *         [a]  is omitted when the remainder is 0; [a|b] is b then
 *
 * and everything else is literal. The default divisor is the largest power of ten in the
 * base.
 *
 *         {20, 0, "twenty[->>]"}, {100, 0, "<< hundred[ >>]"}
 *
 * ICU has similar rules and is used to verify these in tests; docs/decisions/numbers.md
 * explains why it is not used instead.
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

/* Keys are single characters; reading.h lists those with a fixed meaning. */
struct number_set {
	char key; /* 0 ends a list of sets */
	const struct number_rule *rules; /* a base of NUMBER_RULES_END ends them */
};

#define NUMBER_RULES_END UINT64_MAX

/* The largest number that rules are used for; larger ones are read digit by digit. */
#define NUMBER_MAX UINT64_C(999999999999999999)

/* Appends the words of n; set 'c' is used for an unknown key. Returns an error of buf.h, or
 * ELOOP for rules that recurse for ever. */
int number_say(struct buf *out, const struct number_set *sets, char key, uint64_t n);

#endif
