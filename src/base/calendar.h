/*
 * calendar.h: moments as people write them, in UTC.
 */
#ifndef BASE_CALENDAR_H
#define BASE_CALENDAR_H

#include <stdint.h>

#define CALENDAR_DAY_MS INT64_C(86400000)
#define CALENDAR_SIZE 40 /* of what is printed, with its NUL */

/* Milliseconds since 1970 of "2026-05-20", its first; or of a time on it: "2026-05-20T09:00",
 * with seconds, decimals of them, and Z or an offset (+02:00), UTC without.  EINVAL for
 * anything else, a 30th of February among it. */
int calendar_parse(int64_t *wall_ms, const char *text);

/* Milliseconds of "90s", "15m", "12h", "30d" or "2w"; more than 0.  EINVAL. */
int calendar_parse_span(int64_t *ms, const char *text);

/* 2026-05-20T09:00:00+00:00, 2026-05-20T09:00:00.125+00:00, 2026-05-20 and, for people,
 * 2026-05-20 09:00. */
void calendar_print(char text[CALENDAR_SIZE], int64_t wall_ms);
void calendar_print_exact(char text[CALENDAR_SIZE], int64_t wall_ms);
void calendar_print_day(char text[CALENDAR_SIZE], int64_t wall_ms);
void calendar_print_minute(char text[CALENDAR_SIZE], int64_t wall_ms);

#endif
