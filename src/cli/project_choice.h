/*
 * project_choice.h: the project that an option names.
 */
#ifndef CLI_PROJECT_CHOICE_H
#define CLI_PROJECT_CHOICE_H

#include "cli/command.h"
#include "store/store.h"

/* Finds a project by its number or its name, of one account or, with account_id 0, of any.  Gives
 * COMMAND_OK, or another status after telling the user what is wrong. */
int project_choice_find(struct store_project *project, struct store *store,
			const struct command_call *call, int64_t account_id, const char *which);

#endif
