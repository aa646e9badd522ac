/*
 * cells.h: how much room a character takes in a terminal.
 *
 * A table of our own and not wcwidth, which knows only ASCII in the locale C.
 */
#ifndef CLI_CELLS_H
#define CLI_CELLS_H

#include <stdint.h>

/* 0 for marks that join the character before them, 2 for what Unicode calls wide, else
 * 1.  Rare scripts count as 1. */
unsigned cells_of(uint32_t code_point);

#endif
