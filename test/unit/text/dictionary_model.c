/*
 * dictionary_model.c: dictionaries matched in the plainest way (see
 * dictionary_model.h).
 */
#include "dictionary_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

enum role { BLANK, WORD, DIGIT, POINT, SIGN, MARK, NOTHING };

struct unit {
	const char *bytes;
	enum role role;
	int exact, folded; /* equal ones are the same character */
};

/* Longer ones first where one begins like another. */
static const struct unit units[] = {
	{"e\u0301", WORD, 1, 2},   {"\u00e9", WORD, 1, 2},    {"\u00c9", WORD, 3, 2},
	{"e", WORD, 4, 4},         {"a", WORD, 5, 5},         {"A", WORD, 6, 5},
	{"b", WORD, 7, 7},         {"B", WORD, 8, 7},         {"\u03c3", WORD, 9, 9},
	{"\u03c2", WORD, 10, 9},   {"\u03a3", WORD, 11, 9},   {"\u00df", WORD, 12, 12},
	{"\u1e9e", WORD, 13, 12},  {"1", DIGIT, 14, 14},      {"2", DIGIT, 15, 15},
	{".", POINT, 16, 16},      {",", POINT, 17, 17},      {"+", SIGN, 18, 18},
	{"'", SIGN, 19, 19},       {"\u2019", SIGN, 19, 19},  {" ", BLANK, 20, 20},
	{"\n", BLANK, 20, 20},     {"\u00a0", BLANK, 20, 20}, {"\u4e2d", SIGN, 21, 21},
	{"\u0e01", SIGN, 22, 22},  {"\u0e31", MARK, 23, 23},  {"\u0332", MARK, 24, 24},
	{"\u30fc", MARK, 25, 25},  {"\u00ad", NOTHING, 0, 0}, {"\u200d", NOTHING, 0, 0},
	{"\ufe0f", NOTHING, 0, 0}, {"\u00bd", WORD, 26, 26},
};

/* A character of the text with what follows it and does not count. */
struct item {
	const struct unit *unit;
	size_t begin, end;
};

struct items {
	struct item all[DICTIONARY_MODEL_TEXT_MAX];
	size_t count;
};

size_t dictionary_model_spell(char *out, const unsigned char *bytes, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; ++i) {
		const char *unit = units[bytes[i] % COUNT(units)].bytes;

		memcpy(out + len, unit, strlen(unit));
		len += strlen(unit);
	}
	out[len] = '\0';
	return len;
}

static const struct unit *dictionary_model_unit_at(const char *text)
{
	for (size_t i = 0; i < COUNT(units); ++i) {
		if (strncmp(text, units[i].bytes, strlen(units[i].bytes)) == 0)
			return &units[i];
	}
	abort(); /* a character that the model does not know */
}

static void dictionary_model_parse(struct items *items, const char *text)
{
	size_t at = 0;

	items->count = 0;
	while (text[at]) {
		const struct unit *unit = dictionary_model_unit_at(text + at);
		struct item *last = items->count > 0 ? &items->all[items->count - 1] : NULL;
		size_t end = at + strlen(unit->bytes);

		if (unit->role == NOTHING ||
		    (unit->role == BLANK && last && last->unit->role == BLANK)) {
			if (last)
				last->end = end;
		} else {
			assert(items->count < DICTIONARY_MODEL_TEXT_MAX);
			items->all[items->count++] = (struct item){unit, at, end};
		}
		at = end;
	}
}

static enum role dictionary_model_role_at(const struct items *items, size_t i)
{
	return i < items->count ? items->all[i].unit->role : BLANK;
}

/* A point that belongs to a number. */
static bool dictionary_model_is_inner_point(const struct items *items, size_t i)
{
	return i > 0 && dictionary_model_role_at(items, i) == POINT &&
	       dictionary_model_role_at(items, i - 1) == DIGIT &&
	       dictionary_model_role_at(items, i + 1) == DIGIT;
}

static bool dictionary_model_is_wordlike(const struct items *items, size_t i)
{
	return dictionary_model_role_at(items, i) == WORD ||
	       dictionary_model_role_at(items, i) == DIGIT ||
	       dictionary_model_is_inner_point(items, i);
}

/* Whether a word may end, and another begin, before item i. */
static bool dictionary_model_is_border(const struct items *items, size_t i)
{
	size_t base = i;

	if (i == 0 || i >= items->count)
		return true;
	if (dictionary_model_role_at(items, i - 1) == BLANK ||
	    dictionary_model_role_at(items, i) == BLANK)
		return true;
	if (dictionary_model_role_at(items, i) == MARK)
		return false;
	do {
		--base;
	} while (base > 0 && dictionary_model_role_at(items, base) == MARK);
	if (dictionary_model_role_at(items, base) == BLANK ||
	    dictionary_model_role_at(items, base) == MARK)
		return !dictionary_model_is_wordlike(items, i); /* a word that begins with a mark */
	return !(dictionary_model_is_wordlike(items, i) &&
		 dictionary_model_is_wordlike(items, base));
}

static bool dictionary_model_is_same(const struct item *a, const struct item *b,
				     bool case_sensitive)
{
	return case_sensitive ? a->unit->exact == b->unit->exact
			      : a->unit->folded == b->unit->folded;
}

/* Items of the word without the blanks around it. */
static size_t dictionary_model_trim(const struct items *word, size_t *first)
{
	size_t end = word->count;

	*first = word->count > 0 && dictionary_model_role_at(word, 0) == BLANK;
	if (end > *first && dictionary_model_role_at(word, end - 1) == BLANK)
		--end;
	return end - *first;
}

/* The end of the entry's word at item i of the text, 0 when it is not there. */
static size_t dictionary_model_match(const struct items *text, size_t i,
				     const struct dictionary_entry *entry)
{
	static struct items word;
	size_t first;
	size_t len;

	if (!dictionary_model_is_border(text, i))
		return 0;
	dictionary_model_parse(&word, entry->word);
	len = dictionary_model_trim(&word, &first);
	if (len == 0 || i + len > text->count || !dictionary_model_is_border(text, i + len))
		return 0;
	for (size_t k = 0; k < len; ++k) {
		if (!dictionary_model_is_same(&text->all[i + k], &word.all[first + k],
					      entry->case_sensitive))
			return 0;
	}
	return text->all[i + len - 1].end;
}

static void dictionary_model_match_all(struct lexicon_hit *hit, const struct items *text, size_t i,
				       const struct dictionary_model *dictionary)
{
	for (int pass = 0; pass < 2; ++pass) {
		for (size_t k = 0; k < dictionary->count; ++k) {
			const struct dictionary_entry *entry = &dictionary->entries[k];
			size_t end;

			if (entry->case_sensitive != (pass == 0))
				continue;
			end = dictionary_model_match(text, i, entry);
			if (end > hit->end)
				*hit = (struct lexicon_hit){text->all[i].begin, end,
							    entry->replacement, entry->ipa};
		}
	}
}

bool dictionary_model_find(struct lexicon_hit *hit, const struct dictionary_model *dictionaries,
			   size_t count, const char *text, size_t from)
{
	static struct items items;

	dictionary_model_parse(&items, text);
	*hit = (struct lexicon_hit){0};
	for (size_t i = 0; hit->end == 0 && i < items.count; ++i) {
		if (items.all[i].begin < from || dictionary_model_role_at(&items, i) == BLANK)
			continue;
		for (size_t k = 0; k < count; ++k)
			dictionary_model_match_all(hit, &items, i, &dictionaries[k]);
	}
	return hit->end > 0;
}
