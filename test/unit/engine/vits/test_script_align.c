/* Phonemes find their words, also where speech joins or divides them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/utf8.h"
#include "engine/vits/script_private.h"

static void test_script_align_add(struct script_phonemes *list, const char *ipa, uint32_t word)
{
	size_t left = strlen(ipa);

	while (left > 0) {
		uint32_t c;
		size_t len = utf8_decode(&c, ipa, left);

		assert_int_equal(script_phonemes_add(list, c, word), 0);
		ipa += len;
		left -= len;
	}
}

/* `alone` has the words between bars; the answer has a bar before each phoneme
 * with which a word begins. */
static void test_script_align_run(char *out, const char *together, const char *alone)
{
	struct script_phonemes speech = {0};
	struct script_phonemes words = {0};
	char word[64];

	for (uint32_t i = 0; *alone; ++i) {
		size_t len = strcspn(alone, "|");

		memcpy(word, alone, len);
		word[len] = '\0';
		test_script_align_add(&words, word, i);
		alone += len + (alone[len] == '|');
	}
	test_script_align_add(&speech, together, SCRIPT_NO_WORD);
	assert_int_equal(script_align(&speech, &words), 0);
	for (size_t i = 0; i < speech.count; ++i) {
		if (i > 0 && speech.items[i].word != speech.items[i - 1].word)
			*out++ = '|';
		out += utf8_encode(out, speech.items[i].code_point);
	}
	*out = '\0';
	free(speech.items);
	free(words.items);
}

static void test_script_align_phonemes_find_their_words(void **state)
{
	static const struct {
		const char *together;
		const char *alone;
		const char *aligned;
	} rows[] = {
		{"həlˈoʊ wˈɜːld", "həlˈoʊ|wˈɜːld", "həlˈoʊ |wˈɜːld"},
		/* joined */
		{"ɪnðə ˈɛnd", "ˈɪn|ðə|ˈɛnd", "ɪn|ðə |ˈɛnd"},
		{"ʌvðə pˈiːpəl ɪnðɪ ˈɛnd", "ˈʌv|ðə|pˈiːpəl|ˈɪn|ðə|ˈɛnd",
		 "ʌv|ðə |pˈiːpəl |ɪn|ðɪ |ˈɛnd"},
		/* several words of one */
		{"fˈoːɹɾi tˈuː kˈæts", "fˈoːɹɾi tˈuː|kˈæts", "fˈoːɹɾi tˈuː |kˈæts"},
		/* as many words here as there, and yet others */
		{"ɪnðɪ ˈaɪ fˈoʊn", "ˈɪn|ðə|ˈaɪ fˈoʊn", "ɪn|ðɪ |ˈaɪ fˈoʊn"},
		/* weak where it was strong */
		{"ɐ bˈʊk", "ˈeɪ|bˈʊk", "ɐ |bˈʊk"},
		{"ɡˌoʊ təðə ʃˈɑːp", "ɡˈoʊ|tˈuː|ðə|ʃˈɑːp", "ɡˌoʊ |tə|ðə |ʃˈɑːp"},
		/* a word without a sound */
		{"tˈɛn sˈɪks", "tˈɛn||sˈɪks", "tˈɛn |sˈɪks"},
	};
	char aligned[256];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		test_script_align_run(aligned, rows[i].together, rows[i].alone);
		assert_string_equal(aligned, rows[i].aligned);
	}
}

static void test_script_align_nothing_beside_nothing_is_no_fault(void **state)
{
	struct script_phonemes none = {0};
	struct script_phonemes some = {0};

	(void)state;
	assert_int_equal(script_align(&none, &none), 0);
	test_script_align_add(&some, "a", 7);
	assert_int_equal(script_align(&some, &none), 0);
	assert_int_equal(some.items[0].word, 7);
	assert_int_equal(script_align(&none, &some), 0);
	free(some.items);
}

/* Too long to be compared: shared out, in order, each word with its part. */
static void test_script_align_long_ones_are_shared_out(void **state)
{
	struct script_phonemes speech = {0};
	struct script_phonemes words = {0};
	size_t counts[4] = {0};

	(void)state;
	for (unsigned i = 0; i < 2000; ++i) {
		test_script_align_add(&words, "na ", i / 500);
		test_script_align_add(&speech, "na ", SCRIPT_NO_WORD);
	}
	assert_int_equal(script_align(&speech, &words), 0);
	for (size_t i = 0; i < speech.count; ++i) {
		assert_true(speech.items[i].word < COUNT(counts));
		assert_true(i == 0 || speech.items[i].word >= speech.items[i - 1].word);
		++counts[speech.items[i].word];
	}
	for (size_t i = 0; i < COUNT(counts); ++i)
		assert_int_equal(counts[i], 1500);
	free(speech.items);
	free(words.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script_align_phonemes_find_their_words),
		cmocka_unit_test(test_script_align_nothing_beside_nothing_is_no_fault),
		cmocka_unit_test(test_script_align_long_ones_are_shared_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
