/*
 * dictionary.c: replaces words by how they are pronounced (see dictionary.h).
 *
 * A search divides the text into lexemes and reads them from the last to the first with the
 * phrasebooks of all dictionaries, which gives for each lexeme the longest entry that begins
 * there. After that, finding a hit is a lookup.
 */
#include "text/dictionary.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "text/phrasebook.h"

struct saying {
	const char *replacement, *ipa; /* in dictionary->strings */
};

struct dictionary {
	struct phrasebook *as_written; /* NULL: no entry is case-sensitive */
	struct phrasebook *any_case; /* NULL: all entries are case-sensitive */
	struct saying *sayings;
	char *strings;
};

struct lexicon {
	size_t count;
	struct dictionary *dictionaries[];
};

/* A lexeme of the text, and the entry that begins there. */
struct dictionary_place {
	struct lexeme lexeme;
	size_t end; /* of the entry; 0: no entry begins here */
	const struct saying *saying;
};

struct lexicon_search {
	const struct lexicon *lexicon;
	const char *text;
	struct dictionary_place *places;
	size_t count, size;
	size_t next; /* the first place at or after the last `from` */
	uint32_t states[]; /* two per dictionary: case-sensitive and case-insensitive */
};

static void dictionary_destroy(void *object)
{
	struct dictionary *dictionary = object;

	mem_deref(dictionary->as_written);
	mem_deref(dictionary->any_case);
	mem_deref(dictionary->sayings);
	mem_deref(dictionary->strings);
}

static const char *dictionary_copy_string(char **to, const char *string)
{
	const char *copy = *to;

	if (!string)
		return NULL;
	*to = stpcpy(*to, string) + 1;
	return copy;
}

static int dictionary_copy_sayings(struct dictionary *dictionary,
				   const struct dictionary_entry *entries, size_t count)
{
	size_t size = 1;
	char *to;

	for (size_t i = 0; i < count; ++i)
		size += strlen(entries[i].replacement) + 1 +
			(entries[i].ipa ? strlen(entries[i].ipa) + 1 : 0);
	dictionary->sayings = mem_zalloc((count + 1) * sizeof(*dictionary->sayings), NULL);
	dictionary->strings = mem_zalloc(size, NULL);
	if (!dictionary->sayings || !dictionary->strings)
		return ENOMEM;
	to = dictionary->strings;
	for (size_t i = 0; i < count; ++i) {
		dictionary->sayings[i].replacement =
			dictionary_copy_string(&to, entries[i].replacement);
		dictionary->sayings[i].ipa = dictionary_copy_string(&to, entries[i].ipa);
	}
	return 0;
}

/* The entries of one kind; *bookp remains NULL when there are none. */
static int dictionary_make_book(struct phrasebook **bookp, const struct dictionary_entry *entries,
				size_t count, bool case_sensitive)
{
	struct phrasebook_entry *phrases = mem_zalloc((count + 1) * sizeof(*phrases), NULL);
	size_t chosen = 0;
	int err = 0;

	if (!phrases)
		return ENOMEM;
	for (size_t i = 0; i < count; ++i) {
		if (entries[i].case_sensitive == case_sensitive)
			phrases[chosen++] = (struct phrasebook_entry){entries[i].word, i};
	}
	if (chosen > 0)
		err = phrasebook_alloc(bookp, phrases, chosen, !case_sensitive);
	mem_deref(phrases);
	return err;
}

int dictionary_alloc(struct dictionary **dictionaryp, const struct dictionary_entry *entries,
		     size_t count)
{
	struct dictionary *dictionary = mem_zalloc(sizeof(*dictionary), dictionary_destroy);
	int err;

	if (!dictionary)
		return ENOMEM;
	err = dictionary_copy_sayings(dictionary, entries, count);
	if (!err)
		err = dictionary_make_book(&dictionary->as_written, entries, count, true);
	if (!err)
		err = dictionary_make_book(&dictionary->any_case, entries, count, false);
	if (err)
		mem_deref(dictionary);
	else
		*dictionaryp = dictionary;
	return err;
}

static void dictionary_destroy_lexicon(void *object)
{
	struct lexicon *lexicon = object;

	for (size_t i = 0; i < lexicon->count; ++i)
		mem_deref(lexicon->dictionaries[i]);
}

int lexicon_alloc(struct lexicon **lexiconp, struct dictionary *const *dictionaries, size_t count)
{
	struct lexicon *lexicon;

	lexicon = mem_zalloc(sizeof(*lexicon) + count * sizeof(struct dictionary *),
			     dictionary_destroy_lexicon);
	if (!lexicon)
		return ENOMEM;
	for (; lexicon->count < count; ++lexicon->count)
		lexicon->dictionaries[lexicon->count] = mem_ref(dictionaries[lexicon->count]);
	*lexiconp = lexicon;
	return 0;
}

static void dictionary_destroy_search(void *object)
{
	struct lexicon_search *search = object;

	mem_deref(search->places);
}

static int dictionary_add_place(struct lexicon_search *search, const struct lexeme *lexeme)
{
	if (search->count == search->size) {
		size_t size = 2 * search->size;
		struct dictionary_place *places = mem_zalloc(size * sizeof(*places), NULL);

		if (!places)
			return ENOMEM;
		memcpy(places, search->places, search->count * sizeof(*places));
		mem_deref(search->places);
		search->places = places;
		search->size = size;
	}
	search->places[search->count++].lexeme = *lexeme;
	return 0;
}

static int dictionary_split(struct lexicon_search *search, size_t len)
{
	struct lexeme lexeme = {0};
	int err = 0;

	search->size = len / 2 + 8; /* words and blanks alternate: usually enough */
	search->places = mem_zalloc(search->size * sizeof(*search->places), NULL);
	if (!search->places)
		return ENOMEM;
	while (!err && lexeme_read(&lexeme, search->text, len, lexeme.end))
		err = dictionary_add_place(search, &lexeme);
	return err;
}

/* Reads the lexeme with a phrasebook. Its phrase is used only if it is longer than the current
 * one, so that the first dictionary wins a tie. */
static void dictionary_read_with(struct lexicon_search *search, size_t i,
				 const struct phrasebook *book, uint32_t *state,
				 const struct dictionary *dictionary)
{
	struct dictionary_place *place = &search->places[i];
	size_t value;
	uint32_t len;

	if (!book)
		return;
	*state = phrasebook_step(book, *state, &place->lexeme, search->text);
	len = phrasebook_longest(book, *state, &value);
	if (len == 0 || search->places[i + len - 1].lexeme.end <= place->end)
		return;
	place->end = search->places[i + len - 1].lexeme.end;
	place->saying = &dictionary->sayings[value];
}

static void dictionary_read_backwards(struct lexicon_search *search)
{
	const struct lexicon *lexicon = search->lexicon;

	for (size_t i = search->count; i-- > 0;) {
		uint32_t *state = search->states;

		for (size_t k = 0; k < lexicon->count; ++k) {
			const struct dictionary *dictionary = lexicon->dictionaries[k];

			dictionary_read_with(search, i, dictionary->as_written, state++,
					     dictionary);
			dictionary_read_with(search, i, dictionary->any_case, state++, dictionary);
		}
	}
}

int lexicon_search(struct lexicon_search **searchp, const struct lexicon *lexicon, const char *text,
		   size_t len)
{
	struct lexicon_search *search;
	int err;

	search = mem_zalloc(sizeof(*search) + 2 * lexicon->count * sizeof(search->states[0]),
			    dictionary_destroy_search);
	if (!search)
		return ENOMEM;
	search->lexicon = lexicon;
	search->text = text;
	err = dictionary_split(search, len);
	if (err) {
		mem_deref(search);
		return err;
	}
	dictionary_read_backwards(search);
	*searchp = search;
	return 0;
}

bool lexicon_next(struct lexicon_search *search, struct lexicon_hit *hit, size_t from)
{
	for (; search->next < search->count; ++search->next) {
		const struct dictionary_place *place = &search->places[search->next];

		if (place->lexeme.begin < from || place->end == 0)
			continue;
		*hit = (struct lexicon_hit){place->lexeme.begin, place->end,
					    place->saying->replacement, place->saying->ipa};
		return true;
	}
	return false;
}
