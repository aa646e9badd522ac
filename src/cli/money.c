/*
 * money.c: formats amounts of money for commands (see money.h).
 */
#include "cli/money.h"

#include <ctype.h>
#include <stdio.h>

#include "base/log.h"
#include "cli/store_verb.h"

#define CODE_SIZE 8

const char *money_currency(const struct config *config)
{
	return config->has_file ? config->currency : NULL;
}

static void money_code(char code[CODE_SIZE], const char *currency)
{
	snprintf(code, CODE_SIZE, "%s%s", currency ? currency : "", currency ? " " : "");
	for (char *letter = code; *letter; ++letter)
		*letter = (char)toupper((unsigned char)*letter);
}

void money_format(char text[MONEY_SIZE], int64_t microcents, const char *currency)
{
	char cents[STORE_VERB_CENTS_SIZE];
	char code[CODE_SIZE];

	store_verb_print_cents(cents, microcents);
	money_code(code, currency);
	snprintf(text, MONEY_SIZE, "%s %scents", cents, code);
}

void money_title(char title[MONEY_SIZE], const char *currency)
{
	char code[CODE_SIZE];

	money_code(code, currency);
	snprintf(title, MONEY_SIZE, "%sCENTS", code);
}

static bool money_note_account(const struct store_account *row, void *arg)
{
	bool *is_shown = arg;

	*is_shown =
		row->id != STORE_ACCOUNT_DEFAULT || row->is_prepaid || row->credit_microcents != 0;
	return !*is_shown;
}

static bool money_note_key(const struct store_key *row, void *arg)
{
	bool *is_shown = arg;

	*is_shown = row->credit_cents >= 0;
	return !*is_shown;
}

int money_is_shown(bool *is_shown, struct store *store, const struct config *config)
{
	int err = 0;

	*is_shown = config->has_prices;
	if (!*is_shown)
		err = store->ops->account_list(store, money_note_account, is_shown);
	if (!err && !*is_shown)
		err = store->ops->key_list(store, money_note_key, is_shown);
	return err;
}

void money_warn_of_default(struct store *store, const struct config *config)
{
	char price[MONEY_SIZE];
	bool is_charged = false;

	if (config->has_prices || config->microcents_per_minute < 0 ||
	    money_is_shown(&is_charged, store, config) != 0 || !is_charged)
		return;
	money_format(price, config->microcents_per_minute, config->currency);
	log_warn("prices",
		 "no price is set, but there are accounts other than the default one, "
		 "or credit: they are charged the default price, %s per minute; set "
		 "prices.cents_per_minute",
		 price);
}
