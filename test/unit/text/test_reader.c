/* The reader: tags, pronunciations, dictionaries, and where each word came from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/mem.h"
#include "mem_fail.h"
#include "text/mapped.h"
#include "text/markup.h"
#include "text/reader.h"

/* The parts as a line: [500] is a silence, {0.8} another speed, text|ipa| a
 * pronunciation. */
static void test_reader_show(char *out, size_t size, const struct spoken *spoken)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < spoken->parts_len; ++i) {
		const struct spoken_part *part = &spoken->parts[i];

		if (part->pause_ms)
			len += (size_t)snprintf(out + len, size - len, "[%u]", part->pause_ms);
		else if (i > 0)
			len += (size_t)snprintf(out + len, size - len, "//");
		if (part->rate > 0)
			len += (size_t)snprintf(out + len, size - len, "{%.2g}", part->rate);
		len += (size_t)snprintf(out + len, size - len, "%s", part->text);
		for (size_t k = 0; k < part->phonemes_len; ++k)
			len += (size_t)snprintf(
				out + len, size - len, "|%.*s=%s|",
				(int)(part->phonemes[k].end - part->phonemes[k].begin),
				part->text + part->phonemes[k].begin, part->phonemes[k].ipa);
		assert_int_equal(strlen(part->text), part->len);
	}
}

static void test_reader_expect_by(struct reader *reader, const char *text, const char *wanted)
{
	struct spoken *spoken = NULL;
	char shown[4096];

	assert_int_equal(reader_read(&spoken, reader, text, strlen(text)), 0);
	test_reader_show(shown, sizeof(shown), spoken);
	assert_string_equal(shown, wanted);
	mem_deref(spoken);
}

static void test_reader_expect(const char *text, const char *wanted)
{
	struct reader reader = {.language = language_find("en")};

	test_reader_expect_by(&reader, text, wanted);
}

static void test_reader_tags_go_and_their_text_stays(void **state)
{
	(void)state;
	test_reader_expect("", "");
	test_reader_expect("Hello", "Hello");
	test_reader_expect("a <b>bold</b> word.", "a bold word.");
	test_reader_expect("un<b>believ</b>able", "unbelievable");
	test_reader_expect("<unknown a='1'>x</unknown>", "x");
}

static void test_reader_less_than_signs_stay(void **state)
{
	(void)state;
	test_reader_expect("3 < 4 and 5 > 4", "3 < 4 and 5 > 4");
	test_reader_expect("I <3 you", "I <3 you");
	test_reader_expect("x <break time=", "x <break time=");
	test_reader_expect("a<<b>>", "a<>");
}

static void test_reader_breaks_snap_and_add_up(void **state)
{
	(void)state;
	test_reader_expect("a<break time=\"0ms\"/>b", "a b");
	test_reader_expect("a<break strength=\"none\"/>b", "a b");
	test_reader_expect("a<break time=\"1ms\"/>b", "a[200]b");
	test_reader_expect("a<break time='299ms'/>b", "a[200]b");
	test_reader_expect("a<break time=\"300ms\"></break>b", "a[400]b");
	test_reader_expect("a<break time=\"449ms\"/>b", "a[400]b");
	test_reader_expect("a<break time=\"450ms\"/>b", "a[500]b");
	test_reader_expect("a<break time=\"1.5s\"/>b", "a[500]b");
	test_reader_expect("a<break/>b", "a[200]b");
	test_reader_expect("a<break strength=\"x-weak\"/>b", "a[200]b");
	test_reader_expect("a<break strength=\"weak\"/>b", "a[200]b");
	test_reader_expect("a<break strength=\"medium\"/>b", "a[200]b");
	test_reader_expect("a<break strength=\"strong\"/>b", "a[500]b");
	test_reader_expect("a<break strength=\"x-strong\"/>b", "a[500]b");
	test_reader_expect("a<break time=\"1s\"/><break time=\"1s\"/>b", "a[1000]b");
	test_reader_expect("<break/>b", "[200]b");
	test_reader_expect("b.<break/>", "b.[200]");
	test_reader_expect("b<break/>.<break/>c", "b[400]c"); /* nothing to hear between them */
	test_reader_expect("a<break time=\"long\"/>b", "a[200]b");
	test_reader_expect("one<br><br>two", "one two");
}

static void test_reader_long_breaks_are_as_long_as_they_say(void **state)
{
	struct reader reader = {.language = language_find("en"), .markup = MARKUP_LONG_BREAKS};

	(void)state;
	test_reader_expect_by(&reader, "a<break time=\"1.5s\" />b", "a[1500]b");
	test_reader_expect_by(&reader, "a<break time=\"3s\"/>b", "a[3000]b");
	test_reader_expect_by(&reader, "a<break time=\"3001ms\"/>b", "a[3000]b");
	test_reader_expect_by(&reader, "a<break time=\"60s\"/>b", "a[3000]b");
	test_reader_expect_by(&reader, "a<break time=\"100ms\"/>b", "a[100]b");
	test_reader_expect_by(&reader, "a<break time=\"0\"/>b", "a b");
	test_reader_expect_by(&reader, "a<break strength=\"strong\"/>b", "a[500]b");
}

static void test_reader_audio_tags_are_not_read_where_they_are_performed(void **state)
{
	struct reader reader = {.language = language_find("en"), .markup = MARKUP_AUDIO_TAGS};
	char longest[] = "[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]";

	(void)state;
	test_reader_expect("[whispers] Hello", "[whispers] Hello");
	test_reader_expect_by(&reader, "[whispers] Hello", " Hello");
	test_reader_expect_by(&reader, "Oh[laughs harder]no", "Oh no");
	test_reader_expect_by(&reader, "[don't stop, French-accent] Oui.", " Oui.");
	test_reader_expect_by(&reader, "[fl\u00fcstert] Ja.", " Ja.");
	assert_int_equal(strlen(longest), MARKUP_AUDIO_TAG_MAX);
	test_reader_expect_by(&reader, longest, "");
	test_reader_expect_by(&reader,
			      "[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]",
			      "[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]");
	test_reader_expect_by(&reader, "As in [1] and [a], [2024 report] and [see].",
			      "As in [1] and [a], [2024 report] and .");
	test_reader_expect_by(&reader, "[here](https://x.org) [open",
			      "[here](https://x.org) [open");
	test_reader_expect_by(&reader, "[] [ ] [[sighs]] x", "[] [ ] [ ] x");
	reader.reads_phonemes = true;
	test_reader_expect_by(&reader, "Oh [h\u0259\u02c8l\u0259\u028a] you.",
			      "Oh heleu you.|heleu=h\u0259\u02c8l\u0259\u028a|");
}

static void test_reader_prosody_changes_the_rate(void **state)
{
	struct reader reader = {.language = language_find("en")};

	(void)state;
	test_reader_expect("a <prosody rate=\"slow\">b</prosody> c", "a //{0.8}b// c");
	test_reader_expect_by(&reader, "<prosody rate=\"1.1\">a.", "{1.1}a.");
	test_reader_expect_by(&reader, "b.", "{1.1}b."); /* the next chunk is inside it */
	test_reader_expect_by(&reader, "c</prosody> d<break/>", "{1.1}c// d[200]");
	test_reader_expect_by(&reader, "e", "e");
}

static void test_reader_spell_reads_letters_signs_and_groups(void **state)
{
	struct reader reader = {.language = language_find("en")};

	(void)state;
	test_reader_expect("<spell>kajo@kugelaudio.com</spell>",
			   "K, A, J, O, at, K, U, G, E,[500]L, A, U, D,[500]I, O, dot, C, O, M");
	test_reader_expect("<spell group=\"0\">abcdef</spell>!", "A, B, C, D, E, F!");
	test_reader_expect("<spell group='2'>abcd</spell>", "A, B,[500]C, D");
	test_reader_expect("a <spell>x y_1</spell> b", "a X, space, Y, underscore, one b");
	test_reader_expect("<spell>a<b>b</b></spell>", "A, B"); /* tags inside are left out */
	test_reader_expect("<spell>\xc3\xa9</spell>", "\xc3\x89");
	test_reader_expect("<spell></spell>x", "x");
	test_reader_expect("<spell>ab</spell>c, <spell>d</spell>'s", "A, B c, D's");
	test_reader_expect_by(&reader, "<spell group=\"0\">ab", "A, B"); /* cut by the chunker */
	test_reader_expect_by(&reader, "cd</spell> ef", "C, D ef");
	test_reader_expect_by(&reader, "gh", "gh");
}

static void
test_reader_spell_names_the_signs_of_addresses_in_languages_without_a_reading(void **state)
{
	struct reader swedish = {.language = language_find("sv")};
	struct reader czech = {.language = language_find("cs")};

	(void)state;
	test_reader_expect_by(&swedish, "<spell>a@b.c</spell>", "A, snabel-a, B, punkt, C");
	test_reader_expect_by(&swedish, "<spell>a b</spell>", "A, mellanslag, B");
	test_reader_expect_by(&czech, "<spell>a-b_1</spell>", "A, pomlčka, B, podtržítko, 1");
}

static void test_reader_controls_become_blanks(void **state)
{
	(void)state;
	test_reader_expect("a\nb\tc\x1b[0m\x7f", "a b c [0m ");
	test_reader_expect("a\xc2\x85z", "a z");
	test_reader_expect("a  b\xc2\xa0z", "a  b\xc2\xa0z");
}

static void test_reader_a_pronunciation_is_said(void **state)
{
	struct reader reader = {.language = language_find("en"), .reads_phonemes = true};

	(void)state;
	test_reader_expect("a /təˈmɑːtəʊ/ b", "a temateu b");
	test_reader_expect_by(&reader, "a /təˈmɑːtəʊ/, b [ˈʃtat]",
			      "a temateu, b shtat|temateu=təˈmɑːtəʊ||shtat=ˈʃtat|");
	test_reader_expect_by(&reader, "and/or km/h [sic] /usr/bin", "and/or km/h [sic] /usr/bin");
	test_reader_expect_by(&reader, "x/ɪ/y", "x/ɪ/y");
}

/* The text around a pronunciation is read as if the pronunciation were a word. */
static void test_reader_a_pronunciation_is_a_word_of_its_line(void **state)
{
	static const struct dictionary_entry entries[] = {{"Nguyen", " Win ", "wɪn", false},
							  {"km", "kam", "kam", false}};
	struct reader reader = {
		.language = language_find("en"), .normalizes = true, .reads_phonemes = true};
	struct dictionary *dictionary = NULL;
	struct lexicon *lexicon = NULL;

	(void)state;
	assert_int_equal(dictionary_alloc(&dictionary, entries, 2), 0);
	assert_int_equal(lexicon_alloc(&lexicon, &dictionary, 1), 0);
	reader.lexicon = lexicon;
	test_reader_expect_by(&reader, "- Say /wɪn/ please", "Say win please.|win=wɪn|");
	test_reader_expect_by(&reader, "Say /wɪn/ - not 5", "Say win - not five|win=wɪn|");
	test_reader_expect_by(&reader, "1. Ask Dr. Nguyen.", "one. Ask Doctor Win.|Win=wɪn|");
	test_reader_expect_by(&reader, "5 km & Nguyen", "five kam and Win|kam=kam||Win=wɪn|");
	test_reader_expect_by(&reader, "<spell>AB</spell> - then 5",
			      "A, B - then five"); /* no list */
	test_reader_expect_by(&reader, "2/3 **Nguyen**", "two thirds Win|Win=wɪn|");
	test_reader_expect_by(&reader, "[x](https://nguyen.com)", "x"); /* goes with its address */
	test_reader_expect_by(&reader, "the stop /ʔ/ is", "the stop is"); /* nothing to say of it */
	mem_deref(dictionary);
	mem_deref(lexicon);
}

static void test_reader_check_origins(const struct spoken *spoken, size_t code_points)
{
	uint32_t before = 0;

	for (size_t i = 0; i < spoken->parts_len; ++i) {
		const struct spoken_part *part = &spoken->parts[i];
		uint32_t end = 0;

		for (size_t k = 0; k < part->pieces_len; ++k) {
			assert_true(part->pieces[k].end > end);
			assert_true(part->pieces[k].from >= before);
			assert_true(part->pieces[k].to >= part->pieces[k].from);
			assert_true(part->pieces[k].to <= code_points);
			before = part->pieces[k].from;
			end = part->pieces[k].end;
		}
		assert_int_equal(end, part->len);
	}
}

static void test_reader_every_byte_knows_its_code_point(void **state)
{
	static const char text[] = "\xc3\xa4<b>\xe2\x82\xac</b>x<break time='0'/>y";
	static const struct {
		size_t byte;
		uint32_t origin;
	} characters[] = {{0, 0}, {2, 4}, {5, 9}};
	struct reader reader = {.language = language_find("en")};
	struct spoken *spoken = NULL;
	struct mapped_cursor cursor;
	uint32_t from, to;

	(void)state;
	assert_int_equal(reader_read(&spoken, &reader, text, strlen(text)), 0);
	assert_int_equal(spoken->parts_len, 1);
	assert_string_equal(spoken->parts[0].text, "\xc3\xa4\xe2\x82\xacx y");
	mapped_read_part(&cursor, &spoken->parts[0]);
	for (size_t i = 0; i < 3; ++i) {
		mapped_origin(&cursor, characters[i].byte, characters[i].byte + 1, &from, &to);
		assert_int_equal(from, characters[i].origin);
	}
	mapped_origin(&cursor, 0, 6, &from, &to);
	assert_int_equal(from, 0);
	assert_int_equal(to, 10);
	mapped_origin(&cursor, 7, 8, &from, &to);
	assert_int_equal(from, 27);
	assert_int_equal(to, 28);
	test_reader_check_origins(spoken, 28);
	mem_deref(spoken);
}

static void test_reader_failing_allocations_leak_nothing(void **state)
{
	struct reader reader = {.language = language_find("en")};
	struct spoken *spoken = NULL;
	size_t live = mem_live();

	(void)state;
	mem_fail_after(1);
	assert_int_equal(reader_read(&spoken, &reader, "x", 1), ENOMEM);
	mem_fail_after(0);
	assert_null(spoken);
	assert_int_equal(mem_live(), live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader_tags_go_and_their_text_stays),
		cmocka_unit_test(test_reader_less_than_signs_stay),
		cmocka_unit_test(test_reader_breaks_snap_and_add_up),
		cmocka_unit_test(test_reader_long_breaks_are_as_long_as_they_say),
		cmocka_unit_test(test_reader_audio_tags_are_not_read_where_they_are_performed),
		cmocka_unit_test(test_reader_prosody_changes_the_rate),
		cmocka_unit_test(test_reader_spell_reads_letters_signs_and_groups),
		cmocka_unit_test(
			test_reader_spell_names_the_signs_of_addresses_in_languages_without_a_reading),
		cmocka_unit_test(test_reader_controls_become_blanks),
		cmocka_unit_test(test_reader_a_pronunciation_is_said),
		cmocka_unit_test(test_reader_a_pronunciation_is_a_word_of_its_line),
		cmocka_unit_test(test_reader_every_byte_knows_its_code_point),
		cmocka_unit_test(test_reader_failing_allocations_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
