/* The time of each token, from attention. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/count.h"
#include "engine/hear/align.h"

#define FRAMES 60

/* Each row looks at the frames from its own start to the next one's, in both heads. */
static void test_align_fill(struct align_weights *weights, const size_t *starts, size_t rows)
{
	weights->heads = 2;
	weights->rows = rows;
	weights->frames = FRAMES;
	weights->weights = calloc(2 * rows * FRAMES, sizeof(*weights->weights));
	assert_non_null(weights->weights);
	for (size_t row = 0; row < rows; ++row) {
		size_t end = row + 1 < rows ? starts[row + 1] : FRAMES;

		for (size_t frame = 0; frame < FRAMES; ++frame)
			for (size_t head = 0; head < 2; ++head)
				weights->weights[(row * 2 + head) * FRAMES + frame] =
					frame >= starts[row] && frame < end
						? 1.0f / (float)(end - starts[row])
						: 1e-3f;
	}
}

static void test_align_finds_the_frames_that_tokens_look_at(void **state)
{
	static const size_t want[] = {0, 9, 14, 30, 37, 50};
	size_t starts[COUNT(want)];
	struct align_weights weights;

	(void)state;
	test_align_fill(&weights, want, COUNT(want));
	assert_int_equal(align_find_starts(starts, &weights, 0), 0);
	for (size_t i = 0; i < COUNT(want); ++i)
		assert_int_equal(starts[i], want[i]);
	free(weights.weights);
}

static void test_align_skips_rows(void **state)
{
	static const size_t want[] = {0, 9, 14, 30, 37, 50};
	size_t starts[COUNT(want) - 2];
	struct align_weights weights;

	(void)state;
	test_align_fill(&weights, want, COUNT(want));
	assert_int_equal(align_find_starts(starts, &weights, 2), 0);
	assert_int_equal(starts[0], 0); /* the first always begins at the beginning */
	assert_int_equal(starts[1], 30);
	assert_int_equal(starts[3], 50);
	free(weights.weights);
}

/* Noise, equal numbers, none at all: the result is in order and in range. */
static void test_align_anything_gives_an_order(void **state)
{
	static const float fills[] = {0, 1, -1e30f, INFINITY, NAN};
	uint32_t random = 1;

	(void)state;
	for (size_t round = 0; round < 300; ++round) {
		float numbers[2 * 12 * 20];
		size_t starts[12];
		struct align_weights weights = {.weights = numbers,
						.heads = 1 + round % 2,
						.rows = 1 + round % 12,
						.frames = 1 + round % 20};

		for (size_t i = 0; i < COUNT(numbers); ++i) {
			random = random * 1664525u + 1013904223u;
			numbers[i] = round % 3 ? (float)(random >> 8) : fills[random % 5];
		}
		assert_int_equal(align_find_starts(starts, &weights, 0), 0);
		for (size_t i = 0; i < weights.rows; ++i) {
			assert_true(starts[i] < weights.frames);
			assert_true(i == 0 || starts[i - 1] <= starts[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_align_finds_the_frames_that_tokens_look_at),
		cmocka_unit_test(test_align_skips_rows),
		cmocka_unit_test(test_align_anything_gives_an_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
