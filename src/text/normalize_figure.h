/*
 * normalize_figure.h: a number as written (see normalize_private.h).
 */
#ifndef TEXT_NORMALIZE_FIGURE_H
#define TEXT_NORMALIZE_FIGURE_H

#include "text/normalize_private.h"

/* The maximum number of digits of a value; longer numbers are read digit by digit. */
#define FIGURE_DIGITS_MAX 18

struct figure {
	bool is_negative, is_positive; /* a sign is written */
	bool is_grouped; /* has separators between thousands */
	bool is_digits; /* read digit by digit: it begins with 0, or is too long */
	uint64_t value;
	unsigned digits; /* number of digits before the decimals */
	size_t first, whole_end; /* tokens of the part before the decimals */
	size_t decimals; /* token of the decimals; 0: none */
	uint32_t separator; /* the sign before the decimals */
	size_t exponent; /* token of "6.02e23"; 0: none */
	size_t next;
};

/* Parses the figure at token i, which may be its sign; false when there is none. */
bool normalize_figure_parse(const struct normalizer *n, struct figure *figure, size_t i);

void normalize_figure_say(struct normalizer *n, const struct figure *figure, char key);
void normalize_figure_say_sign(struct normalizer *n, const struct figure *figure);
/* Says the figure without its sign; in money the decimal separator of other languages is said
 * like the language's own: "$1.2M". */
void normalize_figure_say_amount(struct normalizer *n, const struct figure *figure, char key,
				 bool is_money);
/* Says the digits of tokens [i, end) one by one. */
void normalize_figure_say_digits(struct normalizer *n, size_t i, size_t end);

#endif
