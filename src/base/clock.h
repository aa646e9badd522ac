/*
 * clock.h: the two clocks.
 *
 * The monotonic one for every timer and deadline; the wall clock only for
 * what is shown to people or written to the ledger.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_monotonic_us(void);
int64_t clock_wall_ms(void);

#endif
