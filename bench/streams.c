/*
 * streams.c: how many listeners a neural voice can serve, with requests ordered by deadline and
 * by arrival.
 *
 * Two servers, which differ only in speech.order, are measured alternately. The results are
 * compared with the capacity of the engine alone: the number of cores divided by its CPU time
 * per second of audio, measured before and after. The listeners run on the same cores.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "bench/listeners.h"
#include "bench/neural.h"

#define PACE_SECONDS 3
#define WARM_SECONDS 5
#define STEPS 5

/* The number of listeners with long sentences, per core. */
#define LONG_PER_CORE 3
#define SHORT_PER_CORE 2

static const char *const orders[] = {"deadline", "arrival"};

#define ORDERS COUNT(orders)

struct contest {
	const struct bench_options *options;
	struct target targets[ORDERS];
	int cores;
	struct stats pace; /* CPU seconds per second of audio on one thread */
	struct stats pace_all; /* the same on as many threads as cores */
};

static int streams_count_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

static void streams_take_pace(const char *line, void *arg)
{
	struct stats *pace = arg;
	double audio, cpu, wall;

	if (sscanf(line, "%lf %lf %lf", &audio, &cpu, &wall) == 3 && audio > 0)
		stats_add(pace, cpu / audio);
}

static int streams_measure_pace(struct contest *contest)
{
	static char chunks[4096];
	static char arguments[4608];
	int err;

	listeners_print_chunks(chunks, sizeof(chunks));
	snprintf(arguments, sizeof(arguments), "pace %d 1 " NEURAL_VOICE "%s", PACE_SECONDS,
		 chunks);
	err = neural_run_bare(contest->options, arguments, streams_take_pace, &contest->pace);
	if (err)
		return err;
	snprintf(arguments, sizeof(arguments), "pace %d %d " NEURAL_VOICE "%s", PACE_SECONDS,
		 contest->cores, chunks);
	return neural_run_bare(contest->options, arguments, streams_take_pace, &contest->pace_all);
}

/* The number of listeners that the engine alone could serve. */
static double streams_capacity(const struct contest *contest)
{
	double pace = stats_mean(&contest->pace);

	return pace > 0 ? contest->cores / pace : 0;
}

/* Waits until the server has cancelled what the last listeners did not hear. */
static void streams_settle(void)
{
	const struct timespec pause = {.tv_nsec = 500000000};

	nanosleep(&pause, NULL);
}

static void streams_print_step(const struct contest *contest, const char *order, size_t listeners,
			       const struct listeners_result *result)
{
	double all = result->seconds * contest->cores / 100;

	printf("  %-8s  %3zu listeners: %3u underruns (%.2f s), %u refused, %.1f s "
	       "of audio per second; CPU: engine %.0f %%, server %.1f %%, listeners "
	       "%.1f %%\n",
	       order, listeners, result->underruns, result->waited_s, result->refused,
	       result->audio_s / result->seconds, result->workers_cpu_s / all,
	       result->server_cpu_s / all, result->clients_cpu_s / all);
	fflush(stdout);
}

/* The bounds of the largest number of listeners that can be served. */
struct search {
	size_t good, bad;
};

static int streams_try_one(struct contest *contest, size_t order, struct search *search)
{
	size_t n = (search->good + search->bad) / 2;
	struct listeners_load load = {.counts = {[LISTENER_CHAT] = n},
				      .seconds = (unsigned)contest->options->seconds};
	struct listeners_result result;
	int err;

	if (search->bad - search->good < 2)
		return 0;
	err = listeners_run(&result, &contest->targets[order], &load);
	if (!err) {
		streams_print_step(contest, orders[order], n, &result);
		if (result.underruns == 0 && result.refused == 0)
			search->good = n;
		else
			search->bad = n;
	}
	listeners_reset(&result);
	streams_settle();
	return err;
}

static int streams_find_most(struct contest *contest, size_t most[ORDERS])
{
	struct search searches[ORDERS];
	size_t bad = (size_t)(1.2 * streams_capacity(contest)) + 1;
	int err = 0;

	for (size_t order = 0; order < ORDERS; ++order)
		searches[order] = (struct search){0, bad};
	for (int step = 0; step < STEPS && !err; ++step)
		for (size_t order = 0; order < ORDERS && !err; ++order)
			err = streams_try_one(contest, order, &searches[order]);
	for (size_t order = 0; order < ORDERS; ++order)
		most[order] = searches[order].good;
	return err;
}

static void streams_print_first(const char *order, const char *whose,
				struct listeners_result *result, enum listener_kind kind)
{
	struct stats *first = &result->first_ms[kind];

	printf("  %-8s  %s: first audio p50 %6.0f ms, p99 %6.0f ms (%zu turns), %u "
	       "underruns, %u refused\n",
	       order, whose, stats_quantile(first, 0.5), stats_quantile(first, 0.99), first->count,
	       result->underruns, result->refused);
	fflush(stdout);
}

static int streams_time_first(struct contest *contest, size_t order,
			      const struct listeners_load *load, enum listener_kind kind,
			      const char *whose)
{
	struct listeners_result result;
	int err = listeners_run(&result, &contest->targets[order], load);

	if (!err)
		streams_print_first(orders[order], whose, &result, kind);
	listeners_reset(&result);
	streams_settle();
	return err;
}

static int streams_time_first_at(struct contest *contest, size_t most, unsigned percent)
{
	struct listeners_load load = {.seconds = (unsigned)contest->options->seconds};
	char whose[64];
	int err = 0;

	load.counts[LISTENER_CHAT] = (most * percent + 50) / 100;
	if (load.counts[LISTENER_CHAT] == 0)
		return 0;
	snprintf(whose, sizeof(whose), "%zu listeners (%u %% of the maximum)",
		 load.counts[LISTENER_CHAT], percent);
	for (size_t order = 0; order < ORDERS && !err; ++order)
		err = streams_time_first(contest, order, &load, LISTENER_CHAT, whose);
	return err;
}

/* Measures short answers alone, and while other listeners hear long sentences. */
static int streams_time_behind_long(struct contest *contest)
{
	struct listeners_load load = {.seconds = (unsigned)contest->options->seconds};
	char whose[64];
	int err;

	load.counts[LISTENER_SHORT] = (size_t)(SHORT_PER_CORE * contest->cores);
	snprintf(whose, sizeof(whose), "%zu with short answers, alone",
		 load.counts[LISTENER_SHORT]);
	err = streams_time_first(contest, 0, &load, LISTENER_SHORT, whose);
	load.counts[LISTENER_LONG] = (size_t)(LONG_PER_CORE * contest->cores);
	snprintf(whose, sizeof(whose), "the same, with %zu hearing long ones",
		 load.counts[LISTENER_LONG]);
	for (size_t order = 0; order < ORDERS && !err; ++order)
		err = streams_time_first(contest, order, &load, LISTENER_SHORT, whose);
	return err;
}

static void streams_print_most(const struct contest *contest, const size_t most[ORDERS])
{
	double alone = streams_capacity(contest);

	printf("  engine alone: %.4f s of CPU per second of audio (%.4f on %d "
	       "threads at once), %d cores: %.1f listeners\n",
	       stats_mean(&contest->pace), stats_mean(&contest->pace_all), contest->cores,
	       contest->cores, alone);
	for (size_t order = 0; order < ORDERS; ++order)
		printf("  by %-8s  at most %zu listeners without an underrun: %.2f of that%s\n",
		       orders[order], most[order], (double)most[order] / alone,
		       order == 0 ? "   (target 0.80)" : "");
	fflush(stdout);
}

/* Measures a given number of listeners, alternating between the orders. */
static int streams_hold_given(struct contest *contest)
{
	long long rounds = contest->options->rounds ? contest->options->rounds : 1;
	struct search search;
	int err = 0;

	for (long long i = 0; i < rounds && !err; ++i) {
		for (size_t order = 0; order < ORDERS && !err; ++order) {
			/* streams_try_one then tries exactly this number. */
			search.good = (size_t)contest->options->listeners - 1;
			search.bad = search.good + 2;
			err = streams_try_one(contest, order, &search);
		}
	}
	return err;
}

static int streams_hold_most(struct contest *contest)
{
	size_t most[ORDERS];
	int err = streams_measure_pace(contest);

	if (err)
		return err;
	err = streams_find_most(contest, most);
	if (!err)
		err = streams_measure_pace(contest);
	if (!err)
		streams_print_most(contest, most);
	if (!err)
		err = streams_time_first_at(contest, most[0], 50);
	if (!err)
		err = streams_time_first_at(contest, most[0], 80);
	return err ? err : streams_time_behind_long(contest);
}

/* A server that has just become ready is still starting workers. */
static int streams_warm_up(const struct contest *contest)
{
	const struct listeners_load load = {
		.counts = {[LISTENER_SHORT] = (size_t)contest->cores},
		.seconds = WARM_SECONDS,
	};
	struct listeners_result result;
	int err = 0;

	for (size_t order = 0; order < ORDERS && !err; ++order) {
		err = listeners_run(&result, &contest->targets[order], &load);
		listeners_reset(&result);
	}
	streams_settle();
	return err;
}

int bench_streams(const struct bench_options *options)
{
	struct contest contest = {.options = options, .cores = streams_count_cores()};
	size_t started = 0;
	int err = 0;

	if (!neural_is_installed(options, "streams"))
		return 0;
	for (; started < ORDERS && !err; ++started) {
		const struct target_options server = {.voices_dir = options->voices_dir,
						      .order = orders[started]};

		err = target_start(&contest.targets[started], &server);
	}
	if (!err)
		err = streams_warm_up(&contest);
	if (!err)
		printf("real-time listeners of a neural voice, %lld s per step, %d cores\n",
		       (long long)options->seconds, contest.cores);
	fflush(stdout);
	if (!err)
		err = options->listeners ? streams_hold_given(&contest)
					 : streams_hold_most(&contest);
	for (size_t i = 0; i < started; ++i)
		target_stop(&contest.targets[i]);
	stats_reset(&contest.pace);
	stats_reset(&contest.pace_all);
	return err;
}
