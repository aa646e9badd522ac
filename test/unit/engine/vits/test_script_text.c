/* A text is divided where one breathes, and its words are found again in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/utf8.h"
#include "engine/vits/script_private.h"

struct divided {
	struct script_word *words;
	size_t word_count;
	struct script_piece *pieces;
	size_t piece_count;
};

static struct divided test_script_text_divide(const char *text, size_t len)
{
	struct divided divided;

	assert_int_equal(script_text_divide(text, len, NULL, &divided.words, &divided.word_count,
					    &divided.pieces, &divided.piece_count),
			 0);
	return divided;
}

static void test_script_text_drop(struct divided *divided)
{
	free(divided->words);
	free(divided->pieces);
}

/* "[words of a piece]stop", and a bar where a sentence ends. */
static void test_script_text_describe(char *out, const char *text)
{
	struct divided divided = test_script_text_divide(text, strlen(text));

	for (size_t i = 0; i < divided.piece_count; ++i) {
		const struct script_piece *piece = &divided.pieces[i];

		*out++ = '[';
		for (size_t k = piece->first_word; k < piece->end_word; ++k) {
			const struct script_word *word = &divided.words[k];

			out += sprintf(out, "%s%.*s", k > piece->first_word ? "," : "",
				       (int)(word->byte_end - word->byte_start),
				       text + word->byte_start);
		}
		*out++ = ']';
		if (piece->stop)
			out += utf8_encode(out, piece->stop);
		if (piece->ends_sentence)
			*out++ = '|';
	}
	*out = '\0';
	test_script_text_drop(&divided);
}

static void test_script_text_pieces_end_at_stops_and_nowhere_else(void **state)
{
	static const struct {
		const char *text;
		const char *divided;
	} rows[] = {
		{"", ""},
		{"   ", "[]"},
		{"...", "[]…|"},
		{"Hello", "[Hello]"},
		{"Hello, you. Go!", "[Hello],[you].|[Go]!|"},
		{"One; two: three", "[One];[two]:[three]"},
		{"It is 3.14 or 1,000 at 10:30.", "[It,is,3.14,or,1,000,at,10:30].|"},
		{"See http://a.b/c?d=e, ok?", "[See,http://a.b/c?d=e],[ok]?|"},
		{"Dr. Smith and J. Doe", "[Dr,Smith,and,J,Doe]"},
		{"“Dr. Smith”", "[Dr,Smith]"},
		{"In the U.S. Army. Yes", "[In,the,U.S,Army].|[Yes]"},
		{"It was I. You know", "[It,was,I].|[You,know]"},
		{"No. Never.", "[No].|[Never].|"},
		{"No. 5 of them", "[No,5,of,them]"},
		{"approx. five", "[approx,five]"},
		{"\"Stop!\" he said.", "[Stop]![he,said].|"},
		{"He said “No.” Then", "[He,said,No].|[Then]"},
		{"What?! No", "[What]?|[No]"},
		{"Well... maybe", "[Well]…[maybe]"},
		{"Well… Maybe", "[Well]…|[Maybe]"},
		{"wait—what", "[wait]—[what]"},
		{"he came - she left", "[he,came]—[she,left]"},
		{"he came -- she left", "[he,came]—[she,left]"},
		{"he came – she left", "[he,came]—[she,left]"},
		{"5 - 3", "[5,3]"},
		{"a well-known man", "[a,well-known,man]"},
		{"- and", "[and]"},
		{"你好，世界。我！", "[你好],[世界].|[我]!|"},
		{"مرحبا، كيف؟", "[مرحبا],[كيف]?|"},
		{"नमस्ते। आप", "[नमस्ते].|[आप]"},
		{"¿Qué? ¡No!", "[Qué]?|[No]!|"},
		{"été. Été. été", "[été].|[Été,été]"},
		{"(quickly) [now] *b* #1 C++", "[quickly,now,*b*,#1,C++]"},
		{"smile 😀 50% $5", "[smile,😀,50%,$5]"},
	};
	char divided[256];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		test_script_text_describe(divided, rows[i].text);
		assert_string_equal(divided, rows[i].divided);
	}
}

static void test_script_text_check_word(const char *text, size_t len,
					const struct script_word *word)
{
	assert_true(word->byte_start < word->byte_end);
	assert_true(word->byte_end <= len);
	assert_true(((unsigned char)text[word->byte_start] & 0xc0) != 0x80);
	assert_true(word->byte_end == len || ((unsigned char)text[word->byte_end] & 0xc0) != 0x80);
}

/* Pieces are the whole text in its order, short enough, and words lie in it. */
static void test_script_text_check(const char *text, size_t len, size_t piece_max)
{
	struct divided divided = test_script_text_divide(text, len);
	size_t at = 0;

	for (size_t i = 0; i < divided.piece_count; ++i) {
		const struct script_piece *piece = &divided.pieces[i];

		assert_int_equal(piece->start, at);
		assert_true(piece->end > piece->start);
		assert_true(piece->end - piece->start <= piece_max);
		assert_true(piece->first_word <= piece->end_word);
		assert_true(piece->end_word <= divided.word_count);
		assert_true(piece->end == len || ((unsigned char)text[piece->end] & 0xc0) != 0x80);
		at = piece->end;
	}
	assert_int_equal(at, len);
	for (size_t i = 0; i < divided.word_count; ++i) {
		test_script_text_check_word(text, len, &divided.words[i]);
		assert_true(i == 0 || divided.words[i].byte_start >= divided.words[i - 1].byte_end);
	}
	test_script_text_drop(&divided);
}

static void test_script_text_long_texts_without_stops_are_divided(void **state)
{
	static const char *const units[] = {"a", "word ", "你", "é", "(", "- ", "! ", "a. ", "😀 "};
	char text[12000];

	(void)state;
	for (size_t i = 0; i < COUNT(units); ++i) {
		size_t len = strlen(units[i]);
		size_t n = 10000 / len * len;

		for (size_t k = 0; k < n; ++k)
			text[k] = units[i][k % len];
		test_script_text_check(text, n, SCRIPT_PIECE_MAX + 8);
	}
}

static void test_script_text_a_word_in_two_pieces_is_in_both(void **state)
{
	char text[600];
	struct divided divided;

	(void)state;
	memset(text, 'a', sizeof(text));
	divided = test_script_text_divide(text, sizeof(text));
	assert_int_equal(divided.word_count, 1);
	assert_int_equal(divided.piece_count, 2);
	for (size_t i = 0; i < 2; ++i) {
		assert_int_equal(divided.pieces[i].first_word, 0);
		assert_int_equal(divided.pieces[i].end_word, 1);
	}
	test_script_text_drop(&divided);
}

/* Texts put together at random out of what matters. */
static void test_script_text_whatever_the_text_is_it_stays_whole(void **state)
{
	static const char *const parts[] = {
		"a",  "B", " ", "  ", ".",  ",",  "?!", "…", "—",    "-",    "\"",   "”", "(", ")",
		"Dr", "I", "7", "é",  "你", "。", "😀",  ":", "word", "\xff", "\xe2", "'", ";", "\n",
	};
	uint32_t random = 1;

	(void)state;
	for (unsigned round = 0; round < 2000; ++round) {
		char text[512];
		size_t len = 0;

		for (unsigned i = 0; i < 60; ++i) {
			const char *part;

			random = random * 1664525u + 1013904223u;
			part = parts[(random >> 16) % (COUNT(parts) - (round % 2 ? 3 : 0))];
			while (*part)
				text[len++] = *part++;
		}
		test_script_text_check(text, len, SCRIPT_PIECE_MAX + 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script_text_pieces_end_at_stops_and_nowhere_else),
		cmocka_unit_test(test_script_text_long_texts_without_stops_are_divided),
		cmocka_unit_test(test_script_text_a_word_in_two_pieces_is_in_both),
		cmocka_unit_test(test_script_text_whatever_the_text_is_it_stays_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
