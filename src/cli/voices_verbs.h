/*
 * voices_verbs.h: what `syrinx voices` can do besides listing.
 *
 * Each gives the command's exit status and has printed what went wrong.
 */
#ifndef CLI_VOICES_VERBS_H
#define CLI_VOICES_VERBS_H

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/voices_folder.h"
#include "server/config.h"

int voices_verb_fetch(const struct command_call *call, const struct config *config);
int voices_verb_add(const struct command_call *call, const struct config *config);
int voices_verb_remove(const struct command_call *call, const struct config *config);

struct voices_package;

/* The voices folder for as long as one of them works in it. */
struct voices_work {
	const struct command_call *call;
	const struct config *config;
	struct voices_folder folder;
	struct progress progress;
	char why[VOICES_WHY_SIZE];
};

int voices_work_open(struct voices_work *work, const struct command_call *call,
		     const struct config *config);

/* Tells the error, if there is one, and gives the exit status. */
int voices_work_close(struct voices_work *work, int err);

/* NULL is a runtime that is not published for this machine. */
int voices_work_install(struct voices_work *work, const struct voices_package *package);

#endif
