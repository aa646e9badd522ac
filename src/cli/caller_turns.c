/*
 * caller_turns.c: whose turn it is in a scripted call (see caller_turns.h).
 */
#include "cli/caller_turns.h"

#include <assert.h>

void caller_turns_add(struct caller_turns *turns, const char *name)
{
	assert(turns->count < CALLER_TURNS_MAX);
	turns->turns[turns->count++] = (struct caller_turn){
		.name = name,
		.speech_end_us = CALLER_TURNS_NEVER,
		.first_audio_us = CALLER_TURNS_NEVER,
		.first_sound_us = CALLER_TURNS_NEVER,
	};
}

void caller_turns_begin(struct caller_turns *turns, uint64_t now_us)
{
	assert(turns->count > 0);
	turns->state = CALLER_TURNS_GREETING;
	turns->since_us = now_us;
	turns->answer_end_us = CALLER_TURNS_NEVER;
}

void caller_turns_speak(struct caller_turns *turns, uint64_t speech_end_us)
{
	assert(turns->state == CALLER_TURNS_SPEAKING);
	turns->turns[turns->now].speech_end_us = speech_end_us;
	turns->answer_end_us = CALLER_TURNS_NEVER;
}

void caller_turns_listen(struct caller_turns *turns, uint64_t now_us)
{
	assert(turns->state == CALLER_TURNS_SPEAKING);
	turns->state = CALLER_TURNS_LISTENING;
	turns->since_us = now_us;
}

/* What the agent says before the caller's speech ends is an answer to a part of it, or is about to
 * be interrupted. It does not count as the end of the turn, and the time to the answer is measured
 * only for one that begins afterwards. */
void caller_turns_hear(struct caller_turns *turns, uint64_t start_us, uint64_t end_us,
		       uint64_t sound_us, bool is_first)
{
	struct caller_turn *turn = &turns->turns[turns->now];

	if (turns->state == CALLER_TURNS_GREETING) {
		turns->answer_end_us = end_us;
		return;
	}
	turn->is_answered = true;
	if (end_us < turn->speech_end_us)
		return;
	turns->answer_end_us = end_us;
	if (is_first && start_us >= turn->speech_end_us &&
	    turn->first_audio_us == CALLER_TURNS_NEVER)
		turn->first_audio_us = start_us;
	if (turn->first_audio_us != CALLER_TURNS_NEVER &&
	    turn->first_sound_us == CALLER_TURNS_NEVER)
		turn->first_sound_us = sound_us;
}

void caller_turns_read(struct caller_turns *turns, uint64_t now_us)
{
	struct caller_turn *turn = &turns->turns[turns->now];

	if (turns->state == CALLER_TURNS_GREETING)
		turns->is_greeted = true;
	else
		turn->is_answered = true;
	if (!turns->is_text)
		return;
	turns->answer_end_us = now_us;
	if (turns->state != CALLER_TURNS_GREETING && turn->first_audio_us == CALLER_TURNS_NEVER)
		turn->first_audio_us = now_us;
}

/* The end of an answer that was cut short is not the end of the turn: another answer follows. */
void caller_turns_interrupt(struct caller_turns *turns)
{
	turns->answer_end_us = CALLER_TURNS_NEVER;
	if (turns->state != CALLER_TURNS_GREETING)
		++turns->turns[turns->now].interruptions;
}

void caller_turns_fail(struct caller_turns *turns, uint64_t now_us)
{
	turns->is_failed = true;
	if (turns->state == CALLER_TURNS_LISTENING)
		turns->since_us = now_us;
}

/* Whether the agent has finished. It is silent for a while after what was heard last, in case it is
 * only slow; the end of a text needs no such pause. */
static bool caller_turns_is_finished(const struct caller_turns *turns, uint64_t now_us)
{
	bool is_greeting = turns->state == CALLER_TURNS_GREETING;
	uint64_t pause_us = is_greeting ? CALLER_TURNS_AFTER_GREETING_US : turns->wait_us;
	uint64_t patience_us = turns->patience_us;
	uint64_t end_us = turns->answer_end_us;

	if (is_greeting && (!turns->is_greeted || turns->is_failed))
		patience_us = CALLER_TURNS_GREETING_US;
	else if (turns->is_failed && turns->wait_us < patience_us)
		patience_us = turns->wait_us;
	if (end_us == CALLER_TURNS_NEVER)
		return now_us >= turns->since_us + patience_us;
	if (end_us < turns->since_us)
		end_us = turns->since_us;
	return now_us >= end_us + (turns->is_text ? 0 : pause_us);
}

bool caller_turns_tick(struct caller_turns *turns, uint64_t now_us)
{
	if (turns->state == CALLER_TURNS_SPEAKING || turns->state == CALLER_TURNS_OVER ||
	    !caller_turns_is_finished(turns, now_us))
		return false;
	if (turns->state == CALLER_TURNS_LISTENING && turns->now + 1 == turns->count) {
		turns->state = CALLER_TURNS_OVER;
		return false;
	}
	if (turns->state == CALLER_TURNS_LISTENING)
		++turns->now;
	turns->is_failed = false;
	turns->state = CALLER_TURNS_SPEAKING;
	turns->since_us = now_us;
	return true;
}

size_t caller_turns_answered(const struct caller_turns *turns)
{
	size_t answered = 0;

	for (size_t i = 0; i < turns->count; ++i)
		answered += turns->turns[i].is_answered;
	return answered;
}
