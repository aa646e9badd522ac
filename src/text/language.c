/*
 * language.c: looks words up in a language's lists (see language.h).
 */
#include "text/language.h"

#include <stdio.h>
#include <string.h>

#include "base/count.h"

/* Longer than any entry, so a longer word is not in a list. */
#define ENTRY_MAX 24

static const struct language language_bare = {.code = ""};

static const struct language *const language_rows[] = {
	&language_de, &language_en, &language_es, &language_fr,
	&language_it, &language_nl, &language_pl, &language_pt,
};

const struct language *language_find(const char *code)
{
	if (code[0] == '\0')
		return &language_en;
	if (strcmp(code, "nb") == 0 || strcmp(code, "nn") == 0)
		code = "no";
	for (size_t i = 0; i < COUNT(language_rows); ++i) {
		if (strcmp(language_rows[i]->code, code) == 0)
			return language_rows[i];
	}
	for (size_t i = 0; i < language_more_len; ++i) {
		if (strcmp(language_more[i].code, code) == 0)
			return &language_more[i];
	}
	return &language_bare;
}

bool reading_lists(const char *list, const char *word, size_t len)
{
	if (!list || len == 0)
		return false;
	for (const char *at = list; at[0] && at[1]; at += strcspn(at, " ")) {
		++at;
		if (at[0] == word[0] && strncmp(at, word, len) == 0 && at[len] == ' ')
			return true;
	}
	return false;
}

static bool language_lists(const char *list, const char *word, bool is_capital)
{
	char entry[ENTRY_MAX + 3];

	if (!list || word[0] == '\0' || strlen(word) > ENTRY_MAX)
		return false;
	snprintf(entry, sizeof(entry), " %s ", word);
	if (strstr(list, entry))
		return true;
	if (!is_capital || word[0] < 'a' || word[0] > 'z')
		return false;
	entry[1] = (char)(entry[1] - 'a' + 'A');
	return strstr(list, entry) != NULL;
}

enum hold language_hold(const struct language *language, const char *word, bool is_capital)
{
	if (language_lists(language->never, word, is_capital))
		return HOLD_NEVER;
	if (language_lists(language->starter, word, is_capital))
		return HOLD_STARTER;
	if (language_lists(language->capital, word, is_capital))
		return language->nouns_big ? HOLD_STARTER : HOLD_CAPITAL;
	if (language_lists(language->word, word, is_capital))
		return HOLD_WORD;
	return HOLD_NONE;
}

bool language_starts(const struct language *language, const char *word)
{
	return language_lists(language->starters, word, false);
}
