/*
 * pause.h: the length of the silence that <break> requests.
 */
#ifndef TEXT_PAUSE_H
#define TEXT_PAUSE_H

#include <stdbool.h>
#include <stddef.h>

#define PAUSE_MAX_MS 3000 /* the longest that APIs with exact pauses document */

/* The silence of a complete tag in milliseconds: that of its `time`, else that of its `strength`,
 * else 200. Times are rounded to the nearest of 200, 400 and 500, so that 500 is the longest;
 * with is_exact they are used as they are, up to PAUSE_MAX_MS. */
unsigned pause_ms(const char *tag, size_t len, bool is_exact);

#endif
