/* tokenizer.json of models with byte-level tokens. */
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
#include "base/mem.h"
#include "engine/hear/bpe.h"
#include "mem_fail.h"

#define WHY_SIZE 128

static int test_bpe_parse(struct bpe **bpep, const char *json, char why[WHY_SIZE])
{
	char *copy = strdup(json); /* it is overwritten, and the tokens must not point into it */
	int err;

	assert_non_null(copy);
	why[0] = '\0';
	err = bpe_parse(bpep, BPE_BYTES, copy, strlen(copy), why, WHY_SIZE);
	memset(copy, 'x', strlen(json));
	free(copy);
	return err;
}

static void test_bpe_assert_token(const struct bpe *bpe, size_t id, const char *want)
{
	struct bpe_token token = bpe_token(bpe, id);

	assert_false(token.is_mark);
	assert_int_equal(token.len, strlen(want));
	assert_memory_equal(token.bytes, want, token.len);
}

static const char small[] =
	"{\"version\": \"1.0\", \"truncation\": null,\n"
	" \"added_tokens\": [{\"id\": 7, \"content\": \"<|endoftext|>\", \"special\": true},\n"
	"                    {\"content\": \"<|de|>\", \"id\": 9, \"normalized\": false}],\n"
	" \"model\": {\"type\": \"BPE\", \"vocab\": {\"!\": 0, \"\\u0120the\": 1, \"\xc4\xa0"
	"caf\xc3\x83\xc2\xa9\": 2,\n"
	"   \"\xc3\xa6\xc4\xb9\": 3, \"\": 4, \"<|endoftext|>\": 7}, \"merges\": [\"a b\"]},\n"
	" \"decoder\": {\"type\": \"ByteLevel\"}}";

static void test_bpe_reads_text_and_marks(void **state)
{
	struct bpe *bpe;
	char why[WHY_SIZE];
	uint32_t id = 0;

	(void)state;
	assert_int_equal(test_bpe_parse(&bpe, small, why), 0);
	assert_int_equal(bpe_count(bpe), 10);
	test_bpe_assert_token(bpe, 0, "!");
	test_bpe_assert_token(bpe, 1, " the");
	test_bpe_assert_token(bpe, 2, " caf\xc3\xa9");
	test_bpe_assert_token(bpe, 3, "\xe6\x97"); /* not a whole character */
	test_bpe_assert_token(bpe, 4, "");
	assert_true(bpe_token(bpe, 7).is_mark);
	assert_true(bpe_find_mark(bpe, "<|endoftext|>", &id));
	assert_int_equal(id, 7);
	assert_true(bpe_find_mark(bpe, "<|de|>", &id));
	assert_int_equal(id, 9);
	assert_false(bpe_find_mark(bpe, "the", &id));
	assert_false(bpe_find_mark(bpe, "<|fr|>", &id));
	mem_deref(bpe);
}

static void test_bpe_ids_without_a_token_are_empty(void **state)
{
	struct bpe *bpe;
	char why[WHY_SIZE];

	(void)state;
	assert_int_equal(test_bpe_parse(&bpe, small, why), 0);
	test_bpe_assert_token(bpe, 5, "");
	test_bpe_assert_token(bpe, 10, "");
	test_bpe_assert_token(bpe, SIZE_MAX, "");
	mem_deref(bpe);
}

/* Each of the 256 bytes has a character of its own in the vocabulary. */
static void test_bpe_every_byte_can_be_written(void **state)
{
	char json[4096] = "{\"model\": {\"vocab\": {";
	size_t len = strlen(json);
	unsigned beyond = 256;
	struct bpe *bpe;
	char why[WHY_SIZE];

	(void)state;
	for (unsigned byte = 0; byte < 256; ++byte) {
		bool is_plain = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
		int written = snprintf(json + len, sizeof(json) - len, "%s\"\\u%04x\": %u",
				       byte > 0 ? "," : "", is_plain ? byte : beyond++, byte);

		len += (size_t)written;
	}
	snprintf(json + len, sizeof(json) - len, "}}}");
	assert_int_equal(test_bpe_parse(&bpe, json, why), 0);
	for (unsigned byte = 0; byte < 256; ++byte) {
		struct bpe_token token = bpe_token(bpe, byte);

		assert_int_equal(token.len, 1);
		assert_int_equal((unsigned char)token.bytes[0], byte);
	}
	mem_deref(bpe);
}

static void test_bpe_blanks_and_bytes_have_names(void **state)
{
	static const char json[] =
		"{\"added_tokens\": [{\"id\": 0, \"content\": \"<s>\"}], \"model\": {\"vocab\": "
		"{\"\\u2581the\": 1, \"<0xC3>\": 2, \"\\u2581\\u2581\": 3, \"<0xc3>\": 4}}}";
	struct bpe *bpe;
	char why[WHY_SIZE];
	char *copy = strdup(json);

	(void)state;
	assert_non_null(copy);
	assert_int_equal(bpe_parse(&bpe, BPE_BLANKS, copy, strlen(copy), why, sizeof(why)), 0);
	free(copy);
	assert_true(bpe_token(bpe, 0).is_mark);
	test_bpe_assert_token(bpe, 1, " the");
	test_bpe_assert_token(bpe, 2, "\xc3");
	test_bpe_assert_token(bpe, 3, "  ");
	test_bpe_assert_token(bpe, 4, "<0xc3>");
	mem_deref(bpe);
}

static void test_bpe_lines_are_tokens(void **state)
{
	static const char list[] = "<unk>\n<s>\n</s>\n<0x0A>\n\xe2\x96\x81the\n\nend";
	struct bpe *bpe;
	char why[WHY_SIZE];

	(void)state;
	assert_int_equal(bpe_parse_lines(&bpe, list, strlen(list), why, sizeof(why)), 0);
	assert_int_equal(bpe_count(bpe), 7);
	assert_true(bpe_token(bpe, 2).is_mark);
	test_bpe_assert_token(bpe, 3, "\n");
	test_bpe_assert_token(bpe, 4, " the");
	test_bpe_assert_token(bpe, 5, "");
	test_bpe_assert_token(bpe, 6, "end");
	mem_deref(bpe);
	bpe = NULL;
	assert_int_equal(bpe_parse_lines(&bpe, "", 0, why, sizeof(why)), EINVAL);
	assert_null(bpe);
}

static void test_bpe_marks_win_over_the_vocabulary(void **state)
{
	static const char later[] = "{\"model\": {\"vocab\": {\"a\": 0, \"<|x|>\": 1}},"
				    " \"added_tokens\": [{\"id\": 1, \"content\": \"<|x|>\"}]}";
	struct bpe *bpe;
	char why[WHY_SIZE];

	(void)state;
	assert_int_equal(test_bpe_parse(&bpe, later, why), 0);
	assert_false(bpe_token(bpe, 0).is_mark);
	assert_true(bpe_token(bpe, 1).is_mark);
	mem_deref(bpe);
}

static void test_bpe_says_what_is_wrong(void **state)
{
	static const struct {
		const char *json, *why;
	} files[] = {
		{"", "it is damaged at byte 0"},
		{"[]", "it is no object"},
		{"{}", "it has no vocabulary"},
		{"{\"model\": []}", "it has no vocabulary"},
		{"{\"model\": {\"vocab\": {\"a\": 0}}", "it is damaged at byte 29"},
		{"{\"model\": {\"vocab\": {\"a\": \"b\"}}}", "has no number"},
		{"{\"model\": {\"vocab\": {\"a\": -1}}}", "has the number -1"},
		{"{\"model\": {\"vocab\": {\"a\": 262144}}}", "has the number 262144"},
		{"{\"model\": {\"vocab\": {\"\xe2\x96\x81the\": 3}}}",
		 "token 3 is not written in bytes"},
		{"{\"model\": {\"vocab\": {\"a b\": 0}}}", "token 0 is not written in bytes"},
		{"{\"added_tokens\": [1]}", "an added token is no object"},
		{"{\"added_tokens\": [{\"id\": 1}]}", "an added token has no content"},
		{"{\"added_tokens\": [{\"content\": \"a\"}]}", "has the number -1"},
		{"{\"added_tokens\": [{\"id\": 1, \"content\": \"a\"}]}", "it has no vocabulary"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); ++i) {
		struct bpe *bpe = NULL;
		char why[WHY_SIZE];

		assert_int_equal(test_bpe_parse(&bpe, files[i].json, why), EINVAL);
		assert_null(bpe);
		if (!strstr(why, files[i].why))
			fail_msg("%s: %s", files[i].json, why);
	}
}

static void test_bpe_survives_a_lack_of_memory(void **state)
{
	size_t live = mem_live();

	(void)state;
	for (size_t n = 1;; ++n) {
		struct bpe *bpe = NULL;
		char why[WHY_SIZE];
		int err;

		mem_fail_after(n);
		err = test_bpe_parse(&bpe, small, why);
		mem_fail_after(0);
		if (!err) {
			mem_deref(bpe);
			break;
		}
		assert_int_equal(err, ENOMEM);
		assert_int_equal(mem_live(), live);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bpe_reads_text_and_marks),
		cmocka_unit_test(test_bpe_ids_without_a_token_are_empty),
		cmocka_unit_test(test_bpe_every_byte_can_be_written),
		cmocka_unit_test(test_bpe_blanks_and_bytes_have_names),
		cmocka_unit_test(test_bpe_lines_are_tokens),
		cmocka_unit_test(test_bpe_marks_win_over_the_vocabulary),
		cmocka_unit_test(test_bpe_says_what_is_wrong),
		cmocka_unit_test(test_bpe_survives_a_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
