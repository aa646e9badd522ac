/*
 * install_work.h: what the commands that change a folder of voices or models have in common.
 */
#ifndef CLI_INSTALL_WORK_H
#define CLI_INSTALL_WORK_H

#include "cli/command.h"
#include "cli/install_folder.h"
#include "cli/pinned_package.h"
#include "cli/progress.h"

/* The work of one command. */
struct install_work {
	const struct command_call *call; /* of a command with the options quiet and report-to */
	struct install_folder folder;
	struct progress progress;
	char why[INSTALL_WHY_SIZE];
};

/* `what` is what the folder contains, `path` the folder ("": there is none), and `choice` how the
 * user can name another one. install_work_close must be called even after a failure. */
int install_work_open(struct install_work *work, const struct command_call *call, const char *what,
		      const char *path, const char *choice);

/* Prints the error, if there is one, and returns the exit status. */
int install_work_close(struct install_work *work, int err);

/* Installs a package. For ONNX Runtime, `package` is NULL on a machine for which it is not
 * published. */
int install_work_install(struct install_work *work, const struct pinned_package *package);

#endif
