/*
 * token_words.h: tokens as a text and its words.
 *
 * Tokens are pieces of bytes that need not be whole characters.  Words are what blanks separate.  In
 * scripts without blanks between words (Chinese, Japanese, Thai and others) every token that begins
 * with a letter is a word, because that is the finest division whose times and probabilities are
 * known.
 */
#ifndef ENGINE_HEAR_TOKEN_WORDS_H
#define ENGINE_HEAR_TOKEN_WORDS_H

#include <stddef.h>

#include "base/buf.h"

struct token_words_token {
	const char *bytes;
	size_t len;
	float probability;
};

/* Bytes [byte_start, byte_end) of the text, without blanks.  Tokens [first_token, end_token) are the
 * word without the punctuation around it, if there is anything else. */
struct token_word {
	size_t byte_start, byte_end;
	size_t first_token, end_token;
	float probability; /* the mean of its tokens */
};

struct token_words {
	struct token_word *words; /* malloc'ed */
	size_t count;
};

/* Appends the text to an empty buffer: valid UTF-8 without control characters, and without a blank
 * at either end or two in a row.  Bytes that are no UTF-8 become U+FFFD.  What does not fit into the
 * buffer is left out.  ENOMEM. */
int token_words_split(struct token_words *words, struct buf *text,
		      const struct token_words_token *tokens, size_t count);

#endif
