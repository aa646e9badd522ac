/*
 * Tests of phrase.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "call/phrase.h"

static struct phrase phrase_of(const char *text)
{
	return (struct phrase){text, strlen(text), 0};
}

static void expect_word(struct phrase *phrase, const char *text, enum phrase_mark mark)
{
	struct phrase_word word;

	assert_true(phrase_next(phrase, &word));
	assert_string_equal(word.text, text);
	assert_int_equal(word.len, strlen(text));
	assert_int_equal(word.mark, mark);
}

static void words_are_in_lower_case_with_their_marks(void **state)
{
	struct phrase phrase =
		phrase_of(" «Don’t», SAID Élodie... Why?! It's 3.50 – o'clock' ÄPFEL.");

	(void)state;
	expect_word(&phrase, "don't", PHRASE_TRAILING);
	expect_word(&phrase, "said", PHRASE_NOTHING);
	expect_word(&phrase, "élodie", PHRASE_TRAILING);
	expect_word(&phrase, "why", PHRASE_QUESTION);
	expect_word(&phrase, "it's", PHRASE_NOTHING);
	expect_word(&phrase, "350", PHRASE_TRAILING);
	expect_word(&phrase, "o'clock", PHRASE_NOTHING);
	expect_word(&phrase, "äpfel", PHRASE_STOP);
	assert_false(phrase_next(&phrase, &(struct phrase_word){0}));
}

static void a_number_with_signs_is_one_figure_and_groups_are_several_words(void **state)
{
	struct phrase phrase = phrase_of("12/05/1980 at 5:30, 555-1234.");
	struct phrase_word word;

	(void)state;
	assert_true(phrase_next(&phrase, &word));
	assert_true(word.is_figure);
	assert_int_equal(word.digits, 8);
	expect_word(&phrase, "at", PHRASE_NOTHING);
	expect_word(&phrase, "530", PHRASE_TRAILING);
	assert_true(phrase_next(&phrase, &word));
	assert_false(word.is_figure);
	assert_int_equal(word.digits, 3);
	expect_word(&phrase, "1234", PHRASE_STOP);
}

static void invalid_bytes_separate_words_and_long_words_are_cut(void **state)
{
	struct phrase phrase = phrase_of("a\xff\xfe"
					 "b\xc3");
	char text[500];
	struct phrase_word word;

	(void)state;
	expect_word(&phrase, "a", PHRASE_NOTHING);
	expect_word(&phrase, "b", PHRASE_NOTHING);
	assert_false(phrase_next(&phrase, &word));
	memset(text, 'x', sizeof(text));
	phrase = (struct phrase){text, sizeof(text), 0};
	assert_true(phrase_next(&phrase, &word));
	assert_int_equal(word.letters, sizeof(text));
	assert_int_equal(strlen(word.text), PHRASE_WORD_SIZE - 1);
	assert_false(phrase_next(&phrase, &word));
}

static bool ends_with(const char *text, const char *table)
{
	struct phrase phrase = phrase_of(text);
	struct phrase_tail tail = {.len = 0};
	struct phrase_word word;

	while (phrase_next(&phrase, &word))
		phrase_tail_add(&tail, &word);
	return phrase_tail_is(&tail, table);
}

static void a_tail_ends_with_whole_words(void **state)
{
	(void)state;
	assert_true(ends_with("And", "and"));
	assert_true(ends_with("this and", "or,and"));
	assert_false(ends_with("sand", "and"));
	assert_true(ends_with("As WELL, as", "or,as well as,x"));
	assert_false(ends_with("well as", "as well as"));
	assert_false(ends_with("", "and"));
	assert_false(ends_with("and", ""));
	assert_false(ends_with("and", ",,"));
	assert_true(
		ends_with("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
			  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb "
			  "cccccccccccccccccccccccccccccccccccccccccccc as well as",
			  "as well as"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_in_lower_case_with_their_marks),
		cmocka_unit_test(a_number_with_signs_is_one_figure_and_groups_are_several_words),
		cmocka_unit_test(invalid_bytes_separate_words_and_long_words_are_cut),
		cmocka_unit_test(a_tail_ends_with_whole_words),
	};

	return cmocka_run_group_tests_name("call phrase", tests, NULL, NULL);
}
