/*
 * interrupt.h: lets a long command react to signals.
 *
 * SIGINT, SIGTERM and SIGHUP are recorded instead of ending the process, so that the command can
 * undo what is half done. Blocking calls return with EINTR.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);

/* Whether a signal has arrived since interrupt_watch. */
bool interrupt_is_pending(void);

/* If a signal has arrived, ends the process with it, so that a shell sees the reason and stops
 * its loop, too. */
void interrupt_raise_again(void);

/* For work whose calls do not return early: the signals remove the files in the list, which is
 * terminated by NULL, and end the process. Signals that are ignored stay ignored. The list must
 * stay valid until the process ends or interrupt_watch is called. */
void interrupt_remove_files(const char *const *paths);

/* Like interrupt_watch, but only for SIGINT, and each signal counts: interrupt_take returns
 * whether one has arrived since it was last called. */
void interrupt_watch_keys(void);
bool interrupt_take(void);

#endif
