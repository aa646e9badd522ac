/* What eSpeak NG is given of a text, and where it came from. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/espeak_text.h"
#include "mem_fail.h"

static struct engine_text test_espeak_text_make(const char *text)
{
	return (struct engine_text){.text = text, .text_len = strlen(text)};
}

static void test_espeak_text_check(const char *language, const char *given, const char *want)
{
	const struct engine_text text = test_espeak_text_make(given);
	struct espeak_text *prepared = NULL;

	assert_int_equal(espeak_text_alloc(&prepared, &text, language, NULL, NULL), 0);
	assert_string_equal(prepared->text.bytes, want);
	assert_int_equal(prepared->text.len, strlen(want) + 1);
	assert_false(prepared->has_phonemes);
	mem_deref(prepared);
	assert_int_equal(mem_live(), 0);
}

static void test_espeak_text_most_texts_stay_as_they_are(void **state)
{
	(void)state;
	test_espeak_text_check("en", "", "");
	test_espeak_text_check("en", "It's [[fine]] — 5 €, “so” 😀.",
			       "It's [[fine]] — 5 €, “so” 😀.");
	test_espeak_text_check("zh", "你好，世界。", "你好，世界。");
	test_espeak_text_check("th", "สวัสดีครับ", "สวัสดีครับ");
}

static void test_espeak_text_letters_in_disguise_are_letters(void **state)
{
	(void)state;
	test_espeak_text_check("te", "🅱ϖ", "Bϖ");
	test_espeak_text_check("gu", "ⓜⒶ", "mA");
	test_espeak_text_check("en", "𝐇𝐞𝐥𝐥𝐨 𝟵 Ａ９", "Hello 9 A9");
	test_espeak_text_check("en", "🇩🇪", "DE");
	test_espeak_text_check("en", "a𐐀b", "a b"); /* it would be spelled by its number */
}

/* Those of keyboards only at a run's beginning: elsewhere they do no harm. */
static void test_espeak_text_signs_stand_apart(void **state)
{
	(void)state;
	test_espeak_text_check("as", "=(", "= (");
	test_espeak_text_check("hi", "🧁🧁 a🧁🧁", "🧁 🧁 a🧁 🧁");
	test_espeak_text_check("my", "\"*b", "\" *b");
	test_espeak_text_check("en", "C++ 50%)", "C++ 50%)");
	test_espeak_text_check("en", "❤️❤️ (€5), $1... ?!",
			       "❤️ ❤️ ( €5), $1... ?!");
}

static void test_espeak_text_an_apostrophe_is_not_for_kyrgyz(void **state)
{
	(void)state;
	test_espeak_text_check("ky", "s'ss", "s ss");
	test_espeak_text_check("ky", "s’ss", "s ss");
	test_espeak_text_check("en", "s'ss", "s'ss");
}

static void test_espeak_text_control_characters_and_broken_bytes_are_blanks(void **state)
{
	(void)state;
	test_espeak_text_check("en",
			       "a\tb\x01"
			       "c\x7f\xff",
			       "a b c  ");
}

/* Words of more letters end the library. */
static void test_espeak_text_long_runs_are_broken(void **state)
{
	char given[401] = "";
	const struct engine_text text = {.text = given, .text_len = 400};
	struct espeak_text *prepared = NULL;
	size_t longest = 0;

	(void)state;
	for (size_t i = 0; i < 400; ++i)
		given[i] = i % 2 ? '\'' : 's';
	assert_int_equal(espeak_text_alloc(&prepared, &text, "en", NULL, NULL), 0);
	for (const char *at = prepared->text.bytes; *at;) {
		size_t len = strcspn(at, " ");

		longest = len > longest ? len : longest;
		at += len + strspn(at + len, " ");
	}
	assert_int_equal(longest, 80);
	assert_int_equal(espeak_text_origin(prepared, 0), 0);
	assert_int_equal(espeak_text_origin(prepared, 82), 81);
	assert_int_equal(espeak_text_origin(prepared, 100000), 400);
	mem_deref(prepared);
}

static int test_espeak_text_write_known(struct buf *out, const struct given_ipa *ipa, void *arg)
{
	if (strcmp(ipa->signs, "?") == 0)
		return ENOENT;
	return buf_append_str(out, arg);
}

static void test_espeak_text_phonemes_stand_in_brackets_and_text_does_not(void **state)
{
	static const struct engine_phonemes spans[] = {
		{3, 5, "ʃiː"}, {12, 17, "?"}, {18, 20, "nuː"}};
	const char *given = "a (Xi) [[b]]café é!!";
	struct engine_text text = test_espeak_text_make(given);
	struct espeak_text *prepared = NULL;
	char mnemonics[] = "n|'u: k";
	size_t at;

	(void)state;
	text.phonemes = spans;
	text.phonemes_count = 3;
	assert_int_equal(
		espeak_text_alloc(&prepared, &text, "en", test_espeak_text_write_known, mnemonics),
		0);
	assert_true(prepared->has_phonemes);
	assert_string_equal(prepared->text.bytes,
			    "a ( [[n|'u:]]  [[k]] ) ((b]]café  [[n|'u:]]  [[k]] !!");
	at = (size_t)(strstr(prepared->text.bytes, "[[k") - prepared->text.bytes);
	assert_int_equal(espeak_text_origin(prepared, at), 3);
	assert_int_equal(espeak_text_origin(prepared, at + 6), 5);
	mem_deref(prepared);
	assert_int_equal(mem_live(), 0);
}

static void test_espeak_text_no_memory_is_told(void **state)
{
	const struct engine_text text = test_espeak_text_make("Hello");
	struct espeak_text *prepared = NULL;

	(void)state;
	mem_fail_after(1);
	assert_int_equal(espeak_text_alloc(&prepared, &text, "en", NULL, NULL), ENOMEM);
	mem_fail_after(0);
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_espeak_text_most_texts_stay_as_they_are),
		cmocka_unit_test(test_espeak_text_letters_in_disguise_are_letters),
		cmocka_unit_test(test_espeak_text_signs_stand_apart),
		cmocka_unit_test(test_espeak_text_an_apostrophe_is_not_for_kyrgyz),
		cmocka_unit_test(test_espeak_text_control_characters_and_broken_bytes_are_blanks),
		cmocka_unit_test(test_espeak_text_long_runs_are_broken),
		cmocka_unit_test(test_espeak_text_phonemes_stand_in_brackets_and_text_does_not),
		cmocka_unit_test(test_espeak_text_no_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
