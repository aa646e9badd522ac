/*
 * normalize_amount.h: a number and what it counts, as they are written (see
 * normalize_private.h).
 *
 *     -$1,234.50M/month
 *     │││         ││
 *     ││└ figure  │└ per
 *     │└ currency └ magnitude, then a unit, or the currency if not before
 *     └ sign
 */
#ifndef TEXT_NORMALIZE_AMOUNT_H
#define TEXT_NORMALIZE_AMOUNT_H

#include "text/normalize_figure.h"

struct quantity {
	struct figure figure;
	const struct currency *currency;
	const struct magnitude *magnitude;
	const struct unit *unit;
	bool has_dot; /* the unit's spelling ends in one */
	bool describes; /* "a 5 km run" */
	bool is_dative; /* "in 300 Metern" */
	size_t next;
};

/* The quantity at token i, which may be its sign; false when there is none.  Whether it
 * describes, and its case, are for whoever says it. */
bool quantity_parse(const struct normalizer *n, struct quantity *q, size_t i);

/* The end of the longest spelling of a currency at token i; 0: there is none. */
size_t match_currency(const struct normalizer *n, size_t i, const struct currency **found);

#endif
