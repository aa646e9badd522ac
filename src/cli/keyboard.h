/*
 * keyboard.h: a terminal's keys, one by one and not shown.
 *
 * The terminal is as it was on every way out: keyboard_close, exit, a signal that
 * ends the process, a crash.  Ctrl-C is a key like others and comes in its order;
 * Ctrl-Z does nothing, because the shell would find the terminal changed; Ctrl-\ still
 * ends a process that hangs.
 */
#ifndef CLI_KEYBOARD_H
#define CLI_KEYBOARD_H

/* Standard input must be a terminal. */
int keyboard_open(void);

/* One that was not opened is fine. */
void keyboard_close(void);

#endif
