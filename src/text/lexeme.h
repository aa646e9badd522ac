/*
 * lexeme.h: text as dictionaries compare it: words, signs and blanks.
 *
 * A lexeme is a run of letters, marks and digits, a run of blanks, or one sign
 * with its marks.  Where one ends, a word ends.  A letter of a script that is
 * written without blanks (Han, Kana, Thai and the like) is one by itself, so
 * that its words are found wherever they stand.  A point or comma between two
 * digits ends nothing: there is no "5" in "3.5".
 *
 * Characters that show nothing (soft hyphens, joiners, direction marks,
 * variation selectors) belong to the lexeme before them and do not count.
 */
#ifndef TEXT_LEXEME_H
#define TEXT_LEXEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lexeme {
	size_t begin, end; /* bytes of the text */
	uint64_t exact, folded; /* hashes of its symbols, as written and in any case */
	uint32_t len; /* symbols */
	bool is_blank;
};

/* The lexeme at `at`, which must be where one begins; false at the text's end. */
bool lexeme_read(struct lexeme *lexeme, const char *text, size_t len, size_t at);

/* Writes a lexeme's symbols: its characters, composed, an apostrophe for each
 * form of it, one blank for a run of them; folded when asked for. */
void lexeme_symbols(uint32_t *symbols, const struct lexeme *lexeme, const char *text, bool folds);

/* Below, at or above 0 as the lexeme is less than, equal to or greater than one
 * with these symbols: the shorter one is less. */
int lexeme_compare(const struct lexeme *lexeme, const char *text, const uint32_t *symbols,
		   size_t len, bool folds);

#endif
