/*
 * heard_queue.h: the pieces of a stream of audio that wait for their words, in the order in which they
 * were said.
 *
 * The words of pieces may arrive in any order.  Pieces are collected in the order of the audio until a
 * commit; then their text is passed on as one segment.  A member of its transcription; runs on the
 * loop's thread.
 */
#ifndef SESSION_HEARD_QUEUE_H
#define SESSION_HEARD_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "hearing/hearing.h"

/* The most text and words of one segment.  Segments have at most a few minutes of audio, so this is ten
 * times what the fastest speaker says. */
#define HEARD_QUEUE_TEXT_MAX (64u * 1024u)
#define HEARD_QUEUE_WORDS_MAX 16384u

/* A part of what was said.  Only valid during the call. */
struct heard_segment {
	uint64_t from_sample, to_sample;
	const char *text; /* UTF-8 */
	size_t text_len; /* 0: nothing was said */
	const struct hearing_word *words; /* their bytes are those of `text` */
	size_t word_count; /* 0 if times were not wanted, or the model has none */
	bool times_are_approximate;
	const char *language; /* a code; "": not known */
	float language_probability;
};

struct heard_queue {
	struct list entries; /* pieces and commits, the oldest first */
	/* The pieces since the last commit whose words are known. */
	struct buf text;
	struct buf words; /* an array of struct hearing_word */
	uint64_t from_sample, to_sample;
	bool has_pieces;
	bool is_taken; /* they were passed on as a segment, and are forgotten by the next call */
	bool times_are_approximate;
	char language[HEARING_LANGUAGE_MAX];
	float language_probability;
};

void heard_queue_init(struct heard_queue *queue);
void heard_queue_reset(struct heard_queue *queue);

/* Adds a piece after all others, or a commit; ENOMEM.  A commit that a client asked for is answered even
 * if nothing was said. */
int heard_queue_add(struct heard_queue *queue, const struct hearing_piece *piece);
int heard_queue_commit(struct heard_queue *queue, bool is_asked);

/* The first piece that the engine has not been asked for; NULL: there is none.  heard_queue_asked notes
 * that it has been. */
const struct hearing_piece *heard_queue_wanted(const struct heard_queue *queue);
void heard_queue_asked(struct heard_queue *queue, uint32_t number);

/* Keeps the words of a piece.  ENOENT: there is no such piece.  ENOMEM, ENOBUFS: the words are lost. */
int heard_queue_result(struct heard_queue *queue, const struct hearing_result *result);

/* Takes the next commit whose words are all known: true with the segment, which is valid until the next
 * call of a function of this queue.  Commits of nothing that nobody asked for are left out. */
bool heard_queue_next(struct heard_queue *queue, struct heard_segment *segment);

/* Whether no piece and no commit waits. */
bool heard_queue_is_empty(const struct heard_queue *queue);

/* Appends a piece of text to others, separated by a blank if the language has such. */
int heard_queue_append_text(struct buf *out, const char *text, size_t len, const char *language);

/* Appends the text since the last commit, followed by that of a piece whose words are not final. */
int heard_queue_preview(const struct heard_queue *queue, struct buf *out,
			const struct hearing_result *result);

#endif
