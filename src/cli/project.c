/*
 * project.c: `syrinx project`: manages projects, which group the keys, dictionaries and voices
 * of an account.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/count.h"
#include "cli/json_list.h"
#include "cli/store_verb.h"
#include "cli/table.h"
#include "server/account_json.h"

static int project_create(struct store *store, const struct command_call *call)
{
	struct store_project project = {.created_ms = clock_wall_ms()};
	bool has_name;
	int status = store_verb_read_text(project.name, STORE_NAME_MAX, &has_name, call, "name");
	int err;

	if (status != COMMAND_OK)
		return status;
	if (project.name[0] == '\0')
		return command_usage_error(call->command, "create needs --name");
	status = store_verb_find_account(&project.account_id, store, call, STORE_ACCOUNT_DEFAULT);
	if (status != COMMAND_OK)
		return status;
	err = store->ops->project_add(store, &project);
	if (err == EEXIST)
		return store_verb_failed(call, 0, "the account already has a project named %s",
					 project.name);
	if (err)
		return store_verb_failed(call, err, "cannot create the project");
	printf("%" PRId64 "\n", project.id);
	command_report(
		"project %" PRId64
		" (%s) created; to create a key for it: syrinx key create --project %" PRId64,
		project.id, project.name, project.id);
	return COMMAND_OK;
}

static bool project_add_row(const struct store_project *row, void *arg)
{
	struct table *table = arg;
	char created[CALENDAR_SIZE];

	calendar_print_minute(created, row->created_ms);
	table_cell(table, "%" PRId64, row->id);
	table_cell(table, "%" PRId64, row->account_id);
	table_cell(table, "%s", created);
	table_cell(table, "%s", row->name);
	return true;
}

static bool project_add_json(const struct store_project *row, void *arg)
{
	struct json_list *list = arg;

	json_write_object(&list->json, NULL);
	account_json_write_project(&list->json, row);
	json_write_object_end(&list->json);
	return true;
}

static int project_list(struct store *store, const struct command_call *call)
{
	static const struct table_column columns[] = {
		{"PROJECT", true}, {"ACCOUNT", true}, {"CREATED", false}, {"NAME", false}};
	struct json_list json;
	struct table table;
	int64_t account_id;
	int status = store_verb_find_account(&account_id, store, call, 0);
	int printed;
	int err;

	if (status != COMMAND_OK)
		return status;
	if (command_value(call, "json")) {
		json_list_open(&json, "projects");
		err = store->ops->project_list(store, account_id, project_add_json, &json);
		printed = json_list_print(&json);
	} else {
		table_open(&table, columns, COUNT(columns));
		err = store->ops->project_list(store, account_id, project_add_row, &table);
		printed = table_print(&table);
	}
	return err || printed
		       ? store_verb_failed(call, err ? err : printed, "cannot list the projects")
		       : COMMAND_OK;
}

static const struct store_verb verbs[] = {
	{"create", true, 0, "", project_create},
	{"list", false, 0, "", project_list},
};

static int project_run(const struct command_call *call)
{
	return store_verb_run(call, verbs, COUNT(verbs));
}

static const struct command_option options[] = {
	STORE_VERB_OPTIONS,
	STORE_VERB_CREATE_OPTION,
	{"account", 0, "ACCOUNT", "the account, by number or name (create: 1; list: all)"},
	{"name", 0, "NAME", "the name of the new project"},
	{"json", 0, NULL, "print the list as JSON"},
	{0},
};

const struct command command_project = {
	.name = "project",
	.operands = "create|list",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "Create and list projects, which group keys, dictionaries and voices.",
	.options = options,
	.run = project_run,
	.examples = "  syrinx project create --account acme --name website\n"
		    "  syrinx project list --account acme --json\n",
};
