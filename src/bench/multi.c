/*
 * multi.c: twenty contexts on each of 25 connections against 500 connections of
 * one, by turns: first sound, and how soon a barge-in is acknowledged.
 */
#include <stdio.h>

#include "bench/bench.h"
#include "bench/echo.h"
#include "bench/speakers.h"

#define CONTEXTS 20
#define CONNECTIONS 25
#define ROUNDS 5
#define ROUND_US 15000000u

static void print_line(const char *what, struct stats *us)
{
	printf("  %-34s p50 %8.3f ms   p99 %8.3f ms   (%zu)\n", what,
	       stats_quantile(us, 0.5) / 1000, stats_quantile(us, 0.99) / 1000, us->count);
}

static void print(struct speakers *many, struct speakers *single)
{
	double ratio =
		stats_quantile(&many->first_us, 0.99) / stats_quantile(&single->first_us, 0.99);
	double over = stats_quantile(&many->told_us, 0.99) - stats_quantile(&many->echo_us, 0.99);

	printf("%d speakers in real time, one interrupted every 10 ms\n", CONTEXTS * CONNECTIONS);
	print_line("first sound, 25 x 20 contexts", &many->first_us);
	print_line("first sound, 500 connections", &single->first_us);
	printf("  ratio of the p99             %8.2f   (target 1.5)\n", ratio);
	print_line("context_closed after a barge-in", &many->told_us);
	print_line("interrupted after a cancel", &single->told_us);
	print_line("raw echo beside the contexts", &many->echo_us);
	printf("  p99 over the echo's          %8.3f ms   (target 2.0)\n", over / 1000);
	printf("  refused: %u and %u; audio after context_closed: %u frames (target 0)\n",
	       many->refused, single->refused, many->stale);
}

int bench_multi(const struct bench_options *options)
{
	int64_t rounds = options->rounds ? options->rounds : ROUNDS;
	struct target target;
	struct echo echo = {0};
	struct speakers many = {0};
	struct speakers single = {0};
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
	}
	if (!err)
		print(&many, &single);
	speakers_close(&many);
	speakers_close(&single);
	echo_stop(&echo);
	target_stop(&target);
	return err;
}
