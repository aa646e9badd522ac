/*
 * voices_verbs.h: the verbs of `syrinx voices` other than listing.
 *
 * Each returns the exit status of the command and prints errors.
 */
#ifndef CLI_VOICES_VERBS_H
#define CLI_VOICES_VERBS_H

#include "cli/command.h"
#include "cli/install_work.h"
#include "server/config.h"

int voices_verb_fetch(const struct command_call *call, const struct config *config);
int voices_verb_add(const struct command_call *call, const struct config *config);
int voices_verb_remove(const struct command_call *call, const struct config *config);

/* Opens the voices folder for a verb (see install_work.h). */
int voices_work_open(struct install_work *work, const struct command_call *call,
		     const struct config *config);

#endif
