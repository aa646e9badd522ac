/*
 * models_verbs.h: the verbs of `syrinx models` other than listing.
 *
 * Each returns the exit status of the command and prints errors.
 */
#ifndef CLI_MODELS_VERBS_H
#define CLI_MODELS_VERBS_H

#include "cli/command.h"
#include "server/config.h"

int models_verb_fetch(const struct command_call *call, const struct config *config);
int models_verb_remove(const struct command_call *call, const struct config *config);

#endif
