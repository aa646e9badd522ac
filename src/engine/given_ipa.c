/*
 * given_ipa.c: brings phonemes that people wrote into one notation (see given_ipa.h).
 */
#include "engine/given_ipa.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "engine/words.h"

/* Replacements of signs; an empty string for signs that do not affect the sound. */
static const struct given_ipa_row {
	uint32_t from;
	const char *to;
} given_ipa_rows[] = {
	{'\'', "ˈ"},         {'(', ""},          {')', ""},         {'-', ""},
	{'.', ""},           {'/', ""},          {':', "ː"},        {'[', ""},
	{'\\', ""},          {']', ""},          {'g', "ɡ"},        {'{', ""},
	{'|', ""},           {'}', ""},          {0xe3, "a\u0303"}, {0xf5, "o\u0303"},
	{0x129, "i\u0303"},  {0x169, "u\u0303"}, {0x2a3, "dz"},     {0x2a4, "dʒ"},
	{0x2a5, "dʑ"},       {0x2a6, "ts"},      {0x2a7, "tʃ"},     {0x2a8, "tɕ"},
	{0x2b9, "ˈ"},        {0x2bc, ""},        {0x35c, ""},       {0x361, ""},
	{0x1ebd, "e\u0303"}, {0x2016, ""},       {0x2018, "ˈ"},     {0x2019, "ˈ"},
	{0x203f, ""},        {0x27e8, ""},       {0x27e9, ""},
};

bool given_ipa_is_vowel(uint32_t c)
{
	static const uint16_t others[] = {
		0xe6,  0xf8,  0x153, 0x250, 0x251, 0x252, 0x254,  0x258, 0x259,
		0x25a, 0x25b, 0x25c, 0x25d, 0x25e, 0x264, 0x268,  0x26a, 0x26f,
		0x275, 0x276, 0x289, 0x28a, 0x28c, 0x28f, 0x1d7b,
	};

	if (c < 0x80)
		return c != 0 && strchr("aeiouy", (int)c) != NULL;
	for (size_t i = 0; i < COUNT(others); ++i) {
		if (others[i] == c)
			return true;
	}
	return false;
}

static const struct given_ipa_row *given_ipa_find_row(uint32_t c)
{
	for (size_t i = 0; i < COUNT(given_ipa_rows); ++i) {
		if (given_ipa_rows[i].from == c)
			return &given_ipa_rows[i];
	}
	return NULL;
}

/* Writes a single blank between words, and none at the ends. */
static size_t given_ipa_put_blank(char *signs, size_t len)
{
	if (len > 0 && signs[len - 1] != ' ')
		signs[len++] = ' ';
	return len;
}

static void given_ipa_rewrite(char signs[GIVEN_IPA_SIZE], const char *ipa)
{
	size_t left = strlen(ipa);
	size_t len = 0;

	while (left > 0 && len + 8 < GIVEN_IPA_SIZE) {
		uint32_t c;
		size_t n = utf8_decode(&c, ipa, left);
		const struct given_ipa_row *row = given_ipa_find_row(c);

		if (words_is_blank(c)) {
			len = given_ipa_put_blank(signs, len);
		} else {
			const char *from = row ? row->to : ipa;
			size_t count = row ? strlen(row->to) : n;

			memcpy(signs + len, from, count);
			len += count;
		}
		ipa += n;
		left -= n;
	}
	while (len > 0 && signs[len - 1] == ' ')
		--len;
	signs[len] = '\0';
}

static bool given_ipa_is_stress(uint32_t c)
{
	return c == 0x2c8 || c == 0x2cc;
}

/* The syllables and the stress of a word. */
struct word_shape {
	size_t len; /* bytes up to the blank after it */
	unsigned syllables;
	bool has_stress;
};

static struct word_shape given_ipa_read_shape(const char *word)
{
	struct word_shape shape = {0};
	bool in_vowels = false;
	uint32_t c;

	while (word[shape.len] && word[shape.len] != ' ') {
		shape.len += utf8_decode(&c, word + shape.len, strlen(word + shape.len));
		shape.has_stress = shape.has_stress || given_ipa_is_stress(c);
		shape.syllables += given_ipa_is_vowel(c) && !in_vowels;
		in_vowels = given_ipa_is_vowel(c);
	}
	return shape;
}

/* Stress is written before a syllable and must be moved to its vowel. A word of one syllable
 * often has no stress mark and would be spoken too weakly without one. */
static size_t given_ipa_put_word(char *out, const char *word, const struct word_shape *shape)
{
	uint32_t stress = shape->syllables == 1 && !shape->has_stress ? 0x2c8 : 0;
	size_t len = 0;

	for (size_t at = 0; at < shape->len;) {
		uint32_t c;
		size_t n = utf8_decode(&c, word + at, shape->len - at);

		if (given_ipa_is_stress(c)) {
			stress = c;
		} else {
			if (stress && given_ipa_is_vowel(c)) {
				len += utf8_encode(out + len, stress);
				stress = 0;
			}
			memcpy(out + len, word + at, n);
			len += n;
		}
		at += n;
	}
	return len;
}

/* Each word gets at most one stress mark more than it had. */
static void given_ipa_clean(char signs[GIVEN_IPA_SIZE], const char *ipa)
{
	char plain[GIVEN_IPA_SIZE];
	const char *at = plain;
	size_t len = 0;

	given_ipa_rewrite(plain, ipa);
	while (*at) {
		struct word_shape shape = given_ipa_read_shape(at);

		if (len + shape.len + 8 >= GIVEN_IPA_SIZE)
			break;
		if (len > 0)
			signs[len++] = ' ';
		len += given_ipa_put_word(signs + len, at, &shape);
		at += shape.len;
		at += *at == ' ';
	}
	signs[len] = '\0';
}

/* The length of an apostrophe and an s that end a word here, else 0. */
static size_t given_ipa_possessive_len(const struct engine_text *text, size_t at)
{
	static const char *const endings[] = {"'s", "’s"};
	uint32_t c = ' ';

	for (size_t i = 0; i < COUNT(endings); ++i) {
		size_t len = strlen(endings[i]);

		if (text->text_len < at + len || memcmp(text->text + at, endings[i], len) != 0)
			continue;
		if (at + len < text->text_len)
			utf8_decode(&c, text->text + at + len, text->text_len - at - len);
		return words_is_blank(c) || words_is_punctuation(c) ? len : 0;
	}
	return 0;
}

static bool given_ipa_ends_with_any(const char *signs, const char *const *endings, size_t count)
{
	size_t len = strlen(signs);

	for (size_t i = 0; i < count; ++i) {
		size_t n = strlen(endings[i]);

		if (len >= n && memcmp(signs + len - n, endings[i], n) == 0)
			return true;
	}
	return false;
}

/* The possessive ending has three pronunciations in English. */
static const char *given_ipa_possessive_sound(const char *signs, bool is_english)
{
	static const char *const hissing[] = {"s", "z", "ʃ", "ʒ"};
	static const char *const voiceless[] = {"p", "t", "k", "f", "θ"};

	if (!is_english || given_ipa_ends_with_any(signs, voiceless, COUNT(voiceless)))
		return "s";
	return given_ipa_ends_with_any(signs, hissing, COUNT(hissing)) ? "ɪz" : "z";
}

void given_ipa_read(struct given_ipa *ipa, const struct engine_text *text, size_t i,
		    bool is_english)
{
	const struct engine_phonemes *span = &text->phonemes[i];
	size_t more = given_ipa_possessive_len(text, span->byte_end);
	size_t len;

	ipa->byte_start = span->byte_start;
	ipa->byte_end = span->byte_end;
	given_ipa_clean(ipa->signs, span->ipa);
	if (more == 0 || ipa->signs[0] == '\0')
		return;
	ipa->byte_end += more;
	len = strlen(ipa->signs);
	snprintf(ipa->signs + len, sizeof(ipa->signs) - len, "%s",
		 given_ipa_possessive_sound(ipa->signs, is_english));
}
