/*
 * talk_view.c: shows a conversation in a terminal (see talk_view.h).
 */
#include "cli/talk_view.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/cells.h"

#define DIM "\033[2m"
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

#define CLEAR_ROW "\r\033[K"
#define NEXT_ROW "\r\n"

#define YOU "you> "

/* A narrower terminal wraps our rows, which only looks worse. */
#define WIDTH_MIN 20u

static void talk_view_style(const struct talk_view *view, const char *escape)
{
	if (view->has_colours)
		fputs(escape, view->out);
}

static void talk_view_styled(const struct talk_view *view, const char *escape, const char *text)
{
	talk_view_style(view, escape);
	fputs(text, view->out);
	talk_view_style(view, PLAIN);
}

/* The last column stays empty, because terminals differ in where the cursor is after it. */
static unsigned talk_view_width(const struct talk_view *view)
{
	return view->columns > WIDTH_MIN ? view->columns - 1 : WIDTH_MIN;
}

/* Rows of a screen */

static void talk_view_forget_word(struct talk_view *view)
{
	view->word_len = 0;
	view->word_cells = 0;
}

static void talk_view_end_row(struct talk_view *view)
{
	fputs(NEXT_ROW, view->out);
	view->column = 0;
	talk_view_forget_word(view);
}

/* Breaks the row and moves its last word to the next row, if there is something before it. */
static void talk_view_break_row(struct talk_view *view)
{
	char word[TALK_VIEW_WORD_MAX];
	size_t len = view->word_len;
	unsigned cells = view->word_cells;

	if (cells == 0 || cells >= view->column) {
		talk_view_end_row(view);
	} else {
		memcpy(word, view->word, len);
		fprintf(view->out, "\033[%uD\033[K", cells);
		talk_view_end_row(view);
		fwrite(word, 1, len, view->out);
		memcpy(view->word, word, len);
		view->word_len = len;
		view->word_cells = cells;
		view->column = cells;
	}
	view->is_broken = view->column == 0;
}

/* Rows may be broken between any wide characters. */
static void talk_view_join_word(struct talk_view *view, const char *bytes, size_t n, unsigned cells)
{
	if (cells > 1 || view->word_len + n > sizeof(view->word)) {
		talk_view_forget_word(view);
		return;
	}
	memcpy(view->word + view->word_len, bytes, n);
	view->word_len += n;
	view->word_cells += cells;
}

static void talk_view_put_blank(struct talk_view *view)
{
	talk_view_forget_word(view);
	if (view->is_broken)
		return;
	if (view->column >= talk_view_width(view)) {
		talk_view_break_row(view);
		return;
	}
	fputc(' ', view->out);
	++view->column;
}

static void talk_view_put_letter(struct talk_view *view, const char *bytes, size_t n,
				 unsigned cells)
{
	if (view->column + cells > talk_view_width(view))
		talk_view_break_row(view);
	view->is_broken = false;
	fwrite(bytes, 1, n, view->out);
	view->column += cells;
	talk_view_join_word(view, bytes, n, cells);
}

/* Control characters are removed, because an answer may contain anything. */
static void talk_view_put_text(struct talk_view *view, const char *text, size_t len)
{
	while (len > 0) {
		uint32_t code_point;
		char letter[4] = {0};
		size_t n = utf8_decode(&code_point, text, len);

		if (code_point == '\n') {
			talk_view_end_row(view);
			view->is_broken = false;
		} else if (code_point == ' ' || code_point == '\t') {
			talk_view_put_blank(view);
		} else if (code_point >= 0x20 && (code_point < 0x7f || code_point >= 0xa0)) {
			size_t letter_len = utf8_encode(letter, code_point);

			talk_view_put_letter(view, letter, letter_len, cells_of(code_point));
		}
		text += n;
		len -= n;
	}
}

static void talk_view_put_string(struct talk_view *view, const char *escape, const char *text)
{
	talk_view_style(view, escape);
	talk_view_put_text(view, text, strlen(text));
	talk_view_style(view, PLAIN);
}

/* Moves the cursor from the bottom row to the end of the answer above it, and back. */
static void talk_view_go_up(struct talk_view *view)
{
	fputs(CLEAR_ROW, view->out);
	if (view->column > 0)
		fprintf(view->out, "\033[A\033[%uC", view->column);
}

/* Returns where the text before `at` must begin to fit; its cells are subtracted from *room. */
static size_t talk_view_back_from(const char *text, size_t at, unsigned *room)
{
	while (at > 0) {
		size_t start = at - 1;
		uint32_t code_point;

		while (start > 0 && ((unsigned char)text[start] & 0xc0) == 0x80)
			--start;
		utf8_decode(&code_point, text + start, at - start);
		if (cells_of(code_point) > *room)
			break;
		*room -= cells_of(code_point);
		at = start;
	}
	return at;
}

static size_t talk_view_forth_from(const char *text, size_t len, size_t at, unsigned *room)
{
	while (at < len) {
		uint32_t code_point;
		size_t n = utf8_decode(&code_point, text + at, len - at);

		if (cells_of(code_point) > *room)
			break;
		*room -= cells_of(code_point);
		at += n;
	}
	return at;
}

/* Draws the line being typed, or the part around the cursor that fits. */
static void talk_view_draw_prompt(struct talk_view *view)
{
	const char *text = line_edit_text(view->edit);
	size_t cursor = line_edit_cursor(view->edit);
	unsigned room = talk_view_width(view) - (unsigned)strlen(YOU);
	size_t from = talk_view_back_from(text, cursor, &room);
	unsigned left = room;
	size_t to = talk_view_forth_from(text, line_edit_len(view->edit), cursor, &left);

	fputs(CLEAR_ROW, view->out);
	talk_view_styled(view, BOLD, YOU);
	fwrite(text + from, 1, to - from, view->out);
	if (left < room)
		fprintf(view->out, "\033[%uD", room - left);
}

static void talk_view_go_down(struct talk_view *view)
{
	if (view->column > 0)
		fputs(NEXT_ROW, view->out);
	talk_view_draw_prompt(view);
	fflush(view->out);
}

static void talk_view_begin_answer(struct talk_view *view)
{
	if (view->is_answer_open)
		return;
	talk_view_put_string(view, BOLD, view->name);
	talk_view_put_string(view, BOLD, "> ");
	view->is_answer_open = true;
}

static void talk_view_close_answer(struct talk_view *view, const char *mark)
{
	if (mark)
		talk_view_put_string(view, DIM, mark + (view->column == 0));
	if (view->column > 0)
		talk_view_end_row(view);
	view->is_answer_open = false;
}

/* Other kinds */

static void talk_view_show_plain(struct talk_view *view, const char *text, size_t len)
{
	if (!view->is_answer_open && view->kind == TALK_VIEW_DUMB) {
		talk_view_styled(view, BOLD, view->name);
		talk_view_styled(view, BOLD, "> ");
	}
	view->is_answer_open = true;
	fwrite(text, 1, len, view->out);
	fflush(view->out);
}

/* Every answer has a line, even if it is empty, because a calling program counts lines. */
static void talk_view_end_plain(struct talk_view *view)
{
	if (view->is_answer_open || view->kind == TALK_VIEW_LINES)
		fputs("\n", view->out);
	view->is_answer_open = false;
	fflush(view->out);
}

/* All kinds */

void talk_view_print_greeting(struct talk_view *view, const char *url)
{
	if (view->kind == TALK_VIEW_LINES)
		return;
	fprintf(view->out, "Talking to %s at %s.\n", view->name, url);
	talk_view_styled(view, DIM,
			 "Type and press Enter. Ctrl-C stops an answer, Ctrl-D quits.\n\n");
}

/* The terminal may have broken a row of another width: it is left as it is, and the answer
 * continues below. */
void talk_view_resize(struct talk_view *view, unsigned columns)
{
	if (columns == view->columns)
		return;
	view->columns = columns;
	view->is_broken = view->column > 0;
	view->column = 0;
	talk_view_forget_word(view);
}

void talk_view_add_text(struct talk_view *view, const char *text, size_t len)
{
	if (view->kind != TALK_VIEW_SCREEN) {
		talk_view_show_plain(view, text, len);
		return;
	}
	talk_view_go_up(view);
	talk_view_begin_answer(view);
	talk_view_put_text(view, text, len);
	talk_view_go_down(view);
}

void talk_view_end(struct talk_view *view)
{
	if (view->kind != TALK_VIEW_SCREEN) {
		talk_view_end_plain(view);
		talk_view_prompt(view);
		return;
	}
	talk_view_go_up(view);
	talk_view_close_answer(view, NULL);
	talk_view_go_down(view);
}

void talk_view_add_user_text(struct talk_view *view, const char *text, size_t len,
			     bool was_answering)
{
	if (view->kind != TALK_VIEW_SCREEN) {
		view->is_answer_open = false; /* Enter ended it */
		return;
	}
	talk_view_go_up(view);
	talk_view_close_answer(view, was_answering ? " (interrupted)" : NULL);
	talk_view_put_string(view, BOLD, YOU);
	talk_view_put_text(view, text, len);
	talk_view_end_row(view);
	talk_view_go_down(view);
}

void talk_view_mark_stopped(struct talk_view *view)
{
	if (view->kind != TALK_VIEW_SCREEN) {
		talk_view_styled(view, DIM, " (stopped)");
		fputs("\n", view->out);
		view->is_answer_open = false;
		talk_view_prompt(view);
		return;
	}
	talk_view_go_up(view);
	talk_view_close_answer(view, " (stopped)");
	talk_view_go_down(view);
}

void talk_view_add_note(struct talk_view *view, const char *text)
{
	if (view->kind != TALK_VIEW_SCREEN) {
		fprintf(view->out, "\n%s\n", text);
		if (!view->is_answer_open)
			talk_view_prompt(view);
		fflush(view->out);
		return;
	}
	talk_view_go_up(view);
	if (view->column > 0)
		talk_view_end_row(view);
	talk_view_put_string(view, DIM, text);
	talk_view_end_row(view);
	view->is_broken = view->is_answer_open;
	talk_view_go_down(view);
}

void talk_view_prompt(struct talk_view *view)
{
	if (view->kind == TALK_VIEW_DUMB)
		talk_view_styled(view, BOLD, YOU);
	else if (view->kind == TALK_VIEW_SCREEN)
		talk_view_draw_prompt(view);
	fflush(view->out);
}

void talk_view_finish(struct talk_view *view)
{
	if (view->kind == TALK_VIEW_SCREEN)
		fputs(CLEAR_ROW, view->out);
	else if (view->is_answer_open)
		talk_view_end_plain(view);
	fflush(view->out);
}
