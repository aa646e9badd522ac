/*
 * project_choice.h: finds the project that an option names.
 */
#ifndef CLI_PROJECT_CHOICE_H
#define CLI_PROJECT_CHOICE_H

#include "cli/command.h"
#include "store/store.h"

/* Finds a project by its number or name, in one account or, if account_id is 0, in any. Returns
 * COMMAND_OK, or another status after printing the reason. */
int project_choice_find(struct store_project *project, struct store *store,
			const struct command_call *call, int64_t account_id, const char *which);

#endif
