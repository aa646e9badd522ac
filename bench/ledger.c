/*
 * ledger.c: recorded turns per second compared with bare SQLite, and the time until a turn is
 * recorded compared with the time that the disk needs to make anything durable.
 *
 * The store is used as in the server, with its threads, its marks and a file; the event loop is
 * this program's. What is compared alternates, in the same directory, which is in /var/tmp
 * because /tmp may be in memory. A batch is what was waiting when the last commit finished: its
 * size is counted, and the bare database is given batches of the same size.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/async_store.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "bench/bare_sqlite.h"
#include "bench/bench.h"
#include "bench/stats.h"

#define ROUNDS 5
#define ROUND_US 1000000
#define DELAYS 3000
#define RATIO_TARGET 0.5

/* The numbers of turns that end at about the same time. */
static const size_t crowds[] = {2, 32, 256};

/* A store that counts transactions. It has only the operation that records turns, and forwards it
 * to the real store. */
struct counted {
	struct store store;
	struct store_ops ops;
	struct store *inner;
	atomic_size_t commits;
};

struct run {
	char dir[64];
	struct loop *loop;
	struct async_store *async;
	struct counted *counted;
	struct bare_sqlite *bare;
	uint64_t number; /* the number of the next turn */
	uint64_t end_us; /* no turn is recorded after this time */
	size_t waiting;
	size_t settled;
	struct stats *delays; /* NULL if not measured */
	int err;
};

struct turn {
	struct run *run;
	uint64_t booked_us;
};

static int ledger_count_turns(struct store *store, const struct store_turn *turns, size_t count,
			      int *errs)
{
	struct counted *counted = (struct counted *)(void *)store;

	++counted->commits;
	return counted->inner->ops->turns_add(counted->inner, turns, count, errs);
}

static void ledger_counted_destroy(void *object)
{
	mem_deref(((struct counted *)object)->inner);
}

static int ledger_add_key(struct store *store)
{
	char text[API_KEY_LEN + 1];
	struct store_key key;
	int err = api_key_make(text, &key, "bench");

	return err ? err : store->ops->key_add(store, &key);
}

static int ledger_open_counted(struct run *run, const char *address)
{
	struct counted *counted = mem_zalloc(sizeof(*counted), ledger_counted_destroy);
	int err;

	if (!counted)
		return ENOMEM;
	run->counted = counted;
	counted->store.ops = &counted->ops;
	counted->ops.turns_add = ledger_count_turns;
	err = store_open(&counted->inner, address);
	return err ? err : ledger_add_key(counted->inner);
}

static int ledger_open_run(struct run *run)
{
	char path[128];
	struct async_store_options options = {.data_dir = run->dir};
	int err;

	snprintf(run->dir, sizeof(run->dir), "/var/tmp/syrinx-bench-XXXXXX");
	if (!mkdtemp(run->dir))
		return errno;
	snprintf(path, sizeof(path), "sqlite:%s/syrinx.db", run->dir);
	err = loop_alloc(&run->loop);
	if (!err)
		err = ledger_open_counted(run, path);
	if (!err)
		err = async_store_alloc(&run->async, run->loop, &run->counted->store, &options);
	snprintf(path, sizeof(path), "%s/bare.db", run->dir);
	if (!err)
		err = bare_sqlite_open(&run->bare, path);
	/* A write-ahead log that still grows costs the file system more than one that is reused,
	 * as it is after some thousand pages. */
	for (int i = 0; i < 3 && !err; ++i)
		err = bare_sqlite_commit(run->bare, 30000);
	return err;
}

static void ledger_close_run(struct run *run)
{
	char command[128];

	if (run->async)
		mem_deref(run->async); /* also releases the store */
	else
		mem_deref(run->counted);
	mem_deref(run->bare);
	mem_deref(run->loop);
	snprintf(command, sizeof(command), "rm -rf %s", run->dir);
	if (system(command) != 0)
		fprintf(stderr, "cannot remove %s\n", run->dir);
}

static void ledger_book(struct turn *turn);

static void ledger_on_booked(int err, void *arg)
{
	struct turn *turn = arg;
	struct run *run = turn->run;
	uint64_t now = clock_monotonic_us();

	if (err)
		run->err = err;
	++run->settled;
	--run->waiting;
	if (run->delays)
		stats_add(run->delays, (double)(now - turn->booked_us) / 1e3);
	if (!run->err && now < run->end_us)
		ledger_book(turn);
	else if (run->waiting == 0)
		loop_stop(run->loop);
}

/* Records a turn as the server does, with a mark that was made when its audio began. */
static void ledger_book(struct turn *turn)
{
	struct run *run = turn->run;
	size_t mark = USAGE_NO_MARK;
	struct store_turn row = {
		.key_id = 1,
		.account_id = STORE_ACCOUNT_DEFAULT,
		.at_ms = clock_wall_ms(),
		.samples = 46080,
		.sample_rate = 24000,
		.characters = 31,
		.voice_id = 1,
		.model_id = "kugel-3",
		.amount_microcents = 172800,
	};

	++run->number;
	snprintf(row.id, sizeof(row.id), "%016" PRIx64 "%016" PRIx64,
		 run->number * UINT64_C(0x9e3779b97f4a7c15), run->number);
	snprintf(row.server, sizeof(row.server), "%s", async_store_server_id(run->async));
	async_store_mark(run->async, &mark, &row);
	turn->booked_us = clock_monotonic_us();
	++run->waiting;
	run->err = async_store_book(NULL, run->async, &row, mark, ledger_on_booked, turn);
}

/* Measures the turns per second, and how many of them were committed together. */
static int ledger_settle(struct run *run, struct turn *turns, size_t crowd, double *rate,
			 double *batch)
{
	uint64_t begun = clock_monotonic_us();

	run->end_us = begun + ROUND_US;
	run->settled = 0;
	run->counted->commits = 0;
	loop_enter(run->loop); /* updates its clock, which stopped during the other measurement */
	for (size_t i = 0; i < crowd && !run->err; ++i) {
		turns[i].run = run;
		ledger_book(&turns[i]);
	}
	loop_leave(run->loop);
	if (!run->err)
		loop_run(run->loop);
	*rate = (double)run->settled * 1e6 / (double)(clock_monotonic_us() - begun);
	*batch = (double)run->settled / (double)run->counted->commits;
	return run->err;
}

static int ledger_commit_bare(struct run *run, size_t rows, double *rate)
{
	uint64_t begun = clock_monotonic_us();
	size_t done = 0;
	int err = 0;

	while (!err && clock_monotonic_us() < begun + ROUND_US) {
		err = bare_sqlite_commit(run->bare, rows);
		done += rows;
	}
	*rate = (double)done * 1e6 / (double)(clock_monotonic_us() - begun);
	return err;
}

static int ledger_compare(struct run *run, size_t crowd, int64_t rounds)
{
	static struct turn turns[256];
	struct stats settled = {0}, bare = {0}, ratio = {0}, batches = {0};
	int err = 0;

	for (int64_t i = -1; !err && i < rounds; ++i) { /* the first round is a warm-up */
		double rate, batch, bare_rate = 0;

		err = ledger_settle(run, turns, crowd, &rate, &batch);
		if (!err)
			err = ledger_commit_bare(run, (size_t)(batch + 0.5), &bare_rate);
		if (err || i < 0)
			continue;
		stats_add(&settled, rate);
		stats_add(&bare, bare_rate);
		stats_add(&batches, batch);
		stats_add(&ratio, rate / bare_rate);
	}
	if (!err)
		printf("%4zu concurrent turns: %8.0f turns/s in batches of %.1f, bare "
		       "SQLite %8.0f: ratio %.2f [%.2f to %.2f]   (target %.1f)\n",
		       crowd, stats_quantile(&settled, 0.5), stats_quantile(&batches, 0.5),
		       stats_quantile(&bare, 0.5), stats_quantile(&ratio, 0.5),
		       stats_quantile(&ratio, 0), stats_quantile(&ratio, 1), RATIO_TARGET);
	stats_reset(&settled);
	stats_reset(&bare);
	stats_reset(&ratio);
	stats_reset(&batches);
	return err;
}

/* Appends a page to a file and syncs it, as a commit does. */
static int ledger_sync_disk(int fd, struct stats *syncs)
{
	static const char page[4096];
	uint64_t begun = clock_monotonic_us();

	if (write(fd, page, sizeof(page)) != (ssize_t)sizeof(page) || fdatasync(fd) != 0)
		return errno;
	stats_add(syncs, (double)(clock_monotonic_us() - begun) / 1e3);
	return 0;
}

static int ledger_measure_delays(struct run *run)
{
	struct stats delays = {0}, syncs = {0};
	struct turn turn = {.run = run};
	char path[128];
	int err = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/disk", run->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	run->delays = &delays;
	run->end_us = 0; /* one at a time */
	for (int i = 0; i < DELAYS && !err; ++i) {
		err = ledger_sync_disk(fd, &syncs);
		if (err)
			break;
		loop_enter(run->loop);
		ledger_book(&turn);
		loop_leave(run->loop);
		if (!run->err)
			loop_run(run->loop);
		err = run->err;
	}
	run->delays = NULL;
	close(fd);
	if (!err)
		printf("time to record a turn: p50 %.3f ms, p99 %.3f ms; fdatasync p50 "
		       "%.3f, p99 %.3f   (target for the p99: %.3f)\n",
		       stats_quantile(&delays, 0.5), stats_quantile(&delays, 0.99),
		       stats_quantile(&syncs, 0.5), stats_quantile(&syncs, 0.99),
		       2 * stats_quantile(&syncs, 0.99) + 2);
	stats_reset(&delays);
	stats_reset(&syncs);
	return err;
}

int bench_ledger(const struct bench_options *options)
{
	struct run run = {0};
	int err = ledger_open_run(&run);

	for (size_t i = 0; !err && i < COUNT(crowds); ++i)
		err = ledger_compare(&run, crowds[i], options->rounds ? options->rounds : ROUNDS);
	if (!err)
		err = ledger_measure_delays(&run);
	ledger_close_run(&run);
	return err;
}
