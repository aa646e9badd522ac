/*
 * The states of a context: every state with every event, and the page that shows
 * it.  With --write FILE this program writes that page (docs/context-states.md).
 */
#include "base/count.h"
#include "session/context.h"
#include "state_tests.h"

#define NO CONTEXT_STATE_COUNT /* the event has no meaning in that state */

static const unsigned expected[CONTEXT_STATE_COUNT][CONTEXT_EVENT_COUNT] = {
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
	[CONTEXT_OPEN] = "accepts text; its turns speak one after another",
	[CONTEXT_CLOSING] = "accepts no more text; its turns speak what they have",
	[CONTEXT_BOOKING] =
		"sends and accepts nothing more; waits for the ledger, at most a second",
	[CONTEXT_CLOSED] = "`context_closed` was sent; its slot is free",
};

static const char *const event_texts[CONTEXT_EVENT_COUNT] = {
	[CONTEXT_EVENT_INPUT] = "text, a flush or a keep-alive arrived",
	[CONTEXT_EVENT_CLOSE] =
		"`close_context` or `close_socket` arrived, or the server is stopping",
	[CONTEXT_EVENT_IDLE] = "nothing arrived and nothing was spoken for 20 s",
	[CONTEXT_EVENT_FAULT] = "a turn has failed, and its error was reported",
	[CONTEXT_EVENT_SPOKEN] = "the last turn's audio was handed to the kernel",
	[CONTEXT_EVENT_BOOKED] = "no ledger row is still being written",
	[CONTEXT_EVENT_CANCEL] = "`cancel` arrived; `interrupted` was sent immediately",
	[CONTEXT_EVENT_CUT] =
		"`close_context` with `immediate` arrived, or the id or slot of an interrupted context is needed",
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
	.title = "States of a context",
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

static const unsigned clocks[] = {CONTEXT_EVENT_IDLE, CONTEXT_EVENT_SPOKEN, CONTEXT_EVENT_BOOKED};

int main(int argc, char **argv)
{
	const struct state_tests tests = {
		.page = &page,
		.expected = expected[0],
		.clocks = clocks,
		.clock_count = COUNT(clocks),
	};

	return state_tests_main(&tests, argc, argv);
}
