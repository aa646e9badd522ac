/*
 * voices_fetch.c: `syrinx voices fetch`: the neural voices of the catalogue and
 * what runs them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/voices_package.h"
#include "cli/voices_verbs.h"

/* For a server that has its own log: the reason alone, on a descriptor that it
 * gave us. */
static void voices_fetch_tell(const struct voices_work *work)
{
	int64_t fd;

	if (command_number(&fd, work->call, "report-to", 0, 1023, -1) == 0 && fd >= 0) {
		if (write((int)fd, work->why, strlen(work->why)) >= 0)
			return;
	}
	fprintf(stderr, "syrinx voices: %s\n", work->why);
}

static void voices_fetch_tell_waiting(void)
{
	fprintf(stderr, "syrinx voices: another command changes the folder; waiting for it\n");
}

int voices_work_open(struct voices_work *work, const struct command_call *call,
		     const struct config *config)
{
	*work = (struct voices_work){.call = call, .config = config, .folder = {"", -1, -1, -1}};
	interrupt_watch();
	progress_init(&work->progress, command_value(call, "quiet") != NULL);
	if (config->voices_dir[0] == '\0') {
		snprintf(work->why, sizeof(work->why),
			 "there is no folder for voices, because this user has no home; name one: "
			 "--voices DIR or SYRINX_VOICES");
		return ENOENT;
	}
	return voices_folder_open(&work->folder, config->voices_dir, voices_fetch_tell_waiting,
				  work->why);
}

int voices_work_close(struct voices_work *work, int err)
{
	progress_end(&work->progress);
	voices_folder_close(&work->folder);
	if (!err)
		return COMMAND_OK;
	voices_fetch_tell(work);
	return COMMAND_FAILED;
}

int voices_work_install(struct voices_work *work, const struct voices_package *package)
{
	if (package)
		return voices_package_install(package, &work->folder, &work->progress, work->why);
	snprintf(work->why, sizeof(work->why),
		 "there is no package of ONNX Runtime for this kind of machine; put a "
		 "libonnxruntime.so into %s",
		 work->folder.path);
	return ENOTSUP;
}

int voices_verb_fetch(const struct command_call *call, const struct config *config)
{
	struct voices_work work;
	int err;

	if (call->operand_count > 1)
		return command_usage_error(call->command, "fetch takes no name; see add");
	err = voices_work_open(&work, call, config);
	if (!err)
		err = voices_work_install(&work, voices_package_runtime());
	if (!err)
		err = voices_work_install(&work, &voices_package_libritts);
	if (!err && !command_value(call, "report-to")) /* the server that asked reports it itself */
		progress_step(&work.progress, "the neural voices are in %s", config->voices_dir);
	return voices_work_close(&work, err);
}
