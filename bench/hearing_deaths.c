/*
 * hearing_deaths.c: a worker is killed while callers speak.
 *
 * Several callers speak at the same time, and somebody else is spoken to. In some rounds nothing
 * happens; in others the worker that listens is killed, in the middle of the utterances or when they
 * have just been committed. The words must be the same and not much later.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/count.h"
#include "bench/callers.h"
#include "bench/hearing.h"
#include "bench/load_clients.h"
#include "bench/stats.h"

#define ROUNDS 6
#define CALLERS 3
#define WORKERS_MAX 16
#define LATER_TARGET_MS 300.0
#define WORDS_MAX_US 10000000u
#define UTTERANCE_END_US (UINT64_C(1000000) * UTTERANCE_END / UTTERANCE_RATE)
#define SLICE_US 2000u
#define ENGINE "syrinx-hear"

/* A new worker is started in place of the one that was killed; the next round waits until there are as
 * many as before. */
#define WORKER_MAX_US 30000000u

#define QUESTION                                                                                   \
	"{\"text\":\"The next train leaves from platform nine.\",\"voice_id\":2003,\"flush\":true}"

struct death_kind {
	const char *name;
	uint64_t kill_us; /* from the beginning of the utterances; 0: nobody is killed */
	struct stats words_ms[CALLERS]; /* from the commit */
	unsigned differing, failures;
	/* Of the one who is spoken to: */
	unsigned underruns, errors;
	size_t turns;
};

struct death_round {
	struct death_kind *kind;
	const struct hearing_plan *plans[CALLERS];
	unsigned heard;
	bool is_over;
};

static void hearing_deaths_on_message(struct caller *caller, const struct caller_message *message,
				      void *arg)
{
	struct death_round *round = arg;
	uint64_t end_us = caller_sent_us(caller, UTTERANCE_END);

	if (message->event != CALLER_WORDS)
		return;
	if (end_us)
		stats_add(&round->kind->words_ms[caller->index],
			  (double)(message->at_us - end_us) / 1000);
	round->kind->differing +=
		strcmp(message->text, round->plans[caller->index]->committed) != 0;
	round->is_over = ++round->heard == CALLERS;
}

/* Kills the worker that has used the most CPU time since `before`. */
static void hearing_deaths_kill(const struct target *target, const struct target_worker *before,
				size_t before_count)
{
	struct target_worker now[WORKERS_MAX];
	size_t count = target_find_workers(target, ENGINE, now, WORKERS_MAX);
	double most_s = -1;
	pid_t pid = 0;

	for (size_t i = 0; i < count; ++i) {
		double used_s = now[i].cpu_s;

		for (size_t k = 0; k < before_count; ++k)
			if (before[k].pid == now[i].pid)
				used_s -= before[k].cpu_s;
		if (used_s > most_s) {
			most_s = used_s;
			pid = now[i].pid;
		}
	}
	if (pid > 0)
		kill(pid, SIGKILL);
}

/* Until there are `count` workers, and none of them is busy: one that is has not loaded its models. */
static int hearing_deaths_settle(const struct target *target, size_t count)
{
	const struct timespec pause = {.tv_nsec = 200000000};
	uint64_t until_us = clock_monotonic_us() + WORKER_MAX_US;
	double before_s = 0;

	while (clock_monotonic_us() < until_us) {
		struct target_worker workers[WORKERS_MAX];
		size_t found = target_find_workers(target, ENGINE, workers, WORKERS_MAX);
		double cpu_s = 0;

		for (size_t i = 0; i < found; ++i)
			cpu_s += workers[i].cpu_s;
		if (found >= count && cpu_s > 0 && cpu_s - before_s < 0.01 && cpu_s >= before_s)
			return 0;
		before_s = cpu_s;
		nanosleep(&pause, NULL);
	}
	return ETIMEDOUT;
}

/* The one who is spoken to asks again as soon as they have heard everything. */
static void hearing_deaths_listen(struct load_clients *listener, struct death_kind *kind)
{
	struct load_client *client = &listener->all[0];

	load_clients_read(listener, 0);
	if (client->busy || clock_monotonic_us() < client->dry_us)
		return;
	++kind->turns;
	if (load_clients_ask(client, QUESTION) != 0)
		++kind->errors;
}

static int hearing_deaths_speak(struct hearing_bench *bench, struct death_round *round,
				struct callers *callers, struct load_clients *listener)
{
	struct death_kind *kind = round->kind;
	struct target_worker workers[WORKERS_MAX];
	size_t count = target_find_workers(&bench->target, ENGINE, workers, WORKERS_MAX);
	uint64_t start_us = clock_monotonic_us() + 100000;
	uint64_t until_us = start_us + UTTERANCE_END_US + WORDS_MAX_US;
	bool is_killed = kind->kill_us == 0;
	uint64_t now_us;

	for (size_t i = 0; i < CALLERS; ++i) {
		round->plans[i] = &bench->plans[i % bench->utterances.count];
		caller_say(&callers->all[i], &bench->utterances.all[i % bench->utterances.count],
			   start_us, true);
	}
	while (!round->is_over && (now_us = clock_monotonic_us()) < until_us) {
		if (!is_killed && now_us >= start_us + kind->kill_us) {
			hearing_deaths_kill(&bench->target, workers, count);
			is_killed = true;
		}
		hearing_deaths_listen(listener, kind);
		callers_run(callers, now_us + SLICE_US, &round->is_over);
	}
	kind->failures += callers->failures + (CALLERS - round->heard);
	return hearing_deaths_settle(&bench->target, count);
}

static int hearing_deaths_round(struct hearing_bench *bench, struct death_kind *kind)
{
	static const struct callers_handlers handlers = {.message = hearing_deaths_on_message};
	struct death_round round = {.kind = kind};
	struct load_clients listener = {0};
	struct callers callers;
	int err =
		callers_open(&callers, &bench->target, CALLERS, HEARING_MANUAL, &handlers, &round);

	if (!err)
		err = load_clients_open(&listener, &bench->target, 1);
	listener.allows_errors = true;
	if (!err)
		err = hearing_deaths_speak(bench, &round, &callers, &listener);
	if (listener.count > 0) {
		kind->underruns += listener.all[0].underruns;
		kind->errors += listener.all[0].errors + listener.failed;
	}
	load_clients_close(&listener);
	callers_close(&callers);
	return err;
}

static void hearing_deaths_print(struct death_kind *kind, struct death_kind *calm)
{
	struct stats words_ms = {0}, later_ms = {0};

	for (size_t i = 0; i < CALLERS; ++i) {
		double calm_ms = stats_quantile(&calm->words_ms[i], 0.5);

		for (size_t k = 0; k < kind->words_ms[i].count; ++k) {
			stats_add(&words_ms, kind->words_ms[i].values[k]);
			stats_add(&later_ms, kind->words_ms[i].values[k] - calm_ms);
		}
	}
	printf("  %-26s words p50 %4.0f ms, latest %4.0f ms", kind->name,
	       stats_quantile(&words_ms, 0.5), stats_quantile(&words_ms, 1));
	if (kind != calm)
		printf("; later than usual by p50 %4.0f ms, at most %4.0f ms (target %.0f)",
		       stats_quantile(&later_ms, 0.5), stats_quantile(&later_ms, 1),
		       LATER_TARGET_MS);
	printf("; %u of %zu with other words, %u failed; the listener: %zu turns, %u underruns, %u "
	       "errors\n",
	       kind->differing, words_ms.count, kind->failures, kind->turns, kind->underruns,
	       kind->errors);
	stats_reset(&words_ms);
	stats_reset(&later_ms);
}

int hearing_deaths(struct hearing_bench *bench)
{
	struct death_kind kinds[] = {
		{.name = "nobody is killed"},
		{.name = "killed after 1.5 s", .kill_us = UTTERANCE_END_US - 1500000},
		{.name = "killed 30 ms after the end", .kill_us = UTTERANCE_END_US + 30000},
	};
	long long rounds = bench->options->rounds ? bench->options->rounds : ROUNDS;
	int err = 0;

	for (long long i = 0; i < rounds && !err; ++i)
		for (size_t k = 0; k < COUNT(kinds) && !err; ++k)
			err = hearing_deaths_round(bench, &kinds[k]);
	if (!err) {
		printf("%d callers and one who is spoken to; a worker that listens is killed\n",
		       CALLERS);
		for (size_t k = 0; k < COUNT(kinds); ++k)
			hearing_deaths_print(&kinds[k], &kinds[0]);
	}
	for (size_t k = 0; k < COUNT(kinds); ++k)
		for (size_t i = 0; i < CALLERS; ++i)
			stats_reset(&kinds[k].words_ms[i]);
	return err;
}
