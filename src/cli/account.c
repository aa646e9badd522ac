/*
 * account.c: `syrinx account`: manages accounts, their limits and their credit.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "account/callers.h"
#include "account/registry.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/count.h"
#include "cli/config_file.h"
#include "cli/json_list.h"
#include "cli/money.h"
#include "cli/settings.h"
#include "cli/store_verb.h"
#include "cli/table.h"
#include "server/account_json.h"
#include "server/tariff.h"

/* Finds the account given by the verb's operand. */
static int account_find(struct store_account *account, struct store *store,
			const struct command_call *call)
{
	int err = registry_find_account(store, account, call->operands[1]);

	if (err == ENOENT)
		return store_verb_failed(call, 0, "there is no account %s", call->operands[1]);
	return err ? store_verb_failed(call, err, "cannot look up the account") : COMMAND_OK;
}

static int account_check_name(const char *name, const struct command_call *call)
{
	if (name[0] == '\0')
		return command_usage_error(call->command, "--name must not be empty");
	if (registry_is_number(name))
		return command_usage_error(
			call->command,
			"--name must not be a number, because it would look like an account id");
	return COMMAND_OK;
}

/* Rejects plans that are not configured, because a misspelt name would silently mean the default
 * plan. */
static int account_check_plan(const struct store_account *account, const struct command_call *call)
{
	struct config config;
	int status = settings_load(&config, call);

	if (status != COMMAND_OK || config_has_plan(&config, account->plan))
		return status;
	return store_verb_failed(
		call, 0, "there is no plan %s in the configuration%s", account->plan,
		config_file_find(call).path ? "" : " (name its file with --config)");
}

/* Reads the options into the account; *fields has the fields that were given. */
static int account_read_options(struct store_account *account, unsigned *fields,
				const struct command_call *call)
{
	const char *prepaid = command_value(call, "prepaid");
	bool has_name;
	bool has_plan = false;
	bool has_limits = false;
	int status = store_verb_read_text(account->name, STORE_NAME_MAX, &has_name, call, "name");

	if (status == COMMAND_OK)
		status = store_verb_read_text(account->plan, STORE_NAME_MAX, &has_plan, call,
					      "plan");
	if (status == COMMAND_OK && has_plan)
		status = account_check_plan(account, call);
	if (status == COMMAND_OK)
		status = store_verb_read_limits(&account->limits, &has_limits, call);
	if (status == COMMAND_OK && has_name)
		status = account_check_name(account->name, call);
	if (status == COMMAND_OK && prepaid && strcmp(prepaid, "yes") != 0 &&
	    strcmp(prepaid, "no") != 0)
		return command_usage_error(call->command, "--prepaid must be yes or no, not \"%s\"",
					   prepaid);
	if (prepaid)
		account->is_prepaid = prepaid[0] == 'y';
	*fields = (has_name ? STORE_ACCOUNT_NAME : 0u) | (has_plan ? STORE_ACCOUNT_PLAN : 0u) |
		  (prepaid ? STORE_ACCOUNT_PREPAID : 0u) | (has_limits ? STORE_ACCOUNT_LIMITS : 0u);
	return status;
}

static int account_create(struct store *store, const struct command_call *call)
{
	struct store_account account = {.limits = STORE_LIMITS_PLAN, .created_ms = clock_wall_ms()};
	unsigned fields = 0;
	int status = account_read_options(&account, &fields, call);
	int err;

	if (status != COMMAND_OK)
		return status;
	if (!(fields & STORE_ACCOUNT_NAME))
		return command_usage_error(call->command, "create needs --name");
	err = registry_add_account(store, &account);
	if (err == EEXIST)
		return store_verb_failed(call, 0, "there is already an account named %s",
					 account.name);
	if (err)
		return store_verb_failed(call, err, "cannot create the account");
	printf("%" PRId64 "\n", account.id);
	command_report(
		"account %" PRId64
		" (%s) created; to create a key for it: syrinx key create --account %" PRId64,
		account.id, account.name, account.id);
	return COMMAND_OK;
}

/* LIMITS are only the account's own; `show` has a table of all limits. */
static const struct table_column columns[] = {
	{"ACCOUNT", true},  {"NAME", false},   {"STATE", false}, {"PLAN", false},
	{"PREPAID", false}, {"PAID", true},    {"SPENT", true},  {"BALANCE", true},
	{"CREATED", false}, {"LIMITS", false},
};
#define SHOWN (COUNT(columns) - 1)
static const unsigned char account_ranks[COUNT(columns)] = {0, 0, 0, 3, 4, 5, 2, 0, 6, 1};

static void account_add_shown(struct table *table, const struct store_account *row)
{
	char paid[STORE_VERB_CENTS_SIZE];
	char spent[STORE_VERB_CENTS_SIZE];
	char balance[STORE_VERB_CENTS_SIZE];
	char created[CALENDAR_SIZE];

	store_verb_print_cents(paid, row->credit_microcents);
	store_verb_print_cents(spent, row->spent_microcents);
	store_verb_print_cents(balance, row->credit_microcents - row->spent_microcents);
	calendar_print_minute(created, row->created_ms);
	table_cell(table, "%" PRId64, row->id);
	table_cell(table, "%s", row->name);
	table_cell(table, "%s", row->closed_ms ? "closed" : "open");
	table_cell(table, "%s", row->plan[0] ? row->plan : "-");
	table_cell(table, "%s", row->is_prepaid ? "yes" : "no");
	table_cell(table, "%s", paid);
	table_cell(table, "%s", spent);
	table_cell(table, "%s", balance);
	table_cell(table, "%s", created);
}

static bool account_add_row(const struct store_account *row, void *arg)
{
	struct table *table = arg;
	char limits[STORE_VERB_LIMITS_SIZE];

	account_add_shown(table, row);
	store_verb_print_limits(limits, &row->limits);
	table_cell(table, "%s", limits);
	return true;
}

/* The configured currency; NULL if no configuration was read. */
static const char *account_currency(const struct command_call *call)
{
	static struct config config; /* static because the result points into it */

	return settings_load(&config, call) == COMMAND_OK ? money_currency(&config) : NULL;
}

struct account_listing {
	struct json_list json;
	const char *currency;
};

static bool account_add_json(const struct store_account *row, void *arg)
{
	struct account_listing *listing = arg;
	struct json_write *json = &listing->json.json;

	json_write_object(json, NULL);
	account_json_write(json, row, listing->currency);
	json_write_object_end(json);
	return true;
}

static int account_list(struct store *store, const struct command_call *call)
{
	struct account_listing listing = {.currency = account_currency(call)};
	struct table table;
	int err;
	int printed;

	if (command_value(call, "json")) {
		json_list_open(&listing.json, "accounts");
		err = store->ops->account_list(store, account_add_json, &listing);
		printed = json_list_print(&listing.json);
	} else {
		table_open(&table, columns, COUNT(columns));
		table_narrow(&table, account_ranks);
		err = store->ops->account_list(store, account_add_row, &table);
		printed = table_print(&table);
	}
	return err || printed
		       ? store_verb_failed(call, err ? err : printed, "cannot list the accounts")
		       : COMMAND_OK;
}

static bool account_add_project(const struct store_project *row, void *arg)
{
	struct table *table = arg;
	char created[CALENDAR_SIZE];

	calendar_print_minute(created, row->created_ms);
	table_cell(table, "%" PRId64, row->id);
	table_cell(table, "%s", created);
	table_cell(table, "%s", row->name);
	return true;
}

static bool account_add_top_up(const struct store_top_up *row, void *arg)
{
	struct table *table = arg;
	char at[CALENDAR_SIZE];
	char cents[STORE_VERB_CENTS_SIZE];

	calendar_print_minute(at, row->at_ms);
	store_verb_print_cents(cents, row->amount_microcents);
	table_cell(table, "%s", row->id);
	table_cell(table, "%s", at);
	table_cell(table, "%s", cents);
	table_cell(table, "%s", row->note);
	return true;
}

static void account_add_limit(struct table *table, int64_t limit)
{
	if (limit < 0)
		table_cell(table, "none");
	else
		table_cell(table, "%" PRId64, limit);
}

/* Adds a limit that comes from the account's plan. Plans are in the configuration: without
 * --config the limits of the server's plans are not known here. */
static void account_add_plan_limit(struct table *table, const struct store_account *account,
				   const struct plan *plan, size_t index, bool has_config)
{
	const char *name = account->plan[0] ? account->plan : "default";
	struct store_limits limits = plan ? plan->limits : (struct store_limits)STORE_LIMITS_PLAN;

	if (has_config)
		account_add_limit(table, *registry_limit_at(&limits, index));
	else
		table_cell(table, "?");
	if (!has_config)
		table_cell(table, "plan %s (use --config to show it)", name);
	else if (!plan)
		table_cell(table, "no plan %s in the configuration", name);
	else if (strcmp(plan->name, name) != 0)
		table_cell(table, "plan %s (there is no %s in the configuration)", plan->name,
			   name);
	else
		table_cell(table, "plan %s", name);
}

/* Prints the limits in effect, and where each comes from. */
static int account_show_limits(const struct store_account *account, const struct command_call *call)
{
	static const struct table_column of_limits[] = {
		{"LIMIT", false}, {"VALUE", true}, {"SOURCE", false}};
	struct store_limits own = account->limits;
	struct config config;
	struct tariff tariff;
	struct table table;
	const struct plan *plan;

	if (settings_load(&config, call) != COMMAND_OK)
		return EINVAL;
	tariff_init(&tariff, &config);
	plan = callers_find_plan(tariff.plans, tariff.plans_count, account->plan);
	table_open(&table, of_limits, COUNT(of_limits));
	for (size_t i = 0; i < REGISTRY_LIMITS; ++i) {
		int64_t limit = *registry_limit_at(&own, i);

		table_cell(&table, "%s", store_verb_limit_options[i]);
		if (limit == STORE_LIMIT_PLAN) {
			account_add_plan_limit(&table, account, plan, i,
					       config_file_find(call).path);
		} else {
			account_add_limit(&table, limit);
			table_cell(&table, "account");
		}
	}
	return table_print(&table);
}

static bool account_add_project_json(const struct store_project *row, void *arg)
{
	struct json_list *list = arg;

	json_write_object(&list->json, NULL);
	account_json_write_project(&list->json, row);
	json_write_object_end(&list->json);
	return true;
}

static bool account_add_top_up_json(const struct store_top_up *row, void *arg)
{
	struct json_list *list = arg;

	json_write_object(&list->json, NULL);
	account_json_write_top_up(&list->json, row);
	json_write_object_end(&list->json);
	return true;
}

static int account_show_json(struct store *store, const struct store_account *account,
			     const char *currency)
{
	struct json_list out;
	int printed;
	int err;

	json_list_open_object(&out);
	json_write_object(&out.json, "account");
	account_json_write(&out.json, account, currency);
	json_write_object_end(&out.json);
	json_write_list(&out.json, "projects");
	err = store->ops->project_list(store, account->id, account_add_project_json, &out);
	json_list_next(&out, "top_ups");
	if (!err)
		err = store->ops->top_up_list(store, account->id, account_add_top_up_json, &out);
	if (err)
		out.json.err = err; /* prints nothing rather than an incomplete list */
	printed = json_list_print(&out);
	return err ? err : printed;
}

/* Prints the account, its limits, its projects and its top-ups. */
static int account_show(struct store *store, const struct command_call *call)
{
	static const struct table_column of_projects[] = {
		{"PROJECT", true}, {"CREATED", false}, {"NAME", false}};
	static const struct table_column of_top_ups[] = {
		{"TOP-UP", false}, {"AT", false}, {"CENTS", true}, {"NOTE", false}};
	struct store_account account;
	struct table table;
	int status = account_find(&account, store, call);
	int err;

	if (status != COMMAND_OK)
		return status;
	if (command_value(call, "json")) {
		err = account_show_json(store, &account, account_currency(call));
		return err ? store_verb_failed(call, err, "cannot show the account") : COMMAND_OK;
	}
	table_open(&table, columns, SHOWN);
	table_narrow(&table, account_ranks);
	account_add_shown(&table, &account);
	err = table_print(&table);
	printf("\n");
	if (!err)
		err = account_show_limits(&account, call);
	printf("\n");
	table_open(&table, of_projects, COUNT(of_projects));
	if (!err)
		err = store->ops->project_list(store, account.id, account_add_project, &table);
	if (table_print(&table) != 0)
		err = ENOMEM;
	printf("\n");
	table_open(&table, of_top_ups, COUNT(of_top_ups));
	if (!err)
		err = store->ops->top_up_list(store, account.id, account_add_top_up, &table);
	if (table_print(&table) != 0)
		err = ENOMEM;
	return err ? store_verb_failed(call, err, "cannot show the account") : COMMAND_OK;
}

static int account_set(struct store *store, const struct command_call *call, int64_t id,
		       unsigned fields, const struct store_account *to)
{
	int err = store->ops->account_change(store, id, fields, to);

	if (err == EEXIST)
		return store_verb_failed(call, 0, "there is already an account named %s", to->name);
	return err ? store_verb_failed(call, err, "cannot change the account") : COMMAND_OK;
}

static int account_change(struct store *store, const struct command_call *call)
{
	static const struct store_verb_field names[] = {{STORE_ACCOUNT_NAME, "name"},
							{STORE_ACCOUNT_PLAN, "plan"},
							{STORE_ACCOUNT_PREPAID, "prepaid"},
							{STORE_ACCOUNT_LIMITS, "limits"}};
	char list[STORE_VERB_FIELDS_SIZE];
	struct store_account account;
	unsigned fields = 0;
	int status = account_find(&account, store, call);

	if (status == COMMAND_OK)
		status = account_read_options(&account, &fields, call);
	if (status != COMMAND_OK)
		return status;
	if (fields == 0)
		return command_usage_error(call->command,
					   "nothing to change: give at least one option");
	status = account_set(store, call, account.id, fields, &account);
	store_verb_print_fields(list, names, COUNT(names), fields);
	if (status == COMMAND_OK)
		command_report("account %" PRId64 " (%s) changed: %s", account.id, account.name,
			       list);
	return status;
}

struct account_key_count {
	int64_t account_id;
	int64_t now_ms;
	size_t valid;
};

static bool account_count_key(const struct store_key *key, void *arg)
{
	struct account_key_count *count = arg;

	count->valid += key->account_id == count->account_id && !key->revoked_ms &&
			(!key->expires_ms || key->expires_ms > count->now_ms);
	return true;
}

/* Says what the change means for callers, because the command does not ask for confirmation. */
static void account_report_state(struct store *store, const struct store_account *account)
{
	struct account_key_count count = {.account_id = account->id, .now_ms = clock_wall_ms()};

	if (store->ops->key_list(store, account_count_key, &count) != 0)
		count.valid = 0;
	if (account->closed_ms)
		command_report("account %" PRId64
			       " (%s) closed: within a second, every server rejects its valid keys "
			       "(%zu) and stops speaking to its callers; to undo this: syrinx "
			       "account reopen %" PRId64,
			       account->id, account->name, count.valid, account->id);
	else
		command_report("account %" PRId64 " (%s) reopened: its valid keys (%zu) work again",
			       account->id, account->name, count.valid);
}

static int account_close_or_open(struct store *store, const struct command_call *call,
				 int64_t closed_ms)
{
	struct store_account account;
	int status = account_find(&account, store, call);

	if (status != COMMAND_OK)
		return status;
	if (account.id == STORE_ACCOUNT_DEFAULT)
		return store_verb_failed(call, 0, "the default account cannot be closed");
	if (!account.closed_ms == !closed_ms) {
		command_report("account %" PRId64 " (%s) is already %s; nothing was changed",
			       account.id, account.name, closed_ms ? "closed" : "open");
		return COMMAND_OK;
	}
	account.closed_ms = closed_ms;
	status = account_set(store, call, account.id, STORE_ACCOUNT_CLOSED, &account);
	if (status == COMMAND_OK)
		account_report_state(store, &account);
	return status;
}

static int account_close_it(struct store *store, const struct command_call *call)
{
	return account_close_or_open(store, call, clock_wall_ms());
}

static int account_reopen(struct store *store, const struct command_call *call)
{
	return account_close_or_open(store, call, 0);
}

static int account_make_id(char id[STORE_TURN_ID_MAX + 1])
{
	uint64_t random[2];

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return EIO;
	snprintf(id, STORE_TURN_ID_MAX + 1, "top-up-%016" PRIx64 "%016" PRIx64, random[0],
		 random[1]);
	return 0;
}

static int account_read_top_up(struct store_top_up *top_up, const struct command_call *call)
{
	const char *cents = command_value(call, "cents");
	bool has_id;
	bool has_note;
	int status = store_verb_read_text(top_up->id, STORE_TURN_ID_MAX, &has_id, call, "id");

	if (!cents)
		return command_usage_error(call->command, "top-up needs --cents");
	if (store_verb_parse_cents(&top_up->amount_microcents, cents) != 0)
		return command_usage_error(
			call->command,
			"--cents must be an amount other than 0 with at most six decimals, "
			"not \"%s\"",
			cents);
	if (status != COMMAND_OK)
		return status;
	if (has_id && top_up->id[0] == '\0')
		return command_usage_error(call->command, "--id must not be empty");
	if (!has_id && account_make_id(top_up->id) != 0)
		return store_verb_failed(call, 0, "cannot generate an id");
	return store_verb_read_text(top_up->note, STORE_NAME_MAX, &has_note, call, "note");
}

/* Says whether the top-up was new, which a caller who retries after a lost answer needs to know. */
static void account_report_top_up(const struct store_top_up *row, bool is_old,
				  const struct store_account *account, const char *currency)
{
	char at[CALENDAR_SIZE];
	char balance[MONEY_SIZE];

	calendar_print_minute(at, row->at_ms);
	money_format(balance, account->credit_microcents - account->spent_microcents, currency);
	if (is_old)
		printf("%s was already recorded at %s; nothing was added, the balance is %s\n",
		       row->id, at, balance);
	else
		printf("%s: the balance is %s\n", row->id, balance);
}

static int account_top_up(struct store *store, const struct command_call *call)
{
	int64_t now_ms = clock_wall_ms();
	struct store_top_up row = {.at_ms = now_ms};
	struct store_account account;
	int status = account_read_top_up(&row, call);
	int err;

	if (status == COMMAND_OK)
		status = account_find(&account, store, call);
	if (status != COMMAND_OK)
		return status;
	row.account_id = account.id;
	err = registry_top_up(store, &row);
	if (err == EEXIST)
		return store_verb_failed(
			call, 0,
			"%s was already recorded with a different amount or account; nothing "
			"was changed",
			row.id);
	if (!err)
		err = store->ops->account_get(store, &account, account.id);
	if (err)
		return store_verb_failed(call, err, "cannot record the top-up");
	account_report_top_up(&row, row.at_ms != now_ms, &account, account_currency(call));
	if (!command_value(call, "id"))
		command_report("(this id was generated: running the same command again adds the "
			       "amount again; adding --id %s makes a repeat harmless)",
			       row.id);
	return COMMAND_OK;
}

/* Verifies the stored totals against the rows of the ledger. */
static int account_check(struct store *store, const struct command_call *call)
{
	int64_t wrong = 0;
	int err = store->ops->audit(store, &wrong);

	if (err)
		return store_verb_failed(call, err, "cannot check the totals");
	if (wrong > 0)
		return store_verb_failed(call, 0, "%lld totals do not match the ledger",
					 (long long)wrong);
	printf("all totals match the ledger\n");
	return COMMAND_OK;
}

static const struct store_verb verbs[] = {
	{"create", true, 0, "", account_create},
	{"list", false, 0, "", account_list},
	{"show", false, 1, "an account", account_show},
	{"change", true, 1, "an account", account_change},
	{"close", true, 1, "an account", account_close_it},
	{"reopen", true, 1, "an account", account_reopen},
	{"top-up", true, 1, "an account", account_top_up},
	{"check", false, 0, "", account_check},
};

static int account_run(const struct command_call *call)
{
	return store_verb_run(call, verbs, COUNT(verbs));
}

static const struct command_option options[] = {
	STORE_VERB_OPTIONS,
	STORE_VERB_CREATE_OPTION,
	{"name", 0, "NAME", "the account's name, which must be unique"},
	{"plan", 0, "NAME", "the configured plan whose limits apply (\"\": default)"},
	{"prepaid", 0, "yes|no", "whether the account needs credit to speak (no)"},
	STORE_VERB_LIMIT_OPTIONS,
	{"cents", 0, "AMOUNT",
	 "top-up: the amount, with up to six decimals; negative to take back"},
	{"id", 0, "ID", "top-up: its id; a repeat with the same id has no effect"},
	{"note", 0, "TEXT", "top-up: what it is for"},
	{"json", 0, NULL, "list, show: print JSON"},
	{0},
};

const struct command command_account = {
	.name = "account",
	.operands = "create|list|show|change|close|reopen|top-up|check [ACCOUNT]",
	.operands_min = 1,
	.operands_max = 2,
	.summary = "Create, list, change and close accounts, and top up their credit.",
	.options = options,
	.run = account_run,
	.examples = "  syrinx account create --name acme --prepaid yes\n"
		    "  syrinx account top-up acme --cents 2000 --id invoice-2026-17\n",
};
