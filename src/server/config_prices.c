/*
 * config_prices.c: the prices of a configuration (see config_prices.h).
 */
#include "server/config_prices.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/similar.h"
#include "speech/voice.h"
#include "wire/settings.h"
#include "workers/installed.h"

/* The number of engines whose names are known here.  Syrinx has four; an operator may add some. */
#define ENGINES_MAX 64

/* Marks a price that is not configured.  No configured price can have this value. */
#define PRICE_NOT_SET (PARAM_NONE - 1)

/* Only the form is checked: ISO 4217 adds and withdraws currencies every year. */
const char *config_prices_check_currency(const char *value)
{
	for (size_t i = 0; i < 3; ++i) {
		if (!isascii((unsigned char)value[i]) || !isalpha((unsigned char)value[i]))
			return "must be the three letters of a currency, such as eur or usd";
	}
	return value[3] == '\0' ? NULL
				: "must be the three letters of a currency, such as eur or usd";
}

const char *config_prices_check_quality(const char *value)
{
	for (size_t i = 0; voice_qualities[i]; ++i) {
		if (strcmp(value, voice_qualities[i]) == 0)
			return NULL;
	}
	if (strcmp(value, "neural") == 0)
		return "must be low, mid, high or empty (neural voices have engine = vits)";
	return value[0] == '\0' ? NULL : "must be low, mid, high or empty";
}

bool config_price_is_of_tokens(const struct config_price *price)
{
	return price->input_microcents >= 0 || price->output_microcents >= 0;
}

bool config_price_is_of_hearing(const struct config_price *price)
{
	return price->heard_microcents >= 0;
}

bool config_price_is_of_audio(const struct config_price *price)
{
	return price->microcents_per_minute >= 0 ||
	       (!config_price_is_of_tokens(price) && !config_price_is_of_hearing(price));
}

int config_price_quality(const struct config_price *price)
{
	for (int i = 0; voice_qualities[i]; ++i) {
		if (strcmp(price->quality, voice_qualities[i]) == 0)
			return i;
	}
	return -1;
}

void config_prices_begin(struct config *config, struct config_default_prices *defaults)
{
	*defaults = (struct config_default_prices){config->microcents_per_minute,
						   config->heard_microcents};
	config->microcents_per_minute = config->heard_microcents = PRICE_NOT_SET;
}

void config_prices_fill_in(struct config *config, const struct config_default_prices *defaults)
{
	config->has_prices = config->microcents_per_minute >= 0 || config->heard_microcents >= 0 ||
			     config->input_microcents >= 0 || config->output_microcents >= 0;
	for (size_t i = 0; i < config->prices_count; ++i) {
		const struct config_price *price = &config->prices[i];

		config->has_prices |= price->microcents_per_minute >= 0 ||
				      config_price_is_of_hearing(price) ||
				      config_price_is_of_tokens(price);
	}
	if (config->microcents_per_minute == PRICE_NOT_SET)
		config->microcents_per_minute = defaults->microcents_per_minute;
	if (config->heard_microcents == PRICE_NOT_SET)
		config->heard_microcents = defaults->heard_microcents;
	for (char *letter = config->currency; *letter; ++letter)
		*letter = (char)tolower((unsigned char)*letter);
}

/* A list of distinct names. */
struct config_prices_names {
	const char *list[ENGINES_MAX + 1]; /* terminated by NULL */
	char copies[ENGINES_MAX][VOICE_ENGINE_MAX];
	size_t count;
};

static bool config_prices_has(const struct config_prices_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; ++i) {
		if (strcmp(names->list[i], name) == 0)
			return true;
	}
	return false;
}

static int config_prices_add_engine(const char *name, const char *path, void *arg)
{
	struct config_prices_names *names = arg;

	(void)path;
	if (names->count == ENGINES_MAX || config_prices_has(names, name))
		return 0;
	snprintf(names->copies[names->count], VOICE_ENGINE_MAX, "%s", name);
	names->list[names->count] = names->copies[names->count];
	++names->count;
	return 0;
}

/* Lists the engines that the pool would start, and those of the catalogue, which may be installed
 * later or on another of several servers with the same configuration. */
static void config_prices_list_engines(struct config_prices_names *names, const char *engines_dir)
{
	for (size_t i = 0; i < voice_table_len; ++i) {
		for (size_t n = 0; n < VOICE_SPEAKERS_MAX; ++n) {
			const char *engine = voice_table[i].speakers[n].engine;

			if (engine)
				config_prices_add_engine(engine, NULL, names);
		}
	}
	(void)installed_each(engines_dir, INSTALLED_SPEAKS, config_prices_add_engine, names);
}

/* Writes "there is no engine vit; did you mean vits?", or the existing names if none is similar. */
static void config_prices_complain(struct buf *errors, const struct config_price *price,
				   const char *what, const char *value, const char *const *words)
{
	const char *meant = similar_nearest(words, value);

	(void)buf_printf(errors, "[price %s] %s: there is no %s %s", price->name, what, what,
			 value);
	if (meant) {
		(void)buf_printf(errors, "; did you mean %s?\n", meant);
		return;
	}
	for (size_t i = 0; words[i]; ++i)
		(void)buf_printf(errors, "%s%s", i == 0 ? "; there are " : ", ", words[i]);
	(void)buf_append_str(errors, "\n");
}

/* The name of a language model is whatever its server understands, and models that listen may be
 * installed while the server runs, so only models of speech can be checked. */
static int config_prices_check_model(const struct config_price *price,
				     const struct config_prices_names *engines, struct buf *errors)
{
	bool is_engine = config_prices_has(engines, price->model);

	if (!price->model[0] || !config_price_is_of_audio(price))
		return 0;
	for (size_t i = 0; settings_model_ids[i]; ++i) {
		if (strcmp(price->model, settings_model_ids[i]) == 0)
			return 0;
	}
	if (is_engine || strcmp(price->model, "neural") == 0)
		(void)buf_printf(errors,
				 "[price %s] model: there is no model %s; did you mean engine = "
				 "%s?\n",
				 price->name, price->model, is_engine ? price->model : "vits");
	else if (price->model[0] && config_prices_check_quality(price->model) == NULL)
		(void)buf_printf(errors,
				 "[price %s] model: there is no model %s; did you mean quality = "
				 "%s?\n",
				 price->name, price->model, price->model);
	else
		config_prices_complain(errors, price, "model", price->model, settings_model_ids);
	return EINVAL;
}

static int config_prices_check_engine(const struct config_price *price,
				      const struct config_prices_names *engines, struct buf *errors)
{
	if (!price->engine[0] || config_prices_has(engines, price->engine))
		return 0;
	config_prices_complain(errors, price, "engine", price->engine, engines->list);
	return EINVAL;
}

/* Voices are charged by audio and agents by tokens: a section for a voice, an engine or a quality
 * can set only the price of spoken audio, and a section for an agent only prices of tokens.  A
 * section for neither may set all of them. */
static int config_prices_check_kind(const struct config_price *price, struct buf *errors)
{
	const char *voices = price->voice_id     ? "a voice"
			     : price->engine[0]  ? "an engine"
			     : price->quality[0] ? "a quality"
						 : NULL;
	bool is_of_tokens = config_price_is_of_tokens(price);
	int err = 0;

	if (is_of_tokens && voices) {
		(void)buf_printf(errors, "[price %s] has %s and a price of tokens\n", price->name,
				 voices);
		err = EINVAL;
	}
	if (config_price_is_of_hearing(price) && voices) {
		(void)buf_printf(errors, "[price %s] has %s and a price of audio that is heard\n",
				 price->name, voices);
		err = EINVAL;
	}
	if (price->agent[0] && (!is_of_tokens || price->microcents_per_minute >= 0 ||
				config_price_is_of_hearing(price))) {
		(void)buf_printf(
			errors,
			"[price %s] has an agent: it needs a token price and must not have "
			"an audio price\n",
			price->name);
		err = EINVAL;
	}
	return err;
}

/* If two sections named the same things, their order would decide which applies. */
static bool config_prices_is_same(const struct config_price *a, const struct config_price *b)
{
	bool both_input = a->input_microcents >= 0 && b->input_microcents >= 0;
	bool both_output = a->output_microcents >= 0 && b->output_microcents >= 0;
	bool both_audio = config_price_is_of_audio(a) && config_price_is_of_audio(b);
	bool both_heard = config_price_is_of_hearing(a) && config_price_is_of_hearing(b);

	if (strcmp(a->model, b->model) != 0)
		return false;
	return both_heard ||
	       (both_audio && a->voice_id == b->voice_id && strcmp(a->engine, b->engine) == 0 &&
		strcmp(a->quality, b->quality) == 0) ||
	       ((both_input || both_output) && strcmp(a->agent, b->agent) == 0);
}

int config_prices_check(const struct config *config, struct buf *errors)
{
	int err = 0;

	for (size_t i = 0; i < config->prices_count; ++i) {
		if (config_prices_check_kind(&config->prices[i], errors) != 0)
			err = EINVAL;
	}
	return err;
}

/* A derived voice costs what its base costs. */
static int config_prices_check_voice(const struct config_price *price, struct buf *mistakes)
{
	if (price->voice_id < VOICE_DERIVED_FIRST || price->voice_id > VOICE_DERIVED_LAST)
		return 0;
	(void)buf_printf(mistakes,
			 "[price %s] voice: %lld is a derived voice, which has the price of the "
			 "voice it is derived from: name that one\n",
			 price->name, (long long)price->voice_id);
	return EINVAL;
}

static int config_prices_check_others(const struct config *config, size_t i, struct buf *mistakes)
{
	int err = 0;

	for (size_t j = 0; j < i; ++j) {
		if (!config_prices_is_same(&config->prices[i], &config->prices[j]))
			continue;
		(void)buf_printf(mistakes,
				 "[price %s] matches exactly what [price %s] matches: remove one, "
				 "or make one more specific\n",
				 config->prices[i].name, config->prices[j].name);
		err = EINVAL;
	}
	return err;
}

int config_prices_check_names(const struct config *config, struct buf *mistakes)
{
	struct config_prices_names engines = {.count = 0};
	int err = 0;

	if (config->prices_count > 0)
		config_prices_list_engines(&engines, config->engines_dir);
	for (size_t i = 0; i < config->prices_count; ++i) {
		const struct config_price *price = &config->prices[i];

		if (config_prices_check_voice(price, mistakes) != 0 ||
		    config_prices_check_model(price, &engines, mistakes) != 0 ||
		    config_prices_check_engine(price, &engines, mistakes) != 0 ||
		    config_prices_check_others(config, i, mistakes) != 0)
			err = EINVAL;
	}
	return err;
}
