/*
 * heard_transcript.h: all that was said in a recording: its text, segments and words.
 *
 * Pure; belongs to one request.
 */
#ifndef SESSION_HEARD_TRANSCRIPT_H
#define SESSION_HEARD_TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "hearing/hearing.h"
#include "session/heard_queue.h"

/* The most that is kept: three times what is said in the longest recording (four hours). */
#define HEARD_TRANSCRIPT_TEXT_MAX (1024u * 1024u)
#define HEARD_TRANSCRIPT_WORDS_MAX 131072u
#define HEARD_TRANSCRIPT_SEGMENTS_MAX 32768u

/* A segment: parts of the transcript's text and words. */
struct heard_part {
	size_t byte_start, byte_end;
	size_t word_start, word_end;
	uint64_t from_sample, to_sample;
};

struct heard_transcript {
	struct buf text;
	struct buf words; /* an array of struct hearing_word, whose bytes are those of `text` */
	struct buf parts; /* an array of struct heard_part */
	char language[HEARING_LANGUAGE_MAX]; /* the first that is known; "": none */
	float language_probability;
	bool times_are_approximate;
};

void heard_transcript_init(struct heard_transcript *transcript);
void heard_transcript_reset(struct heard_transcript *transcript);

/* Adds a segment, separated by a blank.  One that nothing was said in is left out.  ENOBUFS: the bounds
 * are exceeded; ENOMEM. */
int heard_transcript_add(struct heard_transcript *transcript, const struct heard_segment *segment);

const struct hearing_word *heard_transcript_words(const struct heard_transcript *transcript,
						  size_t *count);
const struct heard_part *heard_transcript_parts(const struct heard_transcript *transcript,
						size_t *count);

/* When a segment begins and ends, in seconds: its first and last word, if their times are known. */
double heard_transcript_start_s(const struct heard_transcript *transcript,
				const struct heard_part *part);
double heard_transcript_end_s(const struct heard_transcript *transcript,
			      const struct heard_part *part);

#endif
