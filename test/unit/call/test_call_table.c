/*
 * The states of a call: every state with every event, and the page that shows it.  With --write FILE this
 * program writes that page (docs/call-states.md).
 */
#include "base/count.h"
#include "call/call.h"
#include "state_tests.h"

#define NO CALL_STATE_COUNT /* the event has no meaning in that state */
#define QUIET CALL_QUIET
#define HEARING CALL_HEARING
#define PAUSED CALL_PAUSED
#define ANSWERING CALL_ANSWERING
#define SPEAKING CALL_SPEAKING
#define DUCKED CALL_DUCKED
#define CLOSED CALL_CLOSED

static const unsigned expected[CALL_STATE_COUNT][CALL_EVENT_COUNT] = {
	/* START, GREET, SPEECH, PAUSE, WORDS, NOTHING, NOISE, DECIDED, TEXT, CONTINUE, SOUND,
	 * SPOKEN, FAILED, DUCK, RESUME, CUT, CUT_PAUSED, HANG_UP */
	[CALL_OPENING] = {QUIET, ANSWERING, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
			  NO, CLOSED},
	[QUIET] = {NO, NO, HEARING, NO, NO, NO, NO, NO, ANSWERING, ANSWERING, NO, NO, NO, NO, NO,
		   NO, NO, CLOSED},
	[HEARING] = {NO, NO, NO, PAUSED, NO, NO, NO, NO, ANSWERING, NO, NO, NO, NO, NO, NO, NO, NO,
		     CLOSED},
	[PAUSED] = {NO, NO, HEARING, NO, PAUSED, QUIET, ANSWERING, ANSWERING, ANSWERING, NO, NO, NO,
		    NO, NO, NO, NO, NO, CLOSED},
	[ANSWERING] = {NO, NO, HEARING, NO, NO, NO, NO, NO, ANSWERING, NO, SPEAKING, QUIET, QUIET,
		       NO, NO, NO, NO, CLOSED},
	[SPEAKING] = {NO, NO, NO, NO, NO, NO, NO, NO, ANSWERING, NO, NO, QUIET, QUIET, DUCKED, NO,
		      HEARING, PAUSED, CLOSED},
	[DUCKED] = {NO, NO, NO, NO, NO, NO, NO, NO, ANSWERING, NO, NO, QUIET, QUIET, NO, SPEAKING,
		    HEARING, PAUSED, CLOSED},
	[CLOSED] = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO},
};

static const char *const state_texts[CALL_STATE_COUNT] = {
	[CALL_OPENING] =
		"the client has not said that it is ready, or has just been told that it may begin",
	[QUIET] = "nobody speaks",
	[HEARING] = "the caller speaks",
	[PAUSED] =
		"the caller pauses; the agent may have been asked already, and what it says is held back",
	[ANSWERING] = "it is the agent's turn, and nothing of it has been heard",
	[SPEAKING] = "the agent is heard",
	[DUCKED] = "the agent is heard more quietly, because the caller may be interrupting",
	[CLOSED] = "is over",
};

static const char *const event_texts[CALL_EVENT_COUNT] = {
	[CALL_EVENT_START] = "the client is ready, and the caller speaks first",
	[CALL_EVENT_GREET] = "the client is ready, and the agent has a first message",
	[CALL_EVENT_SPEECH] =
		("the caller begins to speak, or goes on: an answer that was not heard is kept only if "
		 "it turns out to be noise"),
	[CALL_EVENT_PAUSE] =
		"the caller pauses for a tenth of a second: what was said is recognized",
	[CALL_EVENT_WORDS] = "what was said is known: the agent is asked",
	[CALL_EVENT_NOTHING] = "nothing was said",
	[CALL_EVENT_NOISE] = "nothing was said, and an answer or a greeting waits to be heard",
	[CALL_EVENT_DECIDED] = "the pause is long enough for what was said and how it was said",
	[CALL_EVENT_TEXT] = "the user has typed something",
	[CALL_EVENT_CONTINUE] =
		"the agent's server goes on with an answer that it had said was complete",
	[CALL_EVENT_SOUND] = "the first sound of the answer is made",
	[CALL_EVENT_SPOKEN] =
		("the answer was heard to its end; if the caller is already speaking, SPEECH follows at "
		 "once"),
	[CALL_EVENT_FAILED] =
		("there is no answer, or it breaks off; if the caller is already speaking, SPEECH "
		 "follows at once"),
	[CALL_EVENT_DUCK] = "the caller is heard while the agent speaks",
	[CALL_EVENT_RESUME] = "it was a cough, an acknowledgement or an echo",
	[CALL_EVENT_CUT] = "the caller interrupts, and is still speaking",
	[CALL_EVENT_CUT_PAUSED] =
		"the caller has interrupted with words that are known, and pauses",
	[CALL_EVENT_HANG_UP] = "either side ends the call, or a limit does",
};

static const char *state_name(unsigned at)
{
	return call_state_name(at);
}

static const char *event_name(unsigned event)
{
	return call_event_name(event);
}

static bool edge(unsigned *to, unsigned from, unsigned event)
{
	enum call_state next;
	bool is_edge = call_edge(&next, from, event);

	*to = next;
	return is_edge;
}

static const struct state_page page = {
	.title = "States of a call",
	.source = "src/call/call.c",
	.program = "test_call_call_table",
	.name = "call-states.md",
	.path = CALL_STATES_PAGE,
	.state_count = CALL_STATE_COUNT,
	.event_count = CALL_EVENT_COUNT,
	.state_texts = state_texts,
	.event_texts = event_texts,
	.state_name = state_name,
	.event_name = event_name,
	.edge = edge,
};

/* A call ends at its maximum duration. */
static const unsigned clocks[] = {CALL_EVENT_HANG_UP};

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
