/*
 * normalize_amount.h: a number and what it counts, as written (see normalize_private.h).
 *
 *         -$1,234.50M/month
 *         │││         ││
 *         ││└ figure  │└ per
 *         │└ currency └ magnitude, then a unit, or the currency if not before
 *         └ sign
 */
#ifndef TEXT_NORMALIZE_AMOUNT_H
#define TEXT_NORMALIZE_AMOUNT_H

#include "text/normalize_figure.h"

struct quantity {
	struct figure figure;
	const struct currency *currency;
	const struct magnitude *magnitude;
	const struct measure_unit *unit;
	bool has_dot; /* the spelling of the unit ends in a dot */
	bool describes; /* "a 5 km run" */
	bool is_dative; /* "in 300 Metern" */
	size_t next;
};

/* Parses the quantity at token i, which may be its sign; false when there is none. The caller
 * determines `describes` and `is_dative`. */
bool normalize_amount_parse(const struct normalizer *n, struct quantity *q, size_t i);

/* The end of the longest spelling of a currency at token i; 0 when there is none. */
size_t normalize_amount_match_currency(const struct normalizer *n, size_t i,
				       const struct currency **found);

#endif
