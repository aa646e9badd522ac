/*
 * figures.h: prints the number of records in a store, so that people can compare stores.
 */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include "store/migrate.h"

void figures_print(const struct migrate_figures *figures);

#endif
