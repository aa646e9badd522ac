/*
 * state_tests.c: what must be true of every table of states (see state_tests.h).
 */
#include "state_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_every_event_leads_where_the_table_says(void **state)
{
	const struct state_tests *tests = *state;
	const struct state_page *page = tests->page;

	for (unsigned from = 0; from < page->state_count; ++from) {
		const unsigned *expected = tests->expected + (size_t)from * page->event_count;

		for (unsigned event = 0; event < page->event_count; ++event) {
			unsigned to;

			if (!page->edge(&to, from, event))
				to = page->state_count;
			if (to != expected[event])
				fail_msg("%s in %s", page->event_name(event),
					 page->state_name(from));
		}
	}
}

static void test_no_event_leaves_the_final_state(void **state)
{
	const struct state_page *page = ((const struct state_tests *)*state)->page;

	for (unsigned event = 0; event < page->event_count; ++event) {
		unsigned to;

		assert_false(page->edge(&to, page->state_count - 1, event));
	}
}

static void test_events_of_the_server_lead_to_the_final_state(void **state)
{
	const struct state_tests *tests = *state;
	const struct state_page *page = tests->page;

	for (unsigned from = 0; from < page->state_count; ++from) {
		unsigned at = from;

		for (unsigned i = 0; i < tests->clock_count; ++i) {
			unsigned to;

			if (page->edge(&to, at, tests->clocks[i]))
				at = to;
		}
		assert_int_equal(at, page->state_count - 1);
	}
}

static void test_the_page_is_current(void **state)
{
	const struct state_page *page = ((const struct state_tests *)*state)->page;
	char *now = state_page_text(page);
	char *then = state_page_read(page);

	assert_non_null(then);
	assert_string_equal(now, then);
	free(now);
	free(then);
}

int state_tests_main(const struct state_tests *tests, int argc, char **argv)
{
	struct state_tests given = *tests;
	const struct CMUnitTest cases[] = {
		cmocka_unit_test_prestate(test_every_event_leads_where_the_table_says, &given),
		cmocka_unit_test_prestate(test_no_event_leaves_the_final_state, &given),
		cmocka_unit_test_prestate(test_events_of_the_server_lead_to_the_final_state,
					  &given),
		cmocka_unit_test_prestate(test_the_page_is_current, &given),
	};

	if (argc == 3 && strcmp(argv[1], "--write") == 0)
		return state_page_write(tests->page, argv[2]);
	return cmocka_run_group_tests(cases, NULL, NULL);
}
