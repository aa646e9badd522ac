/*
 * key.c: `syrinx key`: who may speak.
 *
 * Works on the store directly, also while a server runs on it: a new key is
 * good at once.  The text of a key is shown once, when it is made; the store
 * has only its hash.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "account/account.h"
#include "account/scopes.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/settings.h"

static int failed(const char *what, int err)
{
	fprintf(stderr, "syrinx key: %s: %s\n", what, strerror(err));
	return COMMAND_FAILED;
}

/* Two keys may share the part that names them; then make another. */
#define TRIES 4

/* What the options say of a new key. */
static int read_wishes(struct store_key *wishes, const struct command_call *call)
{
	const char *name = command_value(call, "name");
	const char *scopes = command_value(call, "scopes");
	const char *bad;

	if (name && strlen(name) > STORE_NAME_MAX)
		return command_usage_error(call->command, "--name is longer than %d bytes",
					   STORE_NAME_MAX);
	snprintf(wishes->name, sizeof(wishes->name), "%s", name ? name : "");
	wishes->scopes = STORE_SCOPES_USUAL;
	if (scopes && scopes_parse(&wishes->scopes, scopes, &bad) != 0)
		return command_usage_error(
			call->command,
			"--scopes takes speak, read, dictionaries, admin and commas, not \"%.*s\"",
			(int)strcspn(bad, ","), bad);
	if (command_number(&wishes->credit_cents, call, "credit-cents", 0, INT64_MAX, -1) ||
	    command_number(&wishes->limits.connections, call, "streams", 1, INT32_MAX, -1))
		return COMMAND_USAGE;
	return COMMAND_OK;
}

static int create_key(struct store *store, const struct command_call *call)
{
	char text[ACCOUNT_KEY_LEN + 1];
	struct store_key wishes = {0};
	int status = read_wishes(&wishes, call);
	int err = EEXIST;

	if (status != COMMAND_OK)
		return status;
	for (int i = 0; i < TRIES && err == EEXIST; ++i) {
		struct store_key key = {0};

		err = account_key_make(text, &key, wishes.name);
		if (err)
			break;
		key.scopes = wishes.scopes;
		key.credit_cents = wishes.credit_cents;
		key.limits.connections = wishes.limits.connections;
		err = store->ops->key_add(store, &key);
	}
	if (err)
		return failed("cannot make a key", err);
	printf("%s\n", text);
	return COMMAND_OK;
}

static void print_limit(int64_t limit)
{
	if (limit < 0)
		printf("  %8s", "-");
	else
		printf("  %8" PRId64, limit);
}

static bool print_key(const struct store_key *key, void *arg)
{
	time_t created = (time_t)(key->created_ms / 1000);
	struct tm tm;
	char when[32];
	char scopes[SCOPES_TEXT_SIZE];

	(void)arg;
	gmtime_r(&created, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%SZ", &tm);
	printf("%-8s  %s  %-7s", key->prefix, when, key->revoked_ms ? "revoked" : "active");
	print_limit(key->credit_cents);
	print_limit(key->limits.connections);
	scopes_print(scopes, key->scopes);
	printf("  %-23s  %s\n", scopes, key->name);
	return true;
}

static int list_keys(struct store *store, const struct command_call *call)
{
	int err;

	(void)call;
	printf("%-8s  %-20s  %-7s  %8s  %8s  %-23s  %s\n", "KEY", "CREATED", "STATE", "CENTS",
	       "STREAMS", "SCOPES", "NAME");
	err = store->ops->key_list(store, print_key, NULL);
	return err ? failed("cannot read the keys", err) : COMMAND_OK;
}

/* By the part that names it, or by its whole text. */
static int revoke_key(struct store *store, const struct command_call *call)
{
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	int err;

	if (call->operand_count < 2)
		return command_usage_error(call->command, "revoke needs the start of a key");
	if (strlen(call->operands[1]) < STORE_KEY_PREFIX_LEN)
		return command_usage_error(call->command, "a key has at least %d letters here",
					   STORE_KEY_PREFIX_LEN);
	memcpy(prefix, call->operands[1], STORE_KEY_PREFIX_LEN);
	prefix[STORE_KEY_PREFIX_LEN] = '\0';
	err = store->ops->key_revoke(store, prefix, clock_wall_ms());
	if (err == ENOENT) {
		fprintf(stderr, "syrinx key: there is no key %s\n", prefix);
		return COMMAND_FAILED;
	}
	return err ? failed("cannot revoke the key", err) : COMMAND_OK;
}

static const struct {
	const char *name;
	int (*run)(struct store *store, const struct command_call *call);
} verbs[] = {{"create", create_key}, {"list", list_keys}, {"revoke", revoke_key}};

static int run(const struct command_call *call)
{
	struct config config;
	struct store *store;
	size_t i = 0;
	int status;

	while (i < COUNT(verbs) && strcmp(verbs[i].name, call->operands[0]) != 0)
		++i;
	if (i == COUNT(verbs))
		return command_usage_error(call->command,
					   "it is create, list or revoke, not \"%s\"",
					   call->operands[0]);
	status = settings_load(&config, call);
	if (status != COMMAND_OK)
		return status;
	/* A wrong --data must not look like a server without keys. */
	if (strcmp(verbs[i].name, "list") == 0 && access(config.data_dir, F_OK) != 0) {
		fprintf(stderr, "syrinx key: there is no %s\n", config.data_dir);
		return COMMAND_FAILED;
	}
	if (settings_open_store(&store, &config) != 0)
		return COMMAND_FAILED;
	status = verbs[i].run(store, call);
	mem_deref(store);
	return status;
}

static const struct command_option options[] = {
	{"data", 0, "DIR", "the server's data directory (data)"},
	{"config", 0, "FILE", "the server's configuration"},
	{"name", 0, "NAME", "what to call the new key"},
	{"scopes", 0, "LIST", "what it may do: speak,read,dictionaries,admin (all but admin)"},
	{"credit-cents", 0, "N", "what the new key may spend in all (no limit)"},
	{"streams", 0, "N", "connections the new key may have at once (no limit)"},
	{0},
};

const struct command command_key = {
	.name = "key",
	.operands = "create|list|revoke [KEY]",
	.operands_min = 1,
	.operands_max = 2,
	.summary = "Make a key and print it, list all keys, or revoke one.",
	.options = options,
	.run = run,
};
