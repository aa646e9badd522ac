/*
 * normalize_date.c: dates and years (see normalize_private.h).
 */
#include <string.h>

#include "base/count.h"
#include "text/normalize_private.h"
#include "text/normalize_time.h"

enum { MONTHS = 12, WEEKDAYS = 7 };

/* Two-digit years up to this one belong to this century. */
#define SHORT_YEAR_PIVOT 49

struct date {
	uint64_t day, month, year; /* 0: missing */
	uint64_t last_day; /* of "3.–5. Juli"; 0: none */
	bool has_comma; /* before the year */
	const char *month_name;
	size_t next;
};

static size_t normalize_date_match_name(const struct normalizer *n, size_t i,
					const struct calendar_name *names, size_t count,
					size_t *index, bool *full);

/* "am Do., 3. Okt.": the weekday of a date in languages with cases; i when there is none. */
static size_t normalize_date_weekday_before(const struct normalizer *n, size_t i)
{
	size_t day, index;
	bool full;

	if (!n->reading->days || i < 3 || token_at(n, i - 1)->kind != TOKEN_BLANK ||
	    !token_is(n, i - 2, ','))
		return i;
	day = token_is(n, i - 3, '.') ? i - 4 : i - 3;
	return normalize_date_match_name(n, day, n->reading->weekdays, WEEKDAYS, &index, &full)
		       ? day
		       : i;
}

static void normalize_date_say(struct normalizer *n, size_t i, const struct date *date,
			       const char *template)
{
	const struct by_neighbours *rows =
		n->reading->days ? n->reading->days : n->reading->ordinals;
	char day_key = normalize_write_key_between(n, rows, normalize_date_weekday_before(n, i),
						   date->next, 'o');
	struct place_value places[] = {
		{.name = "day", .number = date->day, .key = day_key},
		{.name = "month", .text = date->month_name},
		{.name = "year", .number = date->year, .key = 'y'},
		{.name = ",", .text = date->has_comma ? "," : ""},
	};

	if (day_key != 'o' || n->language->ordinals)
		n->last_ordinal = day_key;
	normalize_write_template(n, template, places, COUNT(places));
}

static bool normalize_date_is_mark(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	return token->kind == TOKEN_SIGN && token->c < 128 && n->reading->date_marks &&
	       strchr(n->reading->date_marks, (int)token->c);
}

static bool normalize_date_is_valid(const struct date *date)
{
	return date->day >= 1 && date->day <= 31 && date->month >= 1 && date->month <= MONTHS;
}

/* The other order is used when only that is a valid date; with dots the month is never first. */
static void normalize_date_set_day_and_month(const struct normalizer *n, struct date *date,
					     uint64_t first, uint64_t second, bool is_dotted)
{
	bool day_first = n->reading->date_order == DATE_DAY_FIRST;

	date->day = day_first ? first : second;
	date->month = day_first ? second : first;
	if (date->month > MONTHS && date->day <= MONTHS && (!is_dotted || !day_first)) {
		uint64_t day = date->month;

		date->month = date->day;
		date->day = day;
	}
}

static uint64_t normalize_date_full_year(const struct normalizer *n, uint64_t year, size_t digits)
{
	if (digits == 4 || n->reading->short_years)
		return year;
	return year + (year <= SHORT_YEAR_PIVOT ? 2000 : 1900);
}

/* 2024-01-15 */
static bool normalize_date_parse_iso(const struct normalizer *n, struct date *date, size_t i)
{
	if (token_len(n, i) != 4 || !(token_is(n, i + 1, '-') || token_is(n, i + 1, '/')) ||
	    token_at(n, i + 3)->c != token_at(n, i + 1)->c)
		return false;
	if (!token_is_short(n, i + 2) || !token_is(n, i + 3, token_at(n, i + 1)->c) ||
	    !token_is_short(n, i + 4) || token_len(n, i + 2) != 2)
		return false;
	*date = (struct date){
		.year = token_value(n, i),
		.month = token_value(n, i + 2),
		.day = token_value(n, i + 4),
		.next = i + 5,
	};
	return normalize_date_is_valid(date);
}

/* 15/01/2024 */
static bool normalize_date_parse_numeric(const struct normalizer *n, struct date *date, size_t i)
{
	size_t digits = token_len(n, i + 4);

	if (!token_is_short(n, i) || !normalize_date_is_mark(n, i + 1) ||
	    !token_is_short(n, i + 2) || !token_is(n, i + 3, token_at(n, i + 1)->c) ||
	    !token_is_digits(n, i + 4) || (digits != 4 && digits != 2))
		return false;
	*date = (struct date){
		.year = normalize_date_full_year(n, token_value(n, i + 4), digits),
		.next = i + 5,
	};
	normalize_date_set_day_and_month(n, date, token_value(n, i), token_value(n, i + 2),
					 token_is(n, i + 1, '.'));
	return normalize_date_is_valid(date);
}

/* "le 4/5", "sam. 4/10" */
static bool normalize_date_follows_date_word(const struct normalizer *n, size_t i)
{
	size_t day, index;
	bool full;

	if (token_follows(n, i, n->reading->date_before))
		return true;
	if (i < 2 || token_at(n, i - 1)->kind != TOKEN_BLANK)
		return false;
	day = i - 2;
	if (day > 0 && (token_is(n, day, '.') || token_is(n, day, ',')))
		--day;
	if (day > 0 && token_is(n, day, '.'))
		--day;
	return normalize_date_match_name(n, day, n->reading->weekdays, WEEKDAYS, &index, &full) !=
	       0;
}

/* "op 12-11": neither a range of hours or counted things, nor the score of "op 2-1". */
static bool normalize_date_is_dashed(const struct normalizer *n, size_t i)
{
	bool grows = token_value(n, i) < token_value(n, i + 2);
	struct time time;

	return token_is(n, i + 1, '-') && token_len(n, i + 2) == 2 &&
	       token_follows(n, i, n->reading->dashed_date_before) &&
	       !(grows && normalize_figure_counts_noun(n, i + 3)) && !token_is_dash(n, i + 3) &&
	       !(normalize_time_parse(n, &time, i + 2) && time.has_word);
}

/* 31.12., or 15/03 when it is not a fraction. */
static bool normalize_date_parse_without_year(const struct normalizer *n, struct date *date,
					      size_t i)
{
	uint64_t first = token_value(n, i);
	uint64_t second;
	bool has_zero;

	if (!n->reading->date_without_year || !token_is_short(n, i) ||
	    !normalize_date_is_mark(n, i + 1) || !token_is_short(n, i + 2))
		return false;
	*date = (struct date){.next = i + 3};
	second = token_value(n, i + 2);
	has_zero =
		n->text[token_at(n, i)->begin] == '0' || n->text[token_at(n, i + 2)->begin] == '0';
	normalize_date_set_day_and_month(n, date, first, second, token_is(n, i + 1, '.'));
	if (!normalize_date_is_valid(date) || token_is_digits(n, i + 4))
		return false;
	if (token_is(n, i + 1, '.') && !token_is(n, i + 3, '.'))
		return n->language->ordinals && token_len(n, i + 2) == 2 &&
		       normalize_date_follows_date_word(n, i);
	if (token_is(n, i + 1, '.')) {
		date->next = i + 4;
		return n->language->ordinals;
	}
	if (normalize_date_is_dashed(n, i))
		return true;
	return token_is(n, i + 1, '/') && !token_is(n, i + 3, '/') &&
	       (has_zero || normalize_date_follows_date_word(n, i) ||
		!normalize_fraction_is_readable(n, first, second));
}

static const char *normalize_date_month_name(const struct normalizer *n, uint64_t month)
{
	return n->reading->months[month - 1].spoken;
}

/* 2024-12-25T10:30:00Z: the seconds of a timestamp and its zone are not spoken. */
static size_t normalize_date_read_stamp(struct normalizer *n, size_t i)
{
	struct time time, zone;

	if (!normalize_time_parse(n, &time, i + 1))
		return i;
	time.has_seconds = false;
	normalize_time_say(n, i + 1, &time);
	if (token_equals(n, time.next, "Z"))
		return time.next + 1;
	if ((token_is(n, time.next, '+') || token_is(n, time.next, '-')) &&
	    normalize_time_parse(n, &zone, time.next + 1))
		return zone.next;
	return time.next;
}

/* "04/27" on a credit card: a month and its year. */
static size_t normalize_date_read_expiry(struct normalizer *n, size_t i)
{
	struct date date = {.next = i + 3};

	if (!n->reading->expiries || !n->reading->date_my || !token_is(n, i + 1, '/') ||
	    token_len(n, i) != 2 || !token_is_digits(n, i + 2) || token_is(n, i + 3, '/') ||
	    (token_len(n, i + 2) != 2 && token_len(n, i + 2) != 4))
		return 0;
	date.month = token_value(n, i);
	date.year = token_value(n, i + 2) + (token_len(n, i + 2) == 2 ? 2000 : 0);
	if (date.month < 1 || date.month > MONTHS ||
	    normalize_write_key_between(n, n->reading->expiries, token_before_colon(n, i), i + 3,
					'\0') != 'm')
		return 0;
	date.month_name = normalize_date_month_name(n, date.month);
	normalize_date_say(n, i, &date, n->reading->date_my);
	return date.next;
}

size_t normalize_date_read(struct normalizer *n, size_t i)
{
	struct date date;
	size_t tail;
	size_t expiry;

	if (!n->reading->date || normalize_quantity_is_bound(n, i))
		return 0;
	expiry = normalize_date_read_expiry(n, i);
	if (expiry)
		return expiry;
	if (token_follows(n, i, n->reading->version_words))
		return 0;
	if (normalize_date_parse_iso(n, &date, i) || normalize_date_parse_numeric(n, &date, i)) {
		if (token_is_digits(n, date.next) ||
		    (normalize_date_is_mark(n, date.next) && token_is_digits(n, date.next + 1)))
			return 0;
		date.month_name = normalize_date_month_name(n, date.month);
		normalize_date_say(n, i, &date, n->reading->date);
		if (token_equals(n, date.next, "T"))
			return normalize_date_read_stamp(n, date.next);
		tail = token_match_spelling(n, token_skip_blank(n, date.next),
					    n->reading->date_tail, 0);
		if (!tail)
			return date.next;
		normalize_write_final_dot(n, tail);
		return tail;
	}
	if (!normalize_date_parse_without_year(n, &date, i))
		return 0;
	date.month_name = normalize_date_month_name(n, date.month);
	normalize_date_say(n, i, &date, n->reading->date_without_year);
	normalize_write_final_dot(n, date.next);
	return date.next;
}

/* Names differ from lower case only in their first letter. */
static bool normalize_date_is_same_name(const char *name, const char *lower, size_t len)
{
	char first = (char)(name[0] >= 'A' && name[0] <= 'Z' ? name[0] | 0x20 : name[0]);

	return first == lower[0] && strncmp(name + 1, lower + 1, len - 1) == 0 && name[len] == '\0';
}

/* The name at token i, with its dot: the token after it, 0 when there is none. *full: it is
 * not an abbreviation. */
static size_t normalize_date_match_name(const struct normalizer *n, size_t i,
					const struct calendar_name *names, size_t count,
					size_t *index, bool *full)
{
	char lower[WORD_MAX];
	size_t len;

	if (!names || !token_is_word(n, i) || (len = token_lower(n, i, lower)) == 0)
		return 0;
	/* In languages that capitalise names, a lower-case word is something else. */
	if (names[0].spoken[0] >= 'A' && names[0].spoken[0] <= 'Z' &&
	    !(token_at(n, i)->flags & TOKEN_CAPITAL))
		return 0;
	for (size_t k = 0; k < count; ++k) {
		*index = k;
		*full = normalize_date_is_same_name(names[k].spoken, lower, len);
		if (*full)
			return i + 1;
		if (reading_lists(names[k].written, lower, len))
			return token_is(n, i + 1, '.') ? i + 2 : i + 1;
	}
	return 0;
}

static size_t normalize_date_match_month(const struct normalizer *n, size_t i, struct date *date,
					 bool *full)
{
	size_t index;
	size_t next = normalize_date_match_name(n, i, n->reading->months, MONTHS, &index, full);

	if (next) {
		date->month = index + 1;
		date->month_name = n->reading->months[index].spoken;
		date->next = next;
	}
	return next;
}

/* A year after a date: " 2024", ", 2024". */
static void normalize_date_take_year(const struct normalizer *n, struct date *date)
{
	size_t i = date->next;
	bool has_comma = token_is(n, i, ',');

	if (has_comma)
		++i;
	if (token_at(n, i)->kind != TOKEN_BLANK || !token_is_digits(n, i + 1) ||
	    token_len(n, i + 1) != 4 || n->text[token_at(n, i + 1)->begin] == '0')
		return;
	date->has_comma = has_comma;
	date->year = token_value(n, i + 1);
	date->next = i + 2;
}

static bool normalize_date_take_day(const struct normalizer *n, uint64_t *day, size_t *i)
{
	if (!token_is_short(n, *i))
		return false;
	*day = token_value(n, *i);
	*i += 1;
	if (token_is(n, *i, '.') && n->language->ordinals)
		*i += 1;
	return *day >= 1 && *day <= 31;
}

/* 3-Jan-2024 */
static bool normalize_date_take_dashed_year(const struct normalizer *n, struct date *date)
{
	if (!token_is_digits(n, date->next + 1) || token_len(n, date->next + 1) != 4)
		return false;
	date->year = token_value(n, date->next + 1);
	date->next += 2;
	return true;
}

static void normalize_date_say_first_day(struct normalizer *n, size_t i, size_t at, uint64_t day)
{
	const struct range_words *words = &n->reading->range_days;
	char key = words->to && words->key
			   ? words->key
			   : normalize_write_key_between(n, n->reading->ordinals, i, at, 'o');

	const struct place_value place = {.name = "day", .number = day, .key = key};

	normalize_write_from(n, i, words->to ? words->from : NULL);
	normalize_write_template(n, n->reading->date_first ? n->reading->date_first : "{day:*}",
				 &place, 1);
	normalize_write_word(n, words->to ? words->to : n->reading->to);
}

/* "od 1 do 15 sierpnia": the month follows the second day. */
static bool normalize_date_is_linked_day(const struct normalizer *n, size_t at)
{
	struct date date = {0};
	size_t second = at + 3; /* blank, "do", blank */
	bool full;

	return token_listed(n, at + 1, n->reading->day_links) &&
	       normalize_date_take_day(n, &date.day, &second) &&
	       token_at(n, second)->kind == TOKEN_BLANK &&
	       normalize_date_match_month(n, second + 1, &date, &full);
}

/* The set is that of the template. */
static size_t normalize_date_say_linked_day(struct normalizer *n, size_t i, uint64_t day,
					    size_t next)
{
	const char *key = strstr(n->reading->date_dm, "{day:");

	normalize_write_number(n,
			       key && key[5] != '*' ? key[5]
						    : normalize_write_key_between(
							      n, n->reading->days, i, next, 'o'),
			       day);
	return next;
}

/* 15 January 2024; 3.–5. Juli */
size_t normalize_date_read_named(struct normalizer *n, size_t i)
{
	struct date date = {0};
	uint64_t first = 0;
	size_t at = i;
	bool full;

	if (!n->reading->date_dm || normalize_quantity_is_bound(n, i) ||
	    !normalize_date_take_day(n, &date.day, &at))
		return 0;
	if (normalize_date_is_linked_day(n, at))
		return normalize_date_say_linked_day(n, i, date.day, at);
	if (token_is_dash(n, at) && token_is_digits(n, at + 1)) {
		first = date.day;
		++at;
		if (!normalize_date_take_day(n, &date.day, &at) || first >= date.day)
			return 0;
	}
	if (!(token_at(n, at)->kind == TOKEN_BLANK || token_is(n, at, '-')) ||
	    !normalize_date_match_month(n, at + 1, &date, &full))
		return 0;
	if (token_is(n, at, '-') &&
	    (!token_is(n, date.next, '-') || !normalize_date_take_dashed_year(n, &date)))
		return 0;
	normalize_date_take_year(n, &date);
	if (first)
		normalize_date_say_first_day(n, i, at, first);
	normalize_date_say(n, i, &date, date.year ? n->reading->date_dmy : n->reading->date_dm);
	normalize_write_final_dot(n, date.next);
	return date.next;
}

static size_t normalize_date_skip_ordinal_mark(const struct normalizer *n, size_t i)
{
	for (const struct ordinal_mark *mark = n->reading->ordinal_marks; mark && mark->written;
	     ++mark) {
		size_t next = token_match_spelling(n, i, mark->written, 0);

		if (next)
			return next;
	}
	return i;
}

/* "28 - July 3", "5th-7th": the last day, and its month if that is written. */
static bool normalize_date_take_last_day(const struct normalizer *n, struct date *last, size_t i)
{
	bool full;
	bool has_month;

	i = normalize_date_skip_ordinal_mark(n, i);
	if (token_at(n, i)->kind == TOKEN_BLANK && token_is_dash(n, i + 1))
		++i;
	if (!token_is_dash(n, i))
		return false;
	i = token_skip_blank(n, i + 1);
	has_month = normalize_date_match_month(n, i, last, &full) != 0;
	if (has_month)
		i = token_skip_blank(n, last->next);
	else if (token_at(n, i - 1)->kind == TOKEN_BLANK)
		return false; /* "May 5 - 7 people" */
	if (!token_is_short(n, i))
		return false;
	last->day = token_value(n, i);
	last->next = normalize_date_skip_ordinal_mark(n, i + 1);
	return last->day >= 1 && last->day <= 31;
}

static size_t normalize_date_say_days(struct normalizer *n, size_t i, const struct date *first,
				      struct date *last)
{
	const struct reading_rules *reading = n->reading;

	normalize_date_say(n, i, first, reading->date_md);
	normalize_write_word(n, reading->to);
	if (!last->month) {
		normalize_write_number(n, 'o', last->day);
		return last->next;
	}
	normalize_date_take_year(n, last);
	normalize_date_say(n, i, last, last->year ? reading->date_mdy : reading->date_md);
	return last->next;
}

/* "January 15", "Jan. 15, 2024", "May 5-7" */
static size_t normalize_date_read_month_day(struct normalizer *n, size_t i, struct date *date)
{
	size_t at = date->next + 1;
	struct date last = {0};

	if (!n->reading->date_md || token_at(n, date->next)->kind != TOKEN_BLANK ||
	    !token_is_short(n, at))
		return 0;
	date->day = token_value(n, at);
	date->next = at + 1;
	if (!normalize_date_is_valid(date))
		return 0;
	if (normalize_date_take_last_day(n, &last, at + 1))
		return normalize_date_say_days(n, i, date, &last);
	if (token_is(n, at + 1, ':') || token_is_word(n, at + 1))
		return 0;
	if (token_is(n, at + 1, '.') && token_is_digits(n, at + 2))
		return 0;
	normalize_date_take_year(n, date);
	normalize_date_say(n, i, date, date->year ? n->reading->date_mdy : n->reading->date_md);
	return date->next;
}

/* "Jan-Mar" */
static size_t normalize_date_read_month_range(struct normalizer *n, const struct date *from)
{
	struct date to = {0};
	bool full;

	if (!token_is_dash(n, from->next) ||
	    !normalize_date_match_month(n, from->next + 1, &to, &full))
		return 0;
	normalize_write_word(n, from->month_name);
	normalize_write_word(n, n->reading->to);
	normalize_write_word(n, to.month_name);
	return to.next;
}

/* The dot may end the sentence, and the word may not be a month: "São dez." */
static bool normalize_date_ends_sentence(const struct normalizer *n, size_t next)
{
	const struct token *after = token_at(n, token_skip_blank(n, next));

	return after->kind == TOKEN_END ||
	       (after->kind == TOKEN_WORD && after->flags & TOKEN_CAPITAL);
}

static bool normalize_date_is_weekday(const struct normalizer *n, size_t i)
{
	size_t index;
	bool full;

	return normalize_date_match_name(n, i, n->reading->weekdays, WEEKDAYS, &index, &full) != 0;
}

size_t normalize_date_read_month(struct normalizer *n, size_t i)
{
	struct date date = {0};
	bool full;
	bool has_dot;
	size_t next = normalize_date_match_month(n, i, &date, &full);

	if (!next)
		return 0;
	has_dot = token_is(n, next - 1, '.');
	next = normalize_date_read_month_range(n, &date);
	if (!next)
		next = normalize_date_read_month_day(n, i, &date);
	if (next)
		return next;
	date.day = 0;
	date.next = i + (has_dot ? 2 : 1);
	normalize_date_take_year(n, &date);
	if (date.year && n->reading->date_my && !date.has_comma) {
		normalize_date_say(n, i, &date, n->reading->date_my);
		return date.next;
	}
	if (!has_dot || full || normalize_date_ends_sentence(n, i + 2))
		return 0;
	if (!n->reading->date_md && normalize_date_is_weekday(n, i))
		return 0; /* "mar. 11 febbraio" is a Tuesday */
	normalize_write_word(n, date.month_name);
	normalize_write_final_dot(n, i + 2);
	return i + 2;
}

/* "9-13 uur", "9.00-13.00 uur" */
static bool normalize_date_are_hours(const struct normalizer *n, size_t i)
{
	size_t dash = normalize_date_is_mark(n, i + 1) && token_is_digits(n, i + 2) &&
				      !token_is_dash(n, i + 1)
			      ? i + 3
			      : i + 1;
	struct time to;

	return token_is_dash(n, dash) && normalize_time_parse(n, &to, dash + 1) && to.has_word;
}

/* Whether the context shows that the short word is the name of a day. */
static bool normalize_date_is_used_as_day(const struct normalizer *n, size_t next)
{
	size_t after = token_is(n, next, ',') ? next + 1 : next;
	struct date date = {0};
	bool full;

	if (token_at(n, after)->kind != TOKEN_BLANK)
		return false;
	if (token_is_digits(n, after + 1)) /* "zo 5 minuten" is not a Sunday */
		return token_at(n, next - 1)->flags & TOKEN_CAPITAL ||
		       normalize_date_are_hours(n, after + 1) ||
		       normalize_date_match_month(n, token_skip_blank(n, after + 2), &date, &full);
	return after > next && normalize_date_match_month(n, after + 1, &date, &full);
}

size_t normalize_date_read_weekday(struct normalizer *n, size_t i)
{
	const struct calendar_name *days = n->reading->weekdays;
	size_t day, last;
	bool full, last_full;
	size_t next = normalize_date_match_name(n, i, days, WEEKDAYS, &day, &full);
	size_t end;

	if (!next)
		return 0;
	end = token_is_dash(n, next)
		      ? normalize_date_match_name(n, next + 1, days, WEEKDAYS, &last, &last_full)
		      : 0;
	if (end) {
		const struct range_words *words = &n->reading->range_days;

		normalize_write_from(n, i, words->to ? words->from : n->reading->from);
		normalize_write_word(n, days[day].in_range ? days[day].in_range : days[day].spoken);
		normalize_write_word(n, words->to ? words->to : n->reading->to);
		normalize_write_word(n,
				     days[last].in_range ? days[last].in_range : days[last].spoken);
		normalize_write_final_dot(n, end);
		return end;
	}
	if (full || (!token_is(n, next - 1, '.') && !normalize_date_is_used_as_day(n, next)))
		return 0;
	if (token_is(n, next - 1, '.') && normalize_date_ends_sentence(n, next))
		return 0;
	normalize_write_word(n, days[day].spoken);
	normalize_write_final_dot(n, next);
	return next;
}

size_t normalize_date_read_year(struct normalizer *n, size_t i)
{
	uint64_t year = token_value(n, i);
	char key;

	if (!n->reading->years || token_len(n, i) > 4 || normalize_quantity_is_bound(n, i) ||
	    n->text[token_at(n, i)->begin] == '0')
		return 0;
	if (year < n->reading->year_least || year > n->reading->year_most)
		return 0;
	key = normalize_write_key_between(n, n->reading->years, i, i + 1, '\0');
	if (!key || key == 'c')
		return 0;
	normalize_write_number(n, key, year);
	return i + 1;
}
