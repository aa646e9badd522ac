/*
 * price.c: what audio and tokens cost (see price.h).
 */
#include "account/price.h"

#include <assert.h>
#include <string.h>

/* How specific a row is, in the order voice, engine, quality, model: each of them outweighs all
 * later ones together.  -1: the row does not match. */
static int price_fit(const struct price_row *row, const struct price_subject *subject)
{
	bool has_quality = row->quality != PRICE_EVERY_QUALITY;

	if (row->voice_id && row->voice_id != subject->voice_id)
		return -1;
	if (row->engine && strcmp(row->engine, subject->engine) != 0)
		return -1;
	if (has_quality && row->quality != (int)subject->quality)
		return -1;
	if (row->model_id && strcmp(row->model_id, subject->model_id) != 0)
		return -1;
	return (row->voice_id ? 8 : 0) + (row->engine ? 4 : 0) + (has_quality ? 2 : 0) +
	       (row->model_id ? 1 : 0);
}

int64_t price_find(const struct prices *prices, const struct price_subject *subject)
{
	int64_t price = prices->microcents_per_minute;
	int best = -1;

	for (size_t i = 0; i < prices->count; ++i) {
		int fits = price_fit(&prices->rows[i], subject);

		if (fits > best) {
			best = fits;
			price = prices->rows[i].microcents_per_minute;
		}
	}
	return price;
}

int64_t price_find_heard(const struct prices *prices, const char *model_id)
{
	int64_t price = prices->heard_microcents_per_minute;

	for (size_t i = 0; i < prices->heard_count; ++i) {
		const struct price_heard_row *row = &prices->heard_rows[i];

		if (row->model_id && strcmp(row->model_id, model_id) == 0)
			return row->microcents_per_minute;
		if (!row->model_id)
			price = row->microcents_per_minute;
	}
	return price;
}

/* What `count` units cost if `per` units cost `price`, rounded half up. */
static int64_t price_exact(uint64_t count, uint64_t per, int64_t price)
{
	__extension__ typedef unsigned __int128 wide;
	wide product;
	wide exact;

	assert(per > 0 && price >= 0);
	product = (wide)count * (uint64_t)price;
	exact = product / per + (product % per * 2 >= per);
	return exact > INT64_MAX ? INT64_MAX : (int64_t)exact;
}

int64_t price_microcents(uint64_t samples, uint32_t sample_rate, int64_t microcents_per_minute)
{
	return price_exact(samples, (uint64_t)sample_rate * 60, microcents_per_minute);
}

/* How specific a row is: an agent outweighs a model.  -1: the row does not match, or has no price
 * for this direction. */
static int price_fit_tokens(const struct price_token_row *row, enum price_way way,
			    const char *model_id, const char *agent)
{
	if (row->microcents_per_million[way] < 0)
		return -1;
	if (row->agent && strcmp(row->agent, agent) != 0)
		return -1;
	if (row->model_id && strcmp(row->model_id, model_id) != 0)
		return -1;
	return (row->agent ? 2 : 0) + (row->model_id ? 1 : 0);
}

int64_t price_find_tokens(const struct prices *prices, enum price_way way, const char *model_id,
			  const char *agent)
{
	int64_t price = prices->microcents_per_million[way];
	int best = -1;

	for (size_t i = 0; i < prices->token_count; ++i) {
		int fits = price_fit_tokens(&prices->token_rows[i], way, model_id, agent);

		if (fits > best) {
			best = fits;
			price = prices->token_rows[i].microcents_per_million[way];
		}
	}
	return price;
}

int64_t price_tokens(uint64_t tokens, int64_t microcents_per_million)
{
	return price_exact(tokens, 1000000, microcents_per_million);
}
