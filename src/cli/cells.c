/*
 * cells.c: the width of a character in terminal cells (see cells.h).
 */
#include "cli/cells.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/count.h"

struct range {
	uint32_t first, last;
};

/* Combining marks, joiners, variation selectors. */
static const struct range joining[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a}, {0x064b, 0x065f},
	{0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948},   {0x094d, 0x094d}, {0x0e31, 0x0e31},
	{0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff}, {0x200b, 0x200f},
	{0x2060, 0x2064}, {0x20d0, 0x20ff}, {0x302a, 0x302d},   {0x3099, 0x309a}, {0xfe00, 0xfe0f},
	{0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

/* East Asian Wide and Fullwidth, emoji. */
static const struct range wide[] = {
	{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
	{0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
	{0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
	{0x20000, 0x3fffd},
};

static bool cells_is_among(const struct range *ranges, size_t n, uint32_t code_point)
{
	for (size_t i = 0; i < n && ranges[i].first <= code_point; ++i) {
		if (code_point <= ranges[i].last)
			return true;
	}
	return false;
}

unsigned cells_of(uint32_t code_point)
{
	if (code_point < joining[0].first)
		return 1;
	if (cells_is_among(joining, COUNT(joining), code_point))
		return 0;
	return cells_is_among(wide, COUNT(wide), code_point) ? 2 : 1;
}
