/*
 * repeat.c: a decoder that repeats itself (see repeat.h).
 */
#include "engine/hear/repeat.h"

/* A repeated phrase is a loop when it fills this many tokens at least, and occurs this often. People
 * repeat themselves, and digits, less. */
#define TOKENS_MIN 16
#define TIMES_MIN 4

size_t repeat_cut(const int64_t *tokens, size_t count)
{
	for (size_t period = 1; period * TIMES_MIN <= count; ++period) {
		size_t run = 0; /* tokens at the end that are equal to those a period before */

		while (run + period < count &&
		       tokens[count - 1 - run] == tokens[count - 1 - run - period])
			++run;
		run += period;
		if (run >= TOKENS_MIN && run >= period * TIMES_MIN)
			return count - run + period;
	}
	return count;
}
