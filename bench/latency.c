/*
 * latency.c: time to first audio, for callers spread over time and for all at once.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/bare.h"
#include "bench/bench.h"
#include "bench/echo.h"
#include "bench/load_clients.h"
#include "bench/stats.h"

#define CALLERS 16
#define FIRST_SLICE_MS 100 /* the same as in the pool */

#define TEXT "The train to the coast leaves at noon from platform nine."
/* Both sides use eSpeak NG's American English. */
#define VOICE_ID "2003"
#define ENGINE_VOICE "en-us"

static const char config[] = "{\"voice_id\":" VOICE_ID "}";
static const char question[] = "{\"text\":\"" TEXT "\",\"flush\":true}";

/* What is compared: the server with its clients, engine processes without it, and a raw echo. */
struct setup {
	struct target target;
	struct load_clients callers;
	struct bare *bare;
	struct echo echo;
};

static int latency_open(struct setup *setup, const struct bench_options *options, size_t bare_count)
{
	char program[4200];
	int err;

	snprintf(program, sizeof(program), "%s/syrinx-espeak", options->engines_dir);
	err = target_start(&setup->target, NULL);
	if (!err)
		err = load_clients_open(&setup->callers, &setup->target, CALLERS);
	if (!err)
		err = bare_alloc(&setup->bare, program, ENGINE_VOICE, bare_count);
	if (!err)
		err = echo_start(&setup->echo);
	for (size_t i = 0; !err && i < CALLERS; ++i)
		err = load_clients_send(&setup->callers.all[i], config);
	return err;
}

static void latency_close(struct setup *setup)
{
	echo_stop(&setup->echo);
	mem_deref(setup->bare);
	load_clients_close(&setup->callers);
	target_stop(&setup->target);
}

/* Reads messages until the next request is due. */
static void latency_read_until(struct load_clients *callers, uint64_t due_us)
{
	uint64_t now;

	while ((now = clock_monotonic_us()) < due_us)
		load_clients_read(callers, (unsigned)((due_us - now) / 1000));
}

static void latency_note(struct load_client *caller, struct stats *first_us)
{
	if (caller->first_audio_us)
		stats_add(first_us, (double)(caller->first_audio_us - caller->asked_us));
	caller->first_audio_us = 0;
}

static int latency_spread(struct setup *setup, int64_t rounds, struct stats *first,
			  struct stats *echo, struct stats *engine)
{
	struct stats ignored = {0};
	uint64_t due = clock_monotonic_us();
	int err = 0;

	for (int64_t i = 0; !err && i < rounds; ++i) {
		struct load_client *caller = &setup->callers.all[i % CALLERS];

		due += 7000; /* each of the sixteen clients begins a turn every 112 ms */
		latency_read_until(&setup->callers, due);
		if (caller->busy)
			continue; /* the machine was suspended, which is not the server's delay */
		latency_note(caller, first);
		err = load_clients_ask(caller, question);
		latency_read_until(&setup->callers, due + 4000);
		stats_add(echo, echo_round_trip_us(&setup->echo));
		if (!err && i % CALLERS == 0)
			err = bare_burst(setup->bare, TEXT, 1, FIRST_SLICE_MS, &ignored, engine);
	}
	stats_reset(&ignored);
	return err ? err : load_clients_finish(&setup->callers);
}

int bench_latency(const struct bench_options *options)
{
	struct setup setup = {0};
	struct stats first = {0}, warm = {0}, echo = {0}, engine = {0};
	int64_t rounds = options->rounds ? options->rounds : 3000;
	double engine_us;
	int err = latency_open(&setup, options, 1);

	if (!err)
		err = latency_spread(&setup, 200, &warm, &warm, &warm);
	if (!err)
		err = latency_spread(&setup, rounds, &first, &echo, &engine);
	engine_us = stats_quantile(&engine, 0.5);
	if (!err) {
		printf("time to first audio, 16 turns spread over time, eSpeak NG (%zu turns)\n",
		       first.count);
		printf("  flush to first audio      p50 %7.3f ms   p99 %7.3f ms\n",
		       stats_quantile(&first, 0.5) / 1000, stats_quantile(&first, 0.99) / 1000);
		printf("  engine to first sample    p50 %7.3f ms\n", engine_us / 1000);
		printf("  raw echo                  p50 %7.3f ms   p99 %7.3f ms\n",
		       stats_quantile(&echo, 0.5) / 1000, stats_quantile(&echo, 0.99) / 1000);
		printf("  added by the server       p50 %7.3f ms              (target 0.2)\n",
		       (stats_quantile(&first, 0.5) - engine_us) / 1000);
		printf("  p99 above the echo                         %7.3f ms   (target 1.0)\n",
		       (stats_quantile(&first, 0.99) - engine_us - stats_quantile(&echo, 0.99)) /
			       1000);
	}
	latency_close(&setup);
	stats_reset(&first);
	stats_reset(&warm);
	stats_reset(&echo);
	stats_reset(&engine);
	return err;
}

static int latency_served_burst(struct setup *setup, struct stats *first)
{
	uint64_t start = clock_monotonic_us();
	int err = 0;

	for (size_t i = 0; !err && i < CALLERS; ++i)
		err = load_clients_ask(&setup->callers.all[i], question);
	if (!err)
		err = load_clients_finish(&setup->callers);
	for (size_t i = 0; !err && i < CALLERS; ++i)
		stats_add(first, (double)(setup->callers.all[i].first_audio_us - start));
	return err;
}

static void latency_print_ratio(const char *name, double served, double bare)
{
	printf("  %-8s  served %7.3f ms   bare %7.3f ms   ratio %.2f\n", name, served / 1000,
	       bare / 1000, served / bare);
}

int bench_burst(const struct bench_options *options)
{
	struct setup setup = {0};
	struct stats served = {0}, bare = {0}, busy = {0};
	int64_t rounds = options->rounds ? options->rounds : 150;
	int err = latency_open(&setup, options, CALLERS);

	for (int i = 0; !err && i < 10; ++i) /* until the fleet has grown to the size of a burst */
		err = latency_served_burst(&setup, &served);
	stats_reset(&served);
	for (int64_t i = 0; !err && i < rounds; ++i) {
		err = latency_served_burst(&setup, &served);
		if (!err)
			err = bare_burst(setup.bare, TEXT, CALLERS, FIRST_SLICE_MS, &bare, &busy);
	}
	if (!err) {
		printf("time to first audio, 16 turns at the same instant, eSpeak NG (%lld "
		       "bursts)\n",
		       (long long)rounds);
		latency_print_ratio("mean", stats_mean(&served), stats_mean(&bare));
		latency_print_ratio("p50", stats_quantile(&served, 0.5),
				    stats_quantile(&bare, 0.5));
		latency_print_ratio("p99", stats_quantile(&served, 0.99),
				    stats_quantile(&bare, 0.99));
		printf("  (target 1.3)\n");
	}
	latency_close(&setup);
	stats_reset(&served);
	stats_reset(&bare);
	stats_reset(&busy);
	return err;
}
