/*
 * pause.h: <break>: how long a silence it asks for.
 */
#ifndef TEXT_PAUSE_H
#define TEXT_PAUSE_H

#include <stddef.h>

/* The silence of a whole tag in milliseconds.  Times snap to what listeners
 * tell apart: 200, 400 or 500; whoever wants more writes several. */
unsigned pause_ms(const char *tag, size_t len);

#endif
