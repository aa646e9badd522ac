/*
 * line_edit.h: a line being typed: keys in, text and cursor out.
 *
 * Pure: it neither reads nor shows anything.  A step is a code point.  Keys are those of
 * every shell: arrows, Home, End, Delete, Backspace, Ctrl-A, B, E, F, H, K, N, P, U, W;
 * up and down lead through the lines that were accepted before.
 */
#ifndef CLI_LINE_EDIT_H
#define CLI_LINE_EDIT_H

#include <stddef.h>

/* Bytes of a line with its 0: twice what a terminal's own editor takes. */
#define LINE_EDIT_SIZE 8192u

/* Lines that are kept to go back to; then the oldest is forgotten. */
#define LINE_EDIT_HISTORY_MAX 100u

enum line_edit_event {
	LINE_EDIT_NOTHING, /* for the caller to do; the text may have changed */
	LINE_EDIT_ENTER,
	LINE_EDIT_INTERRUPT, /* Ctrl-C */
	LINE_EDIT_END, /* Ctrl-D on an empty line; else it deletes */
	LINE_EDIT_FULL, /* the line has no room for what was typed */
};

struct line_edit;

int line_edit_alloc(struct line_edit **editp);

/* The next byte of the keyboard. */
enum line_edit_event line_edit_key(struct line_edit *edit, char byte);

/* Valid UTF-8 without control characters, ends with 0. */
const char *line_edit_text(const struct line_edit *edit);
size_t line_edit_len(const struct line_edit *edit);
size_t line_edit_cursor(const struct line_edit *edit); /* bytes before it */

/* The line is empty again: forgotten, or kept to go back to. */
void line_edit_clear(struct line_edit *edit);
void line_edit_accept(struct line_edit *edit);

#endif
