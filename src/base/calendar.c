/*
 * calendar.c: dates and times as people write them (see calendar.h).
 */
#include "base/calendar.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/count.h"

#define YEAR_MIN 1970
#define YEAR_MAX 9999

/* Reads exactly this many digits and moves past them. */
static bool calendar_take_digits(int *number, const char **at, int digits)
{
	*number = 0;
	for (int i = 0; i < digits; ++i) {
		char c = (*at)[i];

		if (c < '0' || c > '9')
			return false;
		*number = *number * 10 + (c - '0');
	}
	*at += digits;
	return true;
}

static bool calendar_take(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

static bool calendar_take_day(struct tm *tm, const char **at)
{
	int year;

	if (!calendar_take_digits(&year, at, 4) || year < YEAR_MIN || !calendar_take(at, '-') ||
	    !calendar_take_digits(&tm->tm_mon, at, 2) || !calendar_take(at, '-') ||
	    !calendar_take_digits(&tm->tm_mday, at, 2))
		return false;
	tm->tm_year = year - 1900;
	--tm->tm_mon;
	return true;
}

/* Reads decimals of a second; those after the third are ignored. */
static bool calendar_take_decimals(int *ms, const char **at)
{
	int value = 0;
	int count = 0;

	for (; **at >= '0' && **at <= '9'; ++*at, ++count) {
		if (count < 3)
			value = value * 10 + (**at - '0');
	}
	for (int i = count; i < 3; ++i)
		value *= 10;
	*ms = value;
	return count > 0 && count <= 9;
}

static bool calendar_take_time(struct tm *tm, int *ms, const char **at)
{
	if (!calendar_take_digits(&tm->tm_hour, at, 2) || !calendar_take(at, ':') ||
	    !calendar_take_digits(&tm->tm_min, at, 2) || tm->tm_hour > 23 || tm->tm_min > 59)
		return false;
	if (!calendar_take(at, ':'))
		return true;
	if (!calendar_take_digits(&tm->tm_sec, at, 2) || tm->tm_sec > 59)
		return false;
	return !calendar_take(at, '.') || calendar_take_decimals(ms, at);
}

/* A space is accepted as '+', because that is what an unescaped '+' in a URL becomes. */
static bool calendar_take_offset(int *minutes, const char **at)
{
	bool is_west = **at == '-';
	int h;
	int m;

	*minutes = 0;
	if (**at == '\0' || calendar_take(at, 'Z'))
		return true;
	if (!calendar_take(at, '+') && !calendar_take(at, '-') && !calendar_take(at, ' '))
		return false;
	if (!calendar_take_digits(&h, at, 2) || !calendar_take(at, ':') ||
	    !calendar_take_digits(&m, at, 2) || h > 23 || m > 59)
		return false;
	*minutes = (h * 60 + m) * (is_west ? -1 : 1);
	return true;
}

int calendar_parse(int64_t *wall_ms, const char *text)
{
	struct tm tm = {0};
	struct tm made;
	int offset = 0;
	int ms = 0;
	time_t seconds;

	if (!calendar_take_day(&tm, &text))
		return EINVAL;
	if (*text != '\0' && (!calendar_take(&text, 'T') || !calendar_take_time(&tm, &ms, &text) ||
			      !calendar_take_offset(&offset, &text)))
		return EINVAL;
	made = tm;
	seconds = timegm(&made); /* timegm turns a day that does not exist into another one */
	if (*text != '\0' || made.tm_mday != tm.tm_mday || made.tm_mon != tm.tm_mon)
		return EINVAL;
	*wall_ms = ((int64_t)seconds - offset * 60) * 1000 + ms;
	return 0;
}

int calendar_parse_span(int64_t *ms, const char *text)
{
	static const struct {
		char letter;
		int64_t ms;
	} units[] = {{'s', 1000},
		     {'m', 60000},
		     {'h', 3600000},
		     {'d', CALENDAR_DAY_MS},
		     {'w', 7 * CALENDAR_DAY_MS}};
	size_t digits = strspn(text, "0123456789");
	int64_t number;

	/* Nine digits of weeks are 19 million years, so this cannot overflow. */
	if (digits == 0 || digits > 9 || text[digits] == '\0' || text[digits + 1] != '\0')
		return EINVAL;
	number = strtoll(text, NULL, 10);
	for (size_t i = 0; i < COUNT(units); ++i) {
		if (units[i].letter == text[digits] && number > 0) {
			*ms = number * units[i].ms;
			return 0;
		}
	}
	return EINVAL;
}

/* Returns false, and prints the number instead, for a year that does not have four digits. */
static bool calendar_split(struct tm *tm, char text[CALENDAR_SIZE], int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);

	if (gmtime_r(&seconds, tm) && tm->tm_year + 1900 >= YEAR_MIN &&
	    tm->tm_year + 1900 <= YEAR_MAX)
		return true;
	snprintf(text, CALENDAR_SIZE, "%lld", (long long)wall_ms);
	return false;
}

void calendar_print(char text[CALENDAR_SIZE], int64_t wall_ms)
{
	struct tm tm;

	if (calendar_split(&tm, text, wall_ms))
		strftime(text, CALENDAR_SIZE, "%Y-%m-%dT%H:%M:%S+00:00", &tm);
}

void calendar_print_exact(char text[CALENDAR_SIZE], int64_t wall_ms)
{
	size_t len;
	struct tm tm;

	if (!calendar_split(&tm, text, wall_ms))
		return;
	len = strftime(text, CALENDAR_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + len, CALENDAR_SIZE - len, ".%03d+00:00", (int)(wall_ms % 1000));
}

void calendar_print_day(char text[CALENDAR_SIZE], int64_t wall_ms)
{
	struct tm tm;

	if (calendar_split(&tm, text, wall_ms))
		strftime(text, CALENDAR_SIZE, "%Y-%m-%d", &tm);
}

void calendar_print_minute(char text[CALENDAR_SIZE], int64_t wall_ms)
{
	struct tm tm;

	if (calendar_split(&tm, text, wall_ms))
		strftime(text, CALENDAR_SIZE, "%Y-%m-%d %H:%M", &tm);
}
