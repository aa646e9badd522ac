/*
 * dictionary.h: words that are to be said in another way.
 *
 * A dictionary is compiled once from its entries, never changes, and is shared
 * by all that use it; it may be made on another thread and handed over whole.
 * A lexicon is the dictionaries that are in force for one turn.  Matching takes
 * whole words only, the longest entry that fits (of equal ones, the first
 * dictionary's), letters in any case unless the entry says otherwise, and costs
 * time linear in the text whatever the entries are.
 *
 * A word's end is where no letter, mark or digit goes on; an entry may hold
 * blanks, punctuation and several words ("Dr. No", "C++", "@home"); any run of
 * blanks in the text matches a blank of the entry.  Composed and decomposed
 * accents are the same; so are ' and ’.  A hit cuts no run of letters and
 * digits in two, so there is a "C++" in "C++17" but none in "AC++"; nor does it
 * cut a number ("3.5").  Scripts that are written without blanks have no word
 * ends: their words are found anywhere.  What shows nothing (a soft hyphen, a
 * direction mark) is passed over.  See text/lexeme.h, and text/fold.h for what
 * "in any case" means.
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

/* Looks through a text once; the text and the lexicon must outlive the search
 * (mem_deref).  ENOMEM. */
struct lexicon_search;
int lexicon_search(struct lexicon_search **searchp, const struct lexicon *lexicon, const char *text,
		   size_t len);

/* The first hit that begins at or after `from`, which must not be less than it
 * was before; false when there is none. */
bool lexicon_next(struct lexicon_search *search, struct lexicon_hit *hit, size_t from);

#endif
