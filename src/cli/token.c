/*
 * token.c: `syrinx token`: creates a token for one connection or request, for a web page that
 * must not have the key.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/single_use_token.h"
#include "base/clock.h"
#include "base/count.h"
#include "cli/key_source.h"
#include "cli/store_verb.h"
#include "doors/doors.h"
#include "server/routes.h"

static int token_create(struct store *store, const struct command_call *call)
{
	const char *variable = getenv("SYRINX_KEY");
	char prefix[KEY_SOURCE_SIZE] = "";
	bool found;
	const char *path = command_value(call, "path");
	const char *path_kind = path ? routes_token_path(doors_all, path) : NULL;
	char text[SINGLE_USE_TOKEN_LEN + 1];
	struct store_token token;
	struct store_key key;
	int64_t seconds;
	int status = key_source_read(prefix, &found, call);
	int err;

	if (status != COMMAND_OK)
		return status;
	if (!found && variable)
		snprintf(prefix, sizeof(prefix), "%s", variable);
	if (!prefix[0] || !path)
		return command_usage_error(
			call->command,
			"create needs --path and a key: --key-file, SYRINX_KEY, or --key "
			"with its first characters");
	if (!path_kind)
		return command_usage_error(
			call->command,
			"--path must be the path of an endpoint that speaks, such as /ws/tts/stream, not "
			"\"%s\"",
			path);
	if (command_number(&seconds, call, "seconds", 1, SINGLE_USE_TOKEN_SECONDS_MAX,
			   SINGLE_USE_TOKEN_SECONDS))
		return COMMAND_USAGE;
	status = store_verb_find_key(&key, store, call, prefix);
	explicit_bzero(prefix, sizeof(prefix));
	if (status != COMMAND_OK)
		return status;
	if (key.revoked_ms || (key.expires_ms && key.expires_ms <= clock_wall_ms()))
		return store_verb_failed(call, 0, "the key %s has expired or was revoked",
					 key.prefix);
	if (!(key.scopes & STORE_SCOPE_SPEAK))
		return store_verb_failed(call, 0, "the key %s does not have the scope speak",
					 key.prefix);
	err = single_use_token_make(text, &token, key.id, path_kind, seconds, clock_wall_ms());
	if (!err)
		err = store->ops->token_add(store, &token, clock_wall_ms());
	if (err == EDQUOT)
		return store_verb_failed(call, 0,
					 "the account has %d unused tokens and cannot have more",
					 STORE_TOKENS_MAX);
	if (err)
		return store_verb_failed(call, err, "cannot create a token");
	printf("%s\n", text);
	command_report("token created: valid once, for %s, within %lld seconds", path,
		       (long long)seconds);
	return COMMAND_OK;
}

static const struct store_verb verbs[] = {{"create", false, 0, "", token_create}};

static int token_run(const struct command_call *call)
{
	return store_verb_run(call, verbs, COUNT(verbs));
}

static const struct command_option options[] = {
	STORE_VERB_OPTIONS,
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the first characters of the key to charge (SYRINX_KEY)"},
	{"path", 0, "PATH", "the endpoint to allow one request to: /ws/tts/stream"},
	{"seconds", 0, "N", "its lifetime in seconds: 1 to 3600 (60)"},
	{0},
};

const struct command command_token = {
	.name = "token",
	.operands = "create",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "Create and print a token that is valid for one connection or request.",
	.options = options,
	.run = token_run,
	.examples =
		"  syrinx token create --key ka_1a2b3 --path /ws/tts/stream\n"
		"  syrinx token create --key-file customer.key --path /v1/tts/generate --seconds 300\n",
};
