/*
 * engines.c: opens the pools of engines that a configuration asks for (see engines.h).
 */
#include "server/engines.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "server/config_machine.h"
#include "workers/confine.h"
#include "workers/launch.h"

#define ENGINES_WORDS_MAX 16
#define ENGINES_ERRORS_MAX 8192 /* one line with two paths */

/* Recordings that are uploaded or decoded at the same time.  Each has a worker of its own, which keeps
 * the file (25 MB at most), from its first byte to its last sample; this many more wait for one. */
#define DECODERS_MAX 16u
#define DECODINGS_MAX (4u * DECODERS_MAX)

/* The arguments that run an engine confined, and the storage for those that are composed here. */
struct engines_launcher {
	const char *words[ENGINES_WORDS_MAX];
	char self[PATH_MAX];
	char parent[16];
	char user[32];
};

/* Refuses a configuration in which the data directory, which contains the keys, is inside a folder
 * that engines may read. */
static int engines_check_data(const struct config *config, struct buf *errors)
{
	char paths[3 * PARAM_STRING_SIZE];
	char where[PATH_MAX];
	char data[PARAM_STRING_SIZE];
	const char *existing = data;
	const struct confine_request request = {.paths = paths};

	snprintf(paths, sizeof(paths), "%s:%s:%s", config->engine_paths, config->voices_dir,
		 config->models_dir);
	/* If the directory does not exist yet, its nearest existing ancestor is checked. */
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

/* Returns the largest number of workers of an engine if the operator has not set one.  A worker
 * needs three file descriptors (its socket, its output and its process), and the workers of one
 * engine may use a quarter of the descriptors that this process may have. */
static unsigned engines_workers_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max / 12 < CONFIG_WORKERS_MAX)
		return limit.rlim_max < 24 ? 2 : (unsigned)(limit.rlim_max / 12);
	return CONFIG_WORKERS_MAX;
}

/* Whether a voice is installed.  The voices of the engine with a voices folder are named
 * "model:speaker", and are installed if the file of the model exists.  Other engines contain their
 * voices. */
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

/* What engines are told about folders: "NAME=value". */
struct engines_environment {
	char voices[sizeof(CONFINE_VOICES_VARIABLE "=") + PARAM_STRING_SIZE];
	char models[sizeof(CONFINE_MODELS_VARIABLE "=") + PARAM_STRING_SIZE];
	const char *list[3];
};

static void engines_make_environment(struct engines_environment *environment,
				     const struct config *config)
{
	snprintf(environment->voices, sizeof(environment->voices), CONFINE_VOICES_VARIABLE "=%s",
		 config->voices_dir);
	snprintf(environment->models, sizeof(environment->models), CONFINE_MODELS_VARIABLE "=%s",
		 config->models_dir);
	environment->list[0] = environment->voices;
	environment->list[1] = environment->models;
	environment->list[2] = NULL;
}

static int engines_open_chosen(struct pool **poolp, struct loop *loop, const struct config *config,
			       const struct engines_choice *choice, struct engines_budget *budget,
			       const char *records_dir)
{
	struct engines_environment environment;
	struct engines_launcher launcher;
	bool is_automatic = config->workers == 0;
	void *voices_dir = (void *)(uintptr_t)config->voices_dir; /* it is only read */
	struct pool_options options = {
		.engines_dir = config->engines_dir,
		.only_engine = choice->only,
		.but_engine = choice->but,
		.launcher = launcher.words,
		.environment = environment.list,
		.order = (enum pool_order)config->order,
		.no_fallback = !config->fallback,
		.workers_max = is_automatic ? engines_workers_max() : (unsigned)config->workers,
		.memory = is_automatic && budget ? &budget->memory : NULL,
		.cores_busy = budget ? &budget->cores_busy : NULL,
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
	engines_make_environment(&environment, config);
	if (budget)
		budget->memory.limit = (uint64_t)config->memory_mb << 20;
	return pool_alloc(poolp, loop, &options);
}

int engines_open(struct pool **poolp, struct loop *loop, const struct config *config,
		 struct engines_budget *budget, const char *records_dir)
{
	static const struct engines_choice all;

	return engines_open_chosen(poolp, loop, config, &all, budget, records_dir);
}

int engines_open_some(struct pool **poolp, struct loop *loop, const struct config *config,
		      const struct engines_choice *choice)
{
	return engines_open_chosen(poolp, loop, config, choice, NULL, NULL);
}

/* Whether a model is installed that the engine had when the server last ran: the models of syrinx-hear
 * are folders.  Other engines may contain theirs. */
static bool engines_has_model(const char *engine, const char *model, void *arg)
{
	const char *models_dir = arg;
	char path[PATH_MAX];

	if (strcmp(engine, ENGINES_WITH_MODELS_DIR) != 0)
		return true;
	snprintf(path, sizeof(path), "%s/%s", models_dir, model);
	return models_dir[0] != '\0' && access(path, R_OK | X_OK) == 0;
}

int engines_open_hearing(struct hearing_pool **poolp, struct loop *loop,
			 const struct config *config, struct engines_budget *budget,
			 const char *records_dir)
{
	struct engines_environment environment;
	struct engines_launcher launcher;
	const struct hearing_pool_options options = {
		.engines_dir = config->engines_dir,
		.launcher = launcher.words,
		.environment = environment.list,
		.model = config->hearing_model,
		.workers_max = (unsigned)config->hearing_workers,
		.memory = &budget->memory,
		.cores_busy = &budget->cores_busy,
		.slots = (unsigned)config->hearing_slots,
		.streams_max = (unsigned)config->hearing_streams,
		.start_timeout_ms = (unsigned)config->start_timeout_ms,
		.load_timeout_ms = (unsigned)config->load_timeout_ms,
		.stall_ms = (unsigned)config->stall_seconds * 1000u,
		.recycle_jobs = (unsigned)config->worker_recycle_jobs,
		.memory_mb = (unsigned)config->neural_memory_mb,
		.cpu_seconds = (unsigned)config->worker_cpu_seconds,
		.jit_engines = config->jit_engines,
		.test_hooks = config->test_hooks,
		.is_installed = engines_has_model,
		.installed_arg = (void *)(uintptr_t)config->models_dir, /* it is only read */
		.records_dir = records_dir,
	};
	int err = engines_make_launcher(&launcher, config, false);

	if (err)
		return err;
	engines_make_environment(&environment, config);
	return hearing_pool_alloc(poolp, loop, &options);
}

int engines_open_decoding(struct decoding_pool **poolp, struct loop *loop,
			  const struct config *config, struct engines_budget *budget)
{
	struct engines_environment environment;
	struct engines_launcher launcher;
	const struct decoding_pool_options options = {
		.engines_dir = config->engines_dir,
		.launcher = launcher.words,
		.environment = environment.list,
		.workers_max = DECODERS_MAX,
		.memory = &budget->memory,
		.cores = (unsigned)config_machine_cores(),
		.jobs_max = DECODINGS_MAX,
		.start_timeout_ms = (unsigned)config->load_timeout_ms,
		.stall_ms = (unsigned)config->stall_seconds * 1000u,
		.recycle_jobs = (unsigned)config->worker_recycle_jobs,
		.memory_mb = (unsigned)config->worker_memory_mb,
		.cpu_seconds = (unsigned)config->worker_cpu_seconds,
	};
	int err = engines_make_launcher(&launcher, config, false);

	if (err)
		return err;
	engines_make_environment(&environment, config);
	return decoding_pool_alloc(poolp, loop, &options);
}
