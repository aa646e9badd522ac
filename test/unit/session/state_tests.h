/*
 * state_tests.h: what must hold of every table of states, and of the page that
 * shows it.
 */
#ifndef UNIT_SESSION_STATE_TESTS_H
#define UNIT_SESSION_STATE_TESTS_H

#include "state_page.h"

struct state_tests {
	const struct state_page *page;
	/* State by state where each event leads; state_count: it has no meaning there. */
	const unsigned *expected;
	/* No client and no engine may be needed to get out of a state: these events, each once
	 * and in this order, lead from every state to the end. */
	const unsigned *clocks;
	unsigned clock_count;
};

/* A main: runs the tests, or with --write FILE writes the page. */
int state_tests_main(const struct state_tests *tests, int argc, char **argv);

#endif
