/*
 * normalize_time.c: times of day, and what is written like them (see normalize_private.h).
 */
#include "text/normalize_time.h"

#include <string.h>

#include "base/count.h"

/* A larger number after a dot is not a month. */
#define MONTHS 12

static bool normalize_time_is_mark(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);
	const char *marks = n->reading->time_marks;

	if (token->kind == TOKEN_SIGN)
		return token->c < 128 && strchr(marks, (int)token->c);
	return token->kind == TOKEN_WORD && token_len(n, i) == 1 &&
	       strchr(marks, n->text[token->begin]);
}

static bool normalize_time_is_pair(const struct normalizer *n, size_t i)
{
	return token_is_digits(n, i) && token_len(n, i) == 2 && token_value(n, i) < 60;
}

/* Blanks may surround an h: "2 h 15". */
static size_t normalize_time_minutes_at(const struct normalizer *n, size_t i)
{
	size_t mark = i;

	if (token_at(n, mark)->kind == TOKEN_BLANK)
		++mark;
	if (!normalize_time_is_mark(n, mark) || (mark > i && token_at(n, mark)->kind != TOKEN_WORD))
		return 0;
	i = mark + 1;
	if (token_at(n, mark)->kind == TOKEN_WORD)
		i = token_skip_blank(n, i);
	return normalize_time_is_pair(n, i) ? i : 0;
}

static void normalize_time_take_half(const struct normalizer *n, struct time *time)
{
	size_t i = token_skip_blank(n, time->next);
	size_t end = token_match_spelling(n, i, n->reading->am, 0);

	if (end) {
		time->half = n->reading->am_word;
	} else {
		end = token_match_spelling(n, i, n->reading->pm, 0);
		if (end)
			time->half = n->reading->pm_word;
	}
	if (end)
		time->next = end;
}

static void normalize_time_take_word(const struct normalizer *n, struct time *time)
{
	size_t i = token_skip_blank(n, time->next);
	size_t end = token_match_spelling(n, i, n->reading->time_words, 0);

	if (end) {
		time->has_word = true;
		time->next = end;
	}
}

static bool normalize_time_is_unit(const struct normalizer *n, size_t i)
{
	const struct measure_unit *unit = NULL;

	return normalize_amount_match_unit(n, token_skip_blank(n, i), false, &unit) != 0;
}

static bool normalize_time_is_unit_after(const struct normalizer *n, size_t i)
{
	return token_at(n, i)->kind == TOKEN_BLANK && token_is_digits(n, i + 1) &&
	       normalize_time_is_unit(n, i + 2);
}

/* "Es dauert 2 h": not a time of day. */
static bool normalize_time_counts_hours(const struct normalizer *n, size_t i, size_t next)
{
	return n->reading->hour_unit && token_listed(n, next - 1, n->reading->hour_unit) &&
	       !token_follows(n, i, n->reading->hour_before);
}

/* "8.00", "15.30": not a day and month. */
static bool normalize_time_is_dotted_pair(const struct normalizer *n, size_t i)
{
	return token_is_short(n, i) && token_is(n, i + 1, '.') &&
	       normalize_time_is_pair(n, i + 2) &&
	       (token_value(n, i + 2) == 0 || token_value(n, i + 2) > MONTHS);
}

/* A dot may separate hours and minutes after certain words, and in "9.00–17.00". */
static bool normalize_time_may_be_dotted(const struct normalizer *n, size_t i)
{
	if (token_follows(n, i, n->reading->time_before))
		return true;
	if (n->reading->decimal != ',' || !normalize_time_is_dotted_pair(n, i))
		return false;
	return token_follows(n, i, n->reading->time_before_maybe) ||
	       (token_is_dash(n, i + 3) && normalize_time_is_dotted_pair(n, i + 4)) ||
	       (i > 4 && token_is_dash(n, i - 1) && normalize_time_is_dotted_pair(n, i - 4));
}

bool normalize_time_parse(const struct normalizer *n, struct time *time, size_t i)
{
	size_t minutes;
	bool is_dotted;

	*time = (struct time){.next = i + 1};
	if (!token_is_short(n, i) || !n->reading->time_marks)
		return false;
	time->h = token_value(n, i);
	minutes = normalize_time_minutes_at(n, i + 1);
	is_dotted = minutes && token_is(n, minutes - 1, '.');
	if (minutes) {
		time->has_minutes = true;
		time->m = token_value(n, minutes);
		time->next = minutes + 1;
		if (token_is(n, minutes + 1, ':') && normalize_time_is_pair(n, minutes + 2)) {
			time->has_seconds = true;
			time->s = token_value(n, minutes + 2);
			time->next = minutes + 3;
		}
	}
	normalize_time_take_half(n, time);
	if (!time->half)
		normalize_time_take_word(n, time);
	if (time->h > 24 || (is_dotted && !time->has_word && !normalize_time_may_be_dotted(n, i)))
		return false;
	if (!minutes && time->has_word &&
	    (normalize_time_is_unit_after(n, time->next) ||
	     normalize_time_counts_hours(n, i, time->next)))
		return false; /* "2 h 15 min", "2 h" */
	if (minutes == i + 2 && token_is_word(n, i + 1)) { /* "2h30min" */
		size_t end =
			token_match_spelling(n, token_skip_blank(n, time->next), " min min. ", 0);

		time->next = end ? end : time->next;
	} else if (minutes &&
		   token_is_word(n,
				 minutes - 1 - (token_at(n, minutes - 1)->kind == TOKEN_BLANK)) &&
		   normalize_time_is_unit(n, time->next)) {
		return false; /* "2 h 30 min" */
	}
	return time->has_minutes || time->half || time->has_word ||
	       token_follows(n, i, n->reading->hour_words);
}

static const char *normalize_time_template(const struct reading_rules *reading,
					   const struct time *time)
{
	bool is_small = time->m > 0 && time->m < 10;

	if (time->has_seconds && reading->time_hms)
		return reading->time_hms;
	if (time->m == 0) {
		if (time->half)
			return reading->time_h_half;
		if (time->has_word && reading->time_h_word)
			return reading->time_h_word;
		return (time->h >= 13 || time->h == 0) && reading->time_h_late
			       ? reading->time_h_late
			       : reading->time_h;
	}
	if (time->half)
		return is_small && reading->time_hm_small_half ? reading->time_hm_small_half
							       : reading->time_hm_half;
	return is_small && reading->time_hm_small ? reading->time_hm_small : reading->time_hm;
}

/* {half} is itself a template of the hour: "{h:N}" for afternoon and night. */
static void normalize_time_say_by(struct normalizer *n, const struct time *time, char hour_key)
{
	const char *template = normalize_time_template(n->reading, time);
	const char *half = template ? strstr(template, "{half}") : NULL;
	const struct place_value places[] = {
		{.name = "h", .number = time->h, .key = hour_key},
		{.name = "m", .number = time->m},
		{.name = "s", .number = time->s},
	};

	normalize_write_template(n, template, places, COUNT(places));
	if (half && time->half && time->half[0])
		normalize_write_template(n, time->half, places, 1);
	while (n->words.len > 0 && n->words.bytes[n->words.len - 1] == ' ')
		--n->words.len;
}

void normalize_time_say(struct normalizer *n, size_t i, const struct time *time)
{
	normalize_time_say_by(
		n, time, normalize_write_key_between(n, n->reading->hours, i, time->next, 'c'));
}

/* "godz. 8–16" */
static bool normalize_time_is_bare_hour(const struct normalizer *n, struct time *time, size_t first,
					size_t i)
{
	*time = (struct time){.h = token_value(n, i), .next = i + 1};
	return token_follows(n, first, n->reading->hour_words) && token_is_short(n, i) &&
	       time->h <= 24;
}

/* "8:30–12:00 Uhr", "9–17 Uhr", "9 AM–5 PM" */
static size_t normalize_time_read_range(struct normalizer *n, size_t i, const struct time *from)
{
	const struct range_words *words = &n->reading->range_times;
	struct time to;
	size_t at = from->next;
	char key;

	if (!token_is(n, at, '-') && !token_is(n, at, 0x2013))
		return 0;
	if (!normalize_time_parse(n, &to, at + 1) &&
	    !normalize_time_is_bare_hour(n, &to, i, at + 1))
		return 0;
	key = words->to && words->key
		      ? words->key
		      : normalize_write_key_between(n, n->reading->hours, i, at, 'c');
	normalize_write_from(n, i, words->to ? words->from : n->reading->from);
	if (from->has_minutes || from->half || from->has_word) {
		struct time first = *from;

		/* "9:00–5:00 PM": the half of the day is spoken once. */
		if (!first.half && to.half && first.m == 0)
			first.half = "";
		normalize_time_say_by(n, &first, key);
	} else {
		normalize_write_number(n, key, from->h);
	}
	normalize_write_word(n, words->to ? words->to : n->reading->to);
	normalize_time_say_by(n, &to, key);
	normalize_write_final_dot(n, to.next);
	return to.next;
}

/* "art. 6:162" */
static size_t normalize_time_read_law(struct normalizer *n, size_t i)
{
	if (!n->reading->law_words || !token_is(n, i + 1, ':') || !token_is_digits(n, i + 2) ||
	    token_is(n, i + 3, ':') || !token_follows(n, i, n->reading->law_words))
		return 0;
	normalize_write_number(n, 'c', token_value(n, i));
	normalize_write_number(n, 'c', token_value(n, i + 2));
	return i + 3;
}

/* "3:2", "16:9" */
static size_t normalize_time_read_score(struct normalizer *n, size_t i)
{
	if (!n->reading->score || !token_is(n, i + 1, ':') || !token_is_digits(n, i + 2) ||
	    token_is(n, i + 3, ':') || token_len(n, i) > 3 || token_len(n, i + 2) > 3)
		return 0;
	normalize_write_number(n, 'c', token_value(n, i));
	normalize_write_word(n, n->reading->score);
	normalize_write_number(n, n->reading->to_key ? n->reading->to_key : 'c',
			       token_value(n, i + 2));
	return i + 3;
}

size_t normalize_time_read(struct normalizer *n, size_t i)
{
	struct time time;
	size_t end;

	if (normalize_quantity_is_bound(n, i))
		return 0;
	end = normalize_time_read_law(n, i);
	if (end)
		return end;
	if (!normalize_time_parse(n, &time, i)) {
		if (token_is_short(n, i) && time.h <= 24 && !token_is(n, i + 1, ':')) {
			time = (struct time){.h = token_value(n, i), .next = i + 1};
			end = normalize_time_read_range(n, i, &time);
			if (end)
				return end;
		}
		return normalize_time_read_score(n, i);
	}
	if (time.has_minutes && token_is_digits(n, time.next))
		return 0;
	if (token_is(n, time.next, '/') && token_is_digits(n, time.next + 1))
		return 0; /* "24h/24" */
	end = normalize_time_read_range(n, i, &time);
	if (end)
		return end;
	normalize_time_say(n, i, &time);
	normalize_write_final_dot(n, time.next);
	return time.next;
}
