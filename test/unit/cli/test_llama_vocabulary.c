/*
 * The vocabulary is found in the program and nothing else is taken for it: what is not lines of
 * text, each a token, is refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "cli/llama_vocabulary.h"

#define PROGRAM_MAX (1u << 20)

/* Extracts the vocabulary from a program that defines it as the base64 of these bytes. */
static int extract(struct buf *out, const char *bytes, size_t len)
{
	char *text = malloc(base64_encoded_len(len) + 1);
	struct buf program;
	int err;

	assert_non_null(text);
	text[base64_encode(text, bytes, len)] = '\0';
	buf_init(&program, PROGRAM_MAX);
	assert_int_equal(buf_append_str(&program, "decode(vocab || llama_vocab_base64);\n"), 0);
	assert_int_equal(buf_append_str(&program, "const llama_vocab_base64 = \""), 0);
	assert_int_equal(buf_append_str(&program, text), 0);
	assert_int_equal(buf_append_str(&program, "\";\nconst other = \"QUFB\";\n"), 0);
	err = llama_vocabulary_extract(out, &program);
	buf_reset(&program);
	free(text);
	return err;
}

static void assert_refused(const char *bytes, size_t len)
{
	struct buf out;

	buf_init(&out, PROGRAM_MAX);
	assert_int_equal(extract(&out, bytes, len), EINVAL);
	assert_int_equal(out.len, 0);
	buf_reset(&out);
}

static void test_the_tokens_become_lines(void **state)
{
	static const char tokens[] = "<unk>\n<s>\n\xe2\x96\x81the\n;\r\n!";
	struct buf out;

	(void)state;
	buf_init(&out, PROGRAM_MAX);
	assert_int_equal(extract(&out, tokens, strlen(tokens)), 0);
	assert_int_equal(out.len, strlen(tokens) + 1);
	assert_memory_equal(out.bytes, tokens, strlen(tokens));
	assert_int_equal(out.bytes[out.len - 1], '\n');
	buf_reset(&out);
}

static void test_what_is_not_lines_of_text_is_refused(void **state)
{
	(void)state;
	assert_refused("", 0);
	assert_refused("a\n\nb", 4);
	assert_refused("\na", 2);
	assert_refused("a\n", 2); /* an empty last token */
	assert_refused("a\0b", 3);
	assert_refused("a\n\xff", 3);
	assert_refused("a\xe2\x96", 3); /* an incomplete character */
}

static void test_a_token_and_a_vocabulary_have_a_maximum(void **state)
{
	char token[LLAMA_VOCABULARY_TOKEN_MAX + 1];
	char *tokens = malloc(2 * LLAMA_VOCABULARY_TOKENS_MAX + 1);
	struct buf out;

	(void)state;
	assert_non_null(tokens);
	buf_init(&out, PROGRAM_MAX);
	memset(token, 'a', sizeof(token));
	assert_refused(token, sizeof(token));
	assert_int_equal(extract(&out, token, sizeof(token) - 1), 0);
	buf_reset(&out);
	for (size_t i = 0; i <= LLAMA_VOCABULARY_TOKENS_MAX; ++i)
		memcpy(tokens + 2 * i, "a\n", i == LLAMA_VOCABULARY_TOKENS_MAX ? 1 : 2);
	assert_refused(tokens, 2 * LLAMA_VOCABULARY_TOKENS_MAX + 1);
	assert_int_equal(extract(&out, tokens, 2 * LLAMA_VOCABULARY_TOKENS_MAX - 1), 0);
	buf_reset(&out);
	free(tokens);
}

static void test_a_program_without_a_vocabulary_is_refused(void **state)
{
	static const char *const programs[] = {
		"",
		"llama_vocab_base64 = ",
		"llama_vocab_base64 = \"",
		"llama_vocab_base64 = \"\"",
		"llama_vocab_base64 = \"YQ==",
		"llama_vocab_base64 = \"YQ=\"",
		"llama_vocab_base64 = \"Y Q=\"",
		"llama_vocab_base64 = \"YQ==YQ==\"",
		"llama_vocab_base64 = 'YQ=='",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); ++i) {
		struct buf program, out;

		buf_init(&program, PROGRAM_MAX);
		buf_init(&out, PROGRAM_MAX);
		assert_int_equal(buf_append_str(&program, programs[i]), 0);
		assert_int_equal(llama_vocabulary_extract(&out, &program), EINVAL);
		assert_int_equal(out.len, 0);
		buf_reset(&program);
		buf_reset(&out);
	}
}

static void test_what_does_not_fit_is_refused(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 7);
	assert_int_equal(extract(&out, "abc\ndef", 7), ENOBUFS);
	assert_int_equal(extract(&out, "abc\nde", 6), 0); /* and a newline */
	buf_reset(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_tokens_become_lines),
		cmocka_unit_test(test_what_is_not_lines_of_text_is_refused),
		cmocka_unit_test(test_a_token_and_a_vocabulary_have_a_maximum),
		cmocka_unit_test(test_a_program_without_a_vocabulary_is_refused),
		cmocka_unit_test(test_what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
