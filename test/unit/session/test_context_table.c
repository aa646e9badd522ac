/*
 * The life of a context: every state with every event, and the page that shows
 * it.  With --write FILE this program writes that page (docs/context-states.md).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "session/context.h"
#include "state_page.h"

#define NO CONTEXT_STATE_COUNT /* the event has no meaning there */

static const enum context_state expected[CONTEXT_STATE_COUNT][CONTEXT_EVENT_COUNT] = {
	[CONTEXT_OPEN] =
		{
			[CONTEXT_EVENT_INPUT] = CONTEXT_OPEN,
			[CONTEXT_EVENT_CLOSE] = CONTEXT_CLOSING,
			[CONTEXT_EVENT_IDLE] = CONTEXT_CLOSING,
			[CONTEXT_EVENT_FAULT] = CONTEXT_BOOKING,
			[CONTEXT_EVENT_SPOKEN] = NO,
			[CONTEXT_EVENT_BOOKED] = NO,
			[CONTEXT_EVENT_CANCEL] = CONTEXT_BOOKING,
			[CONTEXT_EVENT_CUT] = CONTEXT_CLOSED,
		},
	[CONTEXT_CLOSING] =
		{
			[CONTEXT_EVENT_INPUT] = NO,
			[CONTEXT_EVENT_CLOSE] = NO,
			[CONTEXT_EVENT_IDLE] = NO,
			[CONTEXT_EVENT_FAULT] = CONTEXT_BOOKING,
			[CONTEXT_EVENT_SPOKEN] = CONTEXT_BOOKING,
			[CONTEXT_EVENT_BOOKED] = NO,
			[CONTEXT_EVENT_CANCEL] = CONTEXT_BOOKING,
			[CONTEXT_EVENT_CUT] = CONTEXT_CLOSED,
		},
	[CONTEXT_BOOKING] =
		{
			[CONTEXT_EVENT_INPUT] = NO,
			[CONTEXT_EVENT_CLOSE] = NO,
			[CONTEXT_EVENT_IDLE] = NO,
			[CONTEXT_EVENT_FAULT] = NO,
			[CONTEXT_EVENT_SPOKEN] = NO,
			[CONTEXT_EVENT_BOOKED] = CONTEXT_CLOSED,
			[CONTEXT_EVENT_CANCEL] = CONTEXT_BOOKING,
			[CONTEXT_EVENT_CUT] = CONTEXT_CLOSED,
		},
	[CONTEXT_CLOSED] = {NO, NO, NO, NO, NO, NO, NO, NO},
};

static const char *const state_texts[CONTEXT_STATE_COUNT] = {
	[CONTEXT_OPEN] = "takes text; its turns speak one after the other",
	[CONTEXT_CLOSING] = "takes no more; its turns speak what they have",
	[CONTEXT_BOOKING] = "says and takes no more; waits for the ledger, a second at most",
	[CONTEXT_CLOSED] = "`context_closed` has left; its place is free",
};

static const char *const event_texts[CONTEXT_EVENT_COUNT] = {
	[CONTEXT_EVENT_INPUT] = "text, a flush or a keep-alive came",
	[CONTEXT_EVENT_CLOSE] = "`close_context` or `close_socket` came, or the server goes away",
	[CONTEXT_EVENT_IDLE] = "nothing came and nothing was spoken for 20 s",
	[CONTEXT_EVENT_FAULT] = "a turn has failed, and its error was told",
	[CONTEXT_EVENT_SPOKEN] = "the last turn's audio was handed to the kernel",
	[CONTEXT_EVENT_BOOKED] = "no row of the ledger is under way",
	[CONTEXT_EVENT_CANCEL] = "`cancel` came; `interrupted` was said at once",
	[CONTEXT_EVENT_CUT] =
		"`close_context` with `immediate` came, or an interrupted one's id or place is wanted",
};

static const char *state_name(unsigned at)
{
	return context_state_name(at);
}

static const char *event_name(unsigned event)
{
	return context_event_name(event);
}

static bool edge(unsigned *to, unsigned from, unsigned event)
{
	enum context_state next;
	bool is_edge = context_edge(&next, from, event);

	*to = next;
	return is_edge;
}

static const struct state_page page = {
	.title = "The life of a context",
	.source = "src/session/context.c",
	.program = "test_session_context_table",
	.name = "context-states.md",
	.path = CONTEXT_STATES_PAGE,
	.state_count = CONTEXT_STATE_COUNT,
	.event_count = CONTEXT_EVENT_COUNT,
	.state_texts = state_texts,
	.event_texts = event_texts,
	.state_name = state_name,
	.event_name = event_name,
	.edge = edge,
};

static void test_every_event_leads_where_the_table_says(void **state)
{
	(void)state;
	for (unsigned from = 0; from < CONTEXT_STATE_COUNT; ++from) {
		for (unsigned event = 0; event < CONTEXT_EVENT_COUNT; ++event) {
			enum context_state to = NO;
			enum context_state got = context_edge(&to, from, event) ? to : NO;

			if (got != expected[from][event])
				fail_msg("%s in %s", context_event_name(event),
					 context_state_name(from));
		}
	}
}

static void test_a_closed_context_stays_closed(void **state)
{
	(void)state;
	for (unsigned event = 0; event < CONTEXT_EVENT_COUNT; ++event) {
		enum context_state to;

		assert_false(context_edge(&to, CONTEXT_CLOSED, event));
	}
}

/* No client and no engine may be needed to get out of a state: silence, the
 * peer and the ledger must do. */
static void test_every_context_ends_by_itself(void **state)
{
	static const enum context_event clocks[] = {CONTEXT_EVENT_IDLE, CONTEXT_EVENT_SPOKEN,
						    CONTEXT_EVENT_BOOKED};

	(void)state;
	for (unsigned from = 0; from < CONTEXT_STATE_COUNT; ++from) {
		enum context_state at = from;

		for (unsigned i = 0; i < COUNT(clocks); ++i) {
			enum context_state to;

			if (context_edge(&to, at, clocks[i]))
				at = to;
		}
		assert_int_equal(at, CONTEXT_CLOSED);
	}
}

static void test_the_page_is_current(void **state)
{
	char *now = state_page_text(&page);
	char *then = state_page_read(&page);

	(void)state;
	assert_non_null(then);
	assert_string_equal(now, then);
	free(now);
	free(then);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_leads_where_the_table_says),
		cmocka_unit_test(test_a_closed_context_stays_closed),
		cmocka_unit_test(test_every_context_ends_by_itself),
		cmocka_unit_test(test_the_page_is_current),
	};

	if (argc == 3 && strcmp(argv[1], "--write") == 0)
		return state_page_write(&page, argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
