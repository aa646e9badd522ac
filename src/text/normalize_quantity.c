/*
 * normalize_quantity.c: numbers and what they count are said (see
 * normalize_private.h).
 */
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "text/normalize_amount.h"

static bool begins_with_vowel(const char *word)
{
	uint32_t c;

	utf8_decode(&c, word, strlen(word));
	return strchr("aeiouhAEIOUH", (int)(c < 128 ? c : 'x')) != NULL && c != 0;
}

static void say_of(struct normalizer *n, const struct magnitude *magnitude, const char *noun)
{
	const char *of = magnitude ? magnitude->of : NULL;

	if (of && magnitude->of_vowel && begins_with_vowel(noun))
		of = magnitude->of_vowel;
	if (of) {
		write_word(n, of);
		write_text(n, noun);
	} else {
		write_word(n, noun);
	}
}

/* "un millón de euros": a language that says so does after round numbers too. */
static const struct magnitude *round_magnitude(const struct normalizer *n,
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

/* "2.5k": the decimals move into the number; false when they do not fit. */
static bool multiply(const struct normalizer *n, uint64_t *value, const struct quantity *q)
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

static char key_of(const struct counted *name)
{
	return name->key ? name->key : 'c';
}

/* The number with its magnitude; gives the value that the noun agrees with. */
static uint64_t say_magnitude(struct normalizer *n, const struct quantity *q, char key)
{
	uint64_t value;

	if (!q->magnitude) {
		figure_say_amount(n, &q->figure, key, q->currency != NULL);
		return q->figure.value;
	}
	if (q->magnitude->times && multiply(n, &value, q)) {
		write_number(n, key, value);
		return value;
	}
	figure_say_amount(n, &q->figure, key_of(&q->magnitude->name), q->currency != NULL);
	write_word(n,
		   counted_form(n, &q->magnitude->name, q->figure.value, q->figure.decimals != 0));
	return 1000000; /* many */
}

static bool has_cents(const struct normalizer *n, const struct quantity *q)
{
	return q->currency && q->currency->cent.one && !q->magnitude && !q->figure.exponent &&
	       q->figure.decimals && q->figure.digits <= FIGURE_DIGITS_MAX &&
	       token_len(n, q->figure.decimals) <= 2;
}

static void say_cents(struct normalizer *n, const struct quantity *q)
{
	const struct currency *currency = q->currency;
	uint64_t cents = token_value(n, q->figure.decimals);
	uint64_t whole = q->figure.value;
	struct place_value places[4];

	if (token_len(n, q->figure.decimals) == 1)
		cents *= 10;
	places[0] =
		(struct place_value){.name = "n", .number = whole, .key = key_of(&currency->name)};
	places[1] = (struct place_value){.name = "unit",
					 .text = counted_form(n, &currency->name, whole, false)};
	places[2] =
		(struct place_value){.name = "c", .number = cents, .key = key_of(&currency->cent)};
	places[3] = (struct place_value){.name = "cent",
					 .text = counted_form(n, &currency->cent, cents, false)};
	if (whole == 0)
		write_template(n, n->reading->money_only_cents, places, COUNT(places));
	else
		write_template(n, n->reading->money_cents, places, COUNT(places));
}

static const char *noun_form(const struct normalizer *n, const struct quantity *q,
			     const struct counted *name, uint64_t value)
{
	bool has_decimals = (q->figure.decimals && !q->magnitude) || q->figure.exponent;

	if (q->describes)
		return name->one;
	if (q->is_dative && name->dative && (value != 1 || has_decimals))
		return name->dative;
	return counted_form(n, name, value, has_decimals);
}

static void say_noun(struct normalizer *n, const struct quantity *q, const struct counted *name,
		     uint64_t value)
{
	const char *noun = noun_form(n, q, name, value);
	const struct magnitude *magnitude = q->magnitude && !q->magnitude->times
						    ? q->magnitude
						    : round_magnitude(n, &q->figure);

	if (q->unit && q->unit->tight)
		write_text(n, noun);
	else
		say_of(n, magnitude, noun);
}

static const struct counted *noun_of(const struct quantity *q)
{
	if (q->currency)
		return &q->currency->name;
	return q->unit ? &q->unit->name : NULL;
}

/* The set of a quantity by the word before it; a noun after it then stands in
 * the case of "many", for one in that of a part. */
static char key_by_case(const struct normalizer *n, size_t i)
{
	return key_between(n, n->reading->cardinals, i, 0, 'c');
}

static void say_in_case(struct normalizer *n, const struct quantity *q, char key)
{
	const struct counted *noun = noun_of(q);
	uint64_t value = 1000000;

	if (q->magnitude && !q->magnitude->times) {
		figure_say_amount(n, &q->figure, key, q->currency != NULL);
		write_word(n, counted_form(n, &q->magnitude->name, 5, false));
	} else {
		value = say_magnitude(n, q, key);
	}
	if (noun)
		write_word(n, value == 1 ? (noun->part ? noun->part : noun->one)
					 : counted_form(n, noun, 5, q->figure.decimals != 0));
}

static void say_quantity(struct normalizer *n, const struct quantity *q, size_t i)
{
	const struct counted *noun = noun_of(q);
	char key = key_by_case(n, i);
	struct quantity whole = *q;
	uint64_t value;

	figure_say_sign(n, &q->figure);
	if (has_cents(n, q) && token_value(n, q->figure.decimals) > 0) {
		say_cents(n, q);
		return;
	}
	if (has_cents(n, q)) { /* "5.00": as if they were not written */
		whole.figure.decimals = 0;
		q = &whole;
	}
	if (key != 'c' && (noun || q->magnitude) && !q->figure.decimals) {
		say_in_case(n, q, key);
		return;
	}
	if (!noun && q->magnitude && q->magnitude->times)
		key = key_counting(n, i, q->next); /* "2 mil pessoas" */
	if (noun)
		key = key_in_case(n, i, key_of(noun),
				  q->magnitude || q->figure.decimals ? 0 : q->figure.value);
	value = say_magnitude(n, q, key);
	if (noun)
		say_noun(n, q, noun, value);
}

/* Around {u}: for what follows a '/' and is a number itself. */
static void write_per_number(struct normalizer *n, const char *per, const struct quantity *q,
			     size_t i)
{
	const char *place = strstr(per, "{u}");

	if (!place)
		return;
	write_bytes(n, per, (size_t)(place - per));
	say_quantity(n, q, i);
	write_text(n, place + strlen("{u}"));
}

/* Bold ends between an amount and what it is paid for. */
static size_t skip_emphasis(const struct normalizer *n, size_t i)
{
	return token_is(n, i, '*') && token_is(n, i + 1, '*') ? i + 2 : i;
}

/* "/month", "/kg", "/100 km" after what has a unit: the end, 0 when there is none. */
static size_t say_per(struct normalizer *n, const struct quantity *q)
{
	const struct reading *reading = n->reading;
	const char *per = q->currency && reading->money_per ? reading->money_per : reading->per;
	const struct unit *unit = NULL;
	struct place_value place = {.name = "u"};
	struct quantity below;
	char word[WORD_MAX];
	size_t slash = skip_emphasis(n, q->next);
	size_t i = slash + 1;
	size_t end;

	if ((!q->unit && !q->currency) || !per || !token_is(n, slash, '/'))
		return 0;
	if (token_is_digits(n, i) && quantity_parse(n, &below, i) && below.unit) {
		if (below.unit == q->unit)
			return 0; /* "60%/40%" */
		write_per_number(n, per, &below, i);
		return below.next;
	}
	end = match_unit(n, i, true, &unit);
	if (end && unit->per) {
		write_word(n, unit->per);
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
	write_template(n, per, &place, 1);
	return end;
}

/* "28/30", "4.5/5", "24h/24" */
static size_t say_over(struct normalizer *n, const struct quantity *q)
{
	const struct unit *unit = NULL;

	if (q->unit && match_unit(n, q->next + 2, true, &unit) && unit == q->unit)
		return 0; /* "60%/40%" */
	if (!n->reading->over || !token_is(n, q->next, '/') || !token_is_digits(n, q->next + 1) ||
	    token_is(n, q->next + 2, '/'))
		return 0;
	write_word(n, q->figure.decimals && n->reading->rating ? n->reading->rating
							       : n->reading->over);
	write_number(n, 'c', token_value(n, q->next + 1));
	return q->next + 2;
}

static bool is_in_years(const struct quantity *q, uint64_t least, uint64_t most)
{
	return !noun_of(q) && !q->magnitude && !q->figure.decimals && !q->figure.exponent &&
	       !q->figure.is_grouped && q->figure.digits == 4 && !q->figure.is_digits &&
	       q->figure.value >= least && q->figure.value <= most;
}

static bool may_be_year(const struct normalizer *n, const struct quantity *q)
{
	return is_in_years(q, n->reading->year_least, n->reading->year_most);
}

/* "2023/24", "2023/2024": a season, and nothing is said between its years. */
static size_t say_season(struct normalizer *n, const struct quantity *q)
{
	size_t second = q->next + 1;
	uint64_t year = token_value(n, second);
	/* Where years are ordinals, those of a season are not. */
	char key = n->reading->range_years.key ? 'c' : 'y';

	if (!is_in_years(q, 1000, 2099) || !token_is(n, q->next, '/') ||
	    token_is(n, second + 1, '/'))
		return 0;
	if (!(token_len(n, second) == 4 && year == q->figure.value + 1) &&
	    !(token_len(n, second) == 2 && year == (q->figure.value + 1) % 100))
		return 0;
	write_number(n, key, q->figure.value);
	write_number(n, token_len(n, second) == 4 ? key : 'c', year);
	return second + 1;
}

/* "2022–23" */
static bool is_next_year(const struct quantity *from, const struct quantity *to)
{
	return to->figure.digits == 2 && to->figure.value > from->figure.value % 100 &&
	       !noun_of(to) && !to->magnitude && !to->figure.decimals;
}

static void say_years(struct normalizer *n, const struct quantity *from, const struct quantity *to,
		      size_t i)
{
	const struct range_words *words = &n->reading->range_years;
	char key = words->to && words->key ? words->key : 'y';

	write_from(n, i, words->to ? words->from : n->reading->from);
	write_number(n, key, from->figure.value);
	write_word(n, words->to ? words->to : n->reading->to);
	write_number(n, to->figure.digits == 4 ? key : 'c', to->figure.value);
}

/* The second of a range that has something to count. */
static void say_range_end(struct normalizer *n, struct quantity *to, const struct counted *noun,
			  size_t i)
{
	if (n->reading->to_key && !has_cents(n, to)) {
		uint64_t value = say_magnitude(n, to, n->reading->to_key);

		if (noun)
			say_noun(n, to, noun, value < 2 ? value : 5); /* as after "of five" */
		return;
	}
	say_quantity(n, to, i);
}

/* "won met 3-1" */
static bool is_score(const struct normalizer *n, const struct quantity *from,
		     const struct quantity *to)
{
	return n->reading->score_dash && !noun_of(from) && !noun_of(to) && !to->magnitude &&
	       !from->figure.decimals && !to->figure.decimals &&
	       from->figure.value >= to->figure.value;
}

/* A range's first number is said like the second when that alone has a unit. */
static void say_range(struct normalizer *n, struct quantity *from, struct quantity *to, size_t i)
{
	const struct counted *noun = noun_of(to) ? noun_of(to) : noun_of(from);
	char key = noun ? key_of(noun) : key_counting(n, to->figure.first, to->next);
	bool is_same = !noun_of(from) || !noun_of(to) || noun_of(from) == noun_of(to);

	if (may_be_year(n, from) && (may_be_year(n, to) || is_next_year(from, to))) {
		say_years(n, from, to, i);
		return;
	}
	if (noun || from->figure.value < to->figure.value) /* "3-1" and "2-2" are scores */
		write_from(n, i, n->reading->from);
	if (is_same && !has_cents(n, from)) {
		figure_say(n, &from->figure, noun || key == 'f' ? key : 'c');
		if (from->magnitude && !to->magnitude)
			to->magnitude = from->magnitude;
	} else {
		say_quantity(n, from, i);
	}
	write_word(n, is_score(n, from, to) ? n->reading->score_dash : n->reading->to);
	if (!noun_of(to)) {
		to->currency = from->currency;
		to->unit = from->unit;
	}
	if (noun || to->magnitude)
		say_range_end(n, to, noun, to->figure.first);
	else
		figure_say(n, &to->figure, n->reading->to_key ? n->reading->to_key : key);
}

static bool is_spaced(const struct normalizer *n, size_t i)
{
	return token_at(n, i - 1)->kind == TOKEN_BLANK && token_at(n, i + 1)->kind == TOKEN_BLANK;
}

/* The token after a dash that makes a range, 0 when there is none.  A hyphen
 * between blanks may be one, see is_range. */
static size_t range_next(const struct normalizer *n, const struct quantity *q)
{
	size_t i = q->next;

	if (q->figure.is_digits || !n->reading->to)
		return 0;
	if (token_is(n, i, '-') || token_is(n, i, 0x2013) || token_is(n, i, 0x2212))
		return i + 1;
	if ((token_is(n, i + 1, 0x2013) || token_is(n, i + 1, '-')) && is_spaced(n, i + 1))
		return i + 3;
	return 0;
}

/* A hyphen between blanks is a minus, or a dash of the sentence, unless the
 * numbers grow and something is counted: "5 - 10 people". */
static bool is_range(const struct normalizer *n, const struct quantity *from,
		     const struct quantity *to)
{
	size_t dash = from->next + 1;

	if (!token_is(n, dash, '-') || !is_spaced(n, dash))
		return true;
	return !from->figure.is_negative && from->figure.value < to->figure.value &&
	       (noun_of(to) || to->magnitude || token_counts_noun(n, to->next));
}

/* That of "5 min." may have ended the sentence. */
static void give_unit_dot_back(struct normalizer *n, const struct quantity *q, size_t end)
{
	if (end > q->next || q->has_dot)
		give_dot_back(n, end);
}

/* "NASA's 10 km run" */
static bool follows_possessive(const struct normalizer *n, size_t i)
{
	const char *end;
	size_t len;

	if (!n->reading->no_possessive || i < 2 || token_at(n, i - 1)->kind != TOKEN_BLANK ||
	    !token_is_word(n, i - 2) || token_listed(n, i - 2, n->reading->no_possessive))
		return false;
	end = n->text + token_at(n, i - 2)->end;
	len = token_len(n, i - 2);
	return (len > 2 && rest_is_possessive(end - 2, 2)) ||
	       (len > 4 && rest_is_possessive(end - 4, 4));
}

/* "a 5 km run": the unit is singular. */
static bool is_describing(const struct normalizer *n, size_t i, const struct quantity *q)
{
	size_t noun = token_skip_blank(n, q->next);

	return noun > q->next && token_is_word(n, noun) &&
	       (token_follows(n, i, n->reading->describing) || follows_possessive(n, i)) &&
	       !token_listed(n, noun, n->reading->no_noun);
}

/* "in 300 m", but what is written out stays as it is: "in 300 Meter Höhe". */
static bool is_dative(const struct normalizer *n, size_t i, const struct quantity *q)
{
	return q->unit && q->unit->name.dative &&
	       !token_equals(n, q->next - 1, q->unit->name.one) &&
	       key_between(n, n->reading->datives, i, 0, '\0') == '3';
}

static size_t read_range(struct normalizer *n, struct quantity *from, size_t first)
{
	size_t i = range_next(n, from);
	struct quantity to;
	size_t end;

	if (!i || token_is_dash(n, i) || token_is(n, i, '+') || !quantity_parse(n, &to, i) ||
	    to.figure.is_digits)
		return 0;
	if (token_is_dash(n, to.next) && token_is_digits(n, to.next + 1))
		return 0; /* three of them are something else */
	if (!is_range(n, from, &to))
		return 0;
	to.describes = is_describing(n, first, &to);
	to.is_dative = is_dative(n, first, &to);
	say_range(n, from, &to, first);
	end = say_per(n, &to);
	if (!end)
		end = to.next;
	give_unit_dot_back(n, &to, end);
	return end;
}

/* Something before the number binds it to a word: "B-52", "R2D2". */
bool token_is_bound(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	if (i == 0 || token->kind == TOKEN_WORD)
		return false;
	return token_at(n, i - 1)->kind == TOKEN_WORD || token_at(n, i - 1)->kind == TOKEN_DIGITS;
}

static bool is_worth_it(const struct quantity *q)
{
	return noun_of(q) || q->magnitude || q->figure.decimals || q->figure.exponent ||
	       q->figure.is_grouped || q->figure.is_digits || q->figure.is_negative ||
	       q->figure.is_positive;
}

/* "120/80 mmHg" */
static size_t say_unit_behind(struct normalizer *n, size_t i)
{
	const struct unit *unit = NULL;
	size_t end = match_unit(n, token_skip_blank(n, i), false, &unit);

	if (!end || unit->tight)
		return i;
	write_word(n, counted_form(n, &unit->name, token_value(n, i - 1), false));
	give_dot_back(n, end);
	return end;
}

static size_t say_bare_over(struct normalizer *n, const struct quantity *q)
{
	size_t next = say_season(n, q);

	if (next)
		return next;
	if (!n->reading->over || !token_is(n, q->next, '/'))
		return 0;
	figure_say(n, &q->figure, 'c');
	next = say_over(n, q);
	if (!next)
		n->words.len = 0;
	return next ? say_unit_behind(n, next) : 0;
}

size_t read_quantity(struct normalizer *n, size_t i)
{
	struct quantity q;
	size_t end;

	if (token_at(n, i)->kind == TOKEN_SIGN && token_is_bound(n, i))
		return 0;
	if (token_at(n, i)->kind == TOKEN_WORD && !token_is_digits(n, i + 1) &&
	    !token_is_digits(n, token_skip_blank(n, i + 1)) && !token_is_digits(n, i + 2) &&
	    !token_is_digits(n, i + 3) && !token_is_digits(n, i + 4))
		return 0; /* a code before its number: "USD 5", "US$ 5", "R$ -5" */
	if (!quantity_parse(n, &q, i))
		return 0;
	end = read_range(n, &q, i);
	if (end)
		return end;
	if (!is_worth_it(&q))
		return say_bare_over(n, &q);
	if (!noun_of(&q) && !q.magnitude) { /* a figure that counts a noun of the text */
		figure_say(n, &q.figure, q.figure.decimals ? 'c' : key_counting(n, i, q.next));
		end = say_over(n, &q);
		if (!end && token_is_word(n, q.next))
			write_text(n, " "); /* "802.11ac" */
		return end ? end : q.next;
	}
	q.describes = is_describing(n, i, &q);
	q.is_dative = is_dative(n, i, &q);
	say_quantity(n, &q, i);
	end = say_per(n, &q);
	if (!end)
		end = say_over(n, &q);
	if (!end)
		end = q.next;
	give_unit_dot_back(n, &q, end);
	return end;
}

size_t read_lone_currency(struct normalizer *n, size_t i)
{
	const struct currency *currency = NULL;
	size_t next = match_currency(n, i, &currency);

	if (!next || token_at(n, i)->c < 128) /* '$' stands for other things too */
		return 0;
	write_word(n, currency->name.many ? currency->name.many : currency->name.one);
	return next;
}

/* "in km/h": only what cannot be two words. */
size_t read_lone_unit(struct normalizer *n, size_t i)
{
	const struct unit *unit = NULL;
	struct quantity q = {0};
	size_t end;

	if (!token_is(n, i + 1, '/') || token_is_bound(n, i))
		return 0;
	end = match_unit(n, i, true, &unit);
	if (!end)
		return 0;
	q.unit = unit;
	q.next = end;
	write_word(n, unit->name.many ? unit->name.many : unit->name.one);
	if (end > i + 2)
		return end;
	return match_unit(n, i + 2, true, &unit) ? say_per(n, &q) : 0;
}

/* "a 10-km race", "ein 5-km-Lauf" */
size_t read_hyphened_unit(struct normalizer *n, size_t i)
{
	struct figure figure;
	const struct unit *unit = NULL;
	size_t next;

	if (token_is_bound(n, i) || !figure_parse(n, &figure, i) || figure.is_digits ||
	    !token_is(n, figure.next, '-') || !token_is_word(n, figure.next + 1))
		return 0;
	next = match_unit(n, figure.next + 1, false, &unit);
	if (!next || unit->tight || token_equals(n, figure.next + 1, unit->name.one) ||
	    (unit->name.many && token_equals(n, figure.next + 1, unit->name.many)) ||
	    !(token_is(n, next, '-') || token_at(n, next)->kind == TOKEN_BLANK) ||
	    !token_is_word(n, next + 1))
		return 0;
	figure_say(n, &figure, 'm');
	write_text(n, "-");
	write_text(n, unit->name.one);
	return next;
}

#define HEIGHT_FEET_LEAST 3
#define HEIGHT_FEET_MOST 8
#define FOOT_INCHES 12

/* "5'10" without its last mark: only what people measure. */
static bool is_height(const struct normalizer *n, size_t i, uint64_t feet, uint64_t inches)
{
	return feet >= HEIGHT_FEET_LEAST && feet <= HEIGHT_FEET_MOST && inches < FOOT_INCHES &&
	       !token_is_bound(n, i) && !token_is_word(n, i + 3) && !token_is(n, i + 3, '\'');
}

/* 5'10" */
size_t read_feet(struct normalizer *n, size_t i)
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
	if (!is_closed && !is_height(n, i, places[0].number, places[1].number))
		return 0;
	write_template(n, n->reading->feet, places, COUNT(places));
	return is_closed ? i + 4 : i + 3;
}
