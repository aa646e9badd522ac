/*
 * talk_view.h: shows a conversation in a terminal.
 *
 * On a screen, the line being typed is at the bottom, and answers grow above it:
 *
 *     you> tell me a story
 *     echo> You said: tell me a st
 *     you> enou_
 *
 * Each change erases the bottom row, continues where the answer ended and draws the bottom row
 * again, in one write. Both positions must therefore be known: rows are broken here, one column
 * before the terminal would break them.
 */
#ifndef CLI_TALK_VIEW_H
#define CLI_TALK_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/line_edit.h"

enum talk_view_kind {
	TALK_VIEW_LINES, /* for a program: one line per answer, unchanged */
	TALK_VIEW_DUMB, /* for a person; the terminal echoes what is typed */
	TALK_VIEW_SCREEN,
};

/* Longer words are broken at the end of the row. */
#define TALK_VIEW_WORD_MAX 64u

struct talk_view {
	FILE *out;
	enum talk_view_kind kind;
	bool has_colours;
	const char *name; /* the agent's name */
	const struct line_edit *edit; /* for TALK_VIEW_SCREEN */
	unsigned columns;
	bool is_answer_open;
	/* For TALK_VIEW_SCREEN: */
	unsigned column; /* where the answer continues; 0 if its row has ended */
	bool is_broken; /* the row was broken here, so leading spaces are skipped */
	/* The last word of the row, which may move to the next row. */
	char word[TALK_VIEW_WORD_MAX];
	size_t word_len;
	unsigned word_cells;
};

/* Prints the agent and the available keys. Must be called first. */
void talk_view_print_greeting(struct talk_view *view, const char *url);

/* Sets the width of the screen. */
void talk_view_resize(struct talk_view *view, unsigned columns);

/* Shows part of an answer; ends the answer. */
void talk_view_add_text(struct talk_view *view, const char *text, size_t len);
void talk_view_end(struct talk_view *view);

/* Shows what the user said, which may have interrupted an answer. */
void talk_view_add_user_text(struct talk_view *view, const char *text, size_t len,
			     bool was_answering);

/* Shows that the user stopped the answer. */
void talk_view_mark_stopped(struct talk_view *view);

/* Shows a message to a person, on a row of its own, even in the middle of an answer. */
void talk_view_add_note(struct talk_view *view, const char *text);

/* Draws the prompt, when it is the user's turn or the line being typed has changed. */
void talk_view_prompt(struct talk_view *view);

/* Leaves the cursor where other output can begin. */
void talk_view_finish(struct talk_view *view);

#endif
