/*
 * state_tests.h: tests that apply to every table of states, and to the page that shows it.
 */
#ifndef UNIT_SESSION_STATE_TESTS_H
#define UNIT_SESSION_STATE_TESTS_H

#include "state_page.h"

struct state_tests {
	const struct state_page *page;
	/* For each state, the state that each event leads to; state_count: none. */
	const unsigned *expected;
	/* Events of the server itself.  Each of them once, in this order, must lead from every
	 * state to the final one, so that no state needs a client or an engine to be left. */
	const unsigned *clocks;
	unsigned clock_count;
};

/* To be called by main: runs the tests, or with --write FILE writes the page. */
int state_tests_main(const struct state_tests *tests, int argc, char **argv);

#endif
