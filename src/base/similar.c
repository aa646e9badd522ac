/*
 * similar.c: finds the word that was probably meant by a misspelt one (see similar.h).
 */
#include "base/similar.h"

#include <ctype.h>
#include <string.h>

static int similar_fold(char c)
{
	return tolower((unsigned char)c);
}

static size_t similar_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Of the usual table of edit distances only three rows are kept: the one being filled and the two
 * before it. */
size_t similar_edits(const char *a, const char *b)
{
	size_t rows[3][SIMILAR_MAX + 1];
	size_t a_len = strnlen(a, SIMILAR_MAX);
	size_t b_len = strnlen(b, SIMILAR_MAX);

	for (size_t j = 0; j <= b_len; ++j)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; ++i) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i - 1) % 3];
		const size_t *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_len; ++j) {
			int is_same = similar_fold(a[i - 1]) == similar_fold(b[j - 1]);

			row[j] = similar_least(above[j - 1] + !is_same,
					       similar_least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && similar_fold(a[i - 1]) == similar_fold(b[j - 2]) &&
			    similar_fold(a[i - 2]) == similar_fold(b[j - 1]))
				row[j] = similar_least(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[a_len % 3][b_len];
}

bool similar_is_near(const char *word, size_t edits)
{
	return edits < strlen(word) / 3 + 1;
}

bool similar_is_nearer(struct similar_search *search, const char *word)
{
	size_t edits = similar_edits(search->meant, word);

	if (edits >= search->least || !similar_is_near(search->meant, edits))
		return false;
	search->least = edits;
	return true;
}

const char *similar_nearest(const char *const *words, const char *meant)
{
	struct similar_search search = {meant, SIMILAR_MAX};
	const char *best = NULL;

	for (; *words; ++words)
		if (similar_is_nearer(&search, *words))
			best = *words;
	return best;
}
