/*
 * talk_view.h: what a conversation looks like.
 *
 * On a screen the line being typed is at the bottom, and answers grow above it:
 *
 *     you> tell me a story
 *     echo> You said: tell me a st
 *     you> enou_
 *
 * Each change takes the lowest row away, goes on where the answer ended and draws the
 * row again, in one write.  So both must know which column they are in: rows are
 * broken here, a column before the terminal would, and never by it.
 */
#ifndef CLI_TALK_VIEW_H
#define CLI_TALK_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/line_edit.h"

enum talk_view_kind {
	TALK_VIEW_LINES, /* for a program: a line for each answer, as it is */
	TALK_VIEW_DUMB, /* a person; the terminal echoes what is typed */
	TALK_VIEW_SCREEN,
};

/* Longer words are broken where the row ends. */
#define TALK_VIEW_WORD_MAX 64u

struct talk_view {
	FILE *out;
	enum talk_view_kind kind;
	bool has_colours;
	const char *name; /* of the agent */
	const struct line_edit *edit; /* of a screen */
	unsigned columns;
	bool is_answer_open;
	/* Of a screen: */
	unsigned column; /* where the answer goes on; 0: its row has ended */
	bool is_broken; /* by us: blanks would only indent the new row */
	char word[TALK_VIEW_WORD_MAX]; /* at the end of the row */
	size_t word_len;
	unsigned word_cells;
};

/* The agent, and the keys that can be used; comes first. */
void talk_view_greet(struct talk_view *view, const char *url);

/* How wide the screen is now. */
void talk_view_resize(struct talk_view *view, unsigned columns);

/* A part of an answer; its end. */
void talk_view_words(struct talk_view *view, const char *text, size_t len);
void talk_view_end(struct talk_view *view);

/* The user has said something, perhaps instead of hearing the answer to its end. */
void talk_view_said(struct talk_view *view, const char *text, size_t len, bool was_answering);

/* The user wanted silence. */
void talk_view_stopped(struct talk_view *view);

/* To a person: on a row of its own, also in the middle of an answer. */
void talk_view_note(struct talk_view *view, const char *text);

/* It is the user's turn, or the line being typed has changed. */
void talk_view_prompt(struct talk_view *view);

/* Leaves the cursor where other output may begin. */
void talk_view_leave(struct talk_view *view);

#endif
