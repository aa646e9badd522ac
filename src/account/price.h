/*
 * price.h: what a minute of audio costs, by model and voice, and what the tokens of a
 * language model cost, by model and agent.
 *
 * The rows come from the configuration; the most exact one that fits counts:
 * voice and model, voice, model, and last the price for all; of tokens an agent stands
 * where the voice does.  Never changes once it is made.
 */
#ifndef ACCOUNT_PRICE_H
#define ACCOUNT_PRICE_H

#include <stddef.h>
#include <stdint.h>

#define PRICE_UNKNOWN (-1)

struct price_row {
	const char *model_id; /* NULL: of every model */
	int64_t voice_id; /* 0: of every voice */
	int64_t microcents_per_minute; /* PRICE_UNKNOWN: none is set */
};

/* Which way a token goes. */
enum price_way { PRICE_INPUT, PRICE_OUTPUT, PRICE_WAYS };

struct price_token_row {
	const char *model_id; /* NULL: of every model */
	const char *agent; /* NULL: of every agent */
	int64_t microcents_per_million[PRICE_WAYS]; /* PRICE_UNKNOWN: the row says nothing of it */
};

struct prices {
	int64_t microcents_per_minute; /* where no row fits; PRICE_UNKNOWN */
	const struct price_row *rows;
	size_t count;
	int64_t microcents_per_million[PRICE_WAYS]; /* tokens; the same */
	const struct price_token_row *token_rows;
	size_t token_count;
};

int64_t price_find(const struct prices *prices, const char *model_id, int64_t voice_id);

/* Exact price of samples, rounded half up, once.  The price is not negative. */
int64_t price_microcents(uint64_t samples, uint32_t sample_rate, int64_t microcents_per_minute);

/* The same for tokens. */
int64_t price_find_tokens(const struct prices *prices, enum price_way way, const char *model_id,
			  const char *agent);
int64_t price_tokens(uint64_t tokens, int64_t microcents_per_million);

#endif
