/*
 * money.c: amounts of money as commands show them (see money.h).
 */
#include "cli/money.h"

#include <ctype.h>
#include <stdio.h>

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
