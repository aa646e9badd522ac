/*
 * memory.c: how much memory workers use, and whether there is room for one more.
 *
 * What counts is a worker's own memory: its resident pages without those of files,
 * which all workers of a program share and which the kernel can drop.  The kernel keeps
 * both numbers, so reading them takes some microseconds however large the process is.
 * The exact share of each page (Pss) would take milliseconds for a process that has
 * loaded a model.
 *
 * Runs on the loop's thread.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "workers/fleet_private.h"

/* How often a worker is measured.  Most grow with the first sentences and then stay as they are. */
#define MEMORY_AGAIN_US 10000000

/* Workers that are measured at once: less than a tenth of a millisecond of the loop's time. */
#define MEMORY_BATCH 8

/* The estimate for the first worker of a fleet until it is ready: what the smallest engines use. */
#define MEMORY_GUESS (2u * 1024 * 1024)

static void memory_set(struct worker *worker, uint64_t bytes)
{
	struct fleet_memory *memory = worker->fleet->options.memory;

	if (memory)
		memory->used += bytes - worker->memory;
	worker->memory = bytes;
}

void memory_expect(struct worker *worker)
{
	const struct fleet *fleet = worker->fleet;

	if (worker->child)
		memory_set(worker, fleet->worker_memory ? fleet->worker_memory : MEMORY_GUESS);
}

void memory_forget(struct worker *worker)
{
	memory_set(worker, 0);
}

void memory_measure(struct worker *worker)
{
	struct fleet *fleet = worker->fleet;
	unsigned long long resident, shared;
	char text[128];
	ssize_t len;
	uint64_t bytes;
	int fd;

	worker->measured_us = loop_now_us(fleet->loop);
	if (!worker->child)
		return;
	snprintf(text, sizeof(text), "/proc/%d/statm", (int)child_pid(worker->child));
	fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return; /* it has ended, or there is no /proc: the estimate stays */
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	if (sscanf(text, "%*u %llu %llu", &resident, &shared) != 2 || resident <= shared)
		return;
	bytes = (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
	memory_set(worker, bytes);
	fleet->worker_memory =
		fleet->worker_memory ? (7 * fleet->worker_memory + bytes) / 8 : bytes;
}

void memory_measure_some(struct fleet *fleet)
{
	uint64_t now_us = loop_now_us(fleet->loop);
	unsigned count = 0;

	for (struct link *l = list_first(&fleet->workers); l && count < MEMORY_BATCH;
	     l = list_next(&fleet->workers, l)) {
		struct worker *worker = LIST_OBJECT(l, struct worker, link);

		if (worker->state != WORKER_READY || now_us < worker->measured_us + MEMORY_AGAIN_US)
			continue;
		memory_measure(worker);
		++count;
	}
}

bool memory_has_room(const struct fleet *fleet)
{
	const struct fleet_memory *memory = fleet->options.memory;

	return !memory || memory->limit == 0 ||
	       memory->used + fleet->worker_memory <= memory->limit;
}
