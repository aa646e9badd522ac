/*
 * compose.c: combines a letter and the mark after it into one character (see compose.h).
 */
#include "text/compose.h"

#include "base/utf8.h"

/* The first combining mark; later letters of Hangul syllables are above it. In UTF-8 they
 * begin with this byte or a higher one. */
#define MARK_FIRST 0x300
#define MARK_LEAD_FIRST 0xcc

/* The Unicode Standard, 3.12: a syllable is a leading consonant, a vowel and an optional
 * trailing consonant, numbered in this order. */
enum {
	HANGUL_FIRST = 0xac00,
	LEAD_FIRST = 0x1100,
	LEADS = 19,
	VOWEL_FIRST = 0x1161,
	VOWELS = 21,
	TRAIL_BEFORE = 0x11a7, /* no trailing consonant */
	TRAILS = 28,
};

static uint32_t compose_hangul(uint32_t base, uint32_t mark)
{
	if (base - LEAD_FIRST < LEADS && mark - VOWEL_FIRST < VOWELS)
		return HANGUL_FIRST + ((base - LEAD_FIRST) * VOWELS + mark - VOWEL_FIRST) * TRAILS;
	if (base - HANGUL_FIRST < LEADS * VOWELS * TRAILS && (base - HANGUL_FIRST) % TRAILS == 0 &&
	    mark - TRAIL_BEFORE - 1 < TRAILS - 1)
		return base + mark - TRAIL_BEFORE;
	return 0;
}

uint32_t compose_pair(uint32_t base, uint32_t mark)
{
	size_t low = 0;
	size_t high = compose_rows_len;

	if (mark < MARK_FIRST)
		return 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct compose_row *row = &compose_rows[mid];

		if (row->base == base && row->mark == mark)
			return row->whole;
		if (row->base < base || (row->base == base && row->mark < mark))
			low = mid + 1;
		else
			high = mid;
	}
	return compose_hangul(base, mark);
}

size_t compose_decode(uint32_t *code_point, const char *bytes, size_t n)
{
	size_t used = utf8_decode(code_point, bytes, n);

	while (used < n && (uint8_t)bytes[used] >= MARK_LEAD_FIRST) {
		uint32_t mark;
		size_t mark_len = utf8_decode(&mark, bytes + used, n - used);
		uint32_t whole = compose_pair(*code_point, mark);

		if (whole == 0)
			break;
		*code_point = whole;
		used += mark_len;
	}
	return used;
}
