/*
 * ledger.c: settled turns a second against bare SQLite, and how long a client's last
 * word waits for its row against what the disk needs to make anything durable.
 *
 * The account is the server's, with its threads, its marks and a store in a file;
 * the loop is this one.  What is compared runs by turns, in the same directory, which
 * is in /var/tmp because /tmp may be in memory.
 * A batch is what was waiting when the last commit was done: it is counted, and
 * the bare database is given batches of that size.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/account.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "bench/bare_sqlite.h"
#include "bench/bench.h"
#include "bench/stats.h"

#define ROUNDS 5
#define ROUND_US 1000000
#define DELAYS 3000
#define RATIO_AIM 0.5

/* Turns that end at the same time, more or less. */
static const size_t crowds[] = {2, 32, 256};

/* A store that counts transactions and passes them on. */
struct counted {
	struct store store;
	struct store_ops ops;
	struct store *behind;
	atomic_size_t commits;
};

struct run {
	char dir[64];
	struct loop *loop;
	struct account *account;
	struct counted *counted;
	struct bare_sqlite *bare;
	uint64_t number; /* of the next turn */
	uint64_t end_us; /* no turn is booked after it */
	size_t waiting;
	size_t settled;
	struct stats *delays; /* NULL: not wanted */
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
	return counted->behind->ops->turns_add(counted->behind, turns, count, errs);
}

static void ledger_counted_destroy(void *object)
{
	mem_deref(((struct counted *)object)->behind);
}

static int ledger_add_key(struct store *store)
{
	char text[ACCOUNT_KEY_LEN + 1];
	struct store_key key;
	int err = account_key_make(text, &key, "bench");

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
	err = store_open(&counted->behind, address);
	return err ? err : ledger_add_key(counted->behind);
}

static int ledger_open_run(struct run *run)
{
	char path[128];
	struct account_options options = {.data_dir = run->dir};
	int err;

	snprintf(run->dir, sizeof(run->dir), "/var/tmp/syrinx-bench-XXXXXX");
	if (!mkdtemp(run->dir))
		return errno;
	snprintf(path, sizeof(path), "sqlite:%s/syrinx.db", run->dir);
	err = loop_alloc(&run->loop);
	if (!err)
		err = ledger_open_counted(run, path);
	if (!err)
		err = account_alloc(&run->account, run->loop, &run->counted->store, &options);
	snprintf(path, sizeof(path), "%s/bare.db", run->dir);
	if (!err)
		err = bare_sqlite_open(&run->bare, path);
	/* A log that still grows costs the file system more than one that is used again,
	 * as it is after some thousand pages. */
	for (int i = 0; i < 3 && !err; ++i)
		err = bare_sqlite_commit(run->bare, 30000);
	return err;
}

static void ledger_close_run(struct run *run)
{
	char command[128];

	if (run->account)
		mem_deref(run->account); /* and the store */
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

/* As a turn of the server: it was marked when it began to be heard. */
static void ledger_book(struct turn *turn)
{
	struct run *run = turn->run;
	size_t mark = ACCOUNT_NO_MARK;
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
	snprintf(row.server, sizeof(row.server), "%s", account_server_id(run->account));
	account_mark(run->account, &mark, &row);
	turn->booked_us = clock_monotonic_us();
	++run->waiting;
	run->err = account_book(NULL, run->account, &row, mark, ledger_on_booked, turn);
}

/* Turns a second, and how many of them were committed together. */
static int ledger_settle(struct run *run, struct turn *turns, size_t crowd, double *rate,
			 double *batch)
{
	uint64_t begun = clock_monotonic_us();

	run->end_us = begun + ROUND_US;
	run->settled = 0;
	run->counted->commits = 0;
	loop_enter(run->loop); /* its clock stood while the other was measured */
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

	for (int64_t i = -1; !err && i < rounds; ++i) { /* the first one warms up */
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
		printf("%4zu at once: %8.0f turns a second in batches of %.1f, bare SQLite %8.0f: "
		       "%.2f [%.2f to %.2f]   (aim %.1f)\n",
		       crowd, stats_quantile(&settled, 0.5), stats_quantile(&batches, 0.5),
		       stats_quantile(&bare, 0.5), stats_quantile(&ratio, 0.5),
		       stats_quantile(&ratio, 0), stats_quantile(&ratio, 1), RATIO_AIM);
	stats_reset(&settled);
	stats_reset(&bare);
	stats_reset(&ratio);
	stats_reset(&batches);
	return err;
}

/* A page at a file's end, as a commit writes them. */
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
		printf("from the booking to its row: p50 %.3f ms, p99 %.3f ms; fdatasync p50 %.3f, "
		       "p99 %.3f   (aim of the p99: %.3f)\n",
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
