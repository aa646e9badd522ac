/*
 * The states of a conversation: every state with every event, and the page that
 * shows it.  With --write FILE this program writes that page
 * (docs/conversation-states.md).
 */
#include "base/count.h"
#include "session/conversation.h"
#include "state_tests.h"

#define NO CONVERSATION_STATE_COUNT /* the event has no meaning in that state */
#define IDLE CONVERSATION_IDLE
#define WAITING CONVERSATION_WAITING
#define ASKED CONVERSATION_ASKED
#define SPEAKING CONVERSATION_SPEAKING
#define SAID CONVERSATION_SAID
#define CLOSED CONVERSATION_CLOSED

static const unsigned expected[CONVERSATION_STATE_COUNT][CONVERSATION_EVENT_COUNT] = {
	/* TURN, RETRY, PERMITTED, DENIED, WORDS, DONE, DROP, HANG_UP */
	[IDLE] = {WAITING, NO, NO, NO, NO, NO, NO, CLOSED},
	[WAITING] = {WAITING, WAITING, ASKED, SAID, NO, NO, SAID, CLOSED},
	[ASKED] = {WAITING, ASKED, NO, SAID, SPEAKING, SAID, SAID, CLOSED},
	[SPEAKING] = {WAITING, SPEAKING, NO, SAID, SPEAKING, SAID, SAID, CLOSED},
	[SAID] = {WAITING, SAID, NO, NO, NO, NO, NO, CLOSED},
	[CLOSED] = {NO, NO, NO, NO, NO, NO, NO, NO},
};

static const char *const state_texts[CONVERSATION_STATE_COUNT] = {
	[IDLE] = "nothing has been asked yet",
	[WAITING] = "waiting briefly for permission for the caller to ask the model",
	[ASKED] = "the model was asked and has not answered yet",
	[SPEAKING] = "words of the answer arrive and are passed on",
	[SAID] = "the answer is complete, and its final message was sent; or it was dropped",
	[CLOSED] = "is over",
};

static const char *const event_texts[CONVERSATION_EVENT_COUNT] = {
	[CONVERSATION_EVENT_TURN] =
		"a new transcript: the current answer is abandoned, then permission is requested",
	[CONVERSATION_EVENT_RETRY] =
		("the same history under a higher id: the answer continues, and is sent again from its "
		 "start"),
	[CONVERSATION_EVENT_PERMITTED] = "the caller has permission and credit: the model is asked",
	[CONVERSATION_EVENT_DENIED] =
		("the caller has reached a limit or has no credit, before or during the answer: the "
		 "client gets the reason, or the fallback sentence is sent"),
	[CONVERSATION_EVENT_WORDS] = "the model has generated words",
	[CONVERSATION_EVENT_DONE] = "the model has finished, failed or stopped in the middle",
	[CONVERSATION_EVENT_DROP] =
		("an agent of this server is interrupted in a call: the model is cancelled, and nothing "
		 "more is sent"),
	[CONVERSATION_EVENT_HANG_UP] = "`close` or `error` arrived",
};

static const char *state_name(unsigned at)
{
	return conversation_state_name(at);
}

static const char *event_name(unsigned event)
{
	return conversation_event_name(event);
}

static bool edge(unsigned *to, unsigned from, unsigned event)
{
	enum conversation_state next;
	bool is_edge = conversation_edge(&next, from, event);

	*to = next;
	return is_edge;
}

static const struct state_page page = {
	.title = "States of a conversation",
	.source = "src/session/conversation.c",
	.program = "test_session_conversation_table",
	.name = "conversation-states.md",
	.path = CONVERSATION_STATES_PAGE,
	.state_count = CONVERSATION_STATE_COUNT,
	.event_count = CONVERSATION_EVENT_COUNT,
	.state_texts = state_texts,
	.event_texts = event_texts,
	.state_name = state_name,
	.event_name = event_name,
	.edge = edge,
};

/* A conversation lasts as long as its engine's connection. */
static const unsigned clocks[] = {CONVERSATION_EVENT_HANG_UP};

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
