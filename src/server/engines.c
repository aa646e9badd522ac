/*
 * engines.c: the pool of engines that a configuration asks for (see engines.h).
 */
#include "server/engines.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "workers/confine.h"
#include "workers/launch.h"

#define ENGINES_WORDS_MAX 16
#define ENGINES_ERRORS_MAX 8192 /* one line with two paths */

/* The arguments that run an engine confined, and the storage for those that are built here. */
struct engines_launcher {
	const char *words[ENGINES_WORDS_MAX];
	char self[PATH_MAX];
	char parent[16];
	char user[32];
};

/* The operator has configured which folders engines may read; if the keys are in one of them,
 * that can only be a mistake. */
static int engines_check_data(const struct config *config, struct buf *errors)
{
	char paths[2 * PARAM_STRING_SIZE];
	char where[PATH_MAX];
	char data[PARAM_STRING_SIZE];
	const char *existing = data;
	const struct confine_request request = {.paths = paths};

	snprintf(paths, sizeof(paths), "%s:%s", config->engine_paths, config->voices_dir);
	/* A directory that is not made yet will be in the one above it. */
	memcpy(data, config->data_dir, sizeof(data));
	while (access(existing, F_OK) != 0 && errno == ENOENT && strcmp(existing, ".") != 0)
		existing = dirname(data);
	if (!confine_shows(where, sizeof(where), &request, existing))
		return 0;
	(void)buf_printf(
		errors,
		"engines may read %s, and server.data (%s) is in it: the keys and the ledger "
		"must be elsewhere\n",
		where, config->data_dir);
	return EPERM;
}

int engines_check(const struct config *config, struct buf *errors)
{
	int err = engines_check_data(config, errors);

	if (err)
		return err;
	err = pool_look(config->engines_dir);
	if (err)
		(void)buf_printf(errors, "no engines in %s (speech.engines_dir): %s\n",
				 config->engines_dir,
				 err == ENOENT ? "there is no program syrinx-NAME" : strerror(err));
	return err;
}

static int engines_make_launcher(struct engines_launcher *launcher, const struct config *config,
				 bool reports)
{
	ssize_t self_len = readlink("/proc/self/exe", launcher->self, sizeof(launcher->self) - 1);
	size_t n = 0;
	uid_t uid;
	gid_t gid;

	if (self_len < 0)
		return errno;
	launcher->self[self_len] = '\0';
	snprintf(launcher->parent, sizeof(launcher->parent), "%ld", (long)getpid());
	launcher->words[n++] = launcher->self;
	launcher->words[n++] = "confine";
	launcher->words[n++] = "--memory-mb";
	launcher->words[n++] = LAUNCH_MEMORY_WORD;
	launcher->words[n++] = "--parent";
	launcher->words[n++] = launcher->parent;
	launcher->words[n++] = LAUNCH_JIT_WORD;
	if (reports)
		launcher->words[n++] = LAUNCH_REPORT_WORD;
	if (config->engine_paths[0] != '\0') {
		launcher->words[n++] = "--read";
		launcher->words[n++] = config->engine_paths;
	}
	if (geteuid() == 0 && config->worker_user[0] != '\0' &&
	    config_worker_user(config, &uid, &gid) == 0) {
		snprintf(launcher->user, sizeof(launcher->user), "%lu:%lu", (unsigned long)uid,
			 (unsigned long)gid);
		launcher->words[n++] = "--user";
		launcher->words[n++] = launcher->user;
	}
	launcher->words[n++] = "--";
	launcher->words[n] = NULL;
	return 0;
}

/* A voice "model:speaker" of the engine that has its voices in a folder is installed as long as
 * its model is there.  Other engines bring theirs along. */
static bool engines_has_voice(const char *engine, const char *engine_voice, void *arg)
{
	const char *voices_dir = arg;
	char path[PATH_MAX];

	if (strcmp(engine, ENGINES_WITH_VOICES_DIR) != 0)
		return true;
	snprintf(path, sizeof(path), "%s/%.*s.onnx", voices_dir, (int)strcspn(engine_voice, ":"),
		 engine_voice);
	return voices_dir[0] != '\0' && access(path, R_OK) == 0;
}

static int engines_open_chosen(struct pool **poolp, struct loop *loop, const struct config *config,
			       const struct engines_choice *choice, const char *records_dir)
{
	char voices[sizeof("SYRINX_VOICES=") + PARAM_STRING_SIZE];
	const char *const environment[] = {voices, NULL};
	struct engines_launcher launcher;
	void *voices_dir = (void *)(uintptr_t)config->voices_dir; /* read only */
	struct pool_options options = {
		.engines_dir = config->engines_dir,
		.only_engine = choice->only,
		.but_engine = choice->but,
		.launcher = launcher.words,
		.environment = environment,
		.order = (enum pool_order)config->order,
		.no_fallback = !config->fallback,
		.workers_max = (unsigned)config->workers,
		.slots = (unsigned)config->slots,
		.start_timeout_ms = (unsigned)config->start_timeout_ms,
		.load_timeout_ms = (unsigned)config->load_timeout_ms,
		.stall_ms = (unsigned)config->stall_seconds * 1000u,
		.recycle_jobs = (unsigned)config->worker_recycle_jobs,
		.memory_mb = (unsigned)config->worker_memory_mb,
		.large_engine = ENGINES_WITH_VOICES_DIR,
		.large_memory_mb = (unsigned)config->neural_memory_mb,
		.cpu_seconds = (unsigned)config->worker_cpu_seconds,
		.jit_engines = config->jit_engines,
		.test_hooks = config->test_hooks,
		.is_installed = records_dir ? engines_has_voice : NULL,
		.installed_arg = voices_dir,
		.records_dir = records_dir,
	};
	struct buf errors;
	int err;

	buf_init(&errors, ENGINES_ERRORS_MAX);
	err = engines_check(config, &errors);
	if (err && errors.len > 0)
		log_error("server", "%.*s", (int)errors.len - 1, errors.bytes);
	buf_reset(&errors);
	if (!err)
		err = confine_hide_memory();
	if (!err)
		err = engines_make_launcher(&launcher, config, records_dir != NULL);
	if (err)
		return err;
	snprintf(voices, sizeof(voices), "SYRINX_VOICES=%s", config->voices_dir);
	return pool_alloc(poolp, loop, &options);
}

int engines_open(struct pool **poolp, struct loop *loop, const struct config *config,
		 const char *records_dir)
{
	static const struct engines_choice all;

	return engines_open_chosen(poolp, loop, config, &all, records_dir);
}

int engines_open_some(struct pool **poolp, struct loop *loop, const struct config *config,
		      const struct engines_choice *choice)
{
	return engines_open_chosen(poolp, loop, config, choice, NULL);
}
