/*
 * interrupt.h: a signal that asks a long command to end.
 *
 * SIGINT, SIGTERM and SIGHUP are noted instead of ending the process, so that
 * the command can take back what it has half done.  Blocking calls return with
 * EINTR.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);

/* Whether one has come since. */
bool interrupt_came(void);

/* Ends the process by the signal that has come, if one has, so that a shell knows why and stops
 * its loop, too. */
void interrupt_pass_on(void);

/* The same for SIGINT alone, of which each one counts: whether one has come since
 * the last call. */
void interrupt_watch_keys(void);
bool interrupt_take(void);

#endif
