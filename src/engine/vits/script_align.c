/*
 * script_align.c: finds the word that a phoneme belongs to.
 *
 * Words are pronounced differently together than alone: "in the" becomes one, "42" becomes
 * two, vowels are reduced. So the pronunciation of the whole piece is aligned with those of
 * its single words at the lowest cost; each phoneme then belongs to the word of its
 * counterpart.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "engine/vits/script_private.h"

/* The maximum number of cells of the alignment, about 700 phonemes squared. A longer piece is
 * divided in proportion to length, which is sufficient for the columns of digits that such
 * pieces consist of. */
#define CELLS_MAX (512u * 1024)

/* The costs of differences. Marks of stress and length are often added or removed; a vowel may
 * replace a vowel; a blank never replaces a phoneme. */
enum {
	COST_MARK = 1,
	COST_BLANK = 2,
	COST_PHONEME = 4,
	COST_OTHER_KIND = 7,
	COST_NEVER = 100,
};

enum way { WAY_BOTH, WAY_TOGETHER, WAY_ALONE };

static bool script_align_is_mark(uint32_t c)
{
	return (c >= 0x2b0 && c <= 0x36f) || c == '-';
}

static bool script_align_is_vowel(uint32_t c)
{
	static const char plain[] = "aeiouy";
	static const uint16_t others[] = {
		0xe6,  0xf8,  0x153, 0x250, 0x251, 0x252, 0x254,  0x258, 0x259,
		0x25a, 0x25b, 0x25c, 0x25d, 0x25e, 0x264, 0x268,  0x26a, 0x26f,
		0x275, 0x276, 0x289, 0x28a, 0x28c, 0x28f, 0x1d7b,
	};

	if (c < 0x80)
		return c != 0 && strchr(plain, (int)c) != NULL;
	for (size_t i = 0; i < COUNT(others); ++i)
		if (others[i] == c)
			return true;
	return false;
}

enum script_align_kind { KIND_BLANK, KIND_MARK, KIND_VOWEL, KIND_CONSONANT, KIND_COUNT };

/* The cost of omitting one, and of replacing one by another. */
static const uint8_t script_align_cost_alone[KIND_COUNT] = {COST_BLANK, COST_MARK, COST_PHONEME,
							    COST_PHONEME};
static const uint8_t script_align_cost_for[KIND_COUNT][KIND_COUNT] = {
	{COST_NEVER, COST_NEVER, COST_NEVER, COST_NEVER},
	{COST_NEVER, COST_MARK, COST_NEVER, COST_NEVER},
	{COST_NEVER, COST_NEVER, COST_PHONEME, COST_OTHER_KIND},
	{COST_NEVER, COST_NEVER, COST_OTHER_KIND, COST_PHONEME},
};

static uint8_t script_align_kind_of(uint32_t c)
{
	if (c == ' ')
		return KIND_BLANK;
	if (script_align_is_mark(c))
		return KIND_MARK;
	return script_align_is_vowel(c) ? KIND_VOWEL : KIND_CONSONANT;
}

/* Counts the spoken words, which blanks separate. */
static size_t script_align_count_spoken_words(const struct script_phonemes *list)
{
	size_t count = list->count > 0;

	for (size_t i = 0; i < list->count; ++i)
		count += list->items[i].code_point == ' ';
	return count;
}

/* Whether each word is also spoken as one. The words of `alone` differ in their numbers and
 * have no blanks between them. */
static bool script_align_words_are_single(const struct script_phonemes *alone, size_t *countp)
{
	size_t count = 0;

	for (size_t i = 0; i < alone->count; ++i) {
		if (alone->items[i].code_point == ' ')
			return false;
		if (i == 0 || alone->items[i].word != alone->items[i - 1].word)
			++count;
	}
	*countp = count;
	return true;
}

/* The counts of words are equal, and each is spoken as one: a one-to-one assignment. */
static void script_align_words(struct script_phonemes *together,
			       const struct script_phonemes *alone)
{
	size_t at = 0;

	for (size_t i = 0; i < together->count; ++i) {
		uint32_t word = alone->items[at].word;

		together->items[i].word = word;
		if (together->items[i].code_point != ' ')
			continue;
		while (at + 1 < alone->count && alone->items[at].word == word)
			++at;
	}
}

/* Assigns phonemes in proportion to length. */
static void script_align_evenly(struct script_phonemes *together,
				const struct script_phonemes *alone)
{
	for (size_t i = 0; i < together->count; ++i)
		together->items[i].word = alone->items[i * alone->count / together->count].word;
}

/* A copy of `alone` with blanks between words, as in the pronunciation of the piece. */
static int script_align_with_blanks(struct script_phonemes *spaced,
				    const struct script_phonemes *alone)
{
	int err = 0;

	for (size_t i = 0; i < alone->count && !err; ++i) {
		const struct script_phoneme *item = &alone->items[i];

		if (i > 0 && item->word != alone->items[i - 1].word)
			err = script_phonemes_add(spaced, ' ', alone->items[i - 1].word);
		if (!err)
			err = script_phonemes_add(spaced, item->code_point, item->word);
	}
	return err;
}

/* Computes one row of the alignment: `together` up to a phoneme against all of `alone`, whose
 * kinds are known. Updates `costs` from the previous row. */
static void script_align_compare_row(unsigned *costs, uint8_t *ways, uint32_t c,
				     const struct script_phonemes *alone, const uint8_t *kinds)
{
	unsigned diagonal = costs[0];
	uint8_t kind = script_align_kind_of(c);
	unsigned left_out = script_align_cost_alone[kind];

	costs[0] += left_out;
	ways[0] = WAY_TOGETHER;
	for (size_t j = 1; j <= alone->count; ++j) {
		bool same = alone->items[j - 1].code_point == c;
		unsigned best = diagonal + (same ? 0u : script_align_cost_for[kind][kinds[j - 1]]);
		unsigned here = costs[j] + left_out;
		unsigned there = costs[j - 1] + script_align_cost_alone[kinds[j - 1]];
		enum way way = WAY_BOTH;

		diagonal = costs[j];
		if (here < best) {
			best = here;
			way = WAY_TOGETHER;
		}
		if (there < best) {
			best = there;
			way = WAY_ALONE;
		}
		costs[j] = best;
		ways[j] = (uint8_t)way;
	}
}

/* Traces the cheapest path back. A phoneme without a counterpart belongs to the previous word,
 * or after a blank to the next one. */
static void script_align_walk_back(struct script_phonemes *together,
				   const struct script_phonemes *alone, const uint8_t *ways)
{
	size_t i = together->count;
	size_t j = alone->count;

	while (i > 0) {
		enum way way = (enum way)ways[(i - 1) * (alone->count + 1) + j];
		size_t beside = j > 0 ? j - 1 : 0;

		if (way == WAY_ALONE) {
			--j;
			continue;
		}
		if (way == WAY_TOGETHER && alone->items[beside].code_point == ' ' &&
		    j < alone->count)
			beside = j;
		together->items[i - 1].word = alone->items[beside].word;
		--i;
		j -= way == WAY_BOTH;
	}
}

static void script_align_compare(struct script_phonemes *together,
				 const struct script_phonemes *alone, unsigned *costs,
				 uint8_t *kinds, uint8_t *ways)
{
	size_t width = alone->count + 1;

	costs[0] = 0;
	for (size_t j = 0; j < alone->count; ++j) {
		kinds[j] = script_align_kind_of(alone->items[j].code_point);
		costs[j + 1] = costs[j] + script_align_cost_alone[kinds[j]];
	}
	for (size_t i = 0; i < together->count; ++i)
		script_align_compare_row(costs, ways + i * width, together->items[i].code_point,
					 alone, kinds);
	script_align_walk_back(together, alone, ways);
}

static int script_align_phonemes(struct script_phonemes *together,
				 const struct script_phonemes *alone)
{
	size_t width = alone->count + 1;
	unsigned *costs = malloc(width * sizeof(*costs));
	uint8_t *kinds = malloc(width);
	uint8_t *ways = malloc(width * together->count);
	int err = costs && kinds && ways ? 0 : ENOMEM;

	if (!err)
		script_align_compare(together, alone, costs, kinds, ways);
	free(costs);
	free(kinds);
	free(ways);
	return err;
}

int script_align(struct script_phonemes *together, const struct script_phonemes *alone)
{
	struct script_phonemes spaced = {0};
	size_t words;
	int err;

	if (together->count == 0 || alone->count == 0)
		return 0;
	if (script_align_words_are_single(alone, &words) &&
	    words == script_align_count_spoken_words(together)) {
		script_align_words(together, alone);
		return 0;
	}
	err = script_align_with_blanks(&spaced, alone);
	if (!err && (spaced.count + 1) * together->count > CELLS_MAX)
		script_align_evenly(together, alone);
	else if (!err)
		err = script_align_phonemes(together, &spaced);
	free(spaced.items);
	return err;
}
