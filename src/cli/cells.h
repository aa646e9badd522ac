/*
 * cells.h: the width of a character in terminal cells.
 *
 * This is a table of our own because wcwidth only knows ASCII in the C locale.
 */
#ifndef CLI_CELLS_H
#define CLI_CELLS_H

#include <stdint.h>

/* Returns 0 for combining marks, 2 for characters that Unicode calls wide, and otherwise 1. Rare
 * scripts count as 1. */
unsigned cells_of(uint32_t code_point);

#endif
