/*
 * terminal.h: the whole screen of a terminal, borrowed and given back.
 *
 * The screen that was there before is there again afterwards, and keys are read
 * one by one and not shown meanwhile.  Signals of the keyboard stay signals, but for
 * Ctrl-Z, after which the shell would find our screen.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "base/buf.h"

struct terminal {
	struct termios before;
	bool has_keys; /* standard input is a terminal, too */
	bool is_open;
};

/* Standard output must be a terminal. */
int terminal_open(struct terminal *terminal);

/* May be called for a terminal that was not opened or was closed. */
void terminal_close(struct terminal *terminal);

/* 80x24 when it does not say. */
void terminal_size(unsigned *columns, unsigned *rows);

/* A whole picture, from the upper left corner; an errno when the terminal is
 * closed. */
int terminal_show(const struct buf *picture);

#endif
