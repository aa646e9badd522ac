/*
 * The life of a turn: every state with every event, and the page that shows
 * it.  With --write FILE this program writes that page (docs/turn-states.md).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "session/turn.h"

#define NO TURN_STATE_COUNT /* the event has no meaning there */

static const enum turn_state expected[TURN_STATE_COUNT][TURN_EVENT_COUNT] = {
	/*                 TEXT         END            IDLE           FAULT
	 *                 SENT         BOOKED         CANCEL */
	[TURN_OPEN] = {TURN_OPEN, TURN_DRAINING, TURN_DRAINING, TURN_FAILED, NO, NO, TURN_CLOSED},
	[TURN_DRAINING] = {NO, NO, NO, TURN_CLOSED, TURN_BOOKING, NO, TURN_CLOSED},
	[TURN_BOOKING] = {NO, NO, NO, NO, NO, TURN_CLOSED, TURN_BOOKING},
	[TURN_FAILED] = {TURN_FAILED, TURN_CLOSED, TURN_CLOSED, NO, NO, NO, TURN_CLOSED},
	[TURN_CLOSED] = {NO, NO, NO, NO, NO, NO, NO},
};

static const char *const state_texts[TURN_STATE_COUNT] = {
	[TURN_OPEN] = "takes text and speaks",
	[TURN_DRAINING] = "takes no more text; speaks what it has",
	[TURN_BOOKING] = "`final` has left; waits for the ledger, a second at most",
	[TURN_FAILED] = "its error was told; throws text away until its end",
	[TURN_CLOSED] = "is over",
};

static const char *const event_texts[TURN_EVENT_COUNT] = {
	[TURN_EVENT_TEXT] = "text of this turn came",
	[TURN_EVENT_END] = "`flush`, `close`, `end_session` or `close_socket` came",
	[TURN_EVENT_IDLE] = "five seconds went by without text",
	[TURN_EVENT_FAULT] =
		"it cannot go on: no voice, no worker, an engine that failed, too much text",
	[TURN_EVENT_SENT] = "its last audio was handed to the kernel",
	[TURN_EVENT_BOOKED] = "its row in the ledger is durable, or took too long",
	[TURN_EVENT_CANCEL] = "`cancel` came, or the client is gone",
};

static void write_diagram(FILE *page)
{
	fprintf(page, "```mermaid\nstateDiagram-v2\n    [*] --> OPEN\n");
	for (unsigned from = 0; from < TURN_STATE_COUNT; ++from) {
		for (unsigned event = 0; event < TURN_EVENT_COUNT; ++event) {
			enum turn_state to;

			if (turn_edge(&to, from, event))
				fprintf(page, "    %s --> %s: %s\n", turn_state_name(from),
					turn_state_name(to), turn_event_name(event));
		}
	}
	fprintf(page, "    CLOSED --> [*]\n```\n");
}

static void write_row(FILE *page, enum turn_state from)
{
	fprintf(page, "| **%s** |", turn_state_name(from));
	for (unsigned event = 0; event < TURN_EVENT_COUNT; ++event) {
		enum turn_state to;
		bool is_edge = turn_edge(&to, from, event);

		fprintf(page, " %s |", is_edge ? turn_state_name(to) : "·");
	}
	fprintf(page, "\n");
}

static void write_table(FILE *page)
{
	fprintf(page, "| |");
	for (unsigned event = 0; event < TURN_EVENT_COUNT; ++event)
		fprintf(page, " %s |", turn_event_name(event));
	fprintf(page, "\n|---|");
	for (unsigned event = 0; event < TURN_EVENT_COUNT; ++event)
		fprintf(page, "---|");
	fprintf(page, "\n");
	for (unsigned from = 0; from < TURN_STATE_COUNT; ++from)
		write_row(page, from);
}

static void write_page(FILE *page)
{
	fprintf(page, "# The life of a turn\n\n"
		      "Generated from the table in `src/session/turn.c` by\n"
		      "`test_session_turn_table --write docs/turn-states.md`; a test fails when it "
		      "is not current.\n\n");
	write_diagram(page);
	fprintf(page, "\n## Where each event leads\n\nA dot: the event has no meaning there and "
		      "changes nothing.\n\n");
	write_table(page);
	fprintf(page, "\n## States\n\n");
	for (unsigned i = 0; i < TURN_STATE_COUNT; ++i)
		fprintf(page, "- **%s** %s\n", turn_state_name(i), state_texts[i]);
	fprintf(page, "\n## Events\n\n");
	for (unsigned i = 0; i < TURN_EVENT_COUNT; ++i)
		fprintf(page, "- **%s** %s\n", turn_event_name(i), event_texts[i]);
}

static char *page_in_memory(void)
{
	char *text = NULL;
	size_t len = 0;
	FILE *page = open_memstream(&text, &len);

	assert_non_null(page);
	write_page(page);
	fclose(page);
	return text;
}

static char *page_on_disk(void)
{
	FILE *page = fopen(TURN_STATES_PAGE, "r");
	char *text = NULL;
	size_t size = 0;

	if (!page)
		fail_msg("%s is missing", TURN_STATES_PAGE);
	assert_true(getdelim(&text, &size, '\0', page) > 0);
	fclose(page);
	return text;
}

static void test_every_event_leads_where_the_table_says(void **state)
{
	(void)state;
	for (unsigned from = 0; from < TURN_STATE_COUNT; ++from) {
		for (unsigned event = 0; event < TURN_EVENT_COUNT; ++event) {
			enum turn_state to = NO;
			enum turn_state got = turn_edge(&to, from, event) ? to : NO;

			if (got != expected[from][event])
				fail_msg("%s in %s", turn_event_name(event), turn_state_name(from));
		}
	}
}

static void test_a_closed_turn_stays_closed(void **state)
{
	(void)state;
	for (unsigned event = 0; event < TURN_EVENT_COUNT; ++event) {
		enum turn_state to;

		assert_false(turn_edge(&to, TURN_CLOSED, event));
	}
}

/* No client and no engine may be needed to get out of a state: silence, the
 * peer and the ledger must do. */
static void test_every_turn_ends_by_itself(void **state)
{
	static const enum turn_event clocks[] = {TURN_EVENT_IDLE, TURN_EVENT_SENT,
						 TURN_EVENT_BOOKED};

	(void)state;
	for (unsigned from = 0; from < TURN_STATE_COUNT; ++from) {
		enum turn_state at = from;

		for (unsigned i = 0; i < COUNT(clocks); ++i) {
			enum turn_state to;

			if (turn_edge(&to, at, clocks[i]))
				at = to;
		}
		assert_int_equal(at, TURN_CLOSED);
	}
}

static void test_the_page_is_current(void **state)
{
	char *now = page_in_memory();
	char *then = page_on_disk();

	(void)state;
	assert_string_equal(now, then);
	free(now);
	free(then);
}

static int write_file(const char *path)
{
	FILE *page = fopen(path, "w");

	if (!page) {
		perror(path);
		return 1;
	}
	write_page(page);
	return fclose(page) != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_leads_where_the_table_says),
		cmocka_unit_test(test_a_closed_turn_stays_closed),
		cmocka_unit_test(test_every_turn_ends_by_itself),
		cmocka_unit_test(test_the_page_is_current),
	};

	if (argc == 3 && strcmp(argv[1], "--write") == 0)
		return write_file(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
