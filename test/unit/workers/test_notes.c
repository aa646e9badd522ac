/* Notes of engines: bounded, cut at whole characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "workers/notes.h"

static void test_a_long_note_is_cut_at_a_whole_character(void **state)
{
	char text[NOTES_TEXT_MAX + 10] = "";
	struct notes notes = {0};

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		snprintf(text + i, 3, "ü");
	assert_int_equal(notes_add(&notes, &(struct message_note){message_str_of("file.onnx"),
								  message_str_of(text)}),
			 0);
	assert_int_equal(notes.count, 1);
	assert_string_equal(notes.list[0].about, "file.onnx");
	assert_int_equal(strlen(notes.list[0].text), NOTES_TEXT_MAX - 2);
	notes_reset(&notes);
	assert_int_equal(notes.count, 0);
}

static void test_an_engine_cannot_send_any_number_of_notes(void **state)
{
	struct notes notes = {0};

	(void)state;
	for (unsigned i = 0; i < 1000; ++i)
		assert_int_equal(notes_add(&notes, &(struct message_note){message_str_of(""),
									  message_str_of("x")}),
				 0);
	assert_true(notes.count < 100);
	notes_reset(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_long_note_is_cut_at_a_whole_character),
		cmocka_unit_test(test_an_engine_cannot_send_any_number_of_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
