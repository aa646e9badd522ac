/*
 * voices_fetch.c: the neural voices, fetched meanwhile (see voices_fetch.h).
 */
#include "server/voices_fetch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "loop/child.h"

/* What its end may take, when it has to clear up first. */
#define END_MS 3000

struct voices_fetch {
	struct child *child; /* NULL once it has ended */
	int report_fd; /* where it says why it failed */
};

bool voices_fetch_is_running(const struct voices_fetch *fetch)
{
	return fetch && fetch->child;
}

static bool has_file(const char *dir, const char *name)
{
	char path[2 * PARAM_STRING_SIZE];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, R_OK) == 0;
}

static bool is_wanted(const struct config *config)
{
	static const char *const files[] = {"libonnxruntime.so", "libritts.onnx",
					    "libritts.onnx.json"};

	if (!has_file(config->engines_dir, "syrinx-vits"))
		return false;
	for (size_t i = 0; i < COUNT(files); ++i)
		if (!has_file(config->voices_dir, files[i]))
			return true;
	return false;
}

static void log_failure(struct voices_fetch *fetch)
{
	char why[512];
	ssize_t n = read(fetch->report_fd, why, sizeof(why) - 1);

	why[n > 0 ? n : 0] = '\0';
	log_warn("voices",
		 "the neural voices were not fetched; the other voices work: %s; to try again: "
		 "syrinx voices fetch",
		 why[0] ? why : "it did not say");
}

static void on_exit_status(int err, int status, int signal, void *arg)
{
	struct voices_fetch *fetch = arg;

	fetch->child = mem_deref(fetch->child);
	if (err)
		log_warn("voices", "cannot fetch the neural voices: %s", strerror(err));
	else if (status == 0 && signal == 0)
		log_info("voices", "the neural voices were fetched");
	else
		log_failure(fetch);
}

/* Ended in good order it leaves nothing behind, which takes it a moment: until
 * its end of the socket is closed. */
static void voices_fetch_destroy(void *object)
{
	struct voices_fetch *fetch = object;
	struct pollfd its_end = {.fd = fetch->report_fd};

	if (fetch->child) {
		log_info("voices", "the server ends before the neural voices are fetched");
		child_kill(fetch->child, SIGTERM);
		poll(&its_end, 1, END_MS);
		mem_deref(fetch->child);
	}
	if (fetch->report_fd >= 0)
		close(fetch->report_fd);
}

static int start(struct voices_fetch *fetch, struct loop *loop, const struct config *config)
{
	static char voices[] = "voices", verb[] = "fetch";
	static char dir_option[] = "--voices", report_option[] = "--report-to", report[] = "3";
	char self[4096];
	char dir[PARAM_STRING_SIZE];
	char *const argv[] = {self, voices, verb, dir_option, dir, report_option, report, NULL};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	_Static_assert(CHILD_SOCKET_FD == 3, "see report");
	if (n < 0)
		return errno;
	self[n] = '\0';
	memcpy(dir, config->voices_dir, sizeof(dir));
	/* It reports its progress in lines, which are logged. */
	return child_spawn(&fetch->child, &fetch->report_fd, loop, argv, environ, "voices",
			   on_exit_status, fetch);
}

void voices_fetch_start(struct voices_fetch **fetchp, struct loop *loop,
			const struct config *config)
{
	struct voices_fetch *fetch;
	int err = ENOMEM;

	if (config->voices_dir[0] == '\0') {
		log_warn("voices",
			 "the neural voices are not fetched; the other voices work: there "
			 "is no folder for them; name one: --voices DIR or SYRINX_VOICES");
		return;
	}
	if (!is_wanted(config))
		return;
	fetch = mem_zalloc(sizeof(*fetch), voices_fetch_destroy);
	if (fetch) {
		fetch->report_fd = -1;
		err = start(fetch, loop, config);
	}
	if (err) {
		log_warn("voices", "cannot fetch the neural voices: %s", strerror(err));
		mem_deref(fetch);
		return;
	}
	log_info("voices", "fetching the neural voices (110 MB) into %s", config->voices_dir);
	*fetchp = fetch;
}
