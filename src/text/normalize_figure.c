/*
 * normalize_figure.c: numbers by themselves: figures, decades, ordinals, and which set of
 * words is used (see normalize_private.h).
 */
#include <string.h>

#include "base/utf8.h"
#include "text/normalize_figure.h"

/* The maximum number of groups of three digits in a value. */
#define GROUPS_MAX (FIGURE_DIGITS_MAX / 3)

static bool normalize_figure_holds_char(const char *chars, uint32_t c)
{
	while (chars && *chars) {
		uint32_t other;

		chars += utf8_decode(&other, chars, strlen(chars));
		if (other == c)
			return true;
	}
	return false;
}

/* A single blank: a no-break space, or a plain one where the language separates thousands so. */
static bool normalize_figure_parts_thousands(const struct normalizer *n, size_t i,
					     uint32_t *separator)
{
	const struct token *token = token_at(n, i);
	uint32_t c;

	if (token->kind == TOKEN_SIGN) {
		*separator = token->c;
		return normalize_figure_holds_char(n->reading->thousands, token->c);
	}
	if (token->kind != TOKEN_BLANK)
		return false;
	if (utf8_decode(&c, n->text + token->begin, token->end - token->begin) !=
	    token->end - token->begin)
		return false;
	*separator = ' ';
	return c == 0xa0 || c == 0x202f || c == 0x2009 ||
	       (c == ' ' && normalize_figure_holds_char(n->reading->thousands, ' '));
}

static bool normalize_figure_is_group(const struct normalizer *n, size_t i)
{
	return token_is_digits(n, i) && token_len(n, i) == 3;
}

static void normalize_figure_add_digits(struct figure *figure, const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	for (size_t at = token->begin; at < token->end; ++at) {
		if (++figure->digits <= FIGURE_DIGITS_MAX)
			figure->value = figure->value * 10 + (uint64_t)(n->text[at] - '0');
	}
}

static bool normalize_figure_may_be_grouped(const struct normalizer *n, size_t i)
{
	return token_len(n, i) <= 3 && n->text[token_at(n, i)->begin] != '0';
}

static void normalize_figure_take_groups(struct figure *figure, const struct normalizer *n)
{
	uint32_t separator;
	uint32_t first = 0;
	size_t i = figure->next;

	while (normalize_figure_parts_thousands(n, i, &separator) &&
	       normalize_figure_is_group(n, i + 1) && (first == 0 || separator == first)) {
		normalize_figure_add_digits(figure, n, i + 1);
		figure->is_grouped = true;
		first = separator;
		i += 2;
	}
	figure->next = figure->whole_end = i;
}

/* "1,299.00" where the comma is the decimal separator, "1.299,00" where it is the dot: both
 * separators together are unambiguous. */
static bool normalize_figure_take_foreign(struct figure *figure, const struct normalizer *n)
{
	uint32_t group = n->reading->decimal == ',' ? ',' : '.';
	uint32_t decimal = group == ',' ? '.' : ',';
	size_t i = figure->next;

	/* Limited, because a long list is examined from each of its numbers. */
	while (i < figure->next + 2 * GROUPS_MAX && token_is(n, i, group) &&
	       normalize_figure_is_group(n, i + 1))
		i += 2;
	if (i == figure->next || !token_is(n, i, decimal) || !token_is_digits(n, i + 1))
		return false;
	for (size_t k = figure->next; k < i; k += 2)
		normalize_figure_add_digits(figure, n, k + 1);
	figure->is_grouped = true;
	figure->whole_end = i;
	/* said like the language's own separator */
	figure->separator = (uint8_t)n->reading->decimal;
	figure->decimals = i + 1;
	figure->next = i + 2;
	return true;
}

static void normalize_figure_take_decimals(struct figure *figure, const struct normalizer *n)
{
	size_t i = figure->next;
	const struct token *sign = token_at(n, i);

	if (sign->kind != TOKEN_SIGN || (sign->c != '.' && sign->c != ','))
		return;
	if (!token_is_digits(n, i + 1))
		return;
	if (token_is(n, i + 2, sign->c) && token_is_digits(n, i + 3))
		return; /* a list, a version */
	if (figure->first > 0 && token_is(n, figure->first - 1, sign->c))
		return; /* the last item of a list */
	figure->separator = sign->c;
	figure->decimals = i + 1;
	figure->next = i + 2;
}

#define EXPONENT_DIGITS_MAX 3

/* "6.02e23", "1e-9"; with a capital or a continuation it is an identifier. */
static void normalize_figure_take_exponent(struct figure *figure, const struct normalizer *n)
{
	size_t e = figure->next;
	bool has_sign =
		token_is(n, e + 1, '-') || token_is(n, e + 1, '+') || token_is(n, e + 1, 0x2212);
	size_t digits = has_sign ? e + 2 : e + 1;

	if (!n->reading->exponent || !token_is_digits(n, digits) ||
	    token_len(n, digits) > EXPONENT_DIGITS_MAX ||
	    !(token_equals(n, e, "e") || (figure->decimals && token_equals(n, e, "E"))))
		return;
	if (token_is_text(n, digits + 1) || token_is_dash(n, digits + 1) ||
	    (figure->first > 0 && normalize_quantity_is_bound(n, figure->first)))
		return;
	figure->exponent = digits;
	figure->next = digits + 1;
}

bool normalize_figure_parse(const struct normalizer *n, struct figure *figure, size_t i)
{
	*figure = (struct figure){0};
	if (token_is(n, i, '-') || token_is(n, i, 0x2212) || token_is(n, i, '+') ||
	    (token_is(n, i, 0x2013) && token_at(n, i)->flags & TOKEN_BEGINS)) {
		if (!token_is_digits(n, i + 1))
			return false;
		figure->is_positive = token_is(n, i, '+');
		figure->is_negative = !figure->is_positive;
		++i;
	}
	figure->first = figure->next = figure->whole_end = i;
	if (token_is(n, i, '.') && token_is_digits(n, i + 1)) {
		figure->separator = '.'; /* ".357" */
		figure->decimals = i + 1;
		figure->next = i + 2;
		return true;
	}
	if (!token_is_digits(n, i))
		return false;
	normalize_figure_add_digits(figure, n, i);
	figure->next = figure->whole_end = i + 1;
	if (normalize_figure_may_be_grouped(n, i) && !normalize_figure_take_foreign(figure, n))
		normalize_figure_take_groups(figure, n);
	if (!figure->decimals)
		normalize_figure_take_decimals(figure, n);
	normalize_figure_take_exponent(figure, n);
	/* Ten or more digits without separators are a phone number or an identifier. */
	figure->is_digits =
		figure->digits > FIGURE_DIGITS_MAX ||
		(figure->digits >= 10 && !figure->is_grouped && figure->value % 1000000 != 0) ||
		(figure->digits > 1 && n->text[token_at(n, i)->begin] == '0' && !figure->decimals);
	return true;
}

void normalize_figure_say_digits(struct normalizer *n, size_t i, size_t end)
{
	for (; i < end; ++i) {
		const struct token *token = token_at(n, i);

		if (token->kind == TOKEN_DIGITS)
			normalize_write_digits(n, n->text + token->begin,
					       token->end - token->begin);
	}
}

/* In money, the decimal point of other languages is said like the language's own: "$1.2M". */
static void normalize_figure_say_decimals(struct normalizer *n, const struct figure *figure,
					  bool is_ours)
{
	const struct reading_rules *reading = n->reading;
	const struct token *token = token_at(n, figure->decimals);
	const char *digits = n->text + token->begin;
	size_t len = token->end - token->begin;

	is_ours |= figure->separator == (uint8_t)reading->decimal;
	normalize_write_word(n, is_ours ? reading->decimal_word : reading->other_decimal_word);
	if (len > reading->decimals_as_number && (is_ours || len > 2)) {
		normalize_write_digits(n, digits, len);
		return;
	}
	while (len > 1 && *digits == '0') { /* "05": "zero five" */
		normalize_write_digits(n, digits, 1);
		++digits;
		--len;
	}
	{
		uint64_t value = 0;

		for (size_t i = 0; i < len; ++i)
			value = value * 10 + (uint64_t)(digits[i] - '0');
		normalize_write_number(n, 'c', value);
	}
}

void normalize_figure_say_sign(struct normalizer *n, const struct figure *figure)
{
	if (figure->is_negative)
		normalize_write_word(n, n->reading->minus);
	if (figure->is_positive)
		normalize_write_word(n, n->reading->plus);
}

void normalize_figure_say_amount(struct normalizer *n, const struct figure *figure, char key,
				 bool is_money)
{
	if (figure->is_digits)
		normalize_figure_say_digits(n, figure->first, figure->whole_end);
	else if (figure->digits > 0)
		normalize_write_number(n, figure->decimals ? 'c' : key, figure->value);
	if (figure->decimals)
		normalize_figure_say_decimals(n, figure, is_money);
	if (figure->exponent) {
		normalize_write_word(n, n->reading->exponent);
		if (token_is_dash(n, figure->exponent - 1))
			normalize_write_word(n, n->reading->minus);
		normalize_write_number(n, 'c', token_value(n, figure->exponent));
	}
}

void normalize_figure_say(struct normalizer *n, const struct figure *figure, char key)
{
	normalize_figure_say_sign(n, figure);
	normalize_figure_say_amount(n, figure, key, false);
}

static bool normalize_figure_ends_with_one_of(const char *word, size_t len, const char *endings)
{
	for (const char *at = endings; at && *at;) {
		size_t n = strcspn(at + 1, " ");

		++at;
		if (n > 0 && n <= len && memcmp(word + len - n, at, n) == 0)
			return true;
		at += n;
	}
	return false;
}

static bool normalize_figure_begins_with_one_of(const char *word, size_t len, const char *list)
{
	for (const char *at = list; *at;) {
		size_t n = strcspn(at + 1, " ");

		++at;
		if (n > 0 && n <= len && memcmp(word, at, n) == 0)
			return true;
		at += n;
	}
	return false;
}

static bool normalize_figure_agrees(const struct by_ending *row, const char *noun, size_t len,
				    bool is_one)
{
	const char *endings = is_one && row->one ? row->one : row->endings;

	if ((row->except && reading_lists(row->except, noun, len)) || (row->single && !is_one))
		return false;
	if (row->begins && !normalize_figure_begins_with_one_of(noun, len, row->begins))
		return false;
	return strcmp(endings, "*") == 0 || reading_lists(row->words, noun, len) ||
	       normalize_figure_ends_with_one_of(noun, len, endings);
}

char normalize_figure_key_in_case(const struct normalizer *n, size_t i, char key, uint64_t value)
{
	char grammatical;

	if (value != 1 || !n->reading->cases)
		return key;
	grammatical = normalize_write_key_between(n, n->reading->cases, i, 0, '\0');
	for (const char *at = n->reading->case_keys; grammatical && *at; at += 3) {
		if (at[0] == grammatical && at[1] == key)
			return at[2];
	}
	return key;
}

static bool normalize_figure_has_capital(const struct normalizer *n, size_t i)
{
	return token_is_word(n, i) && token_at(n, i)->flags & TOKEN_CAPITAL;
}

/* The noun counted by the number before token `next`, 0 when there is none. */
static size_t normalize_figure_noun_after(const struct normalizer *n, size_t next)
{
	size_t at = token_skip_blank(n, next);

	if (at == next || !token_is_word(n, at) || token_listed(n, at, n->reading->no_noun))
		return 0;
	if (n->language->nouns_big && !normalize_figure_has_capital(n, at)) /* "1 neue Nachricht" */
		return n->reading->adjectives && normalize_figure_has_capital(n, at + 2) ? at : 0;
	if (token_listed(n, at, n->reading->between) && token_is_word(n, at + 2))
		at += 2;
	return at;
}

bool normalize_figure_counts_noun(const struct normalizer *n, size_t next)
{
	return normalize_figure_noun_after(n, next) != 0;
}

static const struct by_ending *normalize_figure_agreement_with(const struct normalizer *n,
							       size_t at, bool is_one)
{
	char noun[WORD_MAX];
	size_t len = at > 0 ? token_lower(n, at, noun) : 0;

	const struct by_ending *row = n->language->nouns_big && !normalize_figure_has_capital(n, at)
					      ? n->reading->adjectives
					      : n->reading->agreement;

	for (; len > 0 && row->key; ++row) {
		if (normalize_figure_agrees(row, noun, len, is_one))
			return row;
	}
	return NULL;
}

/* A noun that is not a unit is feminine if its set is used by no other gender. */
bool normalize_figure_counts_feminine(const struct normalizer *n, size_t next)
{
	const struct measure_unit *unit = NULL;
	const struct by_ending *row;

	if (normalize_amount_match_unit(n, token_skip_blank(n, next), false, &unit))
		return unit->name.key && !strchr("cmn", unit->name.key);
	row = n->reading->agreement ? normalize_figure_agreement_with(
					      n, normalize_figure_noun_after(n, next), false)
				    : NULL;
	return row && row->key == 'f';
}

/* "1 ou 2 minutes": agrees with the noun after the second number. */
static bool normalize_figure_is_feminine_after_or(const struct normalizer *n, size_t next)
{
	size_t number = next + 3; /* blank, "ou", blank */

	return token_listed(n, next + 1, n->reading->or_words) && token_is_digits(n, number) &&
	       normalize_figure_counts_feminine(n, number + 1);
}

/* "mit 1 neuen Nachricht": the adjective does not determine the gender; its noun does. */
static char normalize_figure_key_of_adjective(const struct normalizer *n, size_t i, size_t at,
					      char key)
{
	const struct by_ending *noun;

	if (key != 'a' || !normalize_figure_has_capital(n, at + 2) ||
	    normalize_figure_key_in_case(n, i, 'f', 1) == 'f')
		return key;
	noun = normalize_figure_agreement_with(n, at + 2, true);
	return noun && noun->key == 'f' ? 'f' : key;
}

char normalize_figure_key_counting(const struct normalizer *n, size_t i, size_t next)
{
	char key = normalize_write_key_between(n, n->reading->cardinals, i, next, 'c');
	bool is_one = next == i + 1 && token_value(n, i) == 1;
	const struct by_ending *row;
	size_t noun;

	if (!n->reading->agreement)
		return key;
	if (key == 'c' && normalize_figure_is_feminine_after_or(n, next))
		return 'f';
	noun = normalize_figure_noun_after(n, next);
	row = normalize_figure_agreement_with(n, noun, is_one);
	if (row && row->always)
		return row->key;
	if (key != 'c' || !row)
		return key;
	return normalize_figure_key_in_case(
		n, i, normalize_figure_key_of_adjective(n, i, noun, row->key), is_one);
}

static bool normalize_figure_words_end_elided(const struct normalizer *n)
{
	return n->words.len > 0 && n->words.bytes[n->words.len - 1] == '\'';
}

size_t normalize_figure_read_plain(struct normalizer *n, size_t i)
{
	struct figure figure;

	if (!normalize_figure_parse(n, &figure, i))
		return 0;
	if (figure.digits == 3 && token_follows(n, i, n->reading->digit_words))
		normalize_figure_say_digits(n, i, figure.next);
	else
		normalize_figure_say(n, &figure, normalize_figure_key_counting(n, i, figure.next));
	/* "un'amica" */
	return normalize_figure_words_end_elided(n) ? token_skip_blank(n, figure.next)
						    : figure.next;
}

/* "'68": the apostrophe replaces the century, which is not spoken. */
static size_t normalize_figure_read_short_year(struct normalizer *n, size_t i)
{
	if (token_len(n, i) != 2 || token_is_word(n, i + 1) || token_is(n, i + 1, '\''))
		return 0;
	normalize_write_number(n, normalize_figure_key_counting(n, i, i + 1), token_value(n, i));
	return i + 1;
}

size_t normalize_figure_read_decade(struct normalizer *n, size_t i)
{
	size_t digits = i;
	size_t next;
	struct place_value place = {.name = "n", .key = 'k'};

	if (token_is(n, i, '\'') || token_is(n, i, 0x2019)) /* "'80s" */
		++digits;
	if (!token_is_digits(n, digits) || (digits > i && normalize_quantity_is_bound(n, i)))
		return 0;
	if (token_len(n, digits) != 2 && token_len(n, digits) != 4)
		return 0;
	next = token_match_spelling(n, digits + 1, n->reading->decade_marks, 0);
	place.number = token_value(n, digits);
	if (next && digits == i && token_len(n, i) == 2 && n->reading->decade_before &&
	    !token_follows(n, i, n->reading->decade_before))
		return 0;
	if (next && place.number % 10 == 0) {
		normalize_write_template(n, n->reading->decade, &place, 1);
		return next;
	}
	return digits > i ? normalize_figure_read_short_year(n, digits) : 0;
}

/* "a 180°", "-5°" in languages where the same sign marks ordinals: ordinals are rarely this
 * high and do not follow such a word without a noun. */
static bool normalize_figure_is_degree(const struct normalizer *n, const struct ordinal_mark *mark,
				       const struct figure *figure)
{
	if (!mark->degrees_after)
		return false;
	return figure->is_negative || figure->is_positive ||
	       (figure->value > 12 && token_follows(n, figure->first, mark->degrees_after));
}

/* "180°C" is not an ordinal. */
static size_t normalize_figure_read_marked_ordinal(struct normalizer *n,
						   const struct figure *figure)
{
	for (const struct ordinal_mark *mark = n->reading->ordinal_marks; mark && mark->written;
	     ++mark) {
		size_t next = token_match_spelling(n, figure->whole_end, mark->written, 0);

		if (next && !token_is_word(n, next) &&
		    !normalize_figure_is_degree(n, mark, figure)) {
			normalize_write_number(n, mark->key, figure->value);
			return next;
		}
	}
	return 0;
}

/* "3. Stock": a dot that does not end a sentence. */
static size_t normalize_figure_read_dotted_ordinal(struct normalizer *n, size_t i,
						   const struct figure *figure)
{
	size_t dot = figure->whole_end;
	size_t word = dot + 2;
	char key;

	if (!n->language->ordinals || !token_is(n, dot, '.') || figure->digits > 4)
		return 0;
	key = normalize_write_key_between(n, n->reading->ordinals_at_end, i, dot + 1, '\0');
	if (key && token_at(n, word)->flags & TOKEN_UPPER) { /* "lata 80. XX wieku" */
		normalize_write_number(n, key, figure->value);
		return dot + 1;
	}
	if (token_at(n, dot + 1)->kind == TOKEN_END) {
		if (key)
			normalize_write_number(n, key, figure->value);
		return key ? dot : 0;
	}
	if (token_at(n, dot + 1)->kind != TOKEN_BLANK || !token_is_word(n, word))
		return 0;
	if (!n->language->nouns_big && token_at(n, word)->flags & TOKEN_CAPITAL)
		return 0;
	key = normalize_write_key_between(n, n->reading->ordinals, i, dot + 1, '\0');
	if (!key || key == '-')
		return 0;
	n->last_ordinal = key;
	normalize_write_number(n, key, figure->value);
	return dot + 1;
}

size_t normalize_figure_read_ordinal(struct normalizer *n, size_t i)
{
	struct figure figure;
	size_t next;

	if (!normalize_figure_parse(n, &figure, i) || figure.is_digits)
		return 0;
	next = normalize_figure_read_marked_ordinal(n, &figure);
	return next ? next : normalize_figure_read_dotted_ordinal(n, i, &figure);
}
