/*
 * key.c: `syrinx key`: who may speak.
 *
 * A new key is good at once, a revoked one within a second.  The text of a key is
 * shown once, when it is made; the store has only its hash.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "account/registry.h"
#include "account/scopes.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/count.h"
#include "cli/key_source.h"
#include "cli/store_verb.h"
#include "cli/table.h"
#include "wire/account_message.h"

/* When it ends: a date, a time, how long from now, or never. */
static int read_expiry(int64_t *expires_ms, const struct command_call *call, const char *text)
{
	int64_t span;

	if (strcmp(text, "never") == 0) {
		*expires_ms = 0;
		return COMMAND_OK;
	}
	if (calendar_parse_span(&span, text) == 0)
		*expires_ms = clock_wall_ms() + span;
	else if (calendar_parse(expires_ms, text) != 0)
		return command_usage_error(call->command,
					   "--expires is how long (30d, 12h), a date (2027-01-01) "
					   "or never: not \"%s\"",
					   text);
	if (*expires_ms <= clock_wall_ms())
		return command_usage_error(call->command, "--expires %s is over", text);
	return COMMAND_OK;
}

static int read_credit(int64_t *cents, const struct command_call *call)
{
	if (strcmp(command_value(call, "credit-cents"), "none") == 0) {
		*cents = -1;
		return COMMAND_OK;
	}
	return command_number(cents, call, "credit-cents", 0, INT64_MAX / 1000000, -1)
		       ? COMMAND_USAGE
		       : COMMAND_OK;
}

static int read_scopes(unsigned *scopes, const struct command_call *call, const char *list)
{
	const char *bad;

	if (scopes_parse(scopes, list, &bad) == 0)
		return COMMAND_OK;
	return command_usage_error(
		call->command,
		"--scopes takes speak, read, dictionaries, voices, admin and commas, not \"%.*s\"",
		(int)strcspn(bad, ","), bad);
}

/* Connections by the name that they had first. */
static int read_streams(struct store_limits *limits, bool *given, const struct command_call *call)
{
	if (!command_value(call, "streams"))
		return COMMAND_OK;
	if (command_value(call, "connections"))
		return command_usage_error(call->command,
					   "--streams and --connections are the same");
	if (command_number(&limits->connections, call, "streams", 1, ACCOUNT_MESSAGE_LIMIT_MAX, 0))
		return COMMAND_USAGE;
	*given = true;
	return COMMAND_OK;
}

/* What the options say of it: the fields that were given. */
static int read_wishes(struct store_key *key, unsigned *fields, const struct command_call *call)
{
	const char *scopes = command_value(call, "scopes");
	const char *expires = command_value(call, "expires");
	bool has_credit = command_value(call, "credit-cents") != NULL;
	bool has_limits = false;
	bool has_name;
	int status = store_verb_read_text(key->name, STORE_NAME_MAX, &has_name, call, "name");

	if (status == COMMAND_OK && scopes)
		status = read_scopes(&key->scopes, call, scopes);
	if (status == COMMAND_OK && expires)
		status = read_expiry(&key->expires_ms, call, expires);
	if (status == COMMAND_OK && has_credit)
		status = read_credit(&key->credit_cents, call);
	if (status == COMMAND_OK)
		status = store_verb_read_limits(&key->limits, &has_limits, call);
	if (status == COMMAND_OK)
		status = read_streams(&key->limits, &has_limits, call);
	*fields = (has_name ? STORE_KEY_NAME : 0u) | (scopes ? STORE_KEY_SCOPES : 0u) |
		  (expires ? STORE_KEY_EXPIRES : 0u) | (has_credit ? STORE_KEY_CREDIT : 0u) |
		  (has_limits ? STORE_KEY_LIMITS : 0u);
	return status;
}

/* --project, or the first one of --account, or the default. */
static int find_project(int64_t *project_id, struct store *store, const struct command_call *call)
{
	struct store_project project;
	int64_t account_id;
	int64_t id;
	int status = store_verb_find_account(&account_id, store, call, 0);
	int err;

	if (status != COMMAND_OK)
		return status;
	if (command_number(&id, call, "project", 1, INT64_MAX,
			   account_id ? 0 : STORE_PROJECT_DEFAULT))
		return COMMAND_USAGE;
	err = registry_find_project(store, &project, account_id, id);
	if (err == ENOENT)
		return store_verb_failed(call, 0, "there is no such project%s",
					 account_id ? " of the account" : "");
	if (err)
		return store_verb_failed(call, err, "cannot look its project up");
	*project_id = project.id;
	return COMMAND_OK;
}

static int create(struct store *store, const struct command_call *call)
{
	char text[ACCOUNT_KEY_LEN + 1];
	struct store_key key = {
		.scopes = STORE_SCOPES_USUAL, .credit_cents = -1, .limits = STORE_LIMITS_PLAN};
	unsigned fields;
	int status = read_wishes(&key, &fields, call);
	int err;

	if (status == COMMAND_OK)
		status = find_project(&key.project_id, store, call);
	if (status != COMMAND_OK)
		return status;
	err = registry_add_key(store, text, &key);
	if (err)
		return store_verb_failed(call, err, "cannot make a key");
	printf("%s\n", text);
	return COMMAND_OK;
}

static const char *state_of(const struct store_key *key)
{
	if (key->revoked_ms)
		return "revoked";
	return key->expires_ms && key->expires_ms <= clock_wall_ms() ? "expired" : "active";
}

static void add_moment(struct table *table, int64_t wall_ms)
{
	char text[CALENDAR_SIZE];

	calendar_print_minute(text, wall_ms);
	table_cell(table, "%s", wall_ms ? text : "-");
}

struct listing {
	struct table table;
	int64_t account_id; /* 0: all */
};

static bool add_row(const struct store_key *key, void *arg)
{
	struct listing *listing = arg;
	struct table *table = &listing->table;
	struct store_limits own = key->limits;
	char limits[STORE_VERB_LIMITS_SIZE];
	char spent[STORE_VERB_CENTS_SIZE];
	char scopes[SCOPES_TEXT_SIZE];

	if (listing->account_id && key->account_id != listing->account_id)
		return true;
	store_verb_print_cents(spent, key->spent_microcents);
	for (size_t i = 0; i < REGISTRY_LIMITS; ++i) { /* a key has no plan to differ from */
		int64_t *limit = registry_limit_at(&own, i);

		*limit = *limit < 0 ? STORE_LIMIT_PLAN : *limit;
	}
	store_verb_print_limits(limits, &own);
	scopes_print(scopes, key->scopes);
	table_cell(table, "%s", key->prefix);
	table_cell(table, "%" PRId64, key->account_id);
	table_cell(table, "%" PRId64, key->project_id);
	table_cell(table, "%s", state_of(key));
	add_moment(table, key->created_ms);
	add_moment(table, key->used_ms);
	add_moment(table, key->expires_ms);
	table_cell(table, "%s", spent);
	if (key->credit_cents < 0)
		table_cell(table, "-");
	else
		table_cell(table, "%" PRId64, key->credit_cents);
	table_cell(table, "%s", scopes);
	table_cell(table, "%s", limits);
	table_cell(table, "%s", key->name);
	return true;
}

static int list(struct store *store, const struct command_call *call)
{
	static const struct table_column columns[] = {
		{"KEY", false},     {"ACCOUNT", true}, {"PROJECT", true},  {"STATE", false},
		{"CREATED", false}, {"USED", false},   {"EXPIRES", false}, {"SPENT", true},
		{"CREDIT", true},   {"SCOPES", false}, {"LIMITS", false},  {"NAME", false},
	};
	struct listing listing = {0};
	int status = store_verb_find_account(&listing.account_id, store, call, 0);
	int printed;
	int err;

	if (status != COMMAND_OK)
		return status;
	table_open(&listing.table, columns, COUNT(columns));
	err = store->ops->key_list(store, add_row, &listing);
	printed = table_print(&listing.table);
	return err || printed ? store_verb_failed(call, err ? err : printed, "cannot list them")
			      : COMMAND_OK;
}

/* The selected key: the second operand or, without one, the content of --key-file. */
static int key_find(struct store_key *key, struct store *store, const struct command_call *call)
{
	char text[KEY_SOURCE_SIZE];
	int status;

	if (call->operand_count > 1)
		return store_verb_find_key(key, store, call, call->operands[1]);
	status = key_source_read_file(text, call);
	if (status == COMMAND_OK)
		status = store_verb_find_key(key, store, call, text);
	explicit_bzero(text, sizeof(text));
	return status;
}

static int revoke(struct store *store, const struct command_call *call)
{
	struct store_key key;
	int status = key_find(&key, store, call);
	int err;

	if (status != COMMAND_OK)
		return status;
	err = store->ops->key_revoke(store, key.prefix, clock_wall_ms());
	return err ? store_verb_failed(call, err, "cannot revoke the key") : COMMAND_OK;
}

static int change(struct store *store, const struct command_call *call)
{
	struct store_key key;
	unsigned fields;
	int status = key_find(&key, store, call);
	int err;

	if (status == COMMAND_OK)
		status = read_wishes(&key, &fields, call);
	if (status != COMMAND_OK)
		return status;
	if (command_value(call, "project") || command_value(call, "account"))
		return command_usage_error(call->command, "a key stays in its project");
	if (fields == 0)
		return command_usage_error(call->command,
					   "change needs an option: what shall it be?");
	err = store->ops->key_change(store, key.prefix, fields, &key);
	return err ? store_verb_failed(call, err, "cannot change the key") : COMMAND_OK;
}

static const struct store_verb verbs[] = {
	{"create", true, 0, "", create},
	{"list", false, 0, "", list},
	{"change", true, 1, "the start of a key, or --key-file", change},
	{"revoke", true, 1, "the start of a key, or --key-file", revoke},
};

static const struct store_verb file_verbs[] = {
	{"change", true, 0, "", change},
	{"revoke", true, 0, "", revoke},
};

static int run(const struct command_call *call)
{
	if (command_value(call, "key-file"))
		return store_verb_run(call, file_verbs, COUNT(file_verbs));
	return store_verb_run(call, verbs, COUNT(verbs));
}

static const struct command_option options[] = {
	STORE_VERB_OPTIONS,
	KEY_SOURCE_FILE_OPTION,
	{"name", 0, "NAME", "what to call it"},
	{"account", 0, "ACCOUNT", "whose, by number or name (create: the default; list: all)"},
	{"project", 0, "N", "the project of the new key (the account's first)"},
	{"scopes", 0, "LIST",
	 "what it may do: speak,read,dictionaries,voices,admin (all but admin)"},
	{"expires", 0, "WHEN", "how long it is good (30d), until when (2027-01-01), or never"},
	{"credit-cents", 0, "N", "what it may spend in all (none)"},
	STORE_VERB_LIMIT_OPTIONS,
	{"streams", 0, "N", "the same as --connections"},
	{0},
};

const struct command command_key = {
	.name = "key",
	.operands = "create|list|change|revoke [KEY]",
	.operands_min = 1,
	.operands_max = 2,
	.summary = "Make a key and print it, list all keys, change or revoke one.",
	.options = options,
	.run = run,
	.takes_keys = true,
};
