/*
 * turn_end.h: decides how long a caller must be silent before it is the agent's turn.
 *
 * People pause in the middle of what they say.  How long to wait depends on what was said so far (an
 * unfinished clause, digits that are being spelled out), how it was said (pitch and energy at the end),
 * what the agent asked, and how eager the agent is to answer.
 *
 * Pure: no clock, no allocation.
 */
#ifndef CALL_TURN_END_H
#define CALL_TURN_END_H

#include <stdbool.h>
#include <stddef.h>

enum turn_end_eagerness { TURN_END_PATIENT, TURN_END_NORMAL, TURN_END_EAGER };

struct turn_end_settings {
	enum turn_end_eagerness eagerness;
	bool is_patient_with_spelling; /* waits longer after digits and single letters */
};

/* What is known about what was said; see audio/intonation.h. */
struct turn_end_clues {
	const char *words; /* UTF-8, what was said in this turn so far; "": not known yet */
	size_t len;
	const char *language; /* a code; "": not known */
	const char *question; /* what the agent said last; "": nothing */
	size_t question_len;
	bool has_intonation; /* the next three are known */
	float pitch_change; /* semitones from the middle to the end of the last voiced part */
	float energy_change; /* decibels, the same */
	float last_syllable_ms; /* the length of the last voiced part: people lengthen it when they go on */
	/* 0 to 1: the probability that the turn is over according to a model; below 0: none was asked */
	float model_probability;
};

/* How long the silence after the last speech must be, in milliseconds. */
unsigned turn_end_wait_ms(const struct turn_end_settings *settings,
			  const struct turn_end_clues *clues);

#endif
