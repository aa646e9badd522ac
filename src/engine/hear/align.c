/*
 * align.c: when each token was said (see align.h).
 */
#include "engine/hear/align.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The width of the filter over time with which the models' heads were selected. */
#define MEDIAN 7
#define HALF (MEDIAN / 2)

static float *align_row(const struct align_weights *weights, size_t head, size_t row)
{
	return weights->weights + (row * weights->heads + head) * weights->frames;
}

/* Frames that all tokens look at tell nothing: each frame gets a mean of 0 and a deviation of 1
 * over the tokens. */
static void align_normalize(const struct align_weights *weights, size_t head)
{
	for (size_t frame = 0; frame < weights->frames; ++frame) {
		double sum = 0;
		double squares = 0;
		double mean;
		double deviation;

		for (size_t row = 0; row < weights->rows; ++row)
			sum += (double)align_row(weights, head, row)[frame];
		mean = sum / (double)weights->rows;
		for (size_t row = 0; row < weights->rows; ++row) {
			double off = (double)align_row(weights, head, row)[frame] - mean;

			squares += off * off;
		}
		deviation = sqrt(squares / (double)weights->rows);
		for (size_t row = 0; row < weights->rows; ++row) {
			float *weight = &align_row(weights, head, row)[frame];

			*weight = deviation > 0 ? (float)(((double)*weight - mean) / deviation) : 0;
		}
	}
}

static float align_median(const float window[MEDIAN])
{
	float sorted[MEDIAN] = {0};

	for (size_t i = 0; i < MEDIAN; ++i) {
		size_t at = i;

		while (at > 0 && sorted[at - 1] > window[i]) {
			sorted[at] = sorted[at - 1];
			--at;
		}
		sorted[at] = window[i];
	}
	return sorted[HALF];
}

/* Adds the median of each frame and its neighbours to `sums`.  Beyond both ends the row is
 * mirrored; it has more than HALF frames. */
static void align_add_filtered(float *sums, const float *row, size_t frames)
{
	for (size_t frame = 0; frame < frames; ++frame) {
		float window[MEDIAN];

		for (size_t i = 0; i < MEDIAN; ++i) {
			size_t at = frame + i < HALF ? HALF - frame - i : frame + i - HALF;

			window[i] = row[at < frames ? at : 2 * (frames - 1) - at];
		}
		sums[frame] += align_median(window);
	}
}

/* The steps of a path: to the next token, to the next frame, or both. */
enum align_step { ALIGN_BOTH, ALIGN_TOKEN, ALIGN_FRAME };

/* One row of the search: best[frame + 1] is the weight of the best path that ends there. */
static void align_search_row(uint8_t *steps, float *best, const float *before, const float *weights,
			     size_t frames)
{
	best[0] = -INFINITY;
	for (size_t frame = 0; frame < frames; ++frame) {
		float both = before[frame];
		float token = before[frame + 1];
		float same = best[frame];

		if (both > token && both > same) {
			steps[frame] = ALIGN_BOTH;
			best[frame + 1] = both + weights[frame];
		} else if (token > both && token > same) {
			steps[frame] = ALIGN_TOKEN;
			best[frame + 1] = token + weights[frame];
		} else {
			steps[frame] = ALIGN_FRAME;
			best[frame + 1] = same + weights[frame];
		}
	}
}

/* Walks back from the last token in the last frame. */
static void align_trace(size_t *starts, const uint8_t *steps, size_t rows, size_t frames)
{
	size_t row = rows - 1;
	size_t frame = frames - 1;

	memset(starts, 0, rows * sizeof(*starts));
	while (row > 0 || frame > 0) {
		uint8_t step = steps[row * frames + frame];

		starts[row] = frame;
		if (row == 0)
			step = ALIGN_FRAME;
		else if (frame == 0)
			step = ALIGN_TOKEN;
		row -= step != ALIGN_FRAME;
		frame -= step != ALIGN_TOKEN;
	}
	starts[0] = 0;
}

int align_warp(size_t *starts, const float *weights, size_t rows, size_t frames)
{
	float *best = calloc(2 * (frames + 1), sizeof(*best));
	uint8_t *steps = calloc(rows * frames, sizeof(*steps));
	float *rows_best[] = {best, best + frames + 1}; /* of the row before, and of this one */
	int err = best && steps ? 0 : ENOMEM;

	if (!err) {
		for (size_t frame = 0; frame < frames; ++frame)
			rows_best[0][frame + 1] = -INFINITY;
		for (size_t row = 0; row < rows; ++row)
			align_search_row(steps + row * frames, rows_best[(row + 1) % 2],
					 rows_best[row % 2], weights + row * frames, frames);
		align_trace(starts, steps, rows, frames);
	}
	free(best);
	free(steps);
	return err;
}

int align_find_starts(size_t *starts, const struct align_weights *weights, size_t skip)
{
	size_t rows = weights->rows - skip;
	size_t frames = weights->frames;
	float *sums;
	int err;

	if (frames <= HALF) { /* too short to tell anything apart */
		memset(starts, 0, rows * sizeof(*starts));
		return 0;
	}
	sums = calloc(rows * frames, sizeof(*sums));
	if (!sums)
		return ENOMEM;
	for (size_t head = 0; head < weights->heads; ++head) {
		align_normalize(weights, head);
		for (size_t row = 0; row < rows; ++row)
			align_add_filtered(sums + row * frames,
					   align_row(weights, head, skip + row), frames);
	}
	err = align_warp(starts, sums, rows, frames);
	free(sums);
	return err;
}
