/*
 * lexicon_find.h: a search for one hit, for tests.
 */
#ifndef TEST_TEXT_LEXICON_FIND_H
#define TEST_TEXT_LEXICON_FIND_H

#include "base/mem.h"
#include "text/dictionary.h"

static inline bool lexicon_find(const struct lexicon *lexicon, struct lexicon_hit *hit,
				const char *text, size_t len, size_t from)
{
	struct lexicon_search *search = NULL;
	bool is_found;

	if (lexicon_search(&search, lexicon, text, len) != 0)
		return false;
	is_found = lexicon_next(search, hit, from);
	mem_deref(search);
	return is_found;
}

#endif
