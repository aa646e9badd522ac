/*
 * grapheme.c: borders of user-perceived characters (see grapheme.h).
 */
#include "text/grapheme.h"

#include "text/unicode.h"

#define JOINER 0x200d

enum hangul { HANGUL_NONE, HANGUL_L, HANGUL_V, HANGUL_T, HANGUL_LV, HANGUL_LVT };

static enum hangul grapheme_hangul_of(uint32_t c)
{
	if ((c >= 0x1100 && c <= 0x115f) || (c >= 0xa960 && c <= 0xa97c))
		return HANGUL_L;
	if ((c >= 0x1160 && c <= 0x11a7) || (c >= 0xd7b0 && c <= 0xd7c6))
		return HANGUL_V;
	if ((c >= 0x11a8 && c <= 0x11ff) || (c >= 0xd7cb && c <= 0xd7fb))
		return HANGUL_T;
	if (c >= 0xac00 && c <= 0xd7a3)
		return (c - 0xac00) % 28 == 0 ? HANGUL_LV : HANGUL_LVT;
	return HANGUL_NONE;
}

static bool grapheme_hangul_joins(uint32_t before, uint32_t after)
{
	enum hangul b = grapheme_hangul_of(before);
	enum hangul a = grapheme_hangul_of(after);

	if (b == HANGUL_L)
		return a == HANGUL_L || a == HANGUL_V || a == HANGUL_LV || a == HANGUL_LVT;
	if (b == HANGUL_V || b == HANGUL_LV)
		return a == HANGUL_V || a == HANGUL_T;
	return (b == HANGUL_T || b == HANGUL_LVT) && a == HANGUL_T;
}

static bool grapheme_is_regional(uint32_t c)
{
	return c >= 0x1f1e6 && c <= 0x1f1ff;
}

/* Characters that never begin a cluster: marks (variation selectors are among
 * them), joiners, skin tones, and the tags that spell a flag. */
static bool grapheme_extends(uint32_t c)
{
	return c == JOINER || c == 0x200c || (c >= 0x1f3fb && c <= 0x1f3ff) ||
	       (c >= 0xe0020 && c <= 0xe007f) || (c >= 0x80 && unicode_kind(c) == UNICODE_MARK);
}

static bool grapheme_joins(const struct grapheme *grapheme, uint32_t c)
{
	uint32_t last = grapheme->last;

	if (last == 0)
		return false;
	if (last == '\r' || last == '\n')
		return last == '\r' && c == '\n';
	if (c < 0x80)
		return false;
	if (grapheme_extends(c))
		return true;
	if (last == JOINER)
		return unicode_kind(c) == UNICODE_PICTURE;
	if (grapheme_is_regional(c))
		return grapheme->half_flag;
	return grapheme_hangul_joins(last, c);
}

bool grapheme_step(struct grapheme *grapheme, uint32_t c)
{
	bool joined = grapheme_joins(grapheme, c);

	grapheme->half_flag = grapheme_is_regional(c) && !grapheme->half_flag;
	grapheme->last = c;
	return !joined;
}

bool grapheme_is_open(const struct grapheme *grapheme)
{
	return grapheme->last == JOINER || grapheme->half_flag ||
	       grapheme_hangul_of(grapheme->last) == HANGUL_L;
}
