/*
 * tariff.c: the plans and prices of the configuration (see tariff.h).
 */
#include "server/tariff.h"

static int64_t tariff_limit(int64_t configured)
{
	return configured == 0 ? STORE_LIMIT_NONE : configured;
}

static int64_t tariff_price(int64_t configured)
{
	return configured < 0 ? PRICE_UNKNOWN : configured;
}

static void tariff_add_plan(struct tariff *tariff, const struct config_plan *plan)
{
	tariff->plans[tariff->plans_count++] = (struct plan){
		.name = plan->name,
		.limits =
			{
				.turns = tariff_limit(plan->turns),
				.connections = tariff_limit(plan->connections),
				.requests_per_minute = tariff_limit(plan->requests_per_minute),
				.characters_per_minute = tariff_limit(plan->characters_per_minute),
				.text_max = tariff_limit(plan->text_max),
				.heard_seconds_per_minute =
					tariff_limit(plan->heard_seconds_per_minute),
			},
	};
}

/* A section may have prices for several kinds of usage. */
static void tariff_add_price(struct tariff *tariff, const struct config_price *price)
{
	if (config_price_is_of_tokens(price))
		tariff->token_rows[tariff->prices.token_count++] = (struct price_token_row){
			.model_id = price->model[0] ? price->model : NULL,
			.agent = price->agent[0] ? price->agent : NULL,
			.microcents_per_million = {tariff_price(price->input_microcents),
						   tariff_price(price->output_microcents)},
		};
	if (config_price_is_of_hearing(price))
		tariff->heard_rows[tariff->prices.heard_count++] = (struct price_heard_row){
			.model_id = price->model[0] ? price->model : NULL,
			.microcents_per_minute = price->heard_microcents,
		};
	if (!config_price_is_of_audio(price))
		return;
	tariff->price_rows[tariff->prices.count++] = (struct price_row){
		.model_id = price->model[0] ? price->model : NULL,
		.voice_id = price->voice_id,
		.engine = price->engine[0] ? price->engine : NULL,
		.quality = config_price_quality(price),
		.microcents_per_minute = tariff_price(price->microcents_per_minute),
	};
}

void tariff_init(struct tariff *tariff, const struct config *config)
{
	*tariff = (struct tariff){.plans_count = 0};
	tariff->prices.currency = config->currency;
	tariff->prices.is_default = !config->has_prices;
	tariff->prices.microcents_per_minute = tariff_price(config->microcents_per_minute);
	tariff->prices.rows = tariff->price_rows;
	tariff->prices.heard_microcents_per_minute = tariff_price(config->heard_microcents);
	tariff->prices.heard_rows = tariff->heard_rows;
	tariff->prices.microcents_per_million[PRICE_INPUT] = tariff_price(config->input_microcents);
	tariff->prices.microcents_per_million[PRICE_OUTPUT] =
		tariff_price(config->output_microcents);
	tariff->prices.token_rows = tariff->token_rows;
	for (size_t i = 0; i < config->plans_count; ++i)
		tariff_add_plan(tariff, &config->plans[i]);
	for (size_t i = 0; i < config->prices_count; ++i)
		tariff_add_price(tariff, &config->prices[i]);
}
