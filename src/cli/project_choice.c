/*
 * project_choice.c: finds the project that an option names (see project_choice.h).
 */
#include "cli/project_choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/registry.h"
#include "base/similar.h"
#include "cli/store_verb.h"

struct project_choice {
	const char *name;
	struct store_project found;
	size_t matches;
	char meant[STORE_NAME_MAX + 1]; /* the most similar name, or "" */
	struct similar_search search;
};

static bool project_choice_compare(const struct store_project *row, void *arg)
{
	struct project_choice *choice = arg;

	if (strcmp(row->name, choice->name) == 0) {
		choice->found = *row;
		++choice->matches;
	} else if (similar_is_nearer(&choice->search, row->name)) {
		snprintf(choice->meant, sizeof(choice->meant), "%s", row->name);
	}
	return true;
}

static int project_choice_by_name(struct store_project *project, struct store *store,
				  const struct command_call *call, int64_t account_id,
				  const char *name)
{
	struct project_choice choice = {.name = name, .search = {name, SIMILAR_MAX}};
	int err = store->ops->project_list(store, account_id, project_choice_compare, &choice);

	if (err)
		return store_verb_failed(call, err, "cannot look up the project");
	if (choice.matches > 1)
		return store_verb_failed(
			call, 0,
			"%zu accounts have a project named %s: select one with --account, or "
			"give the project's number",
			choice.matches, name);
	if (choice.matches == 0)
		return store_verb_failed(call, 0, "there is no project %s%s%s%s%s", name,
					 account_id ? " in the account" : "",
					 choice.meant[0] ? "; did you mean " : "", choice.meant,
					 choice.meant[0] ? "?" : "");
	*project = choice.found;
	return COMMAND_OK;
}

int project_choice_find(struct store_project *project, struct store *store,
			const struct command_call *call, int64_t account_id, const char *which)
{
	char *end;
	int64_t id;
	int err;

	errno = 0;
	id = strtoll(which, &end, 10);
	if (!registry_is_number(which) || errno || *end != '\0' || id < 1)
		return project_choice_by_name(project, store, call, account_id, which);
	err = registry_find_project(store, project, account_id, id);
	if (err == ENOENT)
		return store_verb_failed(call, 0, "there is no project %s%s", which,
					 account_id ? " in the account" : "");
	return err ? store_verb_failed(call, err, "cannot look up the project") : COMMAND_OK;
}
