/*
 * terminal.h: uses the full screen of a terminal and restores it.
 *
 * Afterwards the terminal shows its previous content again. Meanwhile keys are read one by one
 * and not echoed. Keys still send signals except Ctrl-Z, because the shell would be left with
 * our screen.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "base/buf.h"

struct terminal {
	struct termios before;
	bool has_keys; /* standard input is a terminal as well */
	bool is_open;
};

/* Standard output must be a terminal. */
int terminal_open(struct terminal *terminal);

/* May be called even if the terminal was not opened or is already closed. */
void terminal_close(struct terminal *terminal);

/* 80x24 if the terminal does not report its size. */
void terminal_size(unsigned *columns, unsigned *rows);

/* Draws the full screen, from the upper left corner. Returns an errno if the terminal is closed. */
int terminal_show(const struct buf *picture);

#endif
