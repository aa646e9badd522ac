/*
 * caller_figures.h: how long an agent took to answer, for people and for programs. Pure.
 */
#ifndef CLI_CALLER_FIGURES_H
#define CLI_CALLER_FIGURES_H

#include <stdint.h>

#include "base/buf.h"
#include "cli/caller_turns.h"

/* Appends a line for each turn that was begun. */
int caller_figures_print(struct buf *out, const struct caller_turns *turns);

/* Appends one line of JSON: {"at_ms":N,"turns":[...]}. Times that are not known are null. */
int caller_figures_print_json(struct buf *out, const struct caller_turns *turns, uint64_t at_us);

#endif
