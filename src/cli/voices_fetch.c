/*
 * voices_fetch.c: `syrinx voices fetch`: installs the neural voices of the catalogue and the
 * library that runs them.
 */
#include "cli/runtime_package.h"
#include "cli/voices_packages.h"
#include "cli/voices_verbs.h"

int voices_work_open(struct install_work *work, const struct command_call *call,
		     const struct config *config)
{
	return install_work_open(work, call, "voices", config->voices_dir,
				 "--voices DIR or SYRINX_VOICES");
}

int voices_verb_fetch(const struct command_call *call, const struct config *config)
{
	struct install_work work;
	int err;

	if (call->operand_count > 1)
		return command_usage_error(call->command,
					   "fetch takes no name; to install one voice, use add");
	err = voices_work_open(&work, call, config);
	if (!err)
		err = install_work_install(&work, runtime_package_find());
	if (!err)
		err = install_work_install(&work, &voices_package_libritts);
	/* A server that runs this command reports it itself. */
	if (!err && !command_value(call, "report-to"))
		progress_step(&work.progress, "the neural voices are installed in %s",
			      config->voices_dir);
	return install_work_close(&work, err);
}
