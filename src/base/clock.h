/*
 * clock.h: the two clocks.
 *
 * Every timer and deadline uses the monotonic clock; the wall clock is only for what is shown to
 * people or written to the ledger.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_monotonic_us(void);
int64_t clock_wall_ms(void);

#endif
