/*
 * espeak_ipa.c: converts IPA to eSpeak NG's own phonemes (see espeak_ipa.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eSpeak NG is under the GPL, version 3 or later, and so is a program that links it.
 */
#include "engine/espeak_ipa.h"

#include <errno.h>
#include <espeak-ng/speak_lib.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"

/* espeak_TextToPhonemes: mnemonics, or IPA without ties or separators. */
#define MODE_MNEMONICS 0x00
#define MODE_IPA 0x02

/* The library's buffer for a word has 160 bytes. */
#define WORD_MAX 120
#define MNEMONIC_MAX 8

/* Longer sequences precede their prefixes. Mnemonics are ordered: one that sounds the same in
 * the voice is used, else the first that the voice has. A sequence of two signs is used only
 * if it sounds the same; otherwise each sign is looked up separately. */
static const struct espeak_ipa_row {
	const char *ipa;
	const char *mnemonics;
} espeak_ipa_rows[] = {
	{"aɪə", "aI@"},
	{"aɪɚ", "aI3"},
	{"aʊə", "aU@"},
	{"ɑːɹ", "A@"},
	{"ɔːɹ", "O@ o@"},
	{"oːɹ", "o@ O@"},
	{"tʃʰ", "tSh"},
	{"tɕʰ", "tS;h"},
	{"tsʰ", "tsh"},
	{"tʃ", "tS"},
	{"dʒ", "dZ"},
	{"tɕ", "tS;"},
	{"dʑ", "dZ;"},
	{"ts", "ts"},
	{"dz", "dz"},
	{"tʂ", "ts."},
	{"dʐ", "dz."},
	{"pf", "pF"},
	{"pʰ", "ph p"},
	{"tʰ", "th t"},
	{"kʰ", "kh k"},
	{"aɪ", "aI"},
	{"aʊ", "aU"},
	{"eɪ", "eI"},
	{"ɛɪ", "EI eI"},
	{"ɔɪ", "OI"},
	{"ɔø", "OY OI"},
	{"ɔʏ", "OY OI"},
	{"œy", "Wy"},
	{"ʌʊ", "VU"},
	{"œʏ", "Wy"},
	{"oʊ", "oU"},
	{"əʊ", "oU @U"},
	{"ɪə", "i@ i@3"},
	{"iə", "i@"},
	{"eə", "e@"},
	{"ɛə", "e@"},
	{"ʊə", "U@"},
	{"uə", "u@"},
	{"ɛɹ", "e@"},
	{"ɪɹ", "i@3"},
	{"ʊɹ", "U@"},
	{"əl", "@L"},
	{"əɹ", "IR 3"},
	{"ɑː", "A: a:"},
	{"aː", "a: A:"},
	{"æː", "a: &:"},
	{"eː", "e:"},
	{"ɛː", "E:"},
	{"iː", "i:"},
	{"ɪː", "I:"},
	{"oː", "o:"},
	{"ɔː", "O:"},
	{"uː", "u:"},
	{"yː", "y:"},
	{"øː", "Y:"},
	{"œː", "W:"},
	{"ɜː", "3:"},
	{"əː", "@:"},
	{"ʊː", "U:"},
	{"ɑ\u0303", "A~ a~ O~"},
	{"ɐ\u0303", "&~ a~"},
	{"ɔ\u0303", "O~ o~"},
	{"ɛ\u0303", "E~ e~"},
	{"œ\u0303", "W~ E~"},
	{"a\u0303", "a~ A~"},
	{"e\u0303", "e~ E~"},
	{"i\u0303", "i~"},
	{"o\u0303", "o~ O~"},
	{"u\u0303", "u~"},
	{"ʊ\u0303", "U~ u~"},
	{"m\u0329", "m-"},
	{"n\u0329", "n-"},
	{"ŋ\u0329", "N-"},
	{"l\u0329", "l- @L"},
	{"r\u0329", "r-"},
	{"d\u032a", "d["},
	{"t\u032a", "t["},
	{"a", "a a#"},
	{"ɐ", "a# V 3 &/ @"},
	{"ɑ", "A A: A# a"},
	{"ɒ", "0 O A"},
	{"æ", "a aa & E"},
	{"ɛ", "E E2 e"},
	{"e", "e e: eI E"},
	{"ə", "@ @- @2 @5 V"},
	{"ɘ", "@"},
	{"ɚ", "3 @ a#"},
	{"ɝ", "3: 3 @"},
	{"ɜ", "3: 3 V# @"},
	{"ɞ", "3: W @"},
	{"ɪ", "I I2 i"},
	{"ᵻ", "I# I2 I i"},
	{"i", "i i2 i: I"},
	{"ɨ", "i\" y i I"},
	{"ʉ", "u\" u u:"},
	{"ɯ", "u- u\" u"},
	{"u", "u u: U"},
	{"ʊ", "U u u:"},
	{"ʏ", "y I y:"},
	{"y", "y y: i"},
	{"ø", "Y Y: W e"},
	{"œ", "W Y E e"},
	{"ɶ", "W a"},
	{"ɵ", "Y8 8 Y @ o"},
	{"ɔ", "O O2 O: o 0"},
	{"o", "o o: oU O"},
	{"ɤ", "o- @ o"},
	{"ʌ", "V a# @ a"},
	{"b", "b"},
	{"ɓ", "b` b"},
	{"β", "B b v"},
	{"c", "c k"},
	{"ç", "C S x"},
	{"d", "d"},
	{"ɖ", "d. d"},
	{"ɗ", "d` d"},
	{"ð", "D d z"},
	{"f", "f"},
	{"ɸ", "f"},
	{"ɡ", "g"},
	{"ɢ", "g"},
	{"ɠ", "g` g"},
	{"ɣ", "Q g"},
	{"h", "h x"},
	{"ɦ", "h x"},
	{"ħ", "H h x"},
	{"ʜ", "h x"},
	{"x", "x h k"},
	{"χ", "X x h"},
	{"j", "j i"},
	{"ʝ", "J^ j"},
	{"ɟ", "J d"},
	{"ʄ", "J d"},
	{"k", "k"},
	{"l", "l"},
	{"ɫ", "L l/ l"},
	{"ɭ", "l. l"},
	{"ʎ", "l^ l"},
	{"ɬ", "l# l"},
	{"ɮ", "l"},
	{"ʟ", "l"},
	{"m", "m"},
	{"ɱ", "m"},
	{"n", "n"},
	{"ɲ", "n^ n"},
	{"ŋ", "N n"},
	{"ɳ", "n. n"},
	{"ɴ", "N n"},
	{"p", "p"},
	{"q", "q k"},
	{"r", "r R"},
	{"ɹ", "r r- r/"},
	{"ɻ", "r. r"},
	{"ɺ", "* r"},
	{"ɾ", "* ** r"},
	{"ɽ", "*. * r"},
	{"ʀ", "r\" r"},
	{"ʁ", "r Q\" r\""},
	{"s", "s"},
	{"ʂ", "s. S"},
	{"ʃ", "S"},
	{"ɕ", "S; S"},
	{"t", "t"},
	{"ʈ", "t. t"},
	{"θ", "T s"},
	{"v", "v"},
	{"ʋ", "v# v"},
	{"w", "w u"},
	{"ʍ", "w# w"},
	{"ɥ", "w j"},
	{"ɰ", "Q w"},
	{"z", "z"},
	{"ʐ", "z. Z"},
	{"ʒ", "Z"},
	{"ʑ", "Z; Z"},
	{"ʔ", "?"},
	{"ʕ", "?"},
	{"ʡ", "?"},
};

_Static_assert(COUNT(espeak_ipa_rows) <= ESPEAK_IPA_ROWS, "a choice for every row");

/* Marks that are written as they are; all others are ignored. */
static const struct espeak_ipa_mark {
	const char *ipa;
	const char *mnemonic;
	bool comes_first; /* written before its phoneme */
} espeak_ipa_marks[] = {{"ˈ", "'", true}, {"ˌ", ",", true}, {"ː", ":", false}, {"ʲ", ";", false}};

struct espeak_ipa_writer {
	struct buf *out;
	struct espeak_ipa *voice;
	size_t word_start; /* offset in out */
	bool separates; /* a phoneme precedes the next one */
	unsigned known, lost;
	int err;
};

static bool espeak_ipa_is_modifier(uint32_t c)
{
	return (c >= 0x2b0 && c <= 0x36f) || (c >= 0x1d2c && c <= 0x1d6a && c != 0x1d7b) ||
	       (c >= '0' && c <= '9');
}

static bool espeak_ipa_is_vowel(const char *ipa)
{
	uint32_t c;

	utf8_decode(&c, ipa, strlen(ipa));
	return given_ipa_is_vowel(c);
}

/* The flag of a synthesis also affects later queries about phonemes: it is set by synthesizing
 * an empty text. */
static void espeak_ipa_read_brackets(void)
{
	espeak_Synth("", 1, 0, POS_CHARACTER, 0, espeakCHARS_UTF8 | espeakPHONEMES, NULL, NULL);
}

/* The library's pronunciation of mnemonics, without stress. */
static void espeak_ipa_query(char *answer, size_t size, const char *mnemonics, int mode)
{
	const void *at = mnemonics;
	const char *said = espeak_TextToPhonemes(&at, espeakCHARS_UTF8, mode);
	size_t len = 0;

	while (said && *said && len + 1 < size) {
		if (strncmp(said, "ˈ", 2) == 0 || strncmp(said, "ˌ", 2) == 0)
			said += 2;
		else if (strchr("', _", *said))
			++said;
		else
			answer[len++] = *said++;
	}
	answer[len] = '\0';
	while (at) /* the library keeps unread text for the next call */
		espeak_TextToPhonemes(&at, espeakCHARS_UTF8, mode);
}

/* Reading stops at a phoneme that the voice does not have. */
static bool espeak_ipa_has_phoneme(const char *mnemonic)
{
	char text[32];
	char answer[64];
	size_t len;

	snprintf(text, sizeof(text), "[[p|%s|p]]", mnemonic);
	espeak_ipa_query(answer, sizeof(answer), text, MODE_MNEMONICS);
	len = strlen(answer);
	return len > 2 && answer[len - 1] == 'p';
}

/* The phoneme is tested between two others, because many change at the end of a word. */
static bool espeak_ipa_sounds_like(const char *mnemonic, const char *ipa)
{
	const char *beside = espeak_ipa_is_vowel(ipa) ? "p" : "a";
	char text[32];
	char answer[64];
	char alone[64];
	size_t len = strlen(ipa);
	size_t beside_len;

	snprintf(text, sizeof(text), "[[%s|%s|%s]]", beside, mnemonic, beside);
	espeak_ipa_query(answer, sizeof(answer), text, MODE_IPA);
	snprintf(text, sizeof(text), "[[%s|p|%s]]", beside, beside);
	espeak_ipa_query(alone, sizeof(alone), text, MODE_IPA);
	beside_len = strcspn(alone, "p");
	if (beside_len == 0)
		beside_len = 1; /* a p itself */
	return strlen(answer) == len + 2 * beside_len && memcmp(answer + beside_len, ipa, len) == 0;
}

/* The n-th of a row's mnemonics, from 1; false when there are fewer. */
static bool espeak_ipa_mnemonic_at(char mnemonic[MNEMONIC_MAX], const struct espeak_ipa_row *row,
				   int n)
{
	const char *at = row->mnemonics;
	size_t len = strcspn(at, " ");

	while (--n > 0) {
		at += len + strspn(at + len, " ");
		len = strcspn(at, " ");
	}
	snprintf(mnemonic, MNEMONIC_MAX, "%.*s", (int)len, at);
	return len > 0;
}

/* The number of the best mnemonic for the voice, or -1. */
static signed char espeak_ipa_choose(const struct espeak_ipa_row *row)
{
	char mnemonic[MNEMONIC_MAX];
	uint32_t c;
	bool is_single = utf8_decode(&c, row->ipa, strlen(row->ipa)) == strlen(row->ipa);
	signed char first = -1;

	espeak_ipa_read_brackets();
	for (signed char n = 1; espeak_ipa_mnemonic_at(mnemonic, row, n); ++n) {
		if (!espeak_ipa_has_phoneme(mnemonic))
			continue;
		if (espeak_ipa_sounds_like(mnemonic, row->ipa))
			return n;
		if (first < 0)
			first = n;
	}
	return is_single ? first : -1;
}

static void espeak_ipa_put(struct espeak_ipa_writer *writer, const char *string)
{
	if (!writer->err)
		writer->err = buf_append_str(writer->out, string);
}

static void espeak_ipa_put_phoneme(struct espeak_ipa_writer *writer, const char *mnemonic)
{
	if (writer->separates)
		espeak_ipa_put(writer, "|");
	espeak_ipa_put(writer, mnemonic);
	writer->separates = true;
	++writer->known;
}

/* Returns the length of the mark in bytes; 0 when it is not a mark. */
static size_t espeak_ipa_put_mark(struct espeak_ipa_writer *writer, const char *ipa)
{
	for (size_t i = 0; i < COUNT(espeak_ipa_marks); ++i) {
		size_t len = strlen(espeak_ipa_marks[i].ipa);

		if (strncmp(ipa, espeak_ipa_marks[i].ipa, len) != 0)
			continue;
		if (espeak_ipa_marks[i].comes_first && writer->separates)
			espeak_ipa_put(writer, "|");
		if (espeak_ipa_marks[i].comes_first || writer->separates)
			espeak_ipa_put(writer, espeak_ipa_marks[i].mnemonic);
		writer->separates = writer->separates && !espeak_ipa_marks[i].comes_first;
		return len;
	}
	return 0;
}

/* Returns the length of the sound in bytes; 0 when the table has nothing similar. */
static size_t espeak_ipa_put_sound(struct espeak_ipa_writer *writer, const char *ipa)
{
	char mnemonic[MNEMONIC_MAX];

	for (size_t i = 0; i < COUNT(espeak_ipa_rows); ++i) {
		signed char *choice = &writer->voice->choice[i];
		size_t len = strlen(espeak_ipa_rows[i].ipa);

		if (strncmp(ipa, espeak_ipa_rows[i].ipa, len) != 0)
			continue;
		if (*choice == 0)
			*choice = espeak_ipa_choose(&espeak_ipa_rows[i]);
		if (*choice < 0)
			continue;
		espeak_ipa_mnemonic_at(mnemonic, &espeak_ipa_rows[i], *choice);
		espeak_ipa_put_phoneme(writer, mnemonic);
		return len;
	}
	return 0;
}

static void espeak_ipa_end_word(struct espeak_ipa_writer *writer)
{
	if (!writer->err && writer->out->len - writer->word_start > WORD_MAX)
		writer->err = ENOENT;
	writer->separates = false;
}

static size_t espeak_ipa_put_sign(struct espeak_ipa_writer *writer, const char *ipa)
{
	size_t len = espeak_ipa_put_mark(writer, ipa);
	uint32_t c;

	if (len == 0)
		len = espeak_ipa_put_sound(writer, ipa);
	if (len > 0)
		return len;
	len = utf8_decode(&c, ipa, strlen(ipa));
	if (c == ' ') {
		espeak_ipa_end_word(writer);
		espeak_ipa_put(writer, " ");
		writer->word_start = writer->out->len;
	} else {
		writer->lost += !espeak_ipa_is_modifier(c);
	}
	return len;
}

int espeak_ipa_write(struct buf *out, const struct given_ipa *ipa, struct espeak_ipa *voice)
{
	struct espeak_ipa_writer writer = {.out = out, .voice = voice, .word_start = out->len};

	for (const char *at = ipa->signs; *at && !writer.err;)
		at += espeak_ipa_put_sign(&writer, at);
	espeak_ipa_end_word(&writer);
	if (!writer.err && (writer.known == 0 || 4 * writer.lost > writer.known))
		writer.err = ENOENT;
	return writer.err;
}
