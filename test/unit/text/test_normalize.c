/* Normalization: the golden cases, the same however the text was split, and where words came from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "normal.h"
#include "text/chunker.h"
#include "text/reader.h"

#define SAID_MAX 65536

struct tally {
	size_t failed;
	const char *only; /* a language, while its table is being written */
};

static void test_normalize_read_into(char *said, size_t *len, const char *language,
				     const char *text, size_t n)
{
	struct reader reader = {.language = language_find(language), .normalizes = true};
	struct spoken *spoken = NULL;

	assert_int_equal(reader_read(&spoken, &reader, text, n), 0);
	for (size_t i = 0; i < spoken->parts_len; ++i) {
		const struct spoken_part *part = &spoken->parts[i];

		if (*len > 0 && said[*len - 1] != ' ' && part->text[0] != ' ')
			said[(*len)++] = ' ';
		memcpy(said + *len, part->text, part->len);
		*len += part->len;
	}
	said[*len] = '\0';
	mem_deref(spoken);
}

static void test_normalize_check_case(const struct normal_case *normal, void *arg)
{
	static char said[SAID_MAX];
	struct tally *tally = arg;
	size_t len = 0;

	test_normalize_read_into(said, &len, normal->language, normal->written,
				 strlen(normal->written));
	if (strcmp(said, normal->said) == 0)
		return;
	++tally->failed;
	print_error("%s (%s)\n  written %s\n  wanted  %s\n  said    %s\n", normal->where,
		    normal->kind, normal->written, normal->said, said);
}

static void test_normalize_every_golden_case(void **state)
{
	struct tally tally = {.only = getenv("NORMAL_LANGUAGE")};
	size_t count = normal_each(NORMAL_DIR, tally.only, test_normalize_check_case, &tally);

	(void)state;
	print_message("%zu cases, %zu failed\n", count, tally.failed);
	assert_int_equal(tally.failed, 0);
	assert_true(tally.only || count >= 2000);
}

/* What is said when the text is fed in pieces that end where `ends` says. */
static void test_normalize_say_in_pieces(char *said, const struct normal_case *normal,
					 bool (*ends)(size_t at, size_t seed), size_t seed)
{
	struct chunker_options options = {.auto_mode = true, .buffer_max = 4000};
	struct chunker *chunker = NULL;
	struct chunk chunk;
	size_t total = strlen(normal->written);
	size_t fed = 0;
	size_t len = 0;

	snprintf(options.language, sizeof(options.language), "%.3s", normal->language);
	assert_int_equal(chunker_alloc(&chunker, &options), 0);
	said[0] = '\0';
	for (size_t at = 1; at <= total; ++at) {
		if (at < total &&
		    (((uint8_t)normal->written[at] & 0xc0) == 0x80 || !ends(at, seed)))
			continue;
		assert_int_equal(chunker_feed(chunker, normal->written + fed, at - fed), 0);
		fed = at;
		while (chunker_next(chunker, &chunk))
			test_normalize_read_into(said, &len, normal->language, chunk.text,
						 chunk.len);
	}
	chunker_flush(chunker);
	while (chunker_next(chunker, &chunk))
		test_normalize_read_into(said, &len, normal->language, chunk.text, chunk.len);
	mem_deref(chunker);
}

static bool test_normalize_never(size_t at, size_t seed)
{
	(void)at;
	(void)seed;
	return false;
}

static bool test_normalize_always(size_t at, size_t seed)
{
	(void)at;
	(void)seed;
	return true;
}

static bool test_normalize_once(size_t at, size_t seed)
{
	return at == seed;
}

static void test_normalize_check_splits(const struct normal_case *normal, void *arg)
{
	static char whole[SAID_MAX];
	static char split[SAID_MAX];
	size_t len = strlen(normal->written);

	(void)arg;
	test_normalize_say_in_pieces(whole, normal, test_normalize_never, 0);
	test_normalize_say_in_pieces(split, normal, test_normalize_always, 0);
	assert_string_equal(split, whole);
	for (size_t at = 1; at < len; ++at) {
		test_normalize_say_in_pieces(split, normal, test_normalize_once, at);
		if (strcmp(split, whole) != 0)
			print_error("%s split at byte %zu\n", normal->where, at);
		assert_string_equal(split, whole);
	}
}

static void test_normalize_a_split_never_matters(void **state)
{
	(void)state;
	normal_each(NORMAL_DIR, getenv("NORMAL_LANGUAGE"), test_normalize_check_splits, NULL);
}

static void test_normalize_check_pieces(const struct normal_case *normal, void *arg)
{
	struct reader reader = {.language = language_find(normal->language), .normalizes = true};
	size_t code_points = utf8_count(normal->written, strlen(normal->written));
	struct spoken *spoken = NULL;
	uint32_t before = 0;

	(void)arg;
	assert_int_equal(reader_read(&spoken, &reader, normal->written, strlen(normal->written)),
			 0);
	for (size_t i = 0; i < spoken->parts_len; ++i) {
		const struct spoken_part *part = &spoken->parts[i];

		for (size_t k = 0; k < part->pieces_len; ++k) {
			assert_true(part->pieces[k].from >= before);
			assert_true(part->pieces[k].to <= code_points);
			before = part->pieces[k].from;
		}
		if (part->pieces_len > 0)
			assert_int_equal(part->pieces[part->pieces_len - 1].end, part->len);
	}
	mem_deref(spoken);
}

static void test_normalize_words_come_from_the_text_in_order(void **state)
{
	(void)state;
	normal_each(NORMAL_DIR, getenv("NORMAL_LANGUAGE"), test_normalize_check_pieces, NULL);
}

static void test_normalize_expect(const char *language, const char *text, const char *wanted)
{
	static char said[SAID_MAX];
	size_t len = 0;

	test_normalize_read_into(said, &len, language, text, strlen(text));
	assert_string_equal(said, wanted);
}

static void test_normalize_other_languages_leave_figures_to_the_engine(void **state)
{
	(void)state;
	test_normalize_expect("sv", "**Mötet** är den 3 maj kl. 14:30 🎉.",
			      "Mötet är den 3 maj kl. 14:30.");
	test_normalize_expect("ja", "- 3月5日に会いましょう", "3月5日に会いましょう.");
	test_normalize_expect("xx", "[länk](https://example.com) 5 %", "länk 5 %");
}

static void test_normalize_odd_characters_do_no_harm(void **state)
{
	(void)state;
	test_normalize_expect("en", "caf\x65\xcc\x81 5",
			      "caf\xc3\xa9 five"); /* a mark of its own */
	test_normalize_expect("en", "\xcc\x81 5", "\xcc\x81 five"); /* a mark without a letter */
	test_normalize_expect("en", "a\xe2\x80\x8f 5\xe2\x80\x8e b",
			      "a five b"); /* marks of direction */
	test_normalize_expect("en", "\xef\xbb\xbfone", "one");
	test_normalize_expect("en", "\xef\xbf\xbd", ""); /* what was no character */
	test_normalize_expect("en", "", "");
	test_normalize_expect("en", "   ", "");
}

/* Each would take minutes if a reader looked at the same tokens again and again. */
static void test_normalize_huge_texts_are_read_in_linear_time(void **state)
{
	static const char *const units[] = {
		"a",       "1",
		"[",       "(",
		"*",       "1/",
		"1.",      "1,",
		"a.",      "a@",
		"#",       "<b>",
		"$",       "- ",
		"1-",      "'",
		"\n- a",   "5 km",
		"|",       "`",
		"I",       "A.",
		"/",       "\xcc\x81",
		"1 ",      "http://",
		"![",      "](",
		"<spell>", "€1 ",
		"0",       ":",
		"10:00",   "\xf0\x9f\x98\x80",
		".111",    ",111",
		"| - ",    "/\xc9\x99/ ",
	};
	const size_t size = 200000;
	char *text = malloc(size + 16);

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(units) / sizeof(units[0]); ++i) {
		struct reader reader = {.language = language_find(i % 2 ? "de" : "en"),
					.normalizes = true};
		struct spoken *spoken = NULL;
		size_t len = 0;

		while (len < size) {
			memcpy(text + len, units[i / 2], strlen(units[i / 2]));
			len += strlen(units[i / 2]);
		}
		assert_int_equal(reader_read(&spoken, &reader, text, len), 0);
		mem_deref(spoken);
	}
	free(text);
}

static void test_normalize_a_thousand_digits_are_read_one_by_one(void **state)
{
	static char said[SAID_MAX];
	char digits[1001];
	size_t len = 0;

	(void)state;
	memset(digits, '7', 1000);
	digits[1000] = '\0';
	test_normalize_read_into(said, &len, "en", digits, 1000);
	assert_int_equal(len, 1000 * strlen("seven ") - 1);
	assert_memory_equal(said, "seven seven ", 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normalize_other_languages_leave_figures_to_the_engine),
		cmocka_unit_test(test_normalize_odd_characters_do_no_harm),
		cmocka_unit_test(test_normalize_huge_texts_are_read_in_linear_time),
		cmocka_unit_test(test_normalize_a_thousand_digits_are_read_one_by_one),
		cmocka_unit_test(test_normalize_every_golden_case),
		cmocka_unit_test(test_normalize_a_split_never_matters),
		cmocka_unit_test(test_normalize_words_come_from_the_text_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
