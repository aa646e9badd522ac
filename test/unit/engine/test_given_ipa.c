/* Phonemes as people write them, in one way of writing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/utf8.h"
#include "engine/given_ipa.h"

static void test_given_ipa_read_one(struct given_ipa *ipa, const char *signs)
{
	const struct engine_phonemes span = {0, 1, signs};
	const struct engine_text text = {
		.text = "x", .text_len = 1, .phonemes = &span, .phonemes_count = 1};

	given_ipa_read(ipa, &text, 0, true);
}

static void test_given_ipa_what_is_typed_becomes_what_is_meant(void **state)
{
	static const struct {
		const char *given;
		const char *want;
	} rows[] = {
		{"ˈhaʊs", "hˈaʊs"}, /* before the vowel */
		{"/həˈləʊ/", "həlˈəʊ"},
		{"[mə.ˈʃiːn]", "məʃˈiːn"},
		{"m@'Si:n", "m@Sˈiːn"}, /* keyboards have an apostrophe and a colon */
		{"ʃiː", "ʃˈiː"}, /* of one syllable, and not swallowed */
		{"ðə", "ðˈə"},
		{"baɪt", "bˈaɪt"}, /* a diphthong is one */
		{"banana", "banana"}, /* the stressed syllable of a longer word is unknown */
		{"ˌɪntəˈnæʃənəl", "ˌɪntənˈæʃənəl"},
		{"t͡ʃɛk", "tʃˈɛk"},
		{"ʧɛk ʤɪn", "tʃˈɛk dʒˈɪn"},
		{"gɛt", "ɡˈɛt"},
		{"bɔ̃", "bˈɔ̃"},
		{"põ", "pˈo\u0303"},
		{"  a   b ", "ˈa b"},
		{"pst", "pst"},
		{"", ""},
		{"/ /", ""},
		{"ˈ", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct given_ipa ipa;

		test_given_ipa_read_one(&ipa, rows[i].given);
		assert_string_equal(ipa.signs, rows[i].want);
	}
}

static void test_given_ipa_check_possessive(const char *text, size_t end, const char *signs,
					    bool is_english, size_t want_end, const char *want)
{
	const struct engine_phonemes span = {0, (uint32_t)end, signs};
	const struct engine_text given = {
		.text = text, .text_len = strlen(text), .phonemes = &span, .phonemes_count = 1};
	struct given_ipa ipa;

	given_ipa_read(&ipa, &given, 0, is_english);
	assert_int_equal(ipa.byte_end, want_end);
	assert_string_equal(ipa.signs, want);
}

static void test_given_ipa_a_possessive_is_taken_along(void **state)
{
	(void)state;
	test_given_ipa_check_possessive("Xi's car", 2, "ˈʃiː", true, 4, "ʃˈiːz");
	test_given_ipa_check_possessive("Xi’s", 2, "ˈʃiː", true, 6, "ʃˈiːz");
	test_given_ipa_check_possessive("Jack's.", 4, "ˈdʒæk", true, 6, "dʒˈæks");
	test_given_ipa_check_possessive("Max's", 3, "ˈmæks", true, 5, "mˈæksɪz");
	test_given_ipa_check_possessive("Xi's Auto", 2, "ˈʃiː", false, 4, "ʃˈiːs");
	test_given_ipa_check_possessive("Xi'st", 2, "ˈʃiː", true, 2, "ʃˈiː");
	test_given_ipa_check_possessive("Xi'", 2, "ˈʃiː", true, 2, "ʃˈiː");
	test_given_ipa_check_possessive("Xi's", 2, "", true, 2, "");
}

/* As long as a message may have it, of what grows most, and of bytes that are no
 * letters. */
static void test_given_ipa_the_longest_fits(void **state)
{
	static const char *const parts[] = {"ã", "ʧ", "a", "a ", "'", "ˈa ", "\xff", "x"};

	(void)state;
	for (size_t i = 0; i < COUNT(parts); ++i) {
		char given[MESSAGE_IPA_MAX + 1] = "";
		struct utf8_state utf8 = {0};
		struct given_ipa ipa;

		for (size_t len = 0; len + strlen(parts[i]) <= MESSAGE_IPA_MAX;
		     len += strlen(parts[i]))
			snprintf(given + len, sizeof(given) - len, "%s", parts[i]);
		test_given_ipa_read_one(&ipa, given);
		assert_true(strlen(ipa.signs) < GIVEN_IPA_SIZE);
		assert_true(parts[i][0] == '\xff' ||
			    utf8_check(&utf8, ipa.signs, strlen(ipa.signs)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_given_ipa_what_is_typed_becomes_what_is_meant),
		cmocka_unit_test(test_given_ipa_a_possessive_is_taken_along),
		cmocka_unit_test(test_given_ipa_the_longest_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
