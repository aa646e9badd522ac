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

/* For work whose calls do not return early: these signals remove the files, of a list that ends with
 * NULL, and end the process.  Signals that are ignored stay so.  The list must last as long as the
 * process, or until interrupt_watch. */
void interrupt_remove(const char *const *paths);

/* As interrupt_watch, for SIGINT alone, of which each one counts: whether one has come since
 * the last call. */
void interrupt_watch_keys(void);
bool interrupt_take(void);

#endif
