/*
 * price.c: what a minute of audio costs, by model and voice (see price.h).
 */
#include "account/price.h"

#include <assert.h>
#include <string.h>

/* How well a row fits: a voice says more than a model; -1: not at all. */
static int fit(const struct price_row *row, const char *model_id, int64_t voice_id)
{
	if (row->voice_id && row->voice_id != voice_id)
		return -1;
	if (row->model_id && strcmp(row->model_id, model_id) != 0)
		return -1;
	return (row->voice_id ? 2 : 0) + (row->model_id ? 1 : 0);
}

int64_t price_find(const struct prices *prices, const char *model_id, int64_t voice_id)
{
	int64_t price = prices->microcents_per_minute;
	int best = -1;

	for (size_t i = 0; i < prices->count; ++i) {
		int fits = fit(&prices->rows[i], model_id, voice_id);

		if (fits > best) {
			best = fits;
			price = prices->rows[i].microcents_per_minute;
		}
	}
	return price;
}

int64_t price_microcents(uint64_t samples, uint32_t sample_rate, int64_t microcents_per_minute)
{
	__extension__ typedef unsigned __int128 wide;
	wide per_minute = (wide)sample_rate * 60;
	wide product;
	wide price;

	assert(sample_rate > 0 && microcents_per_minute >= 0);
	product = (wide)samples * (uint64_t)microcents_per_minute;
	price = product / per_minute + (product % per_minute * 2 >= per_minute);
	return price > INT64_MAX ? INT64_MAX : (int64_t)price;
}
