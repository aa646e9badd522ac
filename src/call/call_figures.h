/*
 * call_figures.h: what has happened in a call, and the times of its turns.
 *
 * Everything that is counted in one call is also counted in the metrics of the server.
 */
#ifndef CALL_CALL_FIGURES_H
#define CALL_CALL_FIGURES_H

#include <stdint.h>

#include "metrics/metrics.h"

/* Times of one turn, from the end of the caller's speech, in microseconds; -1: not known. */
struct call_turn_times {
	int64_t words_us; /* it is known what was said */
	int64_t asked_us; /* the agent is asked */
	int64_t wait_us; /* the silence that decides that the caller has finished is over */
	int64_t decided_us; /* it is decided */
	int64_t answer_us; /* the first words of the answer */
	int64_t ready_us; /* its first sound is made */
	int64_t sound_us; /* and sent */
};

#define CALL_TURN_TIMES_UNKNOWN ((struct call_turn_times){-1, -1, -1, -1, -1, -1, -1})

struct call_figures {
	uint64_t turns; /* of the agent that were heard, at least in part */
	uint64_t speculations; /* questions that were asked before the turn was decided */
	uint64_t reopened; /* of them, those after which the caller went on */
	uint64_t interruptions;
	uint64_t resumed; /* times that the caller was heard and did not interrupt */
	uint64_t failed; /* questions without an answer */
	struct call_turn_times last; /* of the last turn */
};

/* Adds one to a figure and to its metric. */
void call_figures_count(uint64_t *figure, enum metric metric);

/* How much later the first sound was sent than the silence, the recognizer, the agent and the voice made
 * necessary; -1: not known, because the caller did not speak or the agent had been asked before. */
int64_t call_figures_added_us(const struct call_turn_times *times);

/* Adds a turn's known times to the metrics.  Greetings and answers to what was typed have none: nobody
 * has stopped speaking before them. */
void call_figures_note_turn(const struct call_turn_times *times);

#endif
