/*
 * tariff.c: plans and prices of the configuration, as accounts know them (see
 * tariff.h).
 */
#include "server/tariff.h"

static int64_t limit_of(int64_t configured)
{
	return configured == 0 ? STORE_LIMIT_NONE : configured;
}

static int64_t price_of(int64_t configured)
{
	return configured < 0 ? PRICE_UNKNOWN : configured;
}

static void add_plan(struct tariff *tariff, const struct config_plan *plan)
{
	tariff->plans[tariff->plans_count++] = (struct plan){
		.name = plan->name,
		.limits =
			{
				.turns = limit_of(plan->turns),
				.connections = limit_of(plan->connections),
				.requests_per_minute = limit_of(plan->requests_per_minute),
				.characters_per_minute = limit_of(plan->characters_per_minute),
				.text_max = limit_of(plan->text_max),
			},
	};
}

/* A section may have a price of audio, of tokens, or both. */
static void add_price(struct tariff *tariff, const struct config_price *price)
{
	if (config_price_is_of_tokens(price))
		tariff->token_rows[tariff->prices.token_count++] = (struct price_token_row){
			.model_id = price->model[0] ? price->model : NULL,
			.agent = price->agent[0] ? price->agent : NULL,
			.microcents_per_million = {price_of(price->input_microcents),
						   price_of(price->output_microcents)},
		};
	if (!config_price_is_of_audio(price))
		return;
	tariff->price_rows[tariff->prices.count++] = (struct price_row){
		.model_id = price->model[0] ? price->model : NULL,
		.voice_id = price->voice_id,
		.engine = price->engine[0] ? price->engine : NULL,
		.quality = config_price_quality(price),
		.microcents_per_minute = price_of(price->microcents_per_minute),
	};
}

void tariff_init(struct tariff *tariff, const struct config *config)
{
	*tariff = (struct tariff){.plans_count = 0};
	tariff->prices.currency = config->currency;
	tariff->prices.is_default = !config->has_prices;
	tariff->prices.microcents_per_minute = price_of(config->microcents_per_minute);
	tariff->prices.rows = tariff->price_rows;
	tariff->prices.microcents_per_million[PRICE_INPUT] = price_of(config->input_microcents);
	tariff->prices.microcents_per_million[PRICE_OUTPUT] = price_of(config->output_microcents);
	tariff->prices.token_rows = tariff->token_rows;
	for (size_t i = 0; i < config->plans_count; ++i)
		add_plan(tariff, &config->plans[i]);
	for (size_t i = 0; i < config->prices_count; ++i)
		add_price(tariff, &config->prices[i]);
}
