/* Lexicons are read as the specification says, or refused with the reason; what is written can be
 * read again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "doors/elevenlabs/pls.h"

#define ENTRIES_MAX 3

struct lexicon {
	char text[2048];
	struct dictionary_entries_message message;
	const char *language;
	struct stream_fault fault;
};

static int lexicon_read(struct lexicon *lexicon, const char *text)
{
	lexicon->language = NULL;
	snprintf(lexicon->text, sizeof(lexicon->text), "%s", text);
	return pls_parse(&lexicon->message, &lexicon->language, &lexicon->fault, lexicon->text,
			 strlen(lexicon->text), ENTRIES_MAX);
}

static void test_words_are_read_with_their_pronunciations(void **state)
{
	static const char text[] =
		"<?xml version='1.0'?><!-- a > b -->\n"
		"<p:lexicon xmlns:p='x' alphabet='ipa' xml:lang=\"en-US\"><meta name='a'/>"
		"<p:lexeme><p:grapheme> tom&#97;to </p:grapheme><p:grapheme>Tomato</p:grapheme>"
		"<p:phoneme>təˈmɑːtəʊ</p:phoneme><p:phoneme>second</p:phoneme></p:lexeme>"
		"<lexeme><grapheme>R&amp;D</grapheme><alias>research</alias></lexeme>"
		"<lexeme><grapheme>R&amp;D</grapheme><alias>again</alias></lexeme>"
		"</p:lexicon>\n";
	struct lexicon lexicon;
	const struct dictionary_entry *entries;

	(void)state;
	/* A word that occurs twice is counted twice while the file is read. */
	assert_int_equal(lexicon_read(&lexicon, text), EINVAL);
	assert_non_null(strstr(lexicon.fault.detail, "3 words at most"));
	snprintf(lexicon.text, sizeof(lexicon.text), "%s", text);
	assert_int_equal(pls_parse(&lexicon.message, &lexicon.language, &lexicon.fault,
				   lexicon.text, strlen(text), ENTRIES_MAX + 1),
			 0);
	entries = lexicon.message.entries;
	assert_int_equal(lexicon.message.count, 3);
	assert_string_equal(lexicon.language, "en-US");
	assert_string_equal(entries[0].word, "tomato");
	assert_string_equal(entries[0].ipa, "təˈmɑːtəʊ");
	assert_string_equal(entries[0].replacement, "tomato");
	assert_true(entries[0].case_sensitive);
	assert_string_equal(entries[1].word, "Tomato");
	assert_string_equal(entries[1].ipa, "təˈmɑːtəʊ");
	assert_string_equal(entries[2].word, "R&D");
	assert_string_equal(entries[2].replacement, "research");
	assert_null(entries[2].ipa);
	dictionary_message_reset_entries(&lexicon.message);
}

static void test_other_files_are_refused_with_the_reason(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"", "no whole lexicon"},
		{"words", "not XML"},
		{"<words></words>", "one lexicon element"},
		{"<lexicon></lexicon><lexicon></lexicon>", "one lexicon element"},
		{"<lexicon>", "no whole lexicon"},
		{"<lexicon></words>", "end tag does not match"},
		{"</lexicon>", "end tag does not match"},
		{"<lexicon", "not closed"},
		{"<!DOCTYPE lexicon><lexicon/>", "DOCTYPE"},
		{"<lexicon><![CDATA[x]]></lexicon>", "CDATA"},
		{"<lexicon><lexeme/></lexicon>", "no grapheme"},
		{"<lexicon><lexeme><alias>a</alias></lexeme></lexicon>", "no grapheme"},
		{"<lexicon><lexeme><grapheme>a</grapheme></lexeme></lexicon>", "neither phoneme"},
		{"<lexicon alphabet='x-sampa'><lexeme><grapheme>a</grapheme><phoneme>b</phoneme>"
		 "</lexeme></lexicon>",
		 "must be ipa"},
		{"<lexicon><lexeme><grapheme>a<b/></grapheme></lexeme></lexicon>",
		 "nothing but text"},
		{"\xff<lexicon/>", "must be UTF-8"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
		struct lexicon lexicon;

		if (lexicon_read(&lexicon, bad[i].text) != EINVAL ||
		    !strstr(lexicon.fault.detail, bad[i].why))
			fail_msg("%s: %s", bad[i].text, lexicon.fault.detail);
		assert_int_equal(lexicon.fault.id, WIRE_ERROR_INVALID_REQUEST);
		assert_int_equal(lexicon.message.count, 0);
	}
}

static void test_what_is_written_can_be_read(void **state)
{
	static const struct dictionary_entry entry = {
		.word = "a<b>\"&", .replacement = "c\td", .ipa = "e", .case_sensitive = true};
	struct lexicon lexicon;
	struct buf out;

	(void)state;
	buf_init(&out, sizeof(lexicon.text));
	assert_int_equal(pls_write_begin(&out, "de"), 0);
	assert_int_equal(pls_write_entry(&out, &entry), 0);
	assert_int_equal(pls_write_end(&out), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_int_equal(lexicon_read(&lexicon, out.bytes), 0);
	assert_int_equal(lexicon.message.count, 1);
	assert_string_equal(lexicon.language, "de");
	assert_string_equal(lexicon.message.entries[0].word, entry.word);
	assert_string_equal(lexicon.message.entries[0].replacement, "c d");
	assert_string_equal(lexicon.message.entries[0].ipa, "e");
	dictionary_message_reset_entries(&lexicon.message);
	buf_reset(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_read_with_their_pronunciations),
		cmocka_unit_test(test_other_files_are_refused_with_the_reason),
		cmocka_unit_test(test_what_is_written_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
