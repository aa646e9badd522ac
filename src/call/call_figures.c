/*
 * call_figures.c: what has happened in a call (see call_figures.h).
 */
#include "call/call_figures.h"

static int64_t call_figures_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void call_figures_count(uint64_t *figure, enum metric metric)
{
	++*figure;
	metrics_add(metric, 1);
}

/* The agent can be asked when the words are known, if it is asked before the decision, and otherwise
 * with the decision, which needs both the silence and the words. */
int64_t call_figures_added_us(const struct call_turn_times *times)
{
	int64_t decision_us, question_us, sound_us;

	if (times->words_us < 0 || times->asked_us < 0 || times->wait_us < 0 ||
	    times->decided_us < 0 || times->ready_us < 0 || times->sound_us < 0)
		return -1;
	decision_us = call_figures_later(times->wait_us, times->words_us);
	question_us = times->asked_us < times->decided_us ? times->words_us : decision_us;
	sound_us = question_us + times->ready_us - times->asked_us;
	return call_figures_later(times->sound_us - call_figures_later(decision_us, sound_us), 0);
}

static void call_figures_observe(enum metric metric, int64_t time_us)
{
	if (time_us >= 0)
		metrics_observe(metric, (uint64_t)time_us);
}

void call_figures_note_turn(const struct call_turn_times *times)
{
	if (times->decided_us < 0)
		return;
	call_figures_observe(METRIC_CALL_WORDS, times->words_us);
	call_figures_observe(METRIC_CALL_ASKED, times->asked_us);
	call_figures_observe(METRIC_CALL_DECIDED, times->decided_us);
	call_figures_observe(METRIC_CALL_ANSWER, times->answer_us);
	call_figures_observe(METRIC_CALL_READY, times->ready_us);
	call_figures_observe(METRIC_CALL_SOUND, times->sound_us);
	call_figures_observe(METRIC_CALL_ADDED, call_figures_added_us(times));
}
