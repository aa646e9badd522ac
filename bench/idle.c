/*
 * idle.c: the memory of an idle connection, and the time until a server is ready.
 */
#include <stdio.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/load_clients.h"
#include "bench/stats.h"

static const char question[] =
	"{\"voice_id\":2003,\"text\":\"Hello, who is there?\",\"flush\":true}";

/* Every connection speaks one turn, a few at a time. */
static int idle_speak_all(struct load_clients *callers)
{
	int err = 0;

	for (size_t i = 0; !err && i < callers->count; ++i) {
		err = load_clients_ask(&callers->all[i], question);
		if (i % 32 == 31 && !err)
			err = load_clients_finish(callers);
	}
	return err ? err : load_clients_finish(callers);
}

static int idle_measure(size_t count, bool with_tls, double target_kib)
{
	struct target target;
	struct load_clients warm = {0}, callers = {0};
	size_t before, after;
	const struct target_options options = {.with_tls = with_tls};
	int err = target_start(&target, &options);

	/* A first group of connections speaks before the measurement, so that what the server
	 * allocates once (fleets, tables, arenas) is not attributed to connections. */
	if (!err)
		err = load_clients_open(&warm, &target, 64);
	if (!err)
		err = idle_speak_all(&warm);
	load_clients_close(&warm);
	sleep(1);
	before = target_resident(&target);
	if (!err)
		err = load_clients_open(&callers, &target, count);
	if (!err)
		err = idle_speak_all(&callers);
	sleep(2);
	after = target_resident(&target);
	if (!err)
		printf("idle connections after one turn, %s (%zu): %.2f KiB each (target %.1f)\n",
		       with_tls ? "TLS" : "plain", count,
		       ((double)after - (double)before) / 1024 / (double)count, target_kib);
	load_clients_close(&callers);
	target_stop(&target);
	return err;
}

int bench_idle(const struct bench_options *options)
{
	size_t count = (size_t)options->connections;
	int err = idle_measure(count, false, 1.5);

	return err ? err : idle_measure(count, true, 20);
}

int bench_start(const struct bench_options *options)
{
	struct stats ready = {0};
	int64_t rounds = options->rounds ? options->rounds : 10;
	int err = 0;

	for (int64_t i = 0; !err && i < rounds; ++i) {
		struct target target;

		err = target_start(&target, NULL);
		stats_add(&ready, target.ready_ms);
		target_stop(&target);
	}
	if (!err)
		printf("start to ready: median %.0f ms, maximum %.0f ms of %lld starts "
		       "(target 100)\n",
		       stats_quantile(&ready, 0.5), stats_quantile(&ready, 1), (long long)rounds);
	stats_reset(&ready);
	return err;
}
