/*
 * normalize_quantity.c: says numbers and what they count (see normalize_private.h).
 */
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "text/normalize_amount.h"

static bool normalize_quantity_begins_with_vowel(const char *word)
{
	uint32_t c;

	utf8_decode(&c, word, strlen(word));
	return strchr("aeiouhAEIOUH", (int)(c < 128 ? c : 'x')) != NULL && c != 0;
}

static void normalize_quantity_say_of(struct normalizer *n, const struct magnitude *magnitude,
				      const char *noun)
{
	const char *of = magnitude ? magnitude->of : NULL;

	if (of && magnitude->of_vowel && normalize_quantity_begins_with_vowel(noun))
		of = magnitude->of_vowel;
	if (of) {
		normalize_write_word(n, of);
		normalize_write_text(n, noun);
	} else {
		normalize_write_word(n, noun);
	}
}

/* "un millón de euros": such a language also says "de" after round numbers. */
static const struct magnitude *normalize_quantity_round_magnitude(const struct normalizer *n,
								  const struct figure *figure)
{
	if (figure->decimals || figure->value < 1000000 || figure->value % 1000000 != 0)
		return NULL;
	for (const struct magnitude *row = n->reading->magnitudes; row && row->written; ++row) {
		if (row->of)
			return row;
	}
	return NULL;
}

/* "2.5k": multiplies the number including its decimals; false when they do not fit. */
static bool normalize_quantity_multiply(const struct normalizer *n, uint64_t *value,
					const struct quantity *q)
{
	uint64_t unit = q->magnitude->times;

	*value = q->figure.value * unit;
	if (q->figure.value > NUMBER_MAX / unit)
		return false;
	if (q->figure.decimals) {
		const struct token *token = token_at(n, q->figure.decimals);

		for (size_t at = token->begin; at < token->end; ++at) {
			unit /= 10;
			*value += unit * (uint64_t)(n->text[at] - '0');
			if (unit == 0)
				return false;
		}
	}
	return true;
}

static char normalize_quantity_key_of(const struct counted *name)
{
	return name->key ? name->key : 'c';
}

/* Says the number with its magnitude; returns the value that the noun agrees with. */
static uint64_t normalize_quantity_say_magnitude(struct normalizer *n, const struct quantity *q,
						 char key)
{
	uint64_t value;

	if (!q->magnitude) {
		normalize_figure_say_amount(n, &q->figure, key, q->currency != NULL);
		return q->figure.value;
	}
	if (q->magnitude->times && normalize_quantity_multiply(n, &value, q)) {
		normalize_write_number(n, key, value);
		return value;
	}
	normalize_figure_say_amount(n, &q->figure, normalize_quantity_key_of(&q->magnitude->name),
				    q->currency != NULL);
	normalize_write_word(n,
			     normalize_write_counted_form(n, &q->magnitude->name, q->figure.value,
							  q->figure.decimals != 0));
	return 1000000; /* many */
}

static bool normalize_quantity_has_cents(const struct normalizer *n, const struct quantity *q)
{
	return q->currency && q->currency->cent.one && !q->magnitude && !q->figure.exponent &&
	       q->figure.decimals && q->figure.digits <= FIGURE_DIGITS_MAX &&
	       token_len(n, q->figure.decimals) <= 2;
}

static void normalize_quantity_say_cents(struct normalizer *n, const struct quantity *q)
{
	const struct currency *currency = q->currency;
	uint64_t cents = token_value(n, q->figure.decimals);
	uint64_t whole = q->figure.value;
	struct place_value places[4];

	if (token_len(n, q->figure.decimals) == 1)
		cents *= 10;
	places[0] = (struct place_value){
		.name = "n", .number = whole, .key = normalize_quantity_key_of(&currency->name)};
	places[1] = (struct place_value){
		.name = "unit",
		.text = normalize_write_counted_form(n, &currency->name, whole, false)};
	places[2] = (struct place_value){
		.name = "c", .number = cents, .key = normalize_quantity_key_of(&currency->cent)};
	places[3] = (struct place_value){
		.name = "cent",
		.text = normalize_write_counted_form(n, &currency->cent, cents, false)};
	if (whole == 0)
		normalize_write_template(n, n->reading->money_only_cents, places, COUNT(places));
	else
		normalize_write_template(n, n->reading->money_cents, places, COUNT(places));
}

static const char *normalize_quantity_noun_form(const struct normalizer *n,
						const struct quantity *q,
						const struct counted *name, uint64_t value)
{
	bool has_decimals = (q->figure.decimals && !q->magnitude) || q->figure.exponent;

	if (q->describes)
		return name->one;
	if (q->is_dative && name->dative && (value != 1 || has_decimals))
		return name->dative;
	return normalize_write_counted_form(n, name, value, has_decimals);
}

static void normalize_quantity_say_noun(struct normalizer *n, const struct quantity *q,
					const struct counted *name, uint64_t value)
{
	const char *noun = normalize_quantity_noun_form(n, q, name, value);
	const struct magnitude *magnitude =
		q->magnitude && !q->magnitude->times
			? q->magnitude
			: normalize_quantity_round_magnitude(n, &q->figure);

	if (q->unit && q->unit->tight)
		normalize_write_text(n, noun);
	else
		normalize_quantity_say_of(n, magnitude, noun);
}

static const struct counted *normalize_quantity_noun_of(const struct quantity *q)
{
	if (q->currency)
		return &q->currency->name;
	return q->unit ? &q->unit->name : NULL;
}

/* The set that the word before a quantity requires; 'c' if it requires none. */
static char normalize_quantity_key_by_case(const struct normalizer *n, size_t i)
{
	return normalize_write_key_between(n, n->reading->cardinals, i, 0, 'c');
}

/* Says a quantity whose set depends on the word before it. What is counted then has the form of
 * "many" or, after 1, that of a part. */
static void normalize_quantity_say_in_case(struct normalizer *n, const struct quantity *q, char key)
{
	const struct counted *noun = normalize_quantity_noun_of(q);
	uint64_t value = 1000000;

	if (q->magnitude && !q->magnitude->times) {
		normalize_figure_say_amount(n, &q->figure, key, q->currency != NULL);
		normalize_write_word(
			n, normalize_write_counted_form(n, &q->magnitude->name, 5, false));
	} else {
		value = normalize_quantity_say_magnitude(n, q, key);
	}
	if (noun)
		normalize_write_word(n, value == 1 ? (noun->part ? noun->part : noun->one)
						   : normalize_write_counted_form(
							     n, noun, 5, q->figure.decimals != 0));
}

static void normalize_quantity_say(struct normalizer *n, const struct quantity *q, size_t i)
{
	const struct counted *noun = normalize_quantity_noun_of(q);
	char key = normalize_quantity_key_by_case(n, i);
	struct quantity whole = *q;
	uint64_t value;

	normalize_figure_say_sign(n, &q->figure);
	if (normalize_quantity_has_cents(n, q) && token_value(n, q->figure.decimals) > 0) {
		normalize_quantity_say_cents(n, q);
		return;
	}
	if (normalize_quantity_has_cents(n, q)) { /* "5.00": treated as if they were not written */
		whole.figure.decimals = 0;
		q = &whole;
	}
	if (key != 'c' && (noun || q->magnitude) && !q->figure.decimals) {
		normalize_quantity_say_in_case(n, q, key);
		return;
	}
	if (!noun && q->magnitude && q->magnitude->times)
		key = normalize_figure_key_counting(n, i, q->next); /* "2 mil pessoas" */
	if (noun)
		key = normalize_figure_key_in_case(
			n, i, normalize_quantity_key_of(noun),
			q->magnitude || q->figure.decimals ? 0 : q->figure.value);
	value = normalize_quantity_say_magnitude(n, q, key);
	if (noun)
		normalize_quantity_say_noun(n, q, noun, value);
}

/* Writes the template around {u} for a number after a '/'. */
static void normalize_quantity_write_per_number(struct normalizer *n, const char *per,
						const struct quantity *q, size_t i)
{
	const char *place = strstr(per, "{u}");

	if (!place)
		return;
	normalize_write_bytes(n, per, (size_t)(place - per));
	normalize_quantity_say(n, q, i);
	normalize_write_text(n, place + strlen("{u}"));
}

/* Emphasis may end between an amount and what it pays for. */
static size_t normalize_quantity_skip_emphasis(const struct normalizer *n, size_t i)
{
	return token_is(n, i, '*') && token_is(n, i + 1, '*') ? i + 2 : i;
}

/* "/month", "/kg", "/100 km" after a unit: the end, 0 when there is none. */
static size_t normalize_quantity_say_per(struct normalizer *n, const struct quantity *q)
{
	const struct reading_rules *reading = n->reading;
	const char *per = q->currency && reading->money_per ? reading->money_per : reading->per;
	const struct measure_unit *unit = NULL;
	struct place_value place = {.name = "u"};
	struct quantity below;
	char word[WORD_MAX];
	size_t slash = normalize_quantity_skip_emphasis(n, q->next);
	size_t i = slash + 1;
	size_t end;

	if ((!q->unit && !q->currency) || !per || !token_is(n, slash, '/'))
		return 0;
	if (token_is_digits(n, i) && normalize_amount_parse(n, &below, i) && below.unit) {
		if (below.unit == q->unit)
			return 0; /* "60%/40%" */
		normalize_quantity_write_per_number(n, per, &below, i);
		return below.next;
	}
	end = normalize_amount_match_unit(n, i, true, &unit);
	if (end && unit->per) {
		normalize_write_word(n, unit->per);
		return end;
	}
	if (end) {
		place.text = unit->below ? unit->below : unit->name.one;
	} else if (token_is_word(n, i) && token_len(n, i) < WORD_MAX) {
		end = i + 1;
		memcpy(word, n->text + token_at(n, i)->begin, token_len(n, i));
		word[token_len(n, i)] = '\0';
		place.text = word;
	} else {
		return 0;
	}
	normalize_write_template(n, per, &place, 1);
	return end;
}

/* "28/30", "4.5/5", "24h/24" */
static size_t normalize_quantity_say_over(struct normalizer *n, const struct quantity *q)
{
	const struct measure_unit *unit = NULL;

	if (q->unit && normalize_amount_match_unit(n, q->next + 2, true, &unit) && unit == q->unit)
		return 0; /* "60%/40%" */
	if (!n->reading->over || !token_is(n, q->next, '/') || !token_is_digits(n, q->next + 1) ||
	    token_is(n, q->next + 2, '/'))
		return 0;
	normalize_write_word(n, q->figure.decimals && n->reading->rating ? n->reading->rating
									 : n->reading->over);
	normalize_write_number(n, 'c', token_value(n, q->next + 1));
	return q->next + 2;
}

static bool normalize_quantity_is_in_years(const struct quantity *q, uint64_t least, uint64_t most)
{
	return !normalize_quantity_noun_of(q) && !q->magnitude && !q->figure.decimals &&
	       !q->figure.exponent && !q->figure.is_grouped && q->figure.digits == 4 &&
	       !q->figure.is_digits && q->figure.value >= least && q->figure.value <= most;
}

static bool normalize_quantity_may_be_year(const struct normalizer *n, const struct quantity *q)
{
	return normalize_quantity_is_in_years(q, n->reading->year_least, n->reading->year_most);
}

/* "2023/24", "2023/2024": a season; nothing is spoken between its years. */
static size_t normalize_quantity_say_season(struct normalizer *n, const struct quantity *q)
{
	size_t second = q->next + 1;
	uint64_t year = token_value(n, second);
	/* In languages where years are ordinals, those of a season are not. */
	char key = n->reading->range_years.key ? 'c' : 'y';

	if (!normalize_quantity_is_in_years(q, 1000, 2099) || !token_is(n, q->next, '/') ||
	    token_is(n, second + 1, '/'))
		return 0;
	if (!(token_len(n, second) == 4 && year == q->figure.value + 1) &&
	    !(token_len(n, second) == 2 && year == (q->figure.value + 1) % 100))
		return 0;
	normalize_write_number(n, key, q->figure.value);
	normalize_write_number(n, token_len(n, second) == 4 ? key : 'c', year);
	return second + 1;
}

/* "2022–23" */
static bool normalize_quantity_is_next_year(const struct quantity *from, const struct quantity *to)
{
	return to->figure.digits == 2 && to->figure.value > from->figure.value % 100 &&
	       !normalize_quantity_noun_of(to) && !to->magnitude && !to->figure.decimals;
}

static void normalize_quantity_say_years(struct normalizer *n, const struct quantity *from,
					 const struct quantity *to, size_t i)
{
	const struct range_words *words = &n->reading->range_years;
	char key = words->to && words->key ? words->key : 'y';

	normalize_write_from(n, i, words->to ? words->from : n->reading->from);
	normalize_write_number(n, key, from->figure.value);
	normalize_write_word(n, words->to ? words->to : n->reading->to);
	normalize_write_number(n, to->figure.digits == 4 ? key : 'c', to->figure.value);
}

/* Says the second number of a range that counts something. */
static void normalize_quantity_say_range_end(struct normalizer *n, struct quantity *to,
					     const struct counted *noun, size_t i)
{
	if (n->reading->to_key && !normalize_quantity_has_cents(n, to)) {
		uint64_t value = normalize_quantity_say_magnitude(n, to, n->reading->to_key);

		if (noun)
			normalize_quantity_say_noun(n, to, noun,
						    value < 2 ? value : 5); /* as after "of five" */
		return;
	}
	normalize_quantity_say(n, to, i);
}

/* "won met 3-1" */
static bool normalize_quantity_is_score(const struct normalizer *n, const struct quantity *from,
					const struct quantity *to)
{
	return n->reading->score_dash && !normalize_quantity_noun_of(from) &&
	       !normalize_quantity_noun_of(to) && !to->magnitude && !from->figure.decimals &&
	       !to->figure.decimals && from->figure.value >= to->figure.value;
}

/* The first number of a range is said like the second when only that has a unit. */
static void normalize_quantity_say_range(struct normalizer *n, struct quantity *from,
					 struct quantity *to, size_t i)
{
	const struct counted *noun = normalize_quantity_noun_of(to)
					     ? normalize_quantity_noun_of(to)
					     : normalize_quantity_noun_of(from);
	char key = noun ? normalize_quantity_key_of(noun)
			: normalize_figure_key_counting(n, to->figure.first, to->next);
	bool is_same = !normalize_quantity_noun_of(from) || !normalize_quantity_noun_of(to) ||
		       normalize_quantity_noun_of(from) == normalize_quantity_noun_of(to);

	if (normalize_quantity_may_be_year(n, from) &&
	    (normalize_quantity_may_be_year(n, to) || normalize_quantity_is_next_year(from, to))) {
		normalize_quantity_say_years(n, from, to, i);
		return;
	}
	if (noun || from->figure.value < to->figure.value) /* "3-1" and "2-2" are scores */
		normalize_write_from(n, i, n->reading->from);
	if (is_same && !normalize_quantity_has_cents(n, from)) {
		normalize_figure_say(n, &from->figure, noun || key == 'f' ? key : 'c');
		if (from->magnitude && !to->magnitude)
			to->magnitude = from->magnitude;
	} else {
		normalize_quantity_say(n, from, i);
	}
	normalize_write_word(n, normalize_quantity_is_score(n, from, to) ? n->reading->score_dash
									 : n->reading->to);
	if (!normalize_quantity_noun_of(to)) {
		to->currency = from->currency;
		to->unit = from->unit;
	}
	if (noun || to->magnitude)
		normalize_quantity_say_range_end(n, to, noun, to->figure.first);
	else
		normalize_figure_say(n, &to->figure, n->reading->to_key ? n->reading->to_key : key);
}

static bool normalize_quantity_is_spaced(const struct normalizer *n, size_t i)
{
	return token_at(n, i - 1)->kind == TOKEN_BLANK && token_at(n, i + 1)->kind == TOKEN_BLANK;
}

/* The token after a dash that makes a range, 0 when there is none. A hyphen between blanks may
 * also be one, see normalize_quantity_is_range. */
static size_t normalize_quantity_range_next(const struct normalizer *n, const struct quantity *q)
{
	size_t i = q->next;

	if (q->figure.is_digits || !n->reading->to)
		return 0;
	if (token_is(n, i, '-') || token_is(n, i, 0x2013) || token_is(n, i, 0x2212))
		return i + 1;
	if ((token_is(n, i + 1, 0x2013) || token_is(n, i + 1, '-')) &&
	    normalize_quantity_is_spaced(n, i + 1))
		return i + 3;
	return 0;
}

/* A hyphen between blanks is a minus or a dash of the sentence, unless the numbers increase
 * and something is counted: "5 - 10 people". */
static bool normalize_quantity_is_range(const struct normalizer *n, const struct quantity *from,
					const struct quantity *to)
{
	size_t dash = from->next + 1;

	if (!token_is(n, dash, '-') || !normalize_quantity_is_spaced(n, dash))
		return true;
	return !from->figure.is_negative && from->figure.value < to->figure.value &&
	       (normalize_quantity_noun_of(to) || to->magnitude ||
		normalize_figure_counts_noun(n, to->next));
}

/* The dot of "5 min." may also end the sentence. */
static void normalize_quantity_give_unit_dot_back(struct normalizer *n, const struct quantity *q,
						  size_t end)
{
	if (end > q->next || q->has_dot)
		normalize_write_final_dot(n, end);
}

/* "NASA's 10 km run" */
static bool normalize_quantity_follows_possessive(const struct normalizer *n, size_t i)
{
	const char *end;
	size_t len;

	if (!n->reading->no_possessive || i < 2 || token_at(n, i - 1)->kind != TOKEN_BLANK ||
	    !token_is_word(n, i - 2) || token_listed(n, i - 2, n->reading->no_possessive))
		return false;
	end = n->text + token_at(n, i - 2)->end;
	len = token_len(n, i - 2);
	return (len > 2 && normalize_word_is_possessive(end - 2, 2)) ||
	       (len > 4 && normalize_word_is_possessive(end - 4, 4));
}

/* "a 5 km run": the unit is singular. */
static bool normalize_quantity_is_describing(const struct normalizer *n, size_t i,
					     const struct quantity *q)
{
	size_t noun = token_skip_blank(n, q->next);

	return noun > q->next && token_is_word(n, noun) &&
	       (token_follows(n, i, n->reading->describing) ||
		normalize_quantity_follows_possessive(n, i)) &&
	       !token_listed(n, noun, n->reading->no_noun);
}

/* "in 300 m", but a unit that is written out is unchanged: "in 300 Meter Höhe". */
static bool normalize_quantity_is_dative(const struct normalizer *n, size_t i,
					 const struct quantity *q)
{
	return q->unit && q->unit->name.dative &&
	       !token_equals(n, q->next - 1, q->unit->name.one) &&
	       normalize_write_key_between(n, n->reading->datives, i, 0, '\0') == '3';
}

static size_t normalize_quantity_read_range(struct normalizer *n, struct quantity *from,
					    size_t first)
{
	size_t i = normalize_quantity_range_next(n, from);
	struct quantity to;
	size_t end;

	if (!i || token_is_dash(n, i) || token_is(n, i, '+') ||
	    !normalize_amount_parse(n, &to, i) || to.figure.is_digits)
		return 0;
	if (token_is_dash(n, to.next) && token_is_digits(n, to.next + 1))
		return 0; /* a chain of three is not a range */
	if (!normalize_quantity_is_range(n, from, &to))
		return 0;
	to.describes = normalize_quantity_is_describing(n, first, &to);
	to.is_dative = normalize_quantity_is_dative(n, first, &to);
	normalize_quantity_say_range(n, from, &to, first);
	end = normalize_quantity_say_per(n, &to);
	if (!end)
		end = to.next;
	normalize_quantity_give_unit_dot_back(n, &to, end);
	return end;
}

/* Whether something before the number joins it to a word: "B-52", "R2D2". */
bool normalize_quantity_is_bound(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	if (i == 0 || token->kind == TOKEN_WORD)
		return false;
	return token_at(n, i - 1)->kind == TOKEN_WORD || token_at(n, i - 1)->kind == TOKEN_DIGITS;
}

static bool normalize_quantity_is_more_than_number(const struct quantity *q)
{
	return normalize_quantity_noun_of(q) || q->magnitude || q->figure.decimals ||
	       q->figure.exponent || q->figure.is_grouped || q->figure.is_digits ||
	       q->figure.is_negative || q->figure.is_positive;
}

/* "120/80 mmHg" */
static size_t normalize_quantity_say_unit_after(struct normalizer *n, size_t i)
{
	const struct measure_unit *unit = NULL;
	size_t end = normalize_amount_match_unit(n, token_skip_blank(n, i), false, &unit);

	if (!end || unit->tight)
		return i;
	normalize_write_word(
		n, normalize_write_counted_form(n, &unit->name, token_value(n, i - 1), false));
	normalize_write_final_dot(n, end);
	return end;
}

static size_t normalize_quantity_say_bare_over(struct normalizer *n, const struct quantity *q)
{
	size_t next = normalize_quantity_say_season(n, q);

	if (next)
		return next;
	if (!n->reading->over || !token_is(n, q->next, '/'))
		return 0;
	normalize_figure_say(n, &q->figure, 'c');
	next = normalize_quantity_say_over(n, q);
	if (!next)
		n->words.len = 0;
	return next ? normalize_quantity_say_unit_after(n, next) : 0;
}

size_t normalize_quantity_read(struct normalizer *n, size_t i)
{
	struct quantity q;
	size_t end;

	if (token_at(n, i)->kind == TOKEN_SIGN && normalize_quantity_is_bound(n, i))
		return 0;
	if (token_at(n, i)->kind == TOKEN_WORD && !token_is_digits(n, i + 1) &&
	    !token_is_digits(n, token_skip_blank(n, i + 1)) && !token_is_digits(n, i + 2) &&
	    !token_is_digits(n, i + 3) && !token_is_digits(n, i + 4))
		return 0; /* the code precedes its number: "USD 5", "US$ 5", "R$ -5" */
	if (!normalize_amount_parse(n, &q, i))
		return 0;
	end = normalize_quantity_read_range(n, &q, i);
	if (end)
		return end;
	if (!normalize_quantity_is_more_than_number(&q))
		return normalize_quantity_say_bare_over(n, &q);
	if (!normalize_quantity_noun_of(&q) &&
	    !q.magnitude) { /* a figure that counts a noun of the text */
		normalize_figure_say(
			n, &q.figure,
			q.figure.decimals ? 'c' : normalize_figure_key_counting(n, i, q.next));
		end = normalize_quantity_say_over(n, &q);
		if (!end && token_is_word(n, q.next))
			normalize_write_text(n, " "); /* "802.11ac" */
		return end ? end : q.next;
	}
	q.describes = normalize_quantity_is_describing(n, i, &q);
	q.is_dative = normalize_quantity_is_dative(n, i, &q);
	normalize_quantity_say(n, &q, i);
	end = normalize_quantity_say_per(n, &q);
	if (!end)
		end = normalize_quantity_say_over(n, &q);
	if (!end)
		end = q.next;
	normalize_quantity_give_unit_dot_back(n, &q, end);
	return end;
}

size_t normalize_quantity_read_lone_currency(struct normalizer *n, size_t i)
{
	const struct currency *currency = NULL;
	size_t next = normalize_amount_match_currency(n, i, &currency);

	if (!next || token_at(n, i)->c < 128) /* '$' also has other meanings */
		return 0;
	normalize_write_word(n, currency->name.many ? currency->name.many : currency->name.one);
	return next;
}

/* "in km/h": only units that cannot be two words. */
size_t normalize_quantity_read_lone_unit(struct normalizer *n, size_t i)
{
	const struct measure_unit *unit = NULL;
	struct quantity q = {0};
	size_t end;

	if (!token_is(n, i + 1, '/') || normalize_quantity_is_bound(n, i))
		return 0;
	end = normalize_amount_match_unit(n, i, true, &unit);
	if (!end)
		return 0;
	q.unit = unit;
	q.next = end;
	normalize_write_word(n, unit->name.many ? unit->name.many : unit->name.one);
	if (end > i + 2)
		return end;
	return normalize_amount_match_unit(n, i + 2, true, &unit)
		       ? normalize_quantity_say_per(n, &q)
		       : 0;
}

/* "a 10-km race", "ein 5-km-Lauf" */
size_t normalize_quantity_read_hyphened(struct normalizer *n, size_t i)
{
	struct figure figure;
	const struct measure_unit *unit = NULL;
	size_t next;

	if (normalize_quantity_is_bound(n, i) || !normalize_figure_parse(n, &figure, i) ||
	    figure.is_digits || !token_is(n, figure.next, '-') ||
	    !token_is_word(n, figure.next + 1))
		return 0;
	next = normalize_amount_match_unit(n, figure.next + 1, false, &unit);
	if (!next || unit->tight || token_equals(n, figure.next + 1, unit->name.one) ||
	    (unit->name.many && token_equals(n, figure.next + 1, unit->name.many)) ||
	    !(token_is(n, next, '-') || token_at(n, next)->kind == TOKEN_BLANK) ||
	    !token_is_word(n, next + 1))
		return 0;
	normalize_figure_say(n, &figure, 'm');
	normalize_write_text(n, "-");
	normalize_write_text(n, unit->name.one);
	return next;
}

#define HEIGHT_FEET_LEAST 3
#define HEIGHT_FEET_MOST 8
#define FOOT_INCHES 12

/* "5'10" without its last mark: only plausible heights of people. */
static bool normalize_quantity_is_height(const struct normalizer *n, size_t i, uint64_t feet,
					 uint64_t inches)
{
	return feet >= HEIGHT_FEET_LEAST && feet <= HEIGHT_FEET_MOST && inches < FOOT_INCHES &&
	       !normalize_quantity_is_bound(n, i) && !token_is_word(n, i + 3) &&
	       !token_is(n, i + 3, '\'');
}

/* 5'10" */
size_t normalize_quantity_read_feet(struct normalizer *n, size_t i)
{
	const struct place_value places[] = {
		{.name = "f", .number = token_value(n, i)},
		{.name = "i", .number = token_is_digits(n, i + 2) ? token_value(n, i + 2) : 0},
	};
	bool is_closed;

	if (!n->reading->feet || token_len(n, i) > 2 ||
	    !(token_is(n, i + 1, '\'') || token_is(n, i + 1, 0x2032) ||
	      token_is(n, i + 1, 0x2019)) ||
	    !token_is_digits(n, i + 2) || token_len(n, i + 2) > 2)
		return 0;
	is_closed =
		token_is(n, i + 3, '"') || token_is(n, i + 3, 0x2033) || token_is(n, i + 3, 0x201d);
	if (!is_closed && !normalize_quantity_is_height(n, i, places[0].number, places[1].number))
		return 0;
	normalize_write_template(n, n->reading->feet, places, COUNT(places));
	return is_closed ? i + 4 : i + 3;
}
