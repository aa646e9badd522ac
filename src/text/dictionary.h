/*
 * dictionary.h: words that are to be said in another way.
 *
 * A dictionary is compiled once from its entries, never changes, and is shared
 * by all that use it.  A lexicon is the dictionaries that are in force for one
 * turn.  Matching takes whole words only, the longest entry that fits (of equal
 * ones, the first dictionary's), letters in any case unless the entry says
 * otherwise, and costs time linear in the text whatever the entries are.
 *
 * A word's end is where no letter, mark or digit goes on; an entry may hold
 * blanks, punctuation and several words ("Dr. No", "C++", "@home"); any run of
 * blanks in the text matches a blank of the entry.  Composed and decomposed
 * accents are the same; so are ' and ’.
 */
#ifndef TEXT_DICTIONARY_H
#define TEXT_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dictionary_entry {
	const char *word; /* NUL-terminated UTF-8, like the others */
	const char *replacement;
	const char *ipa; /* NULL: none */
	bool case_sensitive;
};

struct dictionary;
struct lexicon;

/* Copies the entries.  An entry without anything to match is left out; of two
 * for the same word the first counts, and a case-sensitive one that fits comes
 * before one that is not.  ENOMEM. */
int dictionary_alloc(struct dictionary **dictionaryp, const struct dictionary_entry *entries,
		     size_t count);

/* Keeps the dictionaries, in their order. */
int lexicon_alloc(struct lexicon **lexiconp, struct dictionary *const *dictionaries, size_t count);

/* What is found: bytes [begin, end) of the text.  The strings are the lexicon's. */
struct lexicon_hit {
	size_t begin, end;
	const char *replacement;
	const char *ipa; /* NULL: none */
};

/* The first hit that begins at or after `from`; false when there is none. */
bool lexicon_find(const struct lexicon *lexicon, struct lexicon_hit *hit, const char *text,
		  size_t len, size_t from);

#endif
