/*
 * engines.c: the pool of engines that a configuration asks for (see engines.h).
 */
#include "server/engines.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int engines_open(struct pool **poolp, struct loop *loop, const struct config *config)
{
	char self[4096];
	char memory[24];
	const char *const launcher[] = {self, "confine", "--memory-mb", memory, "--", NULL};
	struct pool_options options = {
		.engines_dir = config->engines_dir,
		.launcher = launcher,
		.workers_max = (unsigned)config->workers,
		.slots = (unsigned)config->slots,
		.start_timeout_ms = (unsigned)config->start_timeout_ms,
		.stall_ms = (unsigned)config->stall_seconds * 1000u,
		.recycle_jobs = (unsigned)config->worker_recycle_jobs,
		.memory_mb = (unsigned)config->worker_memory_mb,
		.cpu_seconds = (unsigned)config->worker_cpu_seconds,
		.test_hooks = config->test_hooks,
	};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return errno;
	self[n] = '\0';
	snprintf(memory, sizeof(memory), "%lld", (long long)config->worker_memory_mb);
	return pool_alloc(poolp, loop, &options);
}
