/*
 * latency.c: time to the first sound: spread callers, and all at once.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/bare.h"
#include "bench/bench.h"
#include "bench/callers.h"
#include "bench/echo.h"
#include "bench/stats.h"

#define CALLERS 16
#define FIRST_SLICE_MS 100 /* as the pool grants */

#define TEXT "The train to the coast leaves at noon from platform nine."
/* eSpeak NG's American English on both sides. */
#define VOICE_ID "2003"
#define ENGINE_VOICE "en-us"

static const char config[] = "{\"voice_id\":" VOICE_ID "}";
static const char question[] = "{\"text\":\"" TEXT "\",\"flush\":true}";

struct bed {
	struct target target;
	struct callers callers;
	struct bare *bare;
	struct echo echo;
};

static int latency_open_bed(struct bed *bed, const struct bench_options *options, size_t bare_count)
{
	char program[4200];
	int err;

	snprintf(program, sizeof(program), "%s/syrinx-espeak", options->engines_dir);
	err = target_start(&bed->target, NULL);
	if (!err)
		err = callers_open(&bed->callers, &bed->target, CALLERS);
	if (!err)
		err = bare_alloc(&bed->bare, program, ENGINE_VOICE, bare_count);
	if (!err)
		err = echo_start(&bed->echo);
	for (size_t i = 0; !err && i < CALLERS; ++i)
		err = callers_send(&bed->callers.all[i], config);
	return err;
}

static void latency_close_bed(struct bed *bed)
{
	echo_stop(&bed->echo);
	mem_deref(bed->bare);
	callers_close(&bed->callers);
	target_stop(&bed->target);
}

/* The next question leaves when it is due; until then what comes is read. */
static void latency_read_until(struct callers *callers, uint64_t due_us)
{
	uint64_t now;

	while ((now = clock_monotonic_us()) < due_us)
		callers_read(callers, (unsigned)((due_us - now) / 1000));
}

static void latency_note(struct caller *caller, struct stats *first_us)
{
	if (caller->first_audio_us)
		stats_add(first_us, (double)(caller->first_audio_us - caller->asked_us));
	caller->first_audio_us = 0;
}

static int latency_spread(struct bed *bed, int64_t rounds, struct stats *first, struct stats *echo,
			  struct stats *engine)
{
	struct stats ignored = {0};
	uint64_t due = clock_monotonic_us();
	int err = 0;

	for (int64_t i = 0; !err && i < rounds; ++i) {
		struct caller *caller = &bed->callers.all[i % CALLERS];

		due += 7000; /* sixteen turns, each begun every 112 ms */
		latency_read_until(&bed->callers, due);
		if (caller->busy)
			continue; /* the machine was suspended: not a figure of the server */
		latency_note(caller, first);
		err = callers_ask(caller, question);
		latency_read_until(&bed->callers, due + 4000);
		stats_add(echo, echo_round_trip_us(&bed->echo));
		if (!err && i % CALLERS == 0)
			err = bare_burst(bed->bare, TEXT, 1, FIRST_SLICE_MS, &ignored, engine);
	}
	stats_reset(&ignored);
	return err ? err : callers_finish(&bed->callers);
}

int bench_latency(const struct bench_options *options)
{
	struct bed bed = {0};
	struct stats first = {0}, warm = {0}, echo = {0}, engine = {0};
	int64_t rounds = options->rounds ? options->rounds : 3000;
	double engine_us;
	int err = latency_open_bed(&bed, options, 1);

	if (!err)
		err = latency_spread(&bed, 200, &warm, &warm, &warm);
	if (!err)
		err = latency_spread(&bed, rounds, &first, &echo, &engine);
	engine_us = stats_quantile(&engine, 0.5);
	if (!err) {
		printf("first sound, 16 turns spread in time, eSpeak NG (%zu turns)\n",
		       first.count);
		printf("  flush to first audio      p50 %7.3f ms   p99 %7.3f ms\n",
		       stats_quantile(&first, 0.5) / 1000, stats_quantile(&first, 0.99) / 1000);
		printf("  engine to first sample    p50 %7.3f ms\n", engine_us / 1000);
		printf("  raw echo                  p50 %7.3f ms   p99 %7.3f ms\n",
		       stats_quantile(&echo, 0.5) / 1000, stats_quantile(&echo, 0.99) / 1000);
		printf("  added by the server       p50 %7.3f ms              (target 0.2)\n",
		       (stats_quantile(&first, 0.5) - engine_us) / 1000);
		printf("  p99 over the echo's                        %7.3f ms   (target 1.0)\n",
		       (stats_quantile(&first, 0.99) - engine_us - stats_quantile(&echo, 0.99)) /
			       1000);
	}
	latency_close_bed(&bed);
	stats_reset(&first);
	stats_reset(&warm);
	stats_reset(&echo);
	stats_reset(&engine);
	return err;
}

static int latency_served_burst(struct bed *bed, struct stats *first)
{
	uint64_t start = clock_monotonic_us();
	int err = 0;

	for (size_t i = 0; !err && i < CALLERS; ++i)
		err = callers_ask(&bed->callers.all[i], question);
	if (!err)
		err = callers_finish(&bed->callers);
	for (size_t i = 0; !err && i < CALLERS; ++i)
		stats_add(first, (double)(bed->callers.all[i].first_audio_us - start));
	return err;
}

static void latency_print_ratio(const char *name, double served, double bare)
{
	printf("  %-8s  served %7.3f ms   bare %7.3f ms   ratio %.2f\n", name, served / 1000,
	       bare / 1000, served / bare);
}

int bench_burst(const struct bench_options *options)
{
	struct bed bed = {0};
	struct stats served = {0}, bare = {0}, busy = {0};
	int64_t rounds = options->rounds ? options->rounds : 150;
	int err = latency_open_bed(&bed, options, CALLERS);

	for (int i = 0; !err && i < 10; ++i) /* the fleet grows to the burst's size */
		err = latency_served_burst(&bed, &served);
	stats_reset(&served);
	for (int64_t i = 0; !err && i < rounds; ++i) {
		err = latency_served_burst(&bed, &served);
		if (!err)
			err = bare_burst(bed.bare, TEXT, CALLERS, FIRST_SLICE_MS, &bare, &busy);
	}
	if (!err) {
		printf("first sound, 16 turns at the same instant, eSpeak NG (%lld bursts)\n",
		       (long long)rounds);
		latency_print_ratio("mean", stats_mean(&served), stats_mean(&bare));
		latency_print_ratio("p50", stats_quantile(&served, 0.5),
				    stats_quantile(&bare, 0.5));
		latency_print_ratio("p99", stats_quantile(&served, 0.99),
				    stats_quantile(&bare, 0.99));
		printf("  (target 1.3)\n");
	}
	latency_close_bed(&bed);
	stats_reset(&served);
	stats_reset(&bare);
	stats_reset(&busy);
	return err;
}
