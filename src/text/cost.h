/*
 * cost.h: counts the steps of loops over text, so that tests can show that their number is linear in
 * the length of the text, whatever the text.
 *
 * Only tests compile it with COST_COUNTED; in the programs a step costs nothing.
 */
#ifndef TEXT_COST_H
#define TEXT_COST_H

#ifdef COST_COUNTED
#include <stddef.h>
extern _Thread_local size_t cost_steps;
#define COST_STEP() ((void)++cost_steps)
#else
#define COST_STEP() ((void)0)
#endif

#endif
