/*
 * punctuation.c: kinds of punctuation (see punctuation.h).
 */
#include "text/punctuation.h"

#include <stddef.h>

#include "base/count.h"
#include "text/unicode.h"

static enum punctuation punctuation_of_ascii(uint32_t c)
{
	switch (c) {
	case '.':
		return PUNCTUATION_DOT;
	case '!':
	case '?':
		return PUNCTUATION_STRONG;
	case ',':
	case ';':
	case ':':
		return PUNCTUATION_COMMA;
	case '-':
		return PUNCTUATION_DASH;
	case '"':
	case '\'':
	case ')':
	case ']':
	case '}':
	case '*': /* markdown: **Done.** */
	case '_':
	case '`':
	case '~':
		return PUNCTUATION_CLOSE;
	case '(':
	case '[':
	case '{':
		return PUNCTUATION_OPEN;
	default:
		return PUNCTUATION_NONE;
	}
}

static const struct {
	uint32_t c;
	enum punctuation punctuation;
} punctuation_others[] = {
	{0x00a1, PUNCTUATION_INVERTED},
	{0x00ab, PUNCTUATION_CLOSE}, /* « and “ open in some languages and close in others */
	{0x00bf, PUNCTUATION_INVERTED},
	{0x037e, PUNCTUATION_STRONG}, /* Greek question mark */
	{0x0387, PUNCTUATION_COMMA},
	{0x0589, PUNCTUATION_FULL}, /* Armenian */
	{0x05c3, PUNCTUATION_FULL}, /* Hebrew sof pasuq */
	{0x060c, PUNCTUATION_PAUSE}, /* Arabic */
	{0x061b, PUNCTUATION_PAUSE},
	{0x061f, PUNCTUATION_FULL},
	{0x06d4, PUNCTUATION_FULL}, /* Urdu */
	{0x0700, PUNCTUATION_FULL}, /* Syriac */
	{0x0701, PUNCTUATION_FULL},
	{0x0964, PUNCTUATION_FULL}, /* Devanagari and its neighbours */
	{0x0965, PUNCTUATION_FULL},
	{0x0df4, PUNCTUATION_FULL}, /* Sinhala */
	{0x0e5a, PUNCTUATION_FULL}, /* Thai */
	{0x0f0d, PUNCTUATION_FULL}, /* Tibetan */
	{0x104a, PUNCTUATION_PAUSE}, /* Myanmar */
	{0x104b, PUNCTUATION_FULL},
	{0x1362, PUNCTUATION_FULL}, /* Ethiopic */
	{0x1363, PUNCTUATION_PAUSE},
	{0x1364, PUNCTUATION_PAUSE},
	{0x1367, PUNCTUATION_FULL},
	{0x1368, PUNCTUATION_FULL},
	{0x17d4, PUNCTUATION_FULL}, /* Khmer */
	{0x17d5, PUNCTUATION_FULL},
	{0x1803, PUNCTUATION_FULL}, /* Mongolian */
	{0x1802, PUNCTUATION_PAUSE},
	{0x2013, PUNCTUATION_DASH},
	{0x2014, PUNCTUATION_PAUSE},
	{0x2015, PUNCTUATION_PAUSE},
	{0x2018, PUNCTUATION_CLOSE},
	{0x201c, PUNCTUATION_CLOSE},
	{0x2026, PUNCTUATION_ELLIPSIS},
	{0x203c, PUNCTUATION_STRONG},
	{0x203d, PUNCTUATION_STRONG},
	{0x2047, PUNCTUATION_STRONG},
	{0x2048, PUNCTUATION_STRONG},
	{0x2049, PUNCTUATION_STRONG},
	{0x3001, PUNCTUATION_PAUSE}, /* CJK */
	{0x3002, PUNCTUATION_FULL},
	{0xa4ff, PUNCTUATION_FULL}, /* Lisu */
	{0xa60e, PUNCTUATION_FULL}, /* Vai */
	{0xff01, PUNCTUATION_FULL},
	{0xff0c, PUNCTUATION_PAUSE},
	{0xff0e, PUNCTUATION_DOT}, /* full width, but also in numbers */
	{0xff1a, PUNCTUATION_PAUSE},
	{0xff1b, PUNCTUATION_PAUSE},
	{0xff1f, PUNCTUATION_FULL},
	{0xff61, PUNCTUATION_FULL},
	{0xff64, PUNCTUATION_PAUSE},
};

enum punctuation punctuation_of(uint32_t c)
{
	enum unicode_kind kind;

	if (c < 0x80)
		return punctuation_of_ascii(c);
	kind = unicode_kind(c);
	if (unicode_is_letter(kind) || unicode_is_blank(kind))
		return PUNCTUATION_NONE;
	for (size_t i = 0; i < COUNT(punctuation_others); ++i) {
		if (punctuation_others[i].c == c)
			return punctuation_others[i].punctuation;
	}
	if (kind == UNICODE_CLOSE)
		return PUNCTUATION_CLOSE;
	return kind == UNICODE_OPEN ? PUNCTUATION_OPEN : PUNCTUATION_NONE;
}
