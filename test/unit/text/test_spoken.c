/* Spoken text: no markup, no controls, and every byte knows its origin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/mem.h"
#include "text/spoken.h"

static void expect(const char *text, const char *wanted)
{
	struct spoken *spoken = NULL;

	assert_int_equal(spoken_alloc(&spoken, text, strlen(text)), 0);
	assert_string_equal(spoken->text, wanted);
	assert_int_equal(spoken->len, strlen(wanted));
	mem_deref(spoken);
}

static void test_tags_go_and_their_text_stays(void **state)
{
	(void)state;
	expect("", "");
	expect("Hello", "Hello");
	expect("<prosody rate=\"slow\">Slow</prosody> and <b>bold</b>.", "Slow and bold.");
	expect("un<b>believ</b>able", "unbelievable");
	expect("<spell>AB</spell>", "AB");
	expect("<unknown a='1'>x</unknown>", "x");
}

static void test_less_than_signs_stay(void **state)
{
	(void)state;
	expect("3 < 4 and 5 > 4", "3 < 4 and 5 > 4");
	expect("I <3 you", "I <3 you");
	expect("<break time=", "<break time=");
	expect("<<b>>", "<>");
}

static void test_a_pause_does_not_glue_words(void **state)
{
	(void)state;
	expect("one<break time=\"1s\"/>two", "one two");
	expect("one <break time=\"1s\"/>two", "one two");
	expect("one<break/> two", "one two");
	expect("<break/>two", "two");
	expect("one<break/>", "one");
	expect("one<br><br>two", "one two");
}

static void test_controls_become_blanks(void **state)
{
	(void)state;
	expect("a\nb\tc\x1b[0m\x7f", "a b c [0m ");
	expect("a\xc2\x85z", "a z");
	expect("a  b", "a  b");
}

static void test_every_byte_knows_its_code_point(void **state)
{
	static const char text[] = "\xc3\xa4<b>\xe2\x82\xac</b>x<break/>y";
	static const uint32_t origin[] = {0, 0, 4, 4, 4, 9, 10, 18, 19};
	struct spoken *spoken = NULL;

	(void)state;
	assert_int_equal(spoken_alloc(&spoken, text, strlen(text)), 0);
	assert_string_equal(spoken->text, "\xc3\xa4\xe2\x82\xacx y");
	for (size_t i = 0; i <= spoken->len; ++i)
		assert_int_equal(spoken->origin[i], origin[i]);
	mem_deref(spoken);
}

static void test_failing_allocations_leak_nothing(void **state)
{
	struct spoken *spoken = NULL;
	size_t live = mem_live();

	(void)state;
	mem_fail_after(1);
	assert_int_equal(spoken_alloc(&spoken, "x", 1), ENOMEM);
	mem_fail_after(0);
	assert_null(spoken);
	assert_int_equal(mem_live(), live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tags_go_and_their_text_stays),
		cmocka_unit_test(test_less_than_signs_stay),
		cmocka_unit_test(test_a_pause_does_not_glue_words),
		cmocka_unit_test(test_controls_become_blanks),
		cmocka_unit_test(test_every_byte_knows_its_code_point),
		cmocka_unit_test(test_failing_allocations_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
