/*
 * multi.c: twenty contexts on each of 25 connections compared with 500 connections, alternately:
 * the time to first audio, and the time until a barge-in is acknowledged.
 */
#include <stdio.h>

#include "base/count.h"
#include "bench/bench.h"
#include "bench/echo.h"
#include "bench/speakers.h"

#define CONTEXTS 20
#define CONNECTIONS 25
#define ROUNDS 7 /* odd, so that the median is one of them */
#define ROUND_US 12000000u

/* One value per round. */
struct figures {
	/* Time to first audio, ms. */
	struct stats many_p50, many_p99, single_p50, single_p99, ratio;
	struct stats acknowledged_p50, acknowledged_p99, echo_p99, over; /* barge-in, ms */
	unsigned refused;
	unsigned stale;
};

static double multi_quantile_ms(struct stats *us, double share)
{
	return stats_quantile(us, share) / 1000;
}

static void multi_note_round(struct figures *figures, struct speakers *many,
			     struct speakers *single)
{
	double many_p99 = multi_quantile_ms(&many->first_us, 0.99);
	double single_p99 = multi_quantile_ms(&single->first_us, 0.99);
	double acknowledged_p99 = multi_quantile_ms(&many->acknowledged_us, 0.99);
	double echo_p99 = multi_quantile_ms(&many->echo_us, 0.99);

	stats_add(&figures->many_p50, multi_quantile_ms(&many->first_us, 0.5));
	stats_add(&figures->many_p99, many_p99);
	stats_add(&figures->single_p50, multi_quantile_ms(&single->first_us, 0.5));
	stats_add(&figures->single_p99, single_p99);
	stats_add(&figures->ratio, many_p99 / single_p99);
	stats_add(&figures->acknowledged_p50, multi_quantile_ms(&many->acknowledged_us, 0.5));
	stats_add(&figures->acknowledged_p99, acknowledged_p99);
	stats_add(&figures->echo_p99, echo_p99);
	stats_add(&figures->over, acknowledged_p99 - echo_p99);
	figures->refused += many->refused + single->refused;
	figures->stale += many->stale + single->stale;
	speakers_reset_results(many);
	speakers_reset_results(single);
}

/* Prints the range as well, because the speed of the machine varies, even between the halves of a
 * round. */
static void multi_print_figure(const char *what, struct stats *values, const char *unit,
			       const char *target)
{
	printf("  %-34s %8.2f%s [%.2f to %.2f]%s\n", what, stats_quantile(values, 0.5), unit,
	       stats_quantile(values, 0), stats_quantile(values, 1), target);
}

static void multi_print(struct figures *figures)
{
	printf("%d speakers in real time, 25 interruptions per second; median and "
	       "range of %zu rounds\n",
	       CONTEXTS * CONNECTIONS, figures->ratio.count);
	multi_print_figure("first audio, 25 x 20 contexts, p50", &figures->many_p50, " ms", "");
	multi_print_figure("                               p99", &figures->many_p99, " ms", "");
	multi_print_figure("first audio, 500 connections,  p50", &figures->single_p50, " ms", "");
	multi_print_figure("                               p99", &figures->single_p99, " ms", "");
	multi_print_figure("ratio of the p99", &figures->ratio, "", "   (target 1.5)");
	multi_print_figure("barge-in to context_closed,    p50", &figures->acknowledged_p50, " ms",
			   "");
	multi_print_figure("                               p99", &figures->acknowledged_p99, " ms",
			   "");
	multi_print_figure("raw echo at the same time,     p99", &figures->echo_p99, " ms", "");
	multi_print_figure("p99 above the echo", &figures->over, " ms", "   (target 2.0)");
	printf("  refused: %u; audio after the acknowledgement: %u frames (target 0)\n",
	       figures->refused, figures->stale);
}

static void multi_reset(struct figures *figures)
{
	struct stats *all[] = {
		&figures->many_p50,         &figures->many_p99, &figures->single_p50,
		&figures->single_p99,       &figures->ratio,    &figures->acknowledged_p50,
		&figures->acknowledged_p99, &figures->echo_p99, &figures->over};

	for (size_t i = 0; i < COUNT(all); ++i)
		stats_reset(all[i]);
}

int bench_multi(const struct bench_options *options)
{
	int64_t rounds = options->rounds ? options->rounds : ROUNDS;
	struct target target;
	struct echo echo = {0};
	struct speakers many = {0};
	struct speakers single = {0};
	struct figures figures = {0};
	int err = target_start(&target, NULL);

	if (!err)
		err = echo_start(&echo);
	if (!err)
		err = speakers_open(&many, &target, CONNECTIONS, CONTEXTS);
	if (!err)
		err = speakers_open(&single, &target, CONNECTIONS * CONTEXTS, 1);
	for (int64_t i = 0; !err && i < rounds; ++i) {
		err = speakers_talk(&many, &echo, ROUND_US);
		if (!err)
			err = speakers_talk(&single, &echo, ROUND_US);
		if (!err)
			multi_note_round(&figures, &many, &single);
	}
	if (!err)
		multi_print(&figures);
	multi_reset(&figures);
	speakers_close(&many);
	speakers_close(&single);
	echo_stop(&echo);
	target_stop(&target);
	return err;
}
