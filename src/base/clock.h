/*
 * clock.h: the clocks.
 *
 * Every timer and deadline uses the monotonic clock; the wall clock is only for what is shown to
 * people or written to the ledger.  What work costs is measured in processor time, which does not
 * grow when other programs use the machine.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_monotonic_us(void);
int64_t clock_wall_ms(void);
/* Processor time that the calling thread has used.  A system call, unlike the others. */
uint64_t clock_thread_cpu_us(void);

#endif
