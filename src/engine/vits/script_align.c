/*
 * script_align.c: which word a phoneme belongs to.
 *
 * Spoken together, words are not what they are alone: "in the" becomes one,
 * "42" becomes two, vowels grow weak.  So the pronunciation of the whole piece
 * is laid beside those of its words one after the other, so that as little as
 * possible differs; each phoneme then belongs to the word beside it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "engine/vits/script_private.h"

/* Steps of the comparison that are remembered: some 700 phonemes beside as
 * many.  A longer piece is shared out by length, which is close enough for the
 * columns of digits that such a piece is. */
#define CELLS_MAX (512u * 1024)

/* What differences cost.  Marks of stress and length come and go; a vowel takes
 * the place of a vowel; blanks are never taken for phonemes. */
enum {
	COST_MARK = 1,
	COST_BLANK = 2,
	COST_PHONEME = 4,
	COST_OTHER_KIND = 7,
	COST_NEVER = 100,
};

enum way { WAY_BOTH, WAY_TOGETHER, WAY_ALONE };

static bool is_mark(uint32_t c)
{
	return (c >= 0x2b0 && c <= 0x36f) || c == '-';
}

static bool is_vowel(uint32_t c)
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

enum kind { KIND_BLANK, KIND_MARK, KIND_VOWEL, KIND_CONSONANT, KIND_COUNT };

/* What it costs to leave one out, and to put one in another's place. */
static const uint8_t cost_alone[KIND_COUNT] = {COST_BLANK, COST_MARK, COST_PHONEME, COST_PHONEME};
static const uint8_t cost_for[KIND_COUNT][KIND_COUNT] = {
	{COST_NEVER, COST_NEVER, COST_NEVER, COST_NEVER},
	{COST_NEVER, COST_MARK, COST_NEVER, COST_NEVER},
	{COST_NEVER, COST_NEVER, COST_PHONEME, COST_OTHER_KIND},
	{COST_NEVER, COST_NEVER, COST_OTHER_KIND, COST_PHONEME},
};

static uint8_t kind_of(uint32_t c)
{
	if (c == ' ')
		return KIND_BLANK;
	if (is_mark(c))
		return KIND_MARK;
	return is_vowel(c) ? KIND_VOWEL : KIND_CONSONANT;
}

/* Blanks between what is spoken as one. */
static size_t count_spoken_words(const struct script_phonemes *list)
{
	size_t count = list->count > 0;

	for (size_t i = 0; i < list->count; ++i)
		count += list->items[i].code_point == ' ';
	return count;
}

/* Whether each word is one also when it is spoken.  The words of `alone` stand
 * apart by their numbers, with no blank between them. */
static bool words_are_single(const struct script_phonemes *alone, size_t *countp)
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

/* As many words here as there, and none of them several: one to one. */
static void align_words(struct script_phonemes *together, const struct script_phonemes *alone)
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

/* By length alone. */
static void align_evenly(struct script_phonemes *together, const struct script_phonemes *alone)
{
	for (size_t i = 0; i < together->count; ++i)
		together->items[i].word = alone->items[i * alone->count / together->count].word;
}

/* A copy of `alone` with a blank between words, so that it looks like speech. */
static int with_blanks(struct script_phonemes *spaced, const struct script_phonemes *alone)
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

/* One row of the comparison: `together` up to a phoneme against all of `alone`,
 * whose kinds are known.  `costs` goes from the row before to this one. */
static void compare_row(unsigned *costs, uint8_t *ways, uint32_t c,
			const struct script_phonemes *alone, const uint8_t *kinds)
{
	unsigned diagonal = costs[0];
	uint8_t kind = kind_of(c);
	unsigned left_out = cost_alone[kind];

	costs[0] += left_out;
	ways[0] = WAY_TOGETHER;
	for (size_t j = 1; j <= alone->count; ++j) {
		bool same = alone->items[j - 1].code_point == c;
		unsigned best = diagonal + (same ? 0u : cost_for[kind][kinds[j - 1]]);
		unsigned here = costs[j] + left_out;
		unsigned there = costs[j - 1] + cost_alone[kinds[j - 1]];
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

/* Back along the cheapest way.  A phoneme that has nothing beside it belongs to
 * the word before, or after a blank to the one that begins. */
static void walk_back(struct script_phonemes *together, const struct script_phonemes *alone,
		      const uint8_t *ways)
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

static void compare(struct script_phonemes *together, const struct script_phonemes *alone,
		    unsigned *costs, uint8_t *kinds, uint8_t *ways)
{
	size_t width = alone->count + 1;

	costs[0] = 0;
	for (size_t j = 0; j < alone->count; ++j) {
		kinds[j] = kind_of(alone->items[j].code_point);
		costs[j + 1] = costs[j] + cost_alone[kinds[j]];
	}
	for (size_t i = 0; i < together->count; ++i)
		compare_row(costs, ways + i * width, together->items[i].code_point, alone, kinds);
	walk_back(together, alone, ways);
}

static int align_phonemes(struct script_phonemes *together, const struct script_phonemes *alone)
{
	size_t width = alone->count + 1;
	unsigned *costs = malloc(width * sizeof(*costs));
	uint8_t *kinds = malloc(width);
	uint8_t *ways = malloc(width * together->count);
	int err = costs && kinds && ways ? 0 : ENOMEM;

	if (!err)
		compare(together, alone, costs, kinds, ways);
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
	if (words_are_single(alone, &words) && words == count_spoken_words(together)) {
		align_words(together, alone);
		return 0;
	}
	err = with_blanks(&spaced, alone);
	if (!err && (spaced.count + 1) * together->count > CELLS_MAX)
		align_evenly(together, alone);
	else if (!err)
		err = align_phonemes(together, &spaced);
	free(spaced.items);
	return err;
}
