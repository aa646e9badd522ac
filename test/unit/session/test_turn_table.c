/*
 * The states of a turn: every state with every event, and the page that shows
 * it.  With --write FILE this program writes that page (docs/turn-states.md).
 */
#include "base/count.h"
#include "session/turn.h"
#include "state_tests.h"

#define NO TURN_STATE_COUNT /* the event has no meaning in that state */

static const unsigned expected[TURN_STATE_COUNT][TURN_EVENT_COUNT] = {
	/*                 TEXT         FLUSH      END            IDLE           CURTAIL
	 *                 FAULT        SENT       BOOKED         CANCEL         DROP */
	[TURN_OPEN] = {TURN_OPEN, TURN_OPEN, TURN_DRAINING, TURN_DRAINING, TURN_DRAINING,
		       TURN_FAILED, NO, NO, TURN_CLOSED, TURN_BOOKING},
	[TURN_DRAINING] = {NO, NO, NO, NO, TURN_DRAINING, TURN_BOOKING, TURN_BOOKING, NO,
			   TURN_CLOSED, TURN_BOOKING},
	[TURN_BOOKING] = {NO, NO, NO, NO, NO, NO, NO, TURN_CLOSED, TURN_BOOKING, NO},
	[TURN_FAILED] = {TURN_FAILED, NO, TURN_BOOKING, TURN_CLOSED, NO, NO, NO, NO, TURN_CLOSED,
			 TURN_CLOSED},
	[TURN_CLOSED] = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO},
};

static const char *const state_texts[TURN_STATE_COUNT] = {
	[TURN_OPEN] = "accepts text and speaks",
	[TURN_DRAINING] = "accepts no more text; speaks what it has",
	[TURN_BOOKING] = "sends and accepts nothing more; waits for the ledger, at most a second",
	[TURN_FAILED] =
		"its error was reported; drops text until the end of the turn, which in a context is immediate",
	[TURN_CLOSED] = "is over",
};

static const char *const event_texts[TURN_EVENT_COUNT] = {
	[TURN_EVENT_TEXT] = "text of this turn arrived",
	[TURN_EVENT_FLUSH] =
		"everything received is to be spoken and more may follow: `flush` where it does not end a turn",
	[TURN_EVENT_END] =
		"`flush`, `close`, `end_session` or `close_socket` arrived; in a context also its close",
	[TURN_EVENT_IDLE] =
		("five seconds passed without text; other sockets than `/ws/tts/stream` have their own "
		 "timeout"),
	[TURN_EVENT_CURTAIL] =
		"credit or a limit is used up while it speaks: it ends with the current chunk",
	[TURN_EVENT_FAULT] =
		"it cannot continue: no voice, no worker, an engine that failed, too much text, no permission to speak",
	[TURN_EVENT_SENT] = "its last audio was handed to the kernel",
	[TURN_EVENT_BOOKED] = "its row in the ledger is durable, or took too long",
	[TURN_EVENT_CANCEL] = "`cancel` arrived, or the client has disconnected",
	[TURN_EVENT_DROP] =
		"its context was interrupted or has failed, and reports its end when the row is durable",
};

static const char *state_name(unsigned at)
{
	return turn_state_name(at);
}

static const char *event_name(unsigned event)
{
	return turn_event_name(event);
}

static bool edge(unsigned *to, unsigned from, unsigned event)
{
	enum turn_state next;
	bool is_edge = turn_edge(&next, from, event);

	*to = next;
	return is_edge;
}

static const struct state_page page = {
	.title = "States of a turn",
	.source = "src/session/turn.c",
	.program = "test_session_turn_table",
	.name = "turn-states.md",
	.path = TURN_STATES_PAGE,
	.state_count = TURN_STATE_COUNT,
	.event_count = TURN_EVENT_COUNT,
	.state_texts = state_texts,
	.event_texts = event_texts,
	.state_name = state_name,
	.event_name = event_name,
	.edge = edge,
};

static const unsigned clocks[] = {TURN_EVENT_IDLE, TURN_EVENT_SENT, TURN_EVENT_BOOKED};

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
