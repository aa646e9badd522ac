/*
 * The display of a conversation, as seen on a small emulated terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/cells.h"
#include "cli/talk_view.h"

#define COLUMNS 30u
#define ROWS 40u

/* A cell has a character and its combining marks; the second cell of a wide character is empty. */
struct screen {
	char cells[ROWS][COLUMNS][16];
	unsigned row, column;
	char text[ROWS * COLUMNS * 16];
};

static struct line_edit *edit;
static struct talk_view view;
static struct screen screen;
static char *written;
static size_t written_len;

/* The terminal */

static void clear_to_end(void)
{
	for (unsigned i = screen.column; i < COLUMNS; ++i)
		screen.cells[screen.row][i][0] = '\0';
}

static const char *take_escape(const char *at)
{
	char *last;
	unsigned long n;

	assert_int_equal(*at, '[');
	n = strtoul(at + 1, &last, 10);
	switch (*last) {
	case 'A':
		assert_true(screen.row > 0);
		--screen.row;
		break;
	case 'C':
		screen.column += (unsigned)n;
		break;
	case 'D':
		assert_true(n <= screen.column);
		screen.column -= (unsigned)n;
		break;
	case 'K':
		clear_to_end();
		break;
	default:
		fail_msg("an escape that no terminal of this test knows: %s", at);
	}
	assert_true(screen.column < COLUMNS);
	return last + 1;
}

static void put(const char *letter, size_t n, unsigned cells)
{
	if (cells == 0) {
		assert_true(screen.column > 0);
		strncat(screen.cells[screen.row][screen.column - 1], letter, n);
		return;
	}
	assert_true(screen.column + cells < COLUMNS); /* the last column stays empty */
	snprintf(screen.cells[screen.row][screen.column], 16, "%.*s", (int)n, letter);
	if (cells == 2)
		screen.cells[screen.row][screen.column + 1][0] = '\0';
	screen.column += cells;
}

static void show(const char *at, size_t len)
{
	const char *end = at + len;

	while (at < end) {
		uint32_t code_point;
		size_t n = utf8_decode(&code_point, at, (size_t)(end - at));

		if (code_point == '\033') {
			at = take_escape(at + 1);
			continue;
		}
		if (code_point == '\r')
			screen.column = 0;
		else if (code_point == '\n')
			assert_true(++screen.row < ROWS);
		else if (code_point < 0x20 || code_point == 0x7f)
			fail_msg("a control character: %u", code_point);
		else
			put(at, n, cells_of(code_point));
		at += n;
	}
}

/* Reads the rows as lines, with a | for the cursor. */
static void read_screen(void)
{
	FILE *out = fmemopen(screen.text, sizeof(screen.text), "w");

	assert_non_null(out);
	for (unsigned row = 0; row <= screen.row; ++row) {
		for (unsigned i = 0; i < COLUMNS; ++i) {
			if (row == screen.row && i == screen.column)
				fputs("|", out);
			fputs(screen.cells[row][i], out);
		}
		fputs("\n", out);
	}
	fclose(out);
}

static void assert_screen(const char *text)
{
	fflush(view.out);
	show(written, written_len);
	rewind(view.out);
	read_screen();
	assert_string_equal(screen.text, text);
}

static int set_up(void **state)
{
	(void)state;
	memset(&screen, 0, sizeof(screen));
	view = (struct talk_view){.kind = TALK_VIEW_SCREEN, .name = "echo", .columns = COLUMNS};
	view.out = open_memstream(&written, &written_len);
	if (line_edit_alloc(&edit) != 0 || !view.out)
		return 1;
	view.edit = edit;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fclose(view.out);
	free(written);
	mem_deref(edit);
	return mem_live() == 0 ? 0 : 1;
}

/* Tests */

static void type(const char *keys)
{
	for (; *keys; ++keys)
		line_edit_key(edit, *keys);
	talk_view_prompt(&view);
}

static void hear(const char *text)
{
	talk_view_add_text(&view, text, strlen(text));
}

static void enter(bool was_answering)
{
	char line[LINE_EDIT_SIZE];

	snprintf(line, sizeof(line), "%s", line_edit_text(edit));
	line_edit_accept(edit);
	talk_view_add_user_text(&view, line, strlen(line), was_answering);
}

static void test_an_answer_grows_above_the_line_being_typed(void **state)
{
	(void)state;
	type("hello");
	assert_screen("you> hello|\n");
	enter(false);
	assert_screen("you> hello\nyou> |\n");
	hear("You");
	type("wa");
	hear(" said:");
	type("it");
	hear(" hello.");
	assert_screen("you> hello\necho> You said: hello.\nyou> wait|\n");
	talk_view_end(&view);
	type("\033[D\033[D");
	assert_screen("you> hello\necho> You said: hello.\nyou> wa|it\n");
}

static void test_a_line_that_is_entered_interrupts(void **state)
{
	(void)state;
	type("one");
	enter(false);
	hear("You said");
	type("two");
	hear(":");
	enter(true);
	hear("2");
	talk_view_end(&view);
	assert_screen("you> one\necho> You said: (interrupted)\nyou> two\necho> 2\nyou> |\n");
	type("three");
	enter(false);
	type("four");
	enter(true);
	assert_screen("you> one\necho> You said: (interrupted)\nyou> two\necho> 2\n"
		      "you> three\n(interrupted)\nyou> four\nyou> |\n");
}

static void test_an_answer_that_is_stopped_is_marked_and_the_line_stays(void **state)
{
	(void)state;
	hear("You said");
	type("wait");
	talk_view_mark_stopped(&view);
	assert_screen("echo> You said (stopped)\nyou> wait|\n");
}

static void test_rows_are_broken_between_words(void **state)
{
	(void)state;
	hear("one two three four fi");
	assert_screen("echo> one two three four fi\nyou> |\n");
	hear("ve");
	hear("six");
	assert_screen("echo> one two three four \nfivesix\nyou> |\n");
	hear("  seven eight nine ten");
	assert_screen("echo> one two three four \nfivesix  seven eight nine ten\nyou> |\n");
	hear("  eleven");
	assert_screen("echo> one two three four \nfivesix  seven eight nine ten\neleven\n"
		      "you> |\n");
}

static void test_a_word_wider_than_the_screen_is_broken(void **state)
{
	(void)state;
	hear("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
	assert_screen("echo> \nabcdefghijklmnopqrstuvwxyzabc\ndefghijklmnopqrstuvwxyz\nyou> |\n");
}

static void test_lines_of_an_answer_are_rows(void **state)
{
	(void)state;
	hear("a\n");
	hear("\n  b\n");
	assert_screen("echo> a\n\n  b\nyou> |\n");
	hear("c");
	talk_view_end(&view);
	assert_screen("echo> a\n\n  b\nc\nyou> |\n");
}

static void test_wide_characters_take_two_columns(void **state)
{
	(void)state;
	hear("你好你好你好你好你好你好");
	assert_screen("echo> 你好你好你好你好你好你\n好\nyou> |\n");
	type("e\xcc\x81你🎻\033[D");
	assert_screen("echo> 你好你好你好你好你好你\n好\nyou> e\xcc\x81你|🎻\n");
}

static void test_an_answer_cannot_steer_the_terminal(void **state)
{
	(void)state;
	hear("a\033[2Jb\x07\xc2\x9b"
	     "c\rd\xff\te");
	assert_screen("echo> a[2Jbcd\xef\xbf\xbd e\nyou> |\n");
}

static void test_of_a_long_line_the_part_around_the_cursor_is_seen(void **state)
{
	(void)state;
	type("abcdefghijklmnopqrstuvwxyz");
	assert_screen("you> cdefghijklmnopqrstuvwxyz|\n");
	type("\001");
	assert_screen("you> |abcdefghijklmnopqrstuvwx\n");
	type("\005");
	enter(false);
	assert_screen("you> \nabcdefghijklmnopqrstuvwxyz\nyou> |\n");
}

static void test_a_note_has_a_row_of_its_own(void **state)
{
	(void)state;
	hear("You");
	type("x");
	talk_view_add_note(&view, "(no voice)");
	hear(" said.");
	talk_view_end(&view);
	talk_view_add_note(&view, "(again)");
	assert_screen("echo> You\n(no voice)\nsaid.\n(again)\nyou> x|\n");
}

static void test_after_a_change_of_width_an_answer_goes_on_below(void **state)
{
	(void)state;
	hear("You");
	talk_view_resize(&view, COLUMNS - 1);
	hear(" said.");
	talk_view_resize(&view, COLUMNS - 1);
	hear(" Yes.");
	assert_screen("echo> You\nsaid. Yes.\nyou> |\n");
}

static void test_it_leaves_a_row_for_the_shell(void **state)
{
	(void)state;
	hear("You");
	type("x");
	talk_view_finish(&view);
	assert_screen("echo> You\n|\n");
}

static void test_for_programs_and_dumb_terminals_nothing_is_drawn(void **state)
{
	(void)state;
	view.kind = TALK_VIEW_LINES;
	talk_view_print_greeting(&view, "http://x");
	talk_view_prompt(&view);
	talk_view_add_user_text(&view, "hi", 2, false);
	hear("You ");
	hear("said.");
	talk_view_end(&view);
	talk_view_end(&view);
	fflush(view.out);
	assert_string_equal(written, "You said.\n\n");
	rewind(view.out);
	view.kind = TALK_VIEW_DUMB;
	talk_view_prompt(&view);
	hear("You ");
	talk_view_add_note(&view, "(note)");
	hear("said.");
	talk_view_end(&view);
	hear("And");
	talk_view_mark_stopped(&view);
	fflush(view.out);
	assert_string_equal(written, "you> echo> You \n(note)\nsaid.\nyou> echo> And (stopped)\n"
				     "you> ");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_answer_grows_above_the_line_being_typed),
		TEST(test_a_line_that_is_entered_interrupts),
		TEST(test_an_answer_that_is_stopped_is_marked_and_the_line_stays),
		TEST(test_rows_are_broken_between_words),
		TEST(test_a_word_wider_than_the_screen_is_broken),
		TEST(test_lines_of_an_answer_are_rows),
		TEST(test_wide_characters_take_two_columns),
		TEST(test_an_answer_cannot_steer_the_terminal),
		TEST(test_of_a_long_line_the_part_around_the_cursor_is_seen),
		TEST(test_a_note_has_a_row_of_its_own),
		TEST(test_after_a_change_of_width_an_answer_goes_on_below),
		TEST(test_it_leaves_a_row_for_the_shell),
		TEST(test_for_programs_and_dumb_terminals_nothing_is_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
