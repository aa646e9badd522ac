/*
 * word_times.h: a time for every word of a text, whatever the engine reports.
 *
 * Engines join words ("of the" is one to eSpeak NG), omit some, report others several times
 * ("42"), or begin one before its first letter. Here each event is assigned to the words of
 * the text (words.h), and words without an event share the time of the last preceding word
 * that has one, in proportion to their letters. So every word is reported exactly once, in
 * order.
 */
#ifndef ENGINE_WORD_TIMES_H
#define ENGINE_WORD_TIMES_H

#include "engine/words.h"

struct word_times {
	struct sink *sink;
	struct words words; /* positioned after `current` */
	struct words untold; /* positioned after `first` */
	struct words_word first; /* the first word that was not reported yet */
	struct words_word current; /* the last word that was heard, if is_heard */
	bool has_first;
	size_t told_end; /* words that end before this byte are done */
	bool is_heard;
	uint64_t from; /* the sample at which the unreported words begin to share time */
	uint64_t quiet_from; /* silence begins at this sample */
};

/* The text and the sink must outlive `times`, which owns nothing. */
void word_times_init(struct word_times *times, const struct engine_text *text, struct sink *sink);

/* The word at this byte begins at this sample. An event that goes back, or belongs to the word
 * that is being spoken, changes nothing. Like the next two functions, called in the order of
 * samples. A nonzero return value means that the sink was cancelled. */
int word_times_begin(struct word_times *times, size_t byte, uint64_t sample);

/* There was sound up to this sample; silence after it belongs to no word. */
void word_times_hear(struct word_times *times, uint64_t sample);

/* All words that begin before the byte were spoken before the sample. */
int word_times_end(struct word_times *times, size_t byte, uint64_t sample);

#endif
