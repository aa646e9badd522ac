/*
 * caller_turns.h: whose turn it is in a scripted call, and how long the agent took to answer.
 *
 * The caller speaks in turns, each after the agent has finished:
 *
 *     GREETING ── the agent has said its first words, or has none ──► SPEAKING
 *     SPEAKING ── the turn's audio was sent ───────────────────────► LISTENING
 *     LISTENING ── the agent has been silent long enough, or did not answer ──► SPEAKING, OVER
 *
 * Pure; times are given by the caller, in microseconds since the call began.
 */
#ifndef CLI_CALLER_TURNS_H
#define CLI_CALLER_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"

#define CALLER_TURNS_MAX COMMAND_OPERANDS_MAX

/* An agent that speaks first begins at once; it is given this long. */
#define CALLER_TURNS_GREETING_US UINT64_C(1000000)

/* The pause after the greeting: it is one text, so it has no longer pauses. */
#define CALLER_TURNS_AFTER_GREETING_US UINT64_C(500000)

/* A time that is not known. */
#define CALLER_TURNS_NEVER UINT64_MAX

enum caller_turns_state {
	CALLER_TURNS_GREETING,
	CALLER_TURNS_SPEAKING,
	CALLER_TURNS_LISTENING,
	CALLER_TURNS_OVER,
};

struct caller_turn {
	const char *name; /* the file, or the text that was typed */
	uint64_t speech_end_us; /* the end of what the caller says */
	uint64_t first_audio_us; /* when the answer's first frame is heard */
	uint64_t first_sound_us; /* when its first loud sample is heard */
	unsigned interruptions;
	bool is_answered;
};

struct caller_turns {
	enum caller_turns_state state;
	uint64_t wait_us; /* the silence after an answer */
	uint64_t patience_us; /* for the answer's beginning */
	bool is_text; /* answers are complete when they arrive, and nothing is heard */
	bool is_greeted; /* the words of the greeting have arrived, so it will be heard */
	bool is_failed; /* the server has reported an error, so perhaps there is no answer */
	uint64_t since_us; /* when the state was entered */
	uint64_t answer_end_us; /* when what the agent says now ends, or CALLER_TURNS_NEVER */
	struct caller_turn turns[CALLER_TURNS_MAX];
	size_t count;
	size_t now; /* the turn that is going on */
};

/* Adds a turn; the name is not copied. Called before the conversation begins. */
void caller_turns_add(struct caller_turns *turns, const char *name);

void caller_turns_begin(struct caller_turns *turns, uint64_t now_us);

/* The turn's audio begins; speech_end_us is when its speech will end. */
void caller_turns_speak(struct caller_turns *turns, uint64_t speech_end_us);

/* The turn's audio was sent. */
void caller_turns_listen(struct caller_turns *turns, uint64_t now_us);

/* The agent is heard from start_us to end_us; is_first if this is the beginning of what it says, and
 * sound_us is the time of the first loud sample or CALLER_TURNS_NEVER. */
void caller_turns_hear(struct caller_turns *turns, uint64_t start_us, uint64_t end_us,
		       uint64_t sound_us, bool is_first);

/* The agent has written its answer. */
void caller_turns_read(struct caller_turns *turns, uint64_t now_us);

/* The agent was interrupted. */
void caller_turns_interrupt(struct caller_turns *turns);

/* The server has reported an error: the answer may still come, but is not waited for any longer than
 * another one would be. */
void caller_turns_fail(struct caller_turns *turns, uint64_t now_us);

/* Lets time pass. Returns true if it is the caller's turn to speak, turns->now; see also the
 * state, which may have become CALLER_TURNS_OVER. */
bool caller_turns_tick(struct caller_turns *turns, uint64_t now_us);

/* The turns that the agent has answered. */
size_t caller_turns_answered(const struct caller_turns *turns);

#endif
