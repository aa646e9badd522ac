/*
 * lexeme.h: divides text into the words, signs and blanks that dictionaries compare.
 *
 * A lexeme is a run of letters, marks and digits, a run of blanks, or one sign with its
 * marks. Where a lexeme ends, a word ends. A letter of a script that is written without
 * blanks (Han, Kana, Thai and the like) is a lexeme, so that words of that script are found
 * anywhere. A point or comma between two digits does not end a lexeme: there is no "5" in
 * "3.5".
 *
 * Invisible characters (soft hyphens, joiners, direction marks, variation selectors) belong
 * to the lexeme before them and are ignored in comparisons.
 */
#ifndef TEXT_LEXEME_H
#define TEXT_LEXEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lexeme {
	size_t begin, end; /* bytes of the text */
	uint64_t exact, folded; /* hashes of its symbols, as written and with case folded */
	uint32_t len; /* number of symbols */
	bool is_blank;
};

/* Reads the lexeme at `at`, which must be the beginning of one; false at the end of the text. */
bool lexeme_read(struct lexeme *lexeme, const char *text, size_t len, size_t at);

/* Writes the symbols of a lexeme, lexeme->len of them: its characters, composed, with all forms of
 * the apostrophe and all runs of blanks unified; folded if requested. */
void lexeme_symbols(uint32_t *symbols, const struct lexeme *lexeme, const char *text, bool folds);

/* Negative, 0 or positive as the lexeme is less than, equal to or greater than one with these
 * symbols; a shorter lexeme is less. */
int lexeme_compare(const struct lexeme *lexeme, const char *text, const uint32_t *symbols,
		   size_t len, bool folds);

#endif
