/*
 * downloads.c: downloads voices and models while the server runs (see downloads.h).
 *
 * Runs on the loop's thread.
 */
#include "server/downloads.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "loop/child.h"
#include "server/model_files.h"

/* How long the child may take to end, including its cleanup. */
#define END_MS 3000

struct downloads {
	struct loop *loop;
	const struct config *config;
	enum downloads_kind kind; /* the one in progress; DOWNLOADS_KINDS: none */
	struct child *child; /* NULL once it has ended */
	int report_fd; /* the child reports here why it failed */
};

static bool downloads_has_file(const char *dir, const char *name)
{
	char path[2 * PARAM_STRING_SIZE];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, R_OK) == 0;
}

static bool downloads_lacks_voices(const struct config *config)
{
	static const char *const files[] = {"libonnxruntime.so", "libritts.onnx",
					    "libritts.onnx.json"};

	if (!downloads_has_file(config->engines_dir, "syrinx-vits"))
		return false;
	for (size_t i = 0; i < COUNT(files); ++i)
		if (!downloads_has_file(config->voices_dir, files[i]))
			return true;
	return false;
}

static bool downloads_lacks_models(const struct config *config)
{
	char missing[MODEL_FILES_TEXT_SIZE];

	return downloads_has_file(config->engines_dir, "syrinx-hear") &&
	       model_files_find_missing(missing, config);
}

static const struct {
	const char *command; /* also the name in the log */
	const char *what;
	const char *size;
	const char *failure; /* a whole sentence, so that it can be searched for */
	const char *choice; /* how to name a folder */
	bool (*is_lacking)(const struct config *config);
} downloads_kinds[DOWNLOADS_KINDS] = {
	[DOWNLOADS_VOICES] = {"voices", "the neural voices", "110 MB",
			      "the neural voices were not fetched; the other voices work",
			      "--voices DIR or SYRINX_VOICES", downloads_lacks_voices},
	[DOWNLOADS_MODELS] = {"models", "the models that recognize speech", "up to 39 MB",
			      "the models that recognize speech were not fetched; the server "
			      "speaks, but cannot listen",
			      "--models DIR or SYRINX_MODELS", downloads_lacks_models},
};

static const char *downloads_folder(const struct config *config, enum downloads_kind kind)
{
	return kind == DOWNLOADS_VOICES ? config->voices_dir : config->models_dir;
}

static bool downloads_is_wanted(const struct config *config, enum downloads_kind kind)
{
	bool is_asked_for = kind == DOWNLOADS_VOICES ? config->fetch_voices : config->fetch_models;

	if (!is_asked_for)
		return false;
	if (downloads_folder(config, kind)[0] != '\0')
		return downloads_kinds[kind].is_lacking(config);
	log_warn(downloads_kinds[kind].command, "%s: there is no folder for them; name one: %s",
		 downloads_kinds[kind].failure, downloads_kinds[kind].choice);
	return false;
}

bool downloads_is_running(const struct downloads *downloads, enum downloads_kind kind)
{
	return downloads && downloads->kind == kind;
}

static void downloads_log_failure(struct downloads *downloads)
{
	char why[512];
	ssize_t n = read(downloads->report_fd, why, sizeof(why) - 1);
	const char *command = downloads_kinds[downloads->kind].command;

	why[n > 0 ? n : 0] = '\0';
	log_warn(command, "%s: %s; to try again: syrinx %s fetch",
		 downloads_kinds[downloads->kind].failure, why[0] ? why : "no reason was given",
		 command);
}

static void downloads_go_on(struct downloads *downloads, int kind);

static void downloads_on_exit_status(int err, int status, int signal, void *arg)
{
	struct downloads *downloads = arg;
	enum downloads_kind kind = downloads->kind;

	downloads->child = mem_deref(downloads->child);
	if (err)
		log_warn(downloads_kinds[kind].command, "cannot fetch %s: %s",
			 downloads_kinds[kind].what, strerror(err));
	else if (status == 0 && signal == 0)
		log_info(downloads_kinds[kind].command, "%s were fetched",
			 downloads_kinds[kind].what);
	else
		downloads_log_failure(downloads);
	if (downloads->report_fd >= 0)
		close(downloads->report_fd);
	downloads->report_fd = -1;
	downloads_go_on(downloads, (int)kind + 1);
}

/* Ends the child and waits until it has removed its incomplete files.  Then it exits, which closes
 * its end of the socket. */
static void downloads_destroy(void *object)
{
	struct downloads *downloads = object;
	struct pollfd its_end = {.fd = downloads->report_fd};

	if (downloads->child) {
		log_info(downloads_kinds[downloads->kind].command,
			 "the server ends before %s are fetched",
			 downloads_kinds[downloads->kind].what);
		child_kill(downloads->child, SIGTERM);
		poll(&its_end, 1, END_MS);
		mem_deref(downloads->child);
	}
	if (downloads->report_fd >= 0)
		close(downloads->report_fd);
}

static int downloads_spawn(struct downloads *downloads)
{
	static char verb[] = "fetch", report_option[] = "--report-to", report[] = "3";
	static char voices_option[] = "--voices", models_option[] = "--models";
	const char *name = downloads_kinds[downloads->kind].command;
	char self[4096];
	char command[16];
	char voices[PARAM_STRING_SIZE], models[PARAM_STRING_SIZE];
	/* Models are not fetched with a second copy of the library that the voices have. */
	char *const argv[] = {self,   command,
			      verb,   report_option,
			      report, voices_option,
			      voices, downloads->kind == DOWNLOADS_MODELS ? models_option : NULL,
			      models, NULL};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	_Static_assert(CHILD_SOCKET_FD == 3, "see report");
	if (n < 0)
		return errno;
	self[n] = '\0';
	snprintf(command, sizeof(command), "%s", name);
	memcpy(voices, downloads->config->voices_dir, sizeof(voices));
	memcpy(models, downloads->config->models_dir, sizeof(models));
	/* The child reports its progress in lines, which are logged. */
	return child_spawn(&downloads->child, &downloads->report_fd, downloads->loop, argv, environ,
			   name, downloads_on_exit_status, downloads);
}

/* Starts the first download from `kind` on that is needed. */
static void downloads_go_on(struct downloads *downloads, int kind)
{
	for (; kind < DOWNLOADS_KINDS; ++kind) {
		int err;

		if (!downloads_is_wanted(downloads->config, (enum downloads_kind)kind))
			continue;
		downloads->kind = (enum downloads_kind)kind;
		err = downloads_spawn(downloads);
		if (!err) {
			log_info(downloads_kinds[kind].command, "fetching %s (%s) into %s",
				 downloads_kinds[kind].what, downloads_kinds[kind].size,
				 downloads_folder(downloads->config, downloads->kind));
			return;
		}
		log_warn(downloads_kinds[kind].command, "cannot fetch %s: %s",
			 downloads_kinds[kind].what, strerror(err));
	}
	downloads->kind = DOWNLOADS_KINDS;
}

/* An operator who installed an engine that listens should learn why it does not. */
static void downloads_log_missing(const struct config *config)
{
	char missing[MODEL_FILES_TEXT_SIZE];

	if (downloads_lacks_models(config) && model_files_find_missing(missing, config))
		log_info("models", "the server cannot listen: it lacks %s in %s; to install: %s",
			 missing, config->models_dir[0] ? config->models_dir : "its models folder",
			 MODEL_FILES_COMMAND);
}

void downloads_start(struct downloads **downloadsp, struct loop *loop, const struct config *config)
{
	struct downloads *downloads;

	if (!config->fetch_models)
		downloads_log_missing(config);
	if (!config->fetch_voices && !config->fetch_models)
		return;
	downloads = mem_zalloc(sizeof(*downloads), downloads_destroy);
	if (!downloads) {
		log_warn("server", "cannot fetch voices and models: %s", strerror(ENOMEM));
		return;
	}
	downloads->loop = loop;
	downloads->config = config;
	downloads->report_fd = -1;
	downloads_go_on(downloads, 0);
	*downloadsp = downloads;
}
