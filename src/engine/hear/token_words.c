/*
 * token_words.c: tokens as a text and its words (see token_words.h).
 */
#include "engine/hear/token_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"

/* The longest character and the blank before it. */
#define CHARACTER_MAX 5

struct range {
	uint32_t first, last;
};

static bool token_words_is_in(uint32_t character, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	return false;
}

static bool token_words_is_blank(uint32_t character)
{
	static const struct range ranges[] = {
		{0x00, 0x20},     {0x7f, 0xa0},     {0x1680, 0x1680},
		{0x2000, 0x200b}, {0x2028, 0x2029}, {0x202f, 0x202f},
		{0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff},
	};

	return token_words_is_in(character, ranges, COUNT(ranges));
}

/* Signs that are not said.  Those that are, such as % and +, count as letters. */
static bool token_words_is_punctuation(uint32_t character)
{
	static const struct range ranges[] = {
		{'!', '"'},       {'\'', '*'},      {',', '/'},       {':', '<'},
		{'>', '?'},       {'[', '`'},       {'{', '~'},       {0xa1, 0xa1},
		{0xab, 0xab},     {0xb7, 0xb7},     {0xbb, 0xbb},     {0xbf, 0xbf},
		{0x37e, 0x37e},   {0x387, 0x387},   {0x55a, 0x55f},   {0x589, 0x58a},
		{0x5be, 0x5be},   {0x5f3, 0x5f4},   {0x60c, 0x60c},   {0x61b, 0x61f},
		{0x6d4, 0x6d4},   {0x964, 0x965},   {0xe2f, 0xe2f},   {0xf0b, 0xf14},
		{0x104a, 0x104f}, {0x1361, 0x1368}, {0x17d4, 0x17da}, {0x2010, 0x2027},
		{0x2030, 0x205e}, {0x2e00, 0x2e7f}, {0x3001, 0x3004}, {0x3008, 0x3020},
		{0x3030, 0x3030}, {0x30fb, 0x30fb}, {0xfe10, 0xfe6f}, {0xff01, 0xff0f},
		{0xff1a, 0xff20}, {0xff3b, 0xff40}, {0xff5b, 0xff65},
	};

	return token_words_is_in(character, ranges, COUNT(ranges));
}

/* Punctuation that belongs to the word after it. */
static bool token_words_is_opening(uint32_t character)
{
	static const struct range ranges[] = {
		{'(', '('},       {'[', '['},       {'{', '{'},       {0xa1, 0xa1},
		{0xab, 0xab},     {0xbf, 0xbf},     {0x2018, 0x2018}, {0x201c, 0x201c},
		{0x3008, 0x3008}, {0x300a, 0x300a}, {0x300c, 0x300c}, {0x300e, 0x300e},
		{0x3010, 0x3010}, {0x3014, 0x3014}, {0xff08, 0xff08},
	};

	return token_words_is_in(character, ranges, COUNT(ranges));
}

/* Letters of scripts without blanks between words: Thai, Lao, Tibetan, Burmese, Khmer, kana and
 * Chinese characters. */
static bool token_words_is_unspaced(uint32_t character)
{
	static const struct range ranges[] = {
		{0xe01, 0xeff},   {0xf00, 0xfff},     {0x1000, 0x109f},   {0x1780, 0x17ff},
		{0x2e80, 0x2fdf}, {0x3005, 0x3007},   {0x3021, 0x3029},   {0x3041, 0x30ff},
		{0x31f0, 0x31ff}, {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xf900, 0xfaff},
		{0xff66, 0xff9f}, {0x1b000, 0x1b2ff}, {0x20000, 0x3ffff},
	};

	return token_words_is_in(character, ranges, COUNT(ranges));
}

/* Signs of those scripts that modify the letter before them. */
static bool token_words_is_attached(uint32_t character)
{
	static const struct range ranges[] = {
		{0x300, 0x36f},   {0xe30, 0xe3a},   {0xe45, 0xe4e},   {0xeb0, 0xebc},
		{0xec6, 0xecd},   {0xf35, 0xf39},   {0xf71, 0xf84},   {0xf8d, 0xfbc},
		{0x102b, 0x103e}, {0x1056, 0x1059}, {0x105e, 0x1060}, {0x17b4, 0x17d3},
		{0x3099, 0x309e}, {0x30fc, 0x30fe}, {0xff9e, 0xff9f},
	};

	return token_words_is_in(character, ranges, COUNT(ranges));
}

struct token_words_writer {
	struct token_words *words;
	struct buf *text;
	uint32_t last; /* the character before this one; 0 at the beginning and after a blank */
	size_t last_token; /* the one in which it ended */
	bool word_has_letters;
};

/* Whether a character of another token than the one before it begins a word. */
static bool token_words_begins_word(const struct token_words_writer *writer, uint32_t character)
{
	bool is_closing =
		token_words_is_punctuation(character) && !token_words_is_opening(character);

	if (is_closing || token_words_is_attached(character) ||
	    token_words_is_opening(writer->last))
		return false;
	return token_words_is_unspaced(character) || token_words_is_unspaced(writer->last);
}

static struct token_word *token_words_current(const struct token_words_writer *writer)
{
	return &writer->words->words[writer->words->count - 1];
}

/* A word has a byte at least, so there is room for one of every byte. */
static void token_words_begin(struct token_words_writer *writer, size_t token)
{
	writer->words->words[writer->words->count++] = (struct token_word){
		.byte_start = writer->text->len,
		.first_token = token,
		.end_token = token + 1,
	};
	writer->word_has_letters = false;
}

/* A character that is not blank, whose bytes are of the tokens `token` to `token_end`.  There is
 * room for it and for a blank. */
static void token_words_add(struct token_words_writer *writer, uint32_t character, size_t token,
			    size_t token_end)
{
	struct buf *text = writer->text;
	struct token_word *word;

	if (writer->last == 0 && text->len > 0)
		text->bytes[text->len++] = ' ';
	if (writer->last == 0 ||
	    (token != writer->last_token && token_words_begins_word(writer, character)))
		token_words_begin(writer, token);
	text->len += utf8_encode(text->bytes + text->len, character);
	word = token_words_current(writer);
	word->byte_end = text->len;
	if (!token_words_is_punctuation(character)) {
		if (!writer->word_has_letters)
			word->first_token = token;
		word->end_token = token_end + 1;
		writer->word_has_letters = true;
	}
	writer->last = character;
	writer->last_token = token_end;
}

/* All bytes of the tokens, and of each the token that it is of. */
struct token_words_bytes {
	char *bytes;
	size_t *tokens;
	size_t len;
};

static int token_words_join(struct token_words_bytes *bytes, const struct token_words_token *tokens,
			    size_t count, size_t max)
{
	size_t len = 0;

	for (size_t i = 0; i < count; ++i)
		len += tokens[i].len;
	if (len > max)
		len = max;
	bytes->bytes = malloc(len + 1);
	bytes->tokens = calloc(len + 1, sizeof(*bytes->tokens));
	if (!bytes->bytes || !bytes->tokens)
		return ENOMEM;
	for (size_t i = 0; i < count; ++i)
		for (size_t k = 0; k < tokens[i].len && bytes->len < len; ++k) {
			bytes->bytes[bytes->len] = tokens[i].bytes[k];
			bytes->tokens[bytes->len++] = i;
		}
	return 0;
}

static void token_words_rate(struct token_words *words, const struct token_words_token *tokens)
{
	for (size_t i = 0; i < words->count; ++i) {
		struct token_word *word = &words->words[i];
		float sum = 0;

		for (size_t k = word->first_token; k < word->end_token; ++k)
			sum += tokens[k].probability;
		word->probability = sum / (float)(word->end_token - word->first_token);
	}
}

static int token_words_write(struct token_words_writer *writer,
			     const struct token_words_bytes *bytes)
{
	size_t at = 0;

	while (at < bytes->len) {
		uint32_t character;
		size_t len = utf8_decode(&character, bytes->bytes + at, bytes->len - at);
		int err = buf_reserve(writer->text, CHARACTER_MAX);

		if (err)
			return err == ENOBUFS ? 0 : err; /* the rest is left out */
		if (token_words_is_blank(character))
			writer->last = 0;
		else
			token_words_add(writer, character, bytes->tokens[at],
					bytes->tokens[at + len - 1]);
		at += len;
	}
	return 0;
}

int token_words_split(struct token_words *words, struct buf *text,
		      const struct token_words_token *tokens, size_t count)
{
	struct token_words_writer writer = {.words = words, .text = text};
	struct token_words_bytes bytes = {0};
	int err = token_words_join(&bytes, tokens, count, text->max);

	*words = (struct token_words){0};
	if (!err) {
		words->words = calloc(bytes.len + 1, sizeof(*words->words));
		err = words->words ? 0 : ENOMEM;
	}
	if (!err)
		err = token_words_write(&writer, &bytes);
	if (!err)
		token_words_rate(words, tokens);
	free(bytes.bytes);
	free(bytes.tokens);
	if (err) {
		free(words->words);
		*words = (struct token_words){0};
	}
	return err;
}
