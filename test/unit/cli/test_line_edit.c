/*
 * Line editing: the effect of keys on the text and the cursor.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/line_edit.h"

#define UP "\033[A"
#define DOWN "\033[B"
#define RIGHT "\033[C"
#define LEFT "\033[D"

static int set_up(void **state)
{
	struct line_edit *edit;

	if (line_edit_alloc(&edit) != 0)
		return 1;
	*state = edit;
	return 0;
}

static int tear_down(void **state)
{
	mem_deref(*state);
	return mem_live() == 0 ? 0 : 1;
}

/* Types the keys and returns the event of the last one. */
static enum line_edit_event type(struct line_edit *edit, const char *keys)
{
	enum line_edit_event event = LINE_EDIT_NOTHING;

	for (; *keys; ++keys)
		event = line_edit_key(edit, *keys);
	return event;
}

/* `shown` has a | at the position of the cursor. */
static void assert_line(const struct line_edit *edit, const char *shown)
{
	char line[LINE_EDIT_SIZE + 1];
	const char *text = line_edit_text(edit);
	int cursor = (int)line_edit_cursor(edit);

	snprintf(line, sizeof(line), "%.*s|%s", cursor, text, text + cursor);
	assert_string_equal(line, shown);
	assert_int_equal(line_edit_len(edit), strlen(text));
}

static void test_keys_move_and_cut(void **state)
{
	static const struct {
		const char *keys, *shown;
	} cases[] = {
		{"abc", "abc|"},
		{"abc" LEFT LEFT "x", "ax|bc"},
		{"abc" LEFT RIGHT RIGHT "x", "abcx|"},
		{"abc\177", "ab|"},
		{"abc\010", "ab|"},
		{"\177", "|"},
		{LEFT "a", "a|"},
		{"abc\033[Hx", "x|abc"},
		{"abc\033OHx\033OFy", "xabcy|"},
		{"abc\033[1~x\033[4~y", "xabcy|"},
		{"abc\033[7~x\033[8~y", "xabcy|"},
		{"abc\001x\005y", "xabcy|"},
		{"abc\002x\006y", "abxcy|"},
		{"abc" LEFT "\033[3~", "ab|"},
		{"abc\001\004", "|bc"},
		{"one two" LEFT LEFT "\025", "|wo"},
		{"one two" LEFT LEFT "\013", "one t|"},
		{"one two\027", "one |"},
		{"one two  \027", "one |"},
		{"one\027\027", "|"},
		{"a\tb", "a b|"},
		{"\033[1;5Dab\033[1;5Dc", "ac|b"},
		{"\033bx", "x|"}, /* Alt-B is ignored */
		{"\033\033[Dx", "x|"},
		{"a\033[30~b", "ab|"}, /* not Delete */
		{"a\033[123456789012345~b", "ab|"},
		{"a\033[20\025b", "b|"}, /* an incomplete sequence */
		{"\001\003\022\037x", "x|"},
	};

	for (size_t i = 0; i < COUNT(cases); ++i) {
		line_edit_clear(*state);
		type(*state, cases[i].keys);
		assert_line(*state, cases[i].shown);
	}
}

static void test_a_code_point_is_one_step(void **state)
{
	type(*state, "grüß你🎻");
	assert_line(*state, "grüß你🎻|");
	type(*state, LEFT LEFT "\177");
	assert_line(*state, "grü|你🎻");
	type(*state, RIGHT "\033[3~");
	assert_line(*state, "grü你|");
	type(*state, "\033[H" RIGHT RIGHT RIGHT "!");
	assert_line(*state, "grü!|你");
}

static void test_what_is_no_utf8_and_what_steers_terminals_is_left_out(void **state)
{
	type(*state, "a\xff\xc3");
	type(*state, "b\x80\xed\xa0\x80"
		     "c\xc2\x9b"
		     "d");
	assert_line(*state, "abcd|");
}

static void test_keys_that_are_not_text_are_told(void **state)
{
	assert_int_equal(type(*state, "\004"), LINE_EDIT_END);
	assert_int_equal(type(*state, "\r"), LINE_EDIT_ENTER);
	assert_int_equal(type(*state, "\033\n"), LINE_EDIT_ENTER);
	assert_int_equal(type(*state, "abc\003"), LINE_EDIT_INTERRUPT);
	assert_int_equal(type(*state, "\004"), LINE_EDIT_NOTHING);
	assert_line(*state, "abc|");
}

static void enter(struct line_edit *edit, const char *line)
{
	type(edit, line);
	line_edit_accept(edit);
	assert_line(edit, "|");
}

static void test_up_and_down_lead_through_what_was_said(void **state)
{
	type(*state, UP DOWN "x" UP);
	assert_line(*state, "x|");
	line_edit_clear(*state);
	enter(*state, "one");
	enter(*state, "two");
	enter(*state, "two");
	enter(*state, "  ");
	type(*state, "dra" UP);
	assert_line(*state, "two|");
	type(*state, "!" UP);
	assert_line(*state, "one|");
	type(*state, UP DOWN);
	assert_line(*state, "two|");
	type(*state, DOWN DOWN "ft");
	assert_line(*state, "draft|");
	type(*state, "\025\020\020\016");
	assert_line(*state, "two|");
	line_edit_clear(*state);
	type(*state, UP);
	assert_line(*state, "two|");
}

static void test_the_oldest_line_is_forgotten(void **state)
{
	char line[16];

	for (unsigned i = 0; i <= LINE_EDIT_HISTORY_MAX; ++i) {
		snprintf(line, sizeof(line), "%u", i);
		enter(*state, line);
	}
	for (unsigned i = 0; i <= LINE_EDIT_HISTORY_MAX; ++i)
		type(*state, UP);
	assert_line(*state, "1|");
}

static void test_a_full_line_takes_no_more(void **state)
{
	for (unsigned i = 0; i < LINE_EDIT_SIZE - 2; ++i)
		assert_int_equal(type(*state, "x"), LINE_EDIT_NOTHING);
	assert_int_equal(type(*state, "ü"), LINE_EDIT_FULL);
	assert_int_equal(type(*state, "y"), LINE_EDIT_NOTHING);
	assert_int_equal(type(*state, "z"), LINE_EDIT_FULL);
	assert_int_equal(line_edit_len(*state), LINE_EDIT_SIZE - 1);
	assert_int_equal(type(*state, "\177\177ü"), LINE_EDIT_NOTHING);
}

/* Whatever is typed, the text is valid UTF-8 and the cursor is between two characters. */
static void test_any_keys_leave_a_line(void **state)
{
	static const char *const likely[] = {UP,   DOWN,   LEFT, RIGHT,  "\033[3~", "ü",
					     "你", "\177", " ",  "\027", "\033[",   "\xf0\x9f"};
	struct line_edit *edit = *state;
	uint32_t seed = 1;

	for (unsigned i = 0; i < 200000; ++i) {
		struct utf8_state whole = {0}, before = {0};

		seed = seed * 1664525u + 1013904223u;
		if (seed >> 31)
			type(edit, likely[(seed >> 16) % COUNT(likely)]);
		else if (line_edit_key(edit, (char)(seed >> 16)) == LINE_EDIT_ENTER)
			line_edit_accept(edit);
		assert_true(line_edit_cursor(edit) <= line_edit_len(edit));
		assert_true(utf8_check(&whole, line_edit_text(edit), line_edit_len(edit)) &&
			    utf8_is_complete(&whole));
		assert_true(utf8_check(&before, line_edit_text(edit), line_edit_cursor(edit)) &&
			    utf8_is_complete(&before));
	}
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_keys_move_and_cut),
		TEST(test_a_code_point_is_one_step),
		TEST(test_what_is_no_utf8_and_what_steers_terminals_is_left_out),
		TEST(test_keys_that_are_not_text_are_told),
		TEST(test_up_and_down_lead_through_what_was_said),
		TEST(test_the_oldest_line_is_forgotten),
		TEST(test_a_full_line_takes_no_more),
		TEST(test_any_keys_leave_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
