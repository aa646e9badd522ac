/*
 * fold.c: case folding (see fold.h).
 */
#include "text/fold.h"

uint32_t fold_wide(uint32_t c)
{
	size_t low = 0;
	size_t high = fold_rows_len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct fold_row *row = &fold_rows[mid];

		if (c < row->first)
			high = mid;
		else if (c > row->last)
			low = mid + 1;
		else
			return (c - row->first) % row->step ? c : c + (uint32_t)row->distance;
	}
	return c;
}
