/*
 * dictionary.h: replaces words by how they are pronounced.
 *
 * A dictionary is compiled once from its entries, never changes, and is shared by all its
 * users; it may be made on another thread and handed over. A lexicon is the list of
 * dictionaries that apply to one turn. Matching considers only whole words, prefers the
 * longest entry (of equal ones, that of the first dictionary), ignores case unless the entry
 * is case-sensitive, and takes time linear in the text for any entries.
 *
 * A word ends where no letter, mark or digit follows; an entry may contain blanks,
 * punctuation and several words ("Dr. No", "C++", "@home"); any run of blanks in the text
 * matches a blank of the entry. Composed and decomposed accents are equal; so are ' and ’. A
 * hit never divides a run of letters and digits, so "C++" is found in "C++17" but not in
 * "AC++"; nor does it divide a number ("3.5"). Scripts that are written without blanks have
 * no word ends: their words are found anywhere. Invisible characters (soft hyphens,
 * direction marks) are ignored. See text/lexeme.h, and text/fold.h for the comparison
 * without case.
 */
#ifndef TEXT_DICTIONARY_H
#define TEXT_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dictionary_entry {
	const char *word; /* NUL-terminated UTF-8, like the others */
	const char *replacement;
	const char *ipa; /* NULL: only the replacement is used */
	bool case_sensitive;
};

struct dictionary;
struct lexicon;

/* Copies the entries. An entry without anything to match is ignored; of two entries for the
 * same word the first is used, and a case-sensitive entry that matches is preferred. ENOMEM. */
int dictionary_alloc(struct dictionary **dictionaryp, const struct dictionary_entry *entries,
		     size_t count);

/* Keeps references to the dictionaries, in their order. */
int lexicon_alloc(struct lexicon **lexiconp, struct dictionary *const *dictionaries, size_t count);

/* A match: bytes [begin, end) of the text. The strings belong to the lexicon. */
struct lexicon_hit {
	size_t begin, end;
	const char *replacement;
	const char *ipa; /* NULL: only the replacement is used */
};

/* Searches a text once; the text and the lexicon must outlive the search (mem_deref). ENOMEM. */
struct lexicon_search;
int lexicon_search(struct lexicon_search **searchp, const struct lexicon *lexicon, const char *text,
		   size_t len);

/* The first hit that begins at or after `from`, which must not decrease from call to call;
 * false when there is none. */
bool lexicon_next(struct lexicon_search *search, struct lexicon_hit *hit, size_t from);

#endif
