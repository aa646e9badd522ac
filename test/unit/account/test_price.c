/* Prices are exact, and the most specific row applies. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "account/price.h"
#include "base/count.h"

static void test_money_5_amounts_are_whole_microcents_rounded_half_up_once(void **state)
{
	static const struct {
		uint64_t samples;
		uint32_t rate;
		int64_t per_minute, price;
	} cases[] = {
		{0, 24000, 5400000, 0},
		{24000 * 60, 24000, 5400000, 5400000},
		{129600, 24000, 5400000, 486000}, /* 5.4 s: 0.486 cents */
		{1, 24000, 5400000, 4}, /* 3.75 */
		{1, 8000, 5400000, 11}, /* 11.25 */
		{1, 60, 1800, 1}, /* 0.5 is rounded up */
		{1, 60, 1799, 0}, /* slightly less than 0.5 is not */
		{44100 * 60, 44100, 5400000, 5400000},
		{UINT64_C(24000) * 86400 * 365, 24000, 5400000, INT64_C(2838240000000)},
		{UINT64_MAX, 8000, INT64_MAX, INT64_MAX}, /* no wrap */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i)
		assert_int_equal(
			price_microcents(cases[i].samples, cases[i].rate, cases[i].per_minute),
			cases[i].price);
}

#define ANY PRICE_EVERY_QUALITY

/* Audio of the engine "espeak" and of low quality. */
static int64_t find_plain(const struct prices *prices, const char *model, int64_t voice_id)
{
	return price_find(prices, &(struct price_subject){model, voice_id, "espeak", VOICE_LOW});
}

static void test_the_most_specific_row_applies_in_any_order(void **state)
{
	static const struct price_row rows[] = {
		{NULL, 7, NULL, ANY, 40},
		{"kugel-3", 0, NULL, ANY, 30},
		{"kugel-3", 7, NULL, ANY, 50},
		{"free", 0, NULL, ANY, 0},
		{"secret", 0, NULL, ANY, PRICE_UNKNOWN},
		{NULL, 0, NULL, ANY, 20},
	};
	const struct prices prices = {
		.microcents_per_minute = 10, .rows = rows, .count = COUNT(rows)};

	(void)state;
	assert_int_equal(find_plain(&prices, "kugel-3", 7), 50);
	assert_int_equal(find_plain(&prices, "other", 7), 40);
	assert_int_equal(find_plain(&prices, "kugel-3", 8), 30);
	assert_int_equal(find_plain(&prices, "free", 8), 0);
	assert_int_equal(find_plain(&prices, "secret", 8), PRICE_UNKNOWN);
	assert_int_equal(find_plain(&prices, "other", 8), 20);
}

/* There is one row for each set of properties that a row can name.  Its price is the rank of the
 * set: the voice counts 8, the engine 4, the quality 2, the model 1. */
static void test_voice_comes_before_engine_before_quality_before_model(void **state)
{
	struct price_row rows[16];
	const struct price_subject subject = {"kugel-3", 7, "vits", VOICE_HIGH};

	(void)state;
	for (int rank = 0; rank < 16; ++rank)
		rows[15 - rank] = (struct price_row){
			.model_id = rank & 1 ? "kugel-3" : NULL,
			.quality = rank & 2 ? (int)VOICE_HIGH : ANY,
			.engine = rank & 4 ? "vits" : NULL,
			.voice_id = rank & 8 ? 7 : 0,
			.microcents_per_minute = rank,
		};
	/* Of the rows from the n-th on, the first is the most specific, in either order. */
	for (size_t n = 0; n < COUNT(rows); ++n) {
		const struct prices prices = {
			.microcents_per_minute = 99, .rows = rows + n, .count = COUNT(rows) - n};
		struct price_row backwards[16];

		for (size_t i = n; i < COUNT(rows); ++i)
			backwards[i - n] = rows[COUNT(rows) - 1 - (i - n)];
		assert_int_equal(price_find(&prices, &subject), 15 - (int)n);
		assert_int_equal(price_find(&(struct prices){.microcents_per_minute = 99,
							     .rows = backwards,
							     .count = COUNT(rows) - n},
					    &subject),
				 15 - (int)n);
	}
}

static void test_a_row_applies_only_if_everything_that_it_names_matches(void **state)
{
	static const struct price_row rows[] = {
		{"kugel-3", 7, "vits", VOICE_HIGH, 50},
	};
	static const struct price_subject others[] = {
		{"kugel-1", 7, "vits", VOICE_HIGH},  {"kugel-3", 8, "vits", VOICE_HIGH},
		{"kugel-3", 7, "flite", VOICE_HIGH}, {"kugel-3", 7, "vits", VOICE_MID},
		{"kugel-3", 7, "", VOICE_HIGH},
	};
	const struct prices prices = {
		.microcents_per_minute = 10, .rows = rows, .count = COUNT(rows)};

	(void)state;
	assert_int_equal(
		price_find(&prices, &(struct price_subject){"kugel-3", 7, "vits", VOICE_HIGH}), 50);
	for (size_t i = 0; i < COUNT(others); ++i)
		assert_int_equal(price_find(&prices, &others[i]), 10);
}

static void test_without_rows_the_general_price_applies(void **state)
{
	const struct prices some = {.microcents_per_minute = 10};
	const struct prices none = {.microcents_per_minute = PRICE_UNKNOWN};

	(void)state;
	assert_int_equal(find_plain(&some, "kugel-3", 7), 10);
	assert_int_equal(find_plain(&none, "kugel-3", 7), PRICE_UNKNOWN);
}

static void test_audio_that_is_heard_has_the_price_of_its_model(void **state)
{
	static const struct price_heard_row rows[] = {{"tiny", 3}, {NULL, 5}, {"base", 7}};
	const struct prices prices = {.microcents_per_minute = 99,
				      .heard_microcents_per_minute = 1,
				      .heard_rows = rows,
				      .heard_count = COUNT(rows)};
	const struct prices plain = {.heard_microcents_per_minute = 1};
	const struct prices none = {.heard_microcents_per_minute = PRICE_UNKNOWN};

	(void)state;
	assert_int_equal(price_find_heard(&prices, "tiny"), 3);
	assert_int_equal(price_find_heard(&prices, "base"), 7);
	assert_int_equal(price_find_heard(&prices, "other"), 5);
	assert_int_equal(price_find_heard(&plain, "tiny"), 1);
	assert_int_equal(price_find_heard(&none, "tiny"), PRICE_UNKNOWN);
}

static void test_tokens_have_the_price_of_their_agent_then_of_their_model(void **state)
{
	static const struct price_token_row rows[] = {
		{"gpt", NULL, {30, 31}},
		{NULL, "sales", {40, PRICE_UNKNOWN}},
		{"gpt", "sales", {PRICE_UNKNOWN, 51}},
	};
	const struct prices prices = {.microcents_per_million = {1, PRICE_UNKNOWN},
				      .token_rows = rows,
				      .token_count = COUNT(rows)};

	(void)state;
	assert_int_equal(price_find_tokens(&prices, PRICE_INPUT, "other", "help"), 1);
	assert_int_equal(price_find_tokens(&prices, PRICE_OUTPUT, "other", "help"), PRICE_UNKNOWN);
	assert_int_equal(price_find_tokens(&prices, PRICE_INPUT, "gpt", "help"), 30);
	assert_int_equal(price_find_tokens(&prices, PRICE_OUTPUT, "gpt", "help"), 31);
	/* If a row has no price for one direction, the next best row applies to it. */
	assert_int_equal(price_find_tokens(&prices, PRICE_INPUT, "gpt", "sales"), 40);
	assert_int_equal(price_find_tokens(&prices, PRICE_OUTPUT, "gpt", "sales"), 51);
	assert_int_equal(price_find_tokens(&prices, PRICE_OUTPUT, "other", "sales"), PRICE_UNKNOWN);
}

static void test_tokens_are_rounded_half_up_once(void **state)
{
	(void)state;
	assert_int_equal(price_tokens(0, 15000000), 0);
	assert_int_equal(price_tokens(1000000, 15000000), 15000000);
	assert_int_equal(price_tokens(1, 15000000), 15);
	assert_int_equal(price_tokens(1, 500000), 1); /* 0.5 */
	assert_int_equal(price_tokens(1, 499999), 0);
	assert_int_equal(price_tokens(UINT64_MAX, INT64_MAX), INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_money_5_amounts_are_whole_microcents_rounded_half_up_once),
		cmocka_unit_test(test_the_most_specific_row_applies_in_any_order),
		cmocka_unit_test(test_voice_comes_before_engine_before_quality_before_model),
		cmocka_unit_test(test_a_row_applies_only_if_everything_that_it_names_matches),
		cmocka_unit_test(test_without_rows_the_general_price_applies),
		cmocka_unit_test(test_audio_that_is_heard_has_the_price_of_its_model),
		cmocka_unit_test(test_tokens_have_the_price_of_their_agent_then_of_their_model),
		cmocka_unit_test(test_tokens_are_rounded_half_up_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
