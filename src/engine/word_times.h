/*
 * word_times.h: a time for every word of a text, whatever the engine tells.
 *
 * Engines join words ("of the" is one to eSpeak NG), leave some out, give others
 * several times ("42"), or begin one before its first letter.  Here each event
 * is laid on the words of the text (words.h), and words without one share the
 * time of the last word before them that has one, by their letters.  So every
 * word is told once, in order.
 */
#ifndef ENGINE_WORD_TIMES_H
#define ENGINE_WORD_TIMES_H

#include "engine/words.h"

struct word_times {
	struct sink *sink;
	struct words words; /* behind `current` */
	struct words untold; /* behind `first` */
	struct word first; /* the first that was not told … */
	struct word current; /* … and the last that was heard, if is_heard */
	bool has_first;
	size_t told_end; /* byte: what lies before it is over */
	bool is_heard;
	uint64_t from; /* the sample from which those share what is heard */
	uint64_t quiet_from; /* nothing was heard from there on */
};

void word_times_init(struct word_times *times, const struct engine_text *text, struct sink *sink);

/* From the sample on the word at the byte is heard.  An event that goes back, or
 * belongs to the word that is being spoken, changes nothing.  Like the next two,
 * in the order of samples.  Non-zero: nobody wants the rest. */
int word_times_begin(struct word_times *times, size_t byte, uint64_t sample);

/* Up to the sample there was sound; if silence follows it is of no word. */
void word_times_hear(struct word_times *times, uint64_t sample);

/* All words that begin before the byte were spoken before the sample. */
int word_times_end(struct word_times *times, size_t byte, uint64_t sample);

#endif
