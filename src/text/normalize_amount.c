/*
 * normalize_amount.c: a number and what it counts, as written (see normalize_amount.h).
 */
#include "text/normalize_amount.h"

static size_t normalize_amount_spelling_len(const struct normalizer *n, size_t i, size_t next)
{
	return next ? token_at(n, next)->begin - token_at(n, i)->begin : 0;
}

size_t normalize_amount_match_currency(const struct normalizer *n, size_t i,
				       const struct currency **found)
{
	size_t next = 0;

	for (const struct currency *row = n->reading->currencies; row && row->written; ++row) {
		size_t end = token_match_spelling(n, i, row->written,
						  normalize_amount_spelling_len(n, i, next));

		if (end) {
			next = end;
			*found = row;
		}
	}
	return next;
}

/* The number before the unit [i, end), or the one after it, has a unit of the list. */
static bool normalize_amount_is_beside(const struct normalizer *n, size_t i, size_t end,
				       const char *list)
{
	size_t behind = token_skip_blank(n, end);
	size_t number = i > 0 && token_at(n, i - 1)->kind == TOKEN_BLANK ? i - 1 : i;

	if (number > 0 && token_is_digits(n, number - 1) && token_follows(n, number - 1, list))
		return true;
	return token_is_digits(n, behind) && token_listed(n, token_skip_blank(n, behind + 1), list);
}

size_t normalize_amount_match_unit(const struct normalizer *n, size_t i, bool is_joined,
				   const struct measure_unit **found)
{
	size_t next = 0;

	if (token_is(n, i, '"') && (!is_joined || token_at(n, i)->flags & TOKEN_CLOSES))
		return 0; /* not inches */
	if (n->reading->directions && normalize_phone_is_direction(n, i))
		return 0; /* west, not watts */
	for (const struct measure_unit *row = n->reading->units; row && row->written; ++row) {
		size_t end;

		if (row->joined && !is_joined)
			continue;
		end = token_match_spelling(n, i, row->written,
					   normalize_amount_spelling_len(n, i, next));
		if (end && row->last && !is_joined && token_is_word(n, token_skip_blank(n, end)))
			continue;
		if (end && row->beside && !normalize_amount_is_beside(n, i, end, row->beside))
			continue;
		if (end) {
			next = end;
			*found = row;
		}
	}
	return next;
}

static size_t normalize_amount_match_magnitude(const struct normalizer *n, size_t i, bool is_money,
					       const struct magnitude **found)
{
	size_t next = 0;

	for (const struct magnitude *row = n->reading->magnitudes; row && row->written; ++row) {
		size_t end = token_match_spelling(n, i, row->written,
						  normalize_amount_spelling_len(n, i, next));
		const struct currency *currency;

		if (!end)
			continue;
		if (row->money_only && !is_money &&
		    !normalize_amount_match_currency(n, token_skip_blank(n, end), &currency) &&
		    !token_listed(n, token_skip_blank(n, end), row->before))
			continue;
		next = end;
		*found = row;
	}
	return next;
}

bool normalize_amount_is_counted(const struct normalizer *n, size_t i)
{
	const struct currency *currency;
	const struct magnitude *magnitude;
	const struct measure_unit *unit;
	size_t at = token_skip_blank(n, i);

	return normalize_amount_match_currency(n, at, &currency) ||
	       normalize_amount_match_magnitude(n, at, false, &magnitude) ||
	       normalize_amount_match_unit(n, at, at == i, &unit);
}

static bool normalize_amount_ends_in_dot(const struct normalizer *n, size_t next)
{
	return next > 0 && token_is(n, next - 1, '.');
}

static void normalize_amount_parse_suffix(const struct normalizer *n, struct quantity *q)
{
	size_t i = token_skip_blank(n, q->next);
	size_t end;

	if (q->figure.is_digits && !q->currency)
		return; /* a code, an id */
	end = normalize_amount_match_magnitude(n, i, q->currency != NULL, &q->magnitude);

	if (end) {
		q->has_dot = normalize_amount_ends_in_dot(n, end);
		q->next = end;
		i = token_skip_blank(n, q->next);
	}
	end = q->currency ? 0 : normalize_amount_match_currency(n, i, &q->currency);
	if (!end)
		end = q->currency ? 0 : normalize_amount_match_unit(n, i, i == q->next, &q->unit);
	if (end) {
		q->has_dot = normalize_amount_ends_in_dot(n, end);
		q->next = end;
	}
	if (end && q->currency && i == q->figure.next && !q->figure.decimals &&
	    token_at(n, i)->kind == TOKEN_SIGN && token_is_digits(n, end) &&
	    token_len(n, end) == 2) { /* "3€50" */
		q->figure.decimals = end;
		q->figure.separator = (uint8_t)n->reading->decimal;
		q->next = end + 1;
	}
}

/* "5,-" and "5,–" are whole amounts. */
static size_t normalize_amount_skip_no_cents(const struct normalizer *n, size_t i)
{
	if ((token_is(n, i, ',') || token_is(n, i, '.')) && token_is_dash(n, i + 1) &&
	    !token_is_digits(n, i + 2))
		return i + 2;
	return i;
}

bool normalize_amount_parse(const struct normalizer *n, struct quantity *q, size_t i)
{
	bool is_negative = false;
	const struct currency *currency = NULL;
	size_t end;

	if ((token_is(n, i, '-') || token_is(n, i, 0x2212)) && !token_is_digits(n, i + 1)) {
		is_negative = true; /* "-$5" */
		++i;
	}
	end = token_is_digits(n, i) ? 0 : normalize_amount_match_currency(n, i, &currency);
	if (end)
		i = token_skip_blank(n, end);
	*q = (struct quantity){0};
	if (!normalize_figure_parse(n, &q->figure, i) || (is_negative && !currency))
		return false;
	q->figure.is_negative |= is_negative;
	q->currency = currency;
	q->next = normalize_amount_skip_no_cents(n, q->figure.next);
	normalize_amount_parse_suffix(n, q);
	if (!q->currency)
		q->next = q->next > q->figure.next ? q->next : q->figure.next;
	return true;
}
