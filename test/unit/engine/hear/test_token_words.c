/* Tokens become a text and its words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "engine/hear/token_words.h"

#define TOKENS_MAX 16

struct split {
	struct buf text;
	struct token_words words;
};

/* Tokens are separated by bars; the i-th has the probability 1 / (i + 1). */
static void test_token_words_split(struct split *split, const char *tokens, size_t max)
{
	struct token_words_token list[TOKENS_MAX];
	size_t count = 0;

	while (*tokens) {
		size_t len = strcspn(tokens, "|");

		assert_true(count < TOKENS_MAX);
		list[count] = (struct token_words_token){tokens, len, 1.0f / (float)(count + 1)};
		++count;
		tokens += len + (tokens[len] == '|');
	}
	buf_init(&split->text, max);
	assert_int_equal(token_words_split(&split->words, &split->text, list, count), 0);
}

static void test_token_words_end(struct split *split)
{
	buf_reset(&split->text);
	free(split->words.words);
}

/* Words are written as "word first-end", tokens as above. */
static void test_token_words_assert(const char *tokens, const char *text, const char *words)
{
	struct split split;
	char got[512] = "";
	size_t len = 0;

	test_token_words_split(&split, tokens, 1024);
	assert_int_equal(split.text.len, strlen(text));
	if (split.text.len > 0)
		assert_memory_equal(split.text.bytes, text, split.text.len);
	for (size_t i = 0; i < split.words.count; ++i) {
		const struct token_word *word = &split.words.words[i];

		len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%.*s %zu-%zu",
					i > 0 ? ", " : "", (int)(word->byte_end - word->byte_start),
					split.text.bytes + word->byte_start, word->first_token,
					word->end_token);
	}
	assert_string_equal(got, words);
	test_token_words_end(&split);
}

static void test_token_words_are_separated_by_blanks(void **state)
{
	(void)state;
	test_token_words_assert("", "", "");
	test_token_words_assert(" Go| forward| 10| met|ers|.", "Go forward 10 meters.",
				"Go 0-1, forward 1-2, 10 2-3, meters. 3-5");
	test_token_words_assert(" one two|  | three ", "one two three",
				"one 0-1, two 0-1, three 2-3");
}

static void test_token_words_punctuation_has_no_time(void **state)
{
	(void)state;
	test_token_words_assert(" \"|Yes|,\"| she| said|...| No|?!", "\"Yes,\" she said... No?!",
				"\"Yes,\" 1-2, she 3-4, said... 4-5, No?! 6-7");
	test_token_words_assert(" -| well", "- well", "- 0-1, well 1-2");
	test_token_words_assert(" 5|%", "5%", "5% 0-2");
	test_token_words_assert(" don|'t", "don't", "don't 0-2");
}

static void test_token_words_of_scripts_without_blanks_are_tokens(void **state)
{
	(void)state;
	/* "hello world." in Chinese and in Japanese */
	test_token_words_assert("你好|世界|。", "你好世界。", "你好 0-1, 世界。 1-2");
	test_token_words_assert("これ|は|「|テスト|」|です", "これは「テスト」です",
				"これ 0-1, は 1-2, 「テスト」 3-4, です 5-6");
	test_token_words_assert("用|Py|thon|写", "用Python写", "用 0-1, Python 1-3, 写 3-4");
	/* A vowel sign stays with its letter. */
	test_token_words_assert("ก|ิน|ข้าว", "กินข้าว", "กิน 0-2, ข้าว 2-3");
}

static void test_token_words_characters_may_span_tokens(void **state)
{
	(void)state;
	test_token_words_assert(" caf\xc3|\xa9| au", "café au", "café 0-2, au 2-3");
	test_token_words_assert("\xe6|\x97|\xa5|\xe6\x9c\xac", "日本", "日 0-3, 本 3-4");
	test_token_words_assert(" a\xc3| b", "a\xef\xbf\xbd b", "a\xef\xbf\xbd 0-1, b 1-2");
}

static void test_token_words_control_characters_are_blanks(void **state)
{
	(void)state;
	test_token_words_assert(" a\nb\x7f|\xc2\x85|c\xe3\x80\x80", "a b c", "a 0-1, b 0-1, c 2-3");
}

static void test_token_words_probability_is_the_mean(void **state)
{
	struct split split;

	(void)state;
	test_token_words_split(&split, " one| tw|o|.", 1024);
	assert_int_equal(split.words.count, 2);
	assert_float_equal(split.words.words[0].probability, 1, 1e-6f);
	assert_float_equal(split.words.words[1].probability, (1 / 2.0f + 1 / 3.0f) / 2, 1e-6f);
	test_token_words_end(&split);
}

static void test_token_words_what_does_not_fit_is_left_out(void **state)
{
	struct split split;

	(void)state;
	for (size_t max = 1; max < 40; ++max) {
		test_token_words_split(&split, " one| two| thr|ee| 日|本|.", max);
		assert_true(split.text.len <= max);
		for (size_t i = 0; i < split.words.count; ++i)
			assert_true(split.words.words[i].byte_end <= split.text.len);
		test_token_words_end(&split);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token_words_are_separated_by_blanks),
		cmocka_unit_test(test_token_words_punctuation_has_no_time),
		cmocka_unit_test(test_token_words_of_scripts_without_blanks_are_tokens),
		cmocka_unit_test(test_token_words_characters_may_span_tokens),
		cmocka_unit_test(test_token_words_control_characters_are_blanks),
		cmocka_unit_test(test_token_words_probability_is_the_mean),
		cmocka_unit_test(test_token_words_what_does_not_fit_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
