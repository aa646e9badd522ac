/*
 * line_edit.h: edits the line that is being typed: takes keys, and gives text and a cursor.
 *
 * Does no input or output. The cursor moves by code points. The keys are those of every shell:
 * arrows, Home, End, Delete, Backspace, Ctrl-A, B, E, F, H, K, N, P, U, W; up and down recall
 * lines that were accepted before.
 */
#ifndef CLI_LINE_EDIT_H
#define CLI_LINE_EDIT_H

#include <stddef.h>

/* The size of a line in bytes including the NUL: twice what a terminal's own editor accepts. */
#define LINE_EDIT_SIZE 8192u

/* The number of lines in the history, from which the oldest is dropped when it is full. */
#define LINE_EDIT_HISTORY_MAX 100u

enum line_edit_event {
	LINE_EDIT_NOTHING, /* nothing for the caller to do; the text may have changed */
	LINE_EDIT_ENTER,
	LINE_EDIT_INTERRUPT, /* Ctrl-C */
	LINE_EDIT_END, /* Ctrl-D on an empty line; on others it deletes a character */
	LINE_EDIT_FULL, /* the line has no room for what was typed */
};

struct line_edit;

int line_edit_alloc(struct line_edit **editp);

/* Processes the next byte from the keyboard. */
enum line_edit_event line_edit_key(struct line_edit *edit, char byte);

/* The line as NUL-terminated, valid UTF-8 without control characters. */
const char *line_edit_text(const struct line_edit *edit);
size_t line_edit_len(const struct line_edit *edit);
size_t line_edit_cursor(const struct line_edit *edit); /* in bytes from the start */

/* Both empty the line: line_edit_clear drops it, line_edit_accept adds it to the history. */
void line_edit_clear(struct line_edit *edit);
void line_edit_accept(struct line_edit *edit);

#endif
