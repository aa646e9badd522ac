/*
 * store_verb.c: commands that consist of verbs on the store (see store_verb.h).
 */
#include "cli/store_verb.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/registry.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/data_dir.h"
#include "cli/settings.h"
#include "wire/json_write.h"

#define CENTS_DECIMALS 6
#define STORE_VERBS_MAX 16 /* per command */

const char *const store_verb_limit_options[REGISTRY_LIMITS] = {"turns",
							       "connections",
							       "requests-per-minute",
							       "characters-per-minute",
							       "text-max",
							       "heard-seconds-per-minute"};

int store_verb_failed(const struct command_call *call, int err, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "syrinx %s: ", call->command->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	if (err)
		fprintf(stderr, ": %s", strerror(err));
	fprintf(stderr, "\n");
	return COMMAND_FAILED;
}

static bool store_verb_is_line(const char *text)
{
	struct utf8_state state = {0};

	for (const char *c = text; *c; ++c) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	}
	return utf8_check(&state, text, strlen(text)) && utf8_is_complete(&state);
}

int store_verb_read_text(char *out, size_t max, bool *given, const struct command_call *call,
			 const char *option)
{
	const char *text = command_value(call, option);

	*given = text != NULL;
	if (!text)
		return COMMAND_OK;
	if (strlen(text) > max)
		return command_usage_error(call->command, "--%s is longer than %zu bytes", option,
					   max);
	if (!store_verb_is_line(text))
		return command_usage_error(call->command, "--%s must be one line of text, in UTF-8",
					   option);
	memcpy(out, text, strlen(text) + 1);
	return COMMAND_OK;
}

/* Refuses to create a store by mistake: it would take keys and top-ups that no server ever sees. */
static int store_verb_refuse_new(const struct command_call *call, const struct config *config,
				 bool can_create)
{
	const char *path = store_sqlite_path(config->store_address);
	char shown[STORE_ADDRESS_SHOWN];

	store_show_address(shown, config->store_address);
	return store_verb_failed(
		call, 0,
		"there is no store in %s: select the server's store with --data DIR "
		"or --config FILE, or start the server first%s",
		path ? path : shown, can_create ? "; --create creates a new one" : "");
}

/* Finds out whether the store exists; *is_new is false if it does. */
static int store_verb_find(bool *is_new, const struct command_call *call,
			   const struct config *config, bool creates, bool changes)
{
	int err;

	*is_new = false;
	if (strcmp(config->store_address, "memory:") == 0)
		return store_verb_failed(call, 0,
					 "an in-memory store can be used only by its server");
	err = store_look(config->store_address);
	if (err == ENOENT && !creates)
		return store_verb_refuse_new(call, config, changes);
	*is_new = err == ENOENT;
	if (!err || *is_new)
		return COMMAND_OK;
	settings_explain_store(config->store_address, err, call->command);
	return COMMAND_FAILED;
}

int store_verb_check_store(const struct command_call *call, const struct config *config)
{
	bool is_new;

	return store_verb_find(&is_new, call, config, false, false);
}

static int store_verb_open(struct store **storep, const struct command_call *call,
			   const struct config *config, bool changes)
{
	const char *address = config->store_address;
	bool creates = changes && command_value_if_known(call, "create");
	bool is_new;
	int status = store_verb_find(&is_new, call, config, creates, changes);

	if (status != COMMAND_OK)
		return status;
	/* A store that is elsewhere needs no local directory. */
	if (store_sqlite_path(address) && (is_new || access(config->data_dir, F_OK) == 0) &&
	    data_dir_make(config) != 0)
		return COMMAND_FAILED;
	return settings_open_store(storep, address, call->command) ? COMMAND_FAILED : COMMAND_OK;
}

int store_verb_with_store(const struct command_call *call, bool changes,
			  int (*run)(struct store *store, const struct command_call *call))
{
	struct config config;
	struct store *store = NULL;
	int status = settings_load_of_server(&config, call);

	if (status == COMMAND_OK)
		status = store_verb_open(&store, call, &config, changes);
	if (status == COMMAND_OK)
		status = run(store, call);
	mem_deref(store);
	return status;
}

static int store_verb_refuse_verb(const struct command_call *call, const struct store_verb *verbs,
				  size_t count)
{
	const char *names[STORE_VERBS_MAX + 1] = {NULL};

	for (size_t i = 0; i < count && i < STORE_VERBS_MAX; ++i)
		names[i] = verbs[i].name;
	return command_refuse_verb(call->command, names, call->operands[0]);
}

int store_verb_run(const struct command_call *call, const struct store_verb *verbs, size_t count)
{
	size_t i = 0;

	while (i < count && strcmp(verbs[i].name, call->operands[0]) != 0)
		++i;
	if (i == count)
		return store_verb_refuse_verb(call, verbs, count);
	if (call->operand_count < 1 + verbs[i].operands)
		return command_usage_error(call->command, "%s needs %s", verbs[i].name,
					   verbs[i].needs);
	if (call->operand_count > 1 + verbs[i].operands)
		return command_usage_error(
			call->command,
			"unexpected argument \"%s\"; names and values are given with options",
			call->operands[1 + verbs[i].operands]);
	return store_verb_with_store(call, verbs[i].changes, verbs[i].run);
}

static int store_verb_read_limit(int64_t *limit, const char *text)
{
	char *end;
	long long n;

	if (strcmp(text, "none") == 0 || strcmp(text, "plan") == 0) {
		*limit = text[0] == 'n' ? STORE_LIMIT_NONE : STORE_LIMIT_PLAN;
		return 0;
	}
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || end == text || *end != '\0' || n < 1 || n > REGISTRY_LIMIT_MAX)
		return EINVAL;
	*limit = n;
	return 0;
}

int store_verb_read_limits(struct store_limits *limits, bool *given,
			   const struct command_call *call)
{
	for (size_t i = 0; i < REGISTRY_LIMITS; ++i) {
		const char *value = command_value(call, store_verb_limit_options[i]);

		if (!value)
			continue;
		if (store_verb_read_limit(registry_limit_at(limits, i), value) != 0)
			return command_usage_error(
				call->command,
				"--%s must be a number from 1 to %d, none or plan, not \"%s\"",
				store_verb_limit_options[i], REGISTRY_LIMIT_MAX, value);
		*given = true;
	}
	return COMMAND_OK;
}

void store_verb_print_limits(char text[STORE_VERB_LIMITS_SIZE], const struct store_limits *limits)
{
	struct store_limits copy = *limits;
	size_t len = 0;

	for (size_t i = 0; i < REGISTRY_LIMITS; ++i) {
		int64_t limit = *registry_limit_at(&copy, i);
		char number[24];

		if (limit == STORE_LIMIT_PLAN)
			continue;
		snprintf(number, sizeof(number), "%lld", (long long)limit);
		len += (size_t)snprintf(text + len, STORE_VERB_LIMITS_SIZE - len, "%s%s %s",
					len ? ", " : "", store_verb_limit_options[i],
					limit < 0 ? "none" : number);
	}
	if (len == 0)
		snprintf(text, STORE_VERB_LIMITS_SIZE, "-");
}

void store_verb_print_fields(char text[STORE_VERB_FIELDS_SIZE],
			     const struct store_verb_field *names, size_t count, unsigned fields)
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count && len < STORE_VERB_FIELDS_SIZE; ++i)
		if (fields & names[i].field)
			len += (size_t)snprintf(text + len, STORE_VERB_FIELDS_SIZE - len, "%s%s",
						len ? ", " : "", names[i].name);
}

void store_verb_print_cents(char text[STORE_VERB_CENTS_SIZE], int64_t microcents)
{
	char decimal[JSON_DECIMAL_MAX];
	int len = (int)json_format_decimal(decimal, microcents, CENTS_DECIMALS);

	snprintf(text, STORE_VERB_CENTS_SIZE, "%.*s", len, decimal);
}

int store_verb_parse_cents(int64_t *microcents, const char *text)
{
	bool is_negative = text[0] == '-';
	const char *digits = text + is_negative;
	size_t whole = strspn(digits, "0123456789");
	const char *point = digits + whole;
	size_t decimals = *point == '.' ? strspn(point + 1, "0123456789") : 0;
	int64_t sum = 0;

	/* No top-up may have more than ten digits of cents. */
	if (whole == 0 || whole > 10 || decimals > CENTS_DECIMALS ||
	    (*point == '.' && decimals == 0) || point[*point == '.' ? 1 + decimals : 0] != '\0')
		return EINVAL;
	for (size_t i = 0; i < whole; ++i)
		sum = sum * 10 + (digits[i] - '0');
	for (size_t i = 0; i < CENTS_DECIMALS; ++i)
		sum = sum * 10 + (i < decimals ? point[1 + i] - '0' : 0);
	if (sum == 0 || sum > REGISTRY_AMOUNT_MAX)
		return EINVAL;
	*microcents = is_negative ? -sum : sum;
	return 0;
}

int store_verb_find_account(int64_t *id, struct store *store, const struct command_call *call,
			    int64_t absent)
{
	const char *which = command_value(call, "account");
	struct store_account account;
	int err;

	*id = absent;
	if (!which)
		return COMMAND_OK;
	err = registry_find_account(store, &account, which);
	if (err)
		return store_verb_failed(call, err == ENOENT ? 0 : err, "there is no account %s",
					 which);
	*id = account.id;
	return COMMAND_OK;
}

int store_verb_find_key(struct store_key *key, struct store *store, const struct command_call *call,
			const char *text)
{
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	int err;

	if (strlen(text) < STORE_KEY_PREFIX_LEN)
		return command_usage_error(call->command,
					   "give at least the first %d characters of the key",
					   STORE_KEY_PREFIX_LEN);
	memcpy(prefix, text, STORE_KEY_PREFIX_LEN);
	prefix[STORE_KEY_PREFIX_LEN] = '\0';
	err = store->ops->key_find(store, key, prefix);
	if (err == ENOENT)
		return store_verb_failed(call, 0, "there is no key %s", prefix);
	return err ? store_verb_failed(call, err, "cannot look up key %s", prefix) : COMMAND_OK;
}
