/*
 * figures.h: what there is in a store, as a table for people to compare.
 */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include "store/migrate.h"

void figures_print(const struct migrate_figures *figures);

#endif
