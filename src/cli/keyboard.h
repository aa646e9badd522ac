/*
 * keyboard.h: reads a terminal's keys one by one, without echo.
 *
 * The terminal is restored however the process ends: by keyboard_close, exit, a signal or a
 * crash. Ctrl-C is delivered as a key, in order. Ctrl-Z does nothing, because the shell would
 * find the terminal in our mode. Ctrl-\ still ends a process that hangs.
 */
#ifndef CLI_KEYBOARD_H
#define CLI_KEYBOARD_H

/* Standard input must be a terminal. */
int keyboard_open(void);

/* May be called even if the keyboard was not opened. */
void keyboard_close(void);

#endif
