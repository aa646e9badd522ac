/*
 * engines.c: the pool of engines that a configuration asks for (see engines.h).
 */
#include "server/engines.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int engines_open(struct pool **poolp, struct loop *loop, const struct config *config)
{
	char voices[sizeof("SYRINX_VOICES=") + PARAM_STRING_SIZE];
	const char *const environment[] = {voices, NULL};
	char self[4096];
	const char *const launcher[] = {self, "confine", "--memory-mb", POOL_MEMORY_WORD,
					"--", NULL};
	struct pool_options options = {
		.engines_dir = config->engines_dir,
		.launcher = launcher,
		.environment = environment,
		.order = (enum pool_order)config->order,
		.no_fallback = !config->fallback,
		.workers_max = (unsigned)config->workers,
		.slots = (unsigned)config->slots,
		.start_timeout_ms = (unsigned)config->start_timeout_ms,
		.stall_ms = (unsigned)config->stall_seconds * 1000u,
		.recycle_jobs = (unsigned)config->worker_recycle_jobs,
		.memory_mb = (unsigned)config->worker_memory_mb,
		.large_engine = ENGINES_WITH_VOICES_DIR,
		.large_memory_mb = (unsigned)config->neural_memory_mb,
		.cpu_seconds = (unsigned)config->worker_cpu_seconds,
		.test_hooks = config->test_hooks,
	};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return errno;
	self[n] = '\0';
	snprintf(voices, sizeof(voices), "SYRINX_VOICES=%s", config->voices_dir);
	return pool_alloc(poolp, loop, &options);
}
