/*
 * key.c: `syrinx key`: manages API keys.
 *
 * A new key works at once, and a revoked one stops working within a second. A key is shown only
 * when it is created; the store has only its hash.
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
#include "cli/json_list.h"
#include "cli/key_source.h"
#include "cli/project_choice.h"
#include "cli/store_verb.h"
#include "cli/table.h"
#include "server/account_json.h"

/* Parses --expires: a date, a time, a lifetime, or never. */
static int key_read_expiry(int64_t *expires_ms, const struct command_call *call, const char *text)
{
	int64_t span;

	if (strcmp(text, "never") == 0) {
		*expires_ms = 0;
		return COMMAND_OK;
	}
	if (calendar_parse_span(&span, text) == 0)
		*expires_ms = clock_wall_ms() + span;
	else if (calendar_parse(expires_ms, text) != 0)
		return command_usage_error(
			call->command,
			"--expires must be a lifetime (30d, 12h), a date (2027-01-01) or "
			"never, not \"%s\"",
			text);
	if (*expires_ms <= clock_wall_ms())
		return command_usage_error(call->command, "--expires %s is in the past", text);
	return COMMAND_OK;
}

static int key_read_credit(int64_t *cents, const struct command_call *call)
{
	if (strcmp(command_value(call, "credit-cents"), "none") == 0) {
		*cents = -1;
		return COMMAND_OK;
	}
	return command_number(cents, call, "credit-cents", 0, INT64_MAX / 1000000, -1)
		       ? COMMAND_USAGE
		       : COMMAND_OK;
}

static int key_read_scopes(unsigned *scopes, const struct command_call *call, const char *list)
{
	const char *bad;

	if (scopes_parse(scopes, list, &bad) == 0)
		return COMMAND_OK;
	return command_usage_error(call->command,
				   "--scopes must be a comma-separated list of speak, read, "
				   "dictionaries, voices and admin; there is no scope \"%.*s\"",
				   (int)strcspn(bad, ","), bad);
}

/* --streams is an older name of --connections. */
static int key_read_streams(struct store_limits *limits, bool *given,
			    const struct command_call *call)
{
	if (!command_value(call, "streams"))
		return COMMAND_OK;
	if (command_value(call, "connections"))
		return command_usage_error(
			call->command,
			"--streams and --connections are the same limit: give only one");
	if (command_number(&limits->connections, call, "streams", 1, REGISTRY_LIMIT_MAX, 0))
		return COMMAND_USAGE;
	*given = true;
	return COMMAND_OK;
}

/* Reads the options into the key; *fields has the fields that were given. */
static int key_read_options(struct store_key *key, unsigned *fields,
			    const struct command_call *call)
{
	const char *scopes = command_value(call, "scopes");
	const char *expires = command_value(call, "expires");
	bool has_credit = command_value(call, "credit-cents") != NULL;
	bool has_limits = false;
	bool has_name;
	int status = store_verb_read_text(key->name, STORE_NAME_MAX, &has_name, call, "name");

	if (status == COMMAND_OK && scopes)
		status = key_read_scopes(&key->scopes, call, scopes);
	if (status == COMMAND_OK && expires)
		status = key_read_expiry(&key->expires_ms, call, expires);
	if (status == COMMAND_OK && has_credit)
		status = key_read_credit(&key->credit_cents, call);
	if (status == COMMAND_OK)
		status = store_verb_read_limits(&key->limits, &has_limits, call);
	if (status == COMMAND_OK)
		status = key_read_streams(&key->limits, &has_limits, call);
	*fields = (has_name ? STORE_KEY_NAME : 0u) | (scopes ? STORE_KEY_SCOPES : 0u) |
		  (expires ? STORE_KEY_EXPIRES : 0u) | (has_credit ? STORE_KEY_CREDIT : 0u) |
		  (has_limits ? STORE_KEY_LIMITS : 0u);
	return status;
}

/* Finds the project: that of --project, the first one of --account, or the default project. */
static int key_find_project(struct store_project *project, struct store *store,
			    const struct command_call *call)
{
	const char *which = command_value(call, "project");
	int64_t account_id;
	int status = store_verb_find_account(&account_id, store, call, 0);
	int err;

	if (status != COMMAND_OK)
		return status;
	if (which)
		return project_choice_find(project, store, call, account_id, which);
	err = registry_find_project(store, project, account_id,
				    account_id ? 0 : STORE_PROJECT_DEFAULT);
	return err ? store_verb_failed(call, err, "cannot look up the project") : COMMAND_OK;
}

/* Writes "project 3 (website) of account 2 (acme)". */
#define KEY_PLACE_SIZE (2 * STORE_NAME_MAX + 96)

static void key_print_place(char text[KEY_PLACE_SIZE], struct store *store,
			    const struct store_project *project)
{
	struct store_account account;

	if (store->ops->account_get(store, &account, project->account_id) != 0)
		account.name[0] = '\0';
	snprintf(text, KEY_PLACE_SIZE, "project %" PRId64 " (%s) of account %" PRId64 " (%s)",
		 project->id, project->name, project->account_id, account.name);
}

static int key_create(struct store *store, const struct command_call *call)
{
	char text[API_KEY_LEN + 1];
	struct store_key key = {
		.scopes = STORE_SCOPES_USUAL, .credit_cents = -1, .limits = STORE_LIMITS_PLAN};
	struct store_project project;
	char place[KEY_PLACE_SIZE];
	unsigned fields;
	int status = key_read_options(&key, &fields, call);
	int err;

	if (status == COMMAND_OK)
		status = key_find_project(&project, store, call);
	if (status != COMMAND_OK)
		return status;
	key.project_id = project.id;
	err = registry_add_key(store, text, &key);
	if (err)
		return store_verb_failed(call, err, "cannot create a key");
	printf("%s\n", text);
	key_print_place(place, store, &project);
	command_report("key %s created in %s; it will not be shown again", key.prefix, place);
	return COMMAND_OK;
}

static const char *key_state_of(const struct store_key *key)
{
	if (key->revoked_ms)
		return "revoked";
	return key->expires_ms && key->expires_ms <= clock_wall_ms() ? "expired" : "active";
}

static void key_add_moment(struct table *table, int64_t wall_ms)
{
	char text[CALENDAR_SIZE];

	calendar_print_minute(text, wall_ms);
	table_cell(table, "%s", wall_ms ? text : "-");
}

struct listing {
	struct table table;
	struct json_list json;
	int64_t account_id; /* 0 for all accounts */
};

/* On a terminal the most common sets of scopes are abbreviated. */
static void key_add_scopes(struct table *table, unsigned scopes)
{
	char text[SCOPES_TEXT_SIZE];

	scopes_print(text, scopes);
	if (table->ranks && scopes == STORE_SCOPES_USUAL)
		snprintf(text, sizeof(text), "all but admin");
	else if (table->ranks && scopes == (STORE_SCOPES_USUAL | STORE_SCOPE_ADMIN))
		snprintf(text, sizeof(text), "all");
	table_cell(table, "%s", text);
}

static bool key_add_row(const struct store_key *key, void *arg)
{
	struct listing *listing = arg;
	struct table *table = &listing->table;
	struct store_limits own = key->limits;
	char limits[STORE_VERB_LIMITS_SIZE];
	char spent[STORE_VERB_CENTS_SIZE];

	if (listing->account_id && key->account_id != listing->account_id)
		return true;
	store_verb_print_cents(spent, key->spent_microcents);
	/* A key has no plan, so "no limit" is not shown. */
	for (size_t i = 0; i < REGISTRY_LIMITS; ++i) {
		int64_t *limit = registry_limit_at(&own, i);

		*limit = *limit < 0 ? STORE_LIMIT_PLAN : *limit;
	}
	store_verb_print_limits(limits, &own);
	table_cell(table, "%s", key->prefix);
	table_cell(table, "%" PRId64, key->account_id);
	table_cell(table, "%" PRId64, key->project_id);
	table_cell(table, "%s", key_state_of(key));
	key_add_moment(table, key->created_ms);
	key_add_moment(table, key->used_ms);
	key_add_moment(table, key->expires_ms);
	table_cell(table, "%s", spent);
	if (key->credit_cents < 0)
		table_cell(table, "-");
	else
		table_cell(table, "%" PRId64, key->credit_cents);
	key_add_scopes(table, key->scopes);
	table_cell(table, "%s", limits);
	table_cell(table, "%s", key->name);
	return true;
}

static bool key_add_json(const struct store_key *key, void *arg)
{
	struct listing *listing = arg;
	struct json_write *json = &listing->json.json;

	if (listing->account_id && key->account_id != listing->account_id)
		return true;
	json_write_object(json, NULL);
	account_json_write_key(json, key);
	json_write_string(json, "state", key_state_of(key), strlen(key_state_of(key)));
	json_write_object_end(json);
	return true;
}

static int key_list(struct store *store, const struct command_call *call)
{
	static const struct table_column columns[] = {
		{"KEY", false},     {"ACCOUNT", true}, {"PROJECT", true},  {"STATE", false},
		{"CREATED", false}, {"USED", false},   {"EXPIRES", false}, {"SPENT", true},
		{"CREDIT", true},   {"SCOPES", false}, {"LIMITS", false},  {"NAME", false},
	};
	static const unsigned char ranks[COUNT(columns)] = {0, 5, 6, 0, 7, 3, 1, 2, 1, 4, 1, 0};
	struct listing listing = {0};
	int status = store_verb_find_account(&listing.account_id, store, call, 0);
	int printed;
	int err;

	if (status != COMMAND_OK)
		return status;
	if (command_value(call, "json")) {
		json_list_open(&listing.json, "keys");
		err = store->ops->key_list(store, key_add_json, &listing);
		printed = json_list_print(&listing.json);
	} else {
		table_open(&listing.table, columns, COUNT(columns));
		table_narrow(&listing.table, ranks);
		err = store->ops->key_list(store, key_add_row, &listing);
		printed = table_print(&listing.table);
	}
	return err || printed ? store_verb_failed(call, err ? err : printed, "cannot list the keys")
			      : COMMAND_OK;
}

/* Finds the selected key: the second operand or, without one, the content of --key-file. */
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

static int key_revoke(struct store *store, const struct command_call *call)
{
	struct store_key key;
	int status = key_find(&key, store, call);
	int err;

	if (status != COMMAND_OK)
		return status;
	if (key.revoked_ms) {
		char at[CALENDAR_SIZE];

		calendar_print_minute(at, key.revoked_ms);
		command_report("key %s (%s) was already revoked, at %s", key.prefix, key.name, at);
		return COMMAND_OK;
	}
	err = store->ops->key_revoke(store, key.prefix, clock_wall_ms());
	if (err)
		return store_verb_failed(call, err, "cannot revoke the key");
	command_report("key %s (%s) permanently revoked: within a second, every server "
		       "rejects it, on open connections as well",
		       key.prefix, key.name);
	return COMMAND_OK;
}

static void key_report_change(const struct store_key *key, unsigned fields)
{
	static const struct store_verb_field names[] = {{STORE_KEY_NAME, "name"},
							{STORE_KEY_SCOPES, "scopes"},
							{STORE_KEY_EXPIRES, "expiry"},
							{STORE_KEY_CREDIT, "credit"},
							{STORE_KEY_LIMITS, "limits"}};
	char list[STORE_VERB_FIELDS_SIZE];

	store_verb_print_fields(list, names, COUNT(names), fields);
	command_report("key %s (%s) changed: %s", key->prefix, key->name, list);
}

static int key_change(struct store *store, const struct command_call *call)
{
	struct store_key key;
	unsigned fields;
	int status = key_find(&key, store, call);
	int err;

	if (status == COMMAND_OK)
		status = key_read_options(&key, &fields, call);
	if (status != COMMAND_OK)
		return status;
	if (command_value(call, "project") || command_value(call, "account"))
		return command_usage_error(call->command,
					   "a key cannot be moved to another project or account");
	if (fields == 0)
		return command_usage_error(call->command,
					   "nothing to change: give at least one option");
	err = store->ops->key_change(store, key.prefix, fields, &key);
	if (err)
		return store_verb_failed(call, err, "cannot change the key");
	key_report_change(&key, fields);
	return COMMAND_OK;
}

static const struct store_verb verbs[] = {
	{"create", true, 0, "", key_create},
	{"list", false, 0, "", key_list},
	{"change", true, 1, "the start of a key, or --key-file", key_change},
	{"revoke", true, 1, "the start of a key, or --key-file", key_revoke},
};

static const struct store_verb file_verbs[] = {
	{"change", true, 0, "", key_change},
	{"revoke", true, 0, "", key_revoke},
};

static int key_run(const struct command_call *call)
{
	if (command_value(call, "key-file"))
		return store_verb_run(call, file_verbs, COUNT(file_verbs));
	return store_verb_run(call, verbs, COUNT(verbs));
}

static const struct command_option options[] = {
	STORE_VERB_OPTIONS,
	STORE_VERB_CREATE_OPTION,
	KEY_SOURCE_FILE_OPTION,
	{"name", 0, "NAME", "the key's name, as shown in lists"},
	{"account", 0, "ACCOUNT", "the account, by number or name (create: 1; list: all)"},
	{"project", 0, "PROJECT", "create: the project, by number or name (the account's first)"},
	{"scopes", 0, "LIST",
	 "what the key may do: speak,read,dictionaries,voices,admin (all but "
	 "admin)"},
	{"expires", 0, "WHEN", "its lifetime (30d) or expiry date (2027-01-01), or never"},
	{"credit-cents", 0, "N", "how much the key may spend in total (none: no limit)"},
	{"json", 0, NULL, "print the list as JSON"},
	STORE_VERB_LIMIT_OPTIONS,
	{"streams", 0, "N", "the same as --connections"},
	{0},
};

const struct command command_key = {
	.name = "key",
	.operands = "create|list|change|revoke [KEY]",
	.operands_min = 1,
	.operands_max = 2,
	.summary = "Create, list, change and revoke API keys.",
	.examples = "  syrinx key create --account acme --project website --expires 90d\n"
		    "  syrinx key revoke ka_1a2b3\n",
	.options = options,
	.run = key_run,
	.takes_keys = true,
};
