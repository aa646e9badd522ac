/*
 * install_work.c: what the commands that change a folder have in common (see install_work.h).
 */
#include "cli/install_work.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* For a server, which has its own log: writes only the reason, to the descriptor that it passed. */
static void install_work_report(const struct install_work *work)
{
	int64_t fd;

	if (command_number(&fd, work->call, "report-to", 0, 1023, -1) == 0 && fd >= 0) {
		if (write((int)fd, work->why, strlen(work->why)) >= 0)
			return;
	}
	fprintf(stderr, "syrinx %s: %s\n", work->call->command->name, work->why);
}

static void install_work_report_waiting(void)
{
	fprintf(stderr, "syrinx: another command is changing the folder; waiting for it\n");
}

int install_work_open(struct install_work *work, const struct command_call *call, const char *what,
		      const char *path, const char *choice)
{
	*work = (struct install_work){.call = call, .folder = INSTALL_FOLDER_CLOSED};
	interrupt_watch();
	progress_init(&work->progress, command_value(call, "quiet") != NULL);
	if (path[0] == '\0') {
		snprintf(work->why, sizeof(work->why),
			 "there is no default folder for %s, because this user has no "
			 "home directory; name one with %s",
			 what, choice);
		return ENOENT;
	}
	return install_folder_open(&work->folder, path, choice, install_work_report_waiting,
				   work->why);
}

int install_work_close(struct install_work *work, int err)
{
	progress_end(&work->progress);
	install_folder_close(&work->folder);
	if (!err)
		return COMMAND_OK;
	install_work_report(work);
	return COMMAND_FAILED;
}

int install_work_install(struct install_work *work, const struct pinned_package *package)
{
	if (package)
		return pinned_package_install(package, &work->folder, &work->progress, work->why);
	snprintf(work->why, sizeof(work->why),
		 "there is no ONNX Runtime package for this kind of machine; put a "
		 "libonnxruntime.so into %s",
		 work->folder.path);
	return ENOTSUP;
}
