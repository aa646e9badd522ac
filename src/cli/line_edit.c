/*
 * line_edit.c: edits the line that is being typed (see line_edit.h).
 */
#include "cli/line_edit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"

#define KEY_ESCAPE '\033'
#define KEY_CTRL(letter) ((letter)&0x1f)
#define KEY_BACKSPACE 0x7f

/* The maximum length of an escape sequence's parameters. No key has as many; longer sequences are
 * ignored. */
#define PARAMETERS_MAX 8u

enum mode { MODE_TEXT, MODE_ESCAPE, MODE_CONTROL, MODE_APPLICATION };

struct line_edit {
	char text[LINE_EDIT_SIZE];
	size_t len;
	size_t cursor;
	enum mode mode;
	char parameters[PARAMETERS_MAX + 1];
	size_t parameters_len;
	char letter[4]; /* an incomplete code point */
	size_t letter_len;
	struct utf8_state utf8;
	char *history[LINE_EDIT_HISTORY_MAX]; /* oldest first */
	size_t history_len;
	size_t at; /* the position in it; history_len for the new line */
	char *draft; /* the new line, while another one is shown */
};

static void line_edit_destroy(void *object)
{
	struct line_edit *edit = object;

	for (size_t i = 0; i < edit->history_len; ++i)
		free(edit->history[i]);
	free(edit->draft);
}

int line_edit_alloc(struct line_edit **editp)
{
	struct line_edit *edit = mem_zalloc(sizeof(*edit), line_edit_destroy);

	if (!edit)
		return ENOMEM;
	*editp = edit;
	return 0;
}

const char *line_edit_text(const struct line_edit *edit)
{
	return edit->text;
}

size_t line_edit_len(const struct line_edit *edit)
{
	return edit->len;
}

size_t line_edit_cursor(const struct line_edit *edit)
{
	return edit->cursor;
}

/* Text */

static bool line_edit_is_inside_letter(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t line_edit_letter_before(const struct line_edit *edit, size_t at)
{
	while (at > 0 && line_edit_is_inside_letter(edit->text[--at]))
		;
	return at;
}

static size_t line_edit_letter_after(const struct line_edit *edit, size_t at)
{
	if (at < edit->len)
		++at;
	while (at < edit->len && line_edit_is_inside_letter(edit->text[at]))
		++at;
	return at;
}

static void line_edit_cut(struct line_edit *edit, size_t from, size_t to)
{
	memmove(edit->text + from, edit->text + to, edit->len - to + 1);
	edit->len -= to - from;
	edit->cursor = from;
}

static enum line_edit_event line_edit_insert(struct line_edit *edit, const char *bytes, size_t n)
{
	if (n >= LINE_EDIT_SIZE - edit->len)
		return LINE_EDIT_FULL;
	memmove(edit->text + edit->cursor + n, edit->text + edit->cursor,
		edit->len - edit->cursor + 1);
	memcpy(edit->text + edit->cursor, bytes, n);
	edit->len += n;
	edit->cursor += n;
	return LINE_EDIT_NOTHING;
}

static void line_edit_set_text(struct line_edit *edit, const char *text)
{
	edit->len = strlen(text);
	edit->cursor = edit->len;
	memcpy(edit->text, text, edit->len + 1);
}

/* History */

void line_edit_clear(struct line_edit *edit)
{
	line_edit_set_text(edit, "");
	free(edit->draft);
	edit->draft = NULL;
	edit->at = edit->history_len;
}

/* If there is no memory, the line is not remembered. */
static void line_edit_remember(struct line_edit *edit)
{
	bool is_again = edit->history_len > 0 &&
			strcmp(edit->history[edit->history_len - 1], edit->text) == 0;
	char *line = is_again ? NULL : strdup(edit->text);

	if (!line)
		return;
	if (edit->history_len == LINE_EDIT_HISTORY_MAX) {
		free(edit->history[0]);
		memmove(edit->history, edit->history + 1,
			--edit->history_len * sizeof(edit->history[0]));
	}
	edit->history[edit->history_len++] = line;
}

void line_edit_accept(struct line_edit *edit)
{
	if (edit->text[strspn(edit->text, " ")] != '\0')
		line_edit_remember(edit);
	line_edit_clear(edit);
}

static void line_edit_go_back(struct line_edit *edit)
{
	if (edit->at == 0)
		return;
	if (edit->at == edit->history_len) {
		free(edit->draft);
		edit->draft = strdup(edit->text);
	}
	line_edit_set_text(edit, edit->history[--edit->at]);
}

static void line_edit_go_forth(struct line_edit *edit)
{
	if (edit->at == edit->history_len)
		return;
	if (++edit->at < edit->history_len)
		line_edit_set_text(edit, edit->history[edit->at]);
	else
		line_edit_set_text(edit, edit->draft ? edit->draft : "");
}

/* Keys */

static void line_edit_go_left(struct line_edit *edit)
{
	edit->cursor = line_edit_letter_before(edit, edit->cursor);
}

static void line_edit_go_right(struct line_edit *edit)
{
	edit->cursor = line_edit_letter_after(edit, edit->cursor);
}

static void line_edit_go_home(struct line_edit *edit)
{
	edit->cursor = 0;
}

static void line_edit_go_to_end(struct line_edit *edit)
{
	edit->cursor = edit->len;
}

static void line_edit_cut_letter_before(struct line_edit *edit)
{
	line_edit_cut(edit, line_edit_letter_before(edit, edit->cursor), edit->cursor);
}

static void line_edit_cut_letter_after(struct line_edit *edit)
{
	line_edit_cut(edit, edit->cursor, line_edit_letter_after(edit, edit->cursor));
}

static void line_edit_cut_to_home(struct line_edit *edit)
{
	line_edit_cut(edit, 0, edit->cursor);
}

static void line_edit_cut_to_end(struct line_edit *edit)
{
	line_edit_cut(edit, edit->cursor, edit->len);
}

static void line_edit_cut_word(struct line_edit *edit)
{
	size_t from = edit->cursor;

	while (from > 0 && edit->text[from - 1] == ' ')
		--from;
	while (from > 0 && edit->text[from - 1] != ' ')
		--from;
	line_edit_cut(edit, from, edit->cursor);
}

typedef void act_h(struct line_edit *edit);

static const struct {
	char byte;
	act_h *act;
} control_keys[] = {
	{KEY_CTRL('A'), line_edit_go_home},           {KEY_CTRL('B'), line_edit_go_left},
	{KEY_CTRL('D'), line_edit_cut_letter_after},  {KEY_CTRL('E'), line_edit_go_to_end},
	{KEY_CTRL('F'), line_edit_go_right},          {KEY_CTRL('H'), line_edit_cut_letter_before},
	{KEY_BACKSPACE, line_edit_cut_letter_before}, {KEY_CTRL('K'), line_edit_cut_to_end},
	{KEY_CTRL('N'), line_edit_go_forth},          {KEY_CTRL('P'), line_edit_go_back},
	{KEY_CTRL('U'), line_edit_cut_to_home},       {KEY_CTRL('W'), line_edit_cut_word},
};

/* The sequences that xterm, the Linux console and rxvt send. */
static const struct {
	char last;
	char first_parameter; /* only before '~' */
	act_h *act;
} sequence_keys[] = {
	{'A', 0, line_edit_go_back},
	{'B', 0, line_edit_go_forth},
	{'C', 0, line_edit_go_right},
	{'D', 0, line_edit_go_left},
	{'H', 0, line_edit_go_home},
	{'F', 0, line_edit_go_to_end},
	{'~', '1', line_edit_go_home},
	{'~', '7', line_edit_go_home},
	{'~', '4', line_edit_go_to_end},
	{'~', '8', line_edit_go_to_end},
	{'~', '3', line_edit_cut_letter_after},
};

static enum line_edit_event line_edit_press_control(struct line_edit *edit, char byte)
{
	if (byte == '\r' || byte == '\n')
		return LINE_EDIT_ENTER;
	if (byte == KEY_CTRL('C'))
		return LINE_EDIT_INTERRUPT;
	if (byte == KEY_CTRL('D') && edit->len == 0)
		return LINE_EDIT_END;
	if (byte == '\t')
		return line_edit_insert(edit, " ", 1);
	if (byte == KEY_ESCAPE)
		edit->mode = MODE_ESCAPE;
	for (size_t i = 0; i < COUNT(control_keys); ++i) {
		if (control_keys[i].byte == byte)
			control_keys[i].act(edit);
	}
	return LINE_EDIT_NOTHING;
}

static void line_edit_press_sequence(struct line_edit *edit, char last)
{
	/* "3" and "3;5" are Delete, "30" is not. */
	bool has_one_digit = edit->parameters_len < 2 || edit->parameters[1] == ';';

	for (size_t i = 0; i < COUNT(sequence_keys); ++i) {
		if (sequence_keys[i].last == last &&
		    (last != '~' ||
		     (has_one_digit && sequence_keys[i].first_parameter == edit->parameters[0]))) {
			sequence_keys[i].act(edit);
			return;
		}
	}
}

static enum line_edit_event line_edit_take_sequence(struct line_edit *edit, char byte)
{
	if (edit->mode == MODE_ESCAPE && (byte == '[' || byte == 'O')) {
		edit->mode = byte == '[' ? MODE_CONTROL : MODE_APPLICATION;
		edit->parameters_len = 0;
		memset(edit->parameters, 0, sizeof(edit->parameters));
	} else if (edit->mode == MODE_CONTROL && byte >= 0x20 && byte < 0x40) {
		if (edit->parameters_len < PARAMETERS_MAX)
			edit->parameters[edit->parameters_len++] = byte;
	} else {
		bool was_sequence = edit->mode != MODE_ESCAPE;

		edit->mode = MODE_TEXT;
		if ((unsigned char)byte < 0x20) /* Escape followed by another key */
			return line_edit_press_control(edit, byte);
		if (was_sequence)
			line_edit_press_sequence(edit, byte);
	}
	return LINE_EDIT_NOTHING;
}

static enum line_edit_event line_edit_take_letter(struct line_edit *edit, char byte)
{
	size_t n;

	if (edit->letter_len == 0)
		edit->utf8 = (struct utf8_state){0};
	if (!utf8_check(&edit->utf8, &byte, 1)) {
		bool was_unfinished = edit->letter_len > 0;

		edit->letter_len = 0;
		return was_unfinished ? line_edit_take_letter(edit, byte) : LINE_EDIT_NOTHING;
	}
	edit->letter[edit->letter_len++] = byte;
	if (!utf8_is_complete(&edit->utf8))
		return LINE_EDIT_NOTHING;
	n = edit->letter_len;
	edit->letter_len = 0;
	if (n == 2 && edit->letter[0] == '\xc2' && (unsigned char)edit->letter[1] < 0xa0)
		return LINE_EDIT_NOTHING; /* U+0080 to U+009F are control characters, too */
	return line_edit_insert(edit, edit->letter, n);
}

enum line_edit_event line_edit_key(struct line_edit *edit, char byte)
{
	bool is_control = (unsigned char)byte < 0x20 || byte == KEY_BACKSPACE;

	if (edit->mode != MODE_TEXT)
		return line_edit_take_sequence(edit, byte);
	if (!is_control)
		return line_edit_take_letter(edit, byte);
	edit->letter_len = 0;
	return line_edit_press_control(edit, byte);
}
