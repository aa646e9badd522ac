/*
 * normalize_figure.h: a number as it is written (see normalize_private.h).
 */
#ifndef TEXT_NORMALIZE_FIGURE_H
#define TEXT_NORMALIZE_FIGURE_H

#include "text/normalize_private.h"

/* Digits that can be part of a value; what has more is read digit by digit. */
#define FIGURE_DIGITS_MAX 18

struct figure {
	bool is_negative, is_positive; /* a sign is written */
	bool is_grouped; /* thousands are parted */
	bool is_digits; /* read one by one: it begins with 0, or is too long */
	uint64_t value;
	unsigned digits; /* before the decimals */
	size_t first, whole_end; /* tokens of the part before the decimals */
	size_t decimals; /* token; 0: none */
	uint32_t separator; /* before them */
	size_t exponent; /* token of "6.02e23"; 0: none */
	size_t next;
};

/* The figure at token i, which may be its sign; false when there is none. */
bool figure_parse(const struct normalizer *n, struct figure *figure, size_t i);

void figure_say(struct normalizer *n, const struct figure *figure, char key);
void figure_say_sign(struct normalizer *n, const struct figure *figure);
/* Without its sign; in money a foreign point is said like ours: "$1.2M". */
void figure_say_amount(struct normalizer *n, const struct figure *figure, char key, bool is_money);
void figure_say_digits(struct normalizer *n, size_t i, size_t end); /* of tokens [i, end) */

#endif
