/*
 * cancel.c: the time until a barge-in is acknowledged while other clients speak, and a check
 * that no audio of the cancelled turn follows.
 */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "bench/echo.h"
#include "bench/load_clients.h"
#include "bench/stats.h"

#define CALLERS 50

/* Long enough to be still in progress when it is cancelled. */
static const char question[] =
	"{\"voice_id\":2003,\"text\":\"The train to the coast leaves at noon from platform nine. "
	"It stops in five small towns, and the view from the left side is the better one. If you "
	"miss it, the next one goes two hours later, but it takes the longer way through the "
	"hills. Nobody minds that very much, for the hills are green and the driver sings. "
	"The sea is cold until July.\",\"flush\":true}";

static int cancel_one(struct load_clients *callers, struct load_client *caller,
		      struct stats *ack_us)
{
	uint64_t asked = clock_monotonic_us();
	int err;

	caller->interrupted_us = 0;
	err = load_clients_send(caller, "{\"cancel\":true}");
	while (!err && !caller->interrupted_us) {
		load_clients_read(callers, 1000);
		if (clock_monotonic_us() > asked + 5000000)
			err = ETIMEDOUT;
	}
	if (!err)
		stats_add(ack_us, (double)(caller->interrupted_us - asked));
	return err ? err : load_clients_ask(caller, question);
}

static int cancel_keep_talking(struct load_clients *callers)
{
	int err = 0;

	for (size_t i = 0; !err && i < callers->count; ++i) {
		if (!callers->all[i].busy)
			err = load_clients_ask(&callers->all[i], question);
	}
	return err;
}

static unsigned cancel_stale_of(const struct load_clients *callers)
{
	unsigned stale = 0;

	for (size_t i = 0; i < callers->count; ++i)
		stale += callers->all[i].stale;
	return stale;
}

int bench_cancel(const struct bench_options *options)
{
	struct target target;
	struct load_clients callers = {0};
	struct echo echo = {0};
	struct stats ack = {0}, raw = {0};
	int err = target_start(&target, NULL);

	if (!err)
		err = echo_start(&echo);
	if (!err)
		err = load_clients_open(&callers, &target, CALLERS);
	for (int64_t i = 0; !err && i < options->cancels; ++i) {
		err = cancel_keep_talking(&callers);
		if (!err)
			err = cancel_one(&callers, &callers.all[i % CALLERS], &ack);
		stats_add(&raw, echo_round_trip_us(&echo));
		if (callers.failed)
			err = EIO;
	}
	if (!err) {
		printf("cancel to interrupted with %d turns running (%zu cancels)\n", CALLERS,
		       ack.count);
		printf("  acknowledged   p50 %7.3f ms   p99 %7.3f ms\n",
		       stats_quantile(&ack, 0.5) / 1000, stats_quantile(&ack, 0.99) / 1000);
		printf("  raw echo       p50 %7.3f ms   p99 %7.3f ms\n",
		       stats_quantile(&raw, 0.5) / 1000, stats_quantile(&raw, 0.99) / 1000);
		printf("  p99 above the echo             %7.3f ms   (target 1.0)\n",
		       (stats_quantile(&ack, 0.99) - stats_quantile(&raw, 0.99)) / 1000);
		printf("  audio after interrupted: %u frames (target 0)\n",
		       cancel_stale_of(&callers));
	}
	load_clients_close(&callers);
	echo_stop(&echo);
	target_stop(&target);
	stats_reset(&ack);
	stats_reset(&raw);
	return err;
}
