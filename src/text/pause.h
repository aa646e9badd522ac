/*
 * pause.h: <break>: how long a silence it asks for.
 */
#ifndef TEXT_PAUSE_H
#define TEXT_PAUSE_H

#include <stdbool.h>
#include <stddef.h>

#define PAUSE_MAX_MS 3000 /* the longest that APIs with exact pauses document */

/* The silence of a whole tag in milliseconds.  Times snap to what listeners
 * tell apart: 200, 400 or 500; a longer pause takes several.  An exact one is as
 * long as it says, up to PAUSE_MAX_MS. */
unsigned pause_ms(const char *tag, size_t len, bool is_exact);

#endif
