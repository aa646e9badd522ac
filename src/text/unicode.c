/*
 * unicode.c: classifies code points (see unicode.h).
 */
#include "text/unicode.h"
#include "base/count.h"

static enum unicode_kind unicode_alternating(uint32_t c, bool even_is_upper)
{
	return (c % 2 == 0) == even_is_upper ? UNICODE_UPPER : UNICODE_LOWER;
}

enum unicode_kind unicode_kind(uint32_t c)
{
	size_t low = 0;
	size_t high = unicode_ranges_len;

	if (c < 128)
		return (enum unicode_kind)unicode_ascii[c];
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct unicode_range *range = &unicode_ranges[mid];

		if (c < range->first) {
			high = mid;
		} else if (c > range->last) {
			low = mid + 1;
		} else {
			if (range->kind >= UNICODE_EVEN_UPPER)
				return unicode_alternating(c, range->kind == UNICODE_EVEN_UPPER);
			return (enum unicode_kind)range->kind;
		}
	}
	return UNICODE_OTHER;
}

/* Runs of capitals, and the distance to their lower-case letters. */
static const struct {
	uint32_t first, last, distance;
} unicode_shifts[] = {
	{'A', 'Z', 32},       {0x00c0, 0x00d6, 32}, {0x00d8, 0x00de, 32}, {0x0391, 0x03a9, 32},
	{0x0400, 0x040f, 80}, {0x0410, 0x042f, 32}, {0x0531, 0x0556, 48},
};

uint32_t unicode_upper(uint32_t c)
{
	for (size_t i = 0; i < COUNT(unicode_shifts); ++i) {
		uint32_t upper = c - unicode_shifts[i].distance;

		if (upper >= unicode_shifts[i].first && upper <= unicode_shifts[i].last)
			/* the final sigma has no capital of its own */
			return upper == 0x03a2 ? 0x03a3 : upper;
	}
	if (c > 0x0100 && c < 0x0180 && c != 0x0131 && unicode_kind(c) == UNICODE_LOWER &&
	    unicode_lower(c - 1) == c)
		return c - 1;
	return c;
}

uint32_t unicode_lower(uint32_t c)
{
	for (size_t i = 0; i < COUNT(unicode_shifts); ++i) {
		if (c < unicode_shifts[i].first)
			break;
		if (c <= unicode_shifts[i].last)
			return c + unicode_shifts[i].distance;
	}
	if (c >= 0x0100 && c < 0x0180 && c != 0x0178 && unicode_kind(c) == UNICODE_UPPER)
		return c == 0x0130 ? 'i' : c + 1;
	return c;
}
