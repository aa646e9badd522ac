/*
 * cost.c: the counter of src/text/cost.h, for programs that link text_counted.
 */
#include "text/cost.h"

_Thread_local size_t cost_steps;
