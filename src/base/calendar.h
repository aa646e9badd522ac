/*
 * calendar.h: dates and times as people write them, in UTC.
 */
#ifndef BASE_CALENDAR_H
#define BASE_CALENDAR_H

#include <stdint.h>

#define CALENDAR_DAY_MS INT64_C(86400000)
#define CALENDAR_SIZE 40 /* enough for every printed form, including the NUL */

/* Converts a date ("2026-05-20", which means its beginning) or a time ("2026-05-20T09:00",
 * optionally with seconds, decimals of a second, and Z or an offset such as +02:00) to milliseconds
 * since 1970. Without an offset it is UTC.  EINVAL for anything else, including the 30th of
 * February. */
int calendar_parse(int64_t *wall_ms, const char *text);

/* Converts "90s", "15m", "12h", "30d" or "2w", more than 0, to milliseconds.  EINVAL for anything
 * else. */
int calendar_parse_span(int64_t *ms, const char *text);

/* Print 2026-05-20T09:00:00+00:00, 2026-05-20T09:00:00.125+00:00, 2026-05-20 and, for people,
 * 2026-05-20 09:00. */
void calendar_print(char text[CALENDAR_SIZE], int64_t wall_ms);
void calendar_print_exact(char text[CALENDAR_SIZE], int64_t wall_ms);
void calendar_print_day(char text[CALENDAR_SIZE], int64_t wall_ms);
void calendar_print_minute(char text[CALENDAR_SIZE], int64_t wall_ms);

#endif
