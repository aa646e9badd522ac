/*
 * normalize_fraction.c: fractions (see normalize_private.h).
 */
#include <string.h>

#include "base/count.h"
#include "text/normalize_private.h"

/* Fractions that are single characters. */
static const struct {
	uint32_t c;
	unsigned n, d;
} normalize_fraction_signs[] = {
	{0x00bd, 1, 2}, {0x00bc, 1, 4}, {0x00be, 3, 4},  {0x2153, 1, 3}, {0x2154, 2, 3},
	{0x2155, 1, 5}, {0x2156, 2, 5}, {0x2157, 3, 5},  {0x2158, 4, 5}, {0x2159, 1, 6},
	{0x215a, 5, 6}, {0x215b, 1, 8}, {0x215c, 3, 8},  {0x215d, 5, 8}, {0x215e, 7, 8},
	{0x2150, 1, 7}, {0x2151, 1, 9}, {0x2152, 1, 10},
};

/* Parses n/d at token i: its end, 0 when there is none. */
static size_t normalize_fraction_parse(const struct normalizer *n, size_t i, uint64_t *above,
				       uint64_t *below)
{
	const struct token *token = token_at(n, i);

	if (token->kind == TOKEN_SIGN) {
		for (size_t k = 0; k < COUNT(normalize_fraction_signs); ++k) {
			if (normalize_fraction_signs[k].c == token->c) {
				*above = normalize_fraction_signs[k].n;
				*below = normalize_fraction_signs[k].d;
				return i + 1;
			}
		}
	}
	if (!token_is_digits(n, i) || !token_is_digits(n, i + 2) ||
	    !(token_is(n, i + 1, '/') || token_is(n, i + 1, 0x2044)))
		return 0;
	if (token_len(n, i) > 4 || token_len(n, i + 2) > 4)
		return 0;
	*above = token_value(n, i);
	*below = token_value(n, i + 2);
	return i + 3;
}

static const struct fraction *normalize_fraction_own_words(const struct normalizer *n,
							   uint64_t above, uint64_t below)
{
	for (const struct fraction *row = n->reading->fractions; row && row->d; ++row) {
		if (row->n == above && row->d == below)
			return row;
	}
	return NULL;
}

bool normalize_fraction_is_readable(const struct normalizer *n, uint64_t above, uint64_t below)
{
	return normalize_fraction_own_words(n, above, below) ||
	       (above > 0 && above < below && below >= 2 &&
		(below <= n->reading->fraction_max || below == 100 || below == 1000));
}

static char normalize_fraction_denominator_key(const struct normalizer *n, uint64_t above)
{
	static const struct counted keys = {.one = "q", .few = "Q", .many = "R"};

	if (n->reading->plural == PLURAL_POLISH)
		return normalize_write_counted_form(n, &keys, above, false)[0];
	return above == 1 ? 'q' : 'Q';
}

static void normalize_fraction_say(struct normalizer *n, const char *template, uint64_t whole,
				   uint64_t above, uint64_t below)
{
	const struct place_value places[] = {
		{.name = "w", .number = whole},
		{.name = "n", .number = above, .key = 'm'},
		{.name = "d", .number = below, .key = normalize_fraction_denominator_key(n, above)},
	};

	normalize_write_template(n, template, places, COUNT(places));
}

/* "½ kg": the singular or the form for parts; after a mixed number the plural. */
static size_t normalize_fraction_say_fraction_unit(struct normalizer *n, size_t i, bool is_mixed)
{
	const struct measure_unit *unit = NULL;
	size_t next = normalize_amount_match_unit(n, token_skip_blank(n, i),
						  token_at(n, i)->kind != TOKEN_BLANK, &unit);

	if (!next)
		return i;
	if (is_mixed)
		normalize_write_word(n, normalize_write_counted_form(n, &unit->name, 2, true));
	else
		normalize_write_word(n, n->reading->plural == PLURAL_POLISH && unit->name.part
						? unit->name.part
						: unit->name.one);
	normalize_write_final_dot(n, next);
	return next;
}

static size_t normalize_fraction_read_mixed(struct normalizer *n, size_t i)
{
	size_t at = token_skip_blank(n, i + 1);
	uint64_t above, below;
	size_t next;
	const struct fraction *own;

	if (!token_is_digits(n, i) || token_len(n, i) > 6)
		return 0;
	next = normalize_fraction_parse(n, at, &above, &below);
	if (!next || (at == i + 1 && token_is_digits(n, at)) ||
	    !normalize_fraction_is_readable(n, above, below))
		return 0;
	own = normalize_fraction_own_words(n, above, below);
	if (own && own->mixed && strchr(own->mixed, '{')) {
		normalize_fraction_say(n, own->mixed, token_value(n, i), above, below);
	} else if (own && own->mixed) {
		bool is_feminine = own->feminine && normalize_figure_counts_feminine(n, next);

		normalize_write_number(n, is_feminine ? 'f' : 'c', token_value(n, i));
		normalize_write_text(n, is_feminine ? own->feminine : own->mixed);
	} else {
		normalize_fraction_say(n, n->reading->fraction_mixed, token_value(n, i), above,
				       below);
	}
	return normalize_fraction_say_fraction_unit(n, next, true);
}

#define RATING_LEAST 5 /* "got 1/4" is a quarter */

/* "rated 7/10" */
size_t normalize_fraction_read_rating(struct normalizer *n, size_t i)
{
	uint64_t above, below;
	size_t next;

	if (!n->reading->ratings || !token_is(n, i + 1, '/') || normalize_quantity_is_bound(n, i))
		return 0;
	next = normalize_fraction_parse(n, i, &above, &below);
	if (!next || token_is(n, next, '/') || above > below || below < RATING_LEAST)
		return 0;
	if (normalize_write_key_between(n, n->reading->ratings, token_before_colon(n, i), next,
					'\0') != 'r')
		return 0;
	normalize_write_number(n, 'c', above);
	normalize_write_word(n, n->reading->rating);
	normalize_write_number(n, 'c', below);
	return next;
}

size_t normalize_fraction_read(struct normalizer *n, size_t i)
{
	uint64_t above, below;
	const struct fraction *own;
	size_t next;

	if (!n->reading->fraction || normalize_quantity_is_bound(n, i))
		return 0;
	next = normalize_fraction_read_mixed(n, i);
	if (next)
		return next;
	next = normalize_fraction_parse(n, i, &above, &below);
	if (!next || token_is(n, next, '/') || !normalize_fraction_is_readable(n, above, below))
		return 0;
	own = normalize_fraction_own_words(n, above, below);
	if (own)
		normalize_write_word(n, own->alone);
	else
		normalize_fraction_say(n, n->reading->fraction, 0, above, below);
	return normalize_fraction_say_fraction_unit(n, next, false);
}
