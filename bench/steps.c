/*
 * steps.c: time to first audio with 1, 16, 64 and 256 clients, to see whether it rises evenly with
 * their number or in a jump.
 *
 * The steps run one after the other, on one server with default settings.  Clients do not pause: as
 * soon as a client has received a turn it requests the next one, and it reads as fast as audio
 * arrives, so the machine is never idle, and every listener has seconds of audio in its buffer.
 * Round trips of a raw echo are measured in between; they show what the load of the machine alone
 * costs.
 */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/count.h"
#include "bench/bench.h"
#include "bench/echo.h"
#include "bench/load_clients.h"
#include "bench/stats.h"

/* A sentence of three seconds, in eSpeak NG's American English.  With longer turns, fewer of them
 * would begin at the same time and compete for their first audio. */
#define STEPS_QUESTION                                                                             \
	"{\"voice_id\":2003,\"flush\":true,"                                                       \
	"\"text\":\"The train to the coast leaves at noon from platform nine.\"}"

/* The first part of a step, whose results are kept apart: during its first half the clients begin
 * one after another, and the server starts workers for them. */
#define STEPS_GROWTH_US 4000000u

#define STEPS_ECHO_US 20000u /* between two round trips of the echo */

struct step {
	size_t callers;
	double p99_target_ms; /* the target for the 99th percentile, minus that of the echo */
	struct stats growth_us; /* time to first audio during STEPS_GROWTH_US */
	struct stats first_us; /* time to first audio afterwards */
	struct stats echo_us;
};

static void steps_note(struct load_client *caller, struct stats *first_us)
{
	if (caller->first_audio_us)
		stats_add(first_us, (double)(caller->first_audio_us - caller->asked_us));
	caller->first_audio_us = 0;
}

static int steps_run(struct step *step, const struct target *target, struct echo *echo,
		     uint64_t duration_us)
{
	struct load_clients callers;
	uint64_t start_us, now_us, echo_us;
	int err = load_clients_open(&callers, target, step->callers);

	start_us = now_us = echo_us = clock_monotonic_us();
	while (!err && !callers.failed && now_us < start_us + STEPS_GROWTH_US + duration_us) {
		bool is_growing = now_us < start_us + STEPS_GROWTH_US;

		for (size_t i = 0; !err && i < callers.count; ++i) {
			struct load_client *caller = &callers.all[i];

			if (caller->busy ||
			    now_us < start_us + i * (STEPS_GROWTH_US / 2) / callers.count)
				continue;
			steps_note(caller, is_growing ? &step->growth_us : &step->first_us);
			err = load_clients_ask(caller, STEPS_QUESTION);
		}
		load_clients_read(&callers, 1);
		now_us = clock_monotonic_us();
		if (now_us >= echo_us) {
			double round_trip_us = echo_round_trip_us(echo);

			if (!is_growing)
				stats_add(&step->echo_us, round_trip_us);
			echo_us = now_us + STEPS_ECHO_US;
		}
	}
	if (!err)
		err = load_clients_finish(&callers);
	load_clients_close(&callers);
	return err;
}

static void steps_print(struct step *step)
{
	double p99_us = stats_quantile(&step->first_us, 0.99);
	double echo_us = stats_quantile(&step->echo_us, 0.99);

	printf("  %3zu callers, %5zu turns   p50 %7.3f ms   p99 %7.3f ms   echo's p99 %7.3f ms   "
	       "over it %7.3f ms (target %.0f)   while workers start: p99 %7.3f ms\n",
	       step->callers, step->first_us.count, stats_quantile(&step->first_us, 0.5) / 1000,
	       p99_us / 1000, echo_us / 1000, (p99_us - echo_us) / 1000, step->p99_target_ms,
	       stats_quantile(&step->growth_us, 0.99) / 1000);
	fflush(stdout);
}

int bench_steps(const struct bench_options *options)
{
	struct step steps[] = {
		{.callers = 1, .p99_target_ms = 2},
		{.callers = 16, .p99_target_ms = 8},
		{.callers = 64, .p99_target_ms = 25},
		{.callers = 256, .p99_target_ms = 100},
	};
	struct target target;
	struct echo echo = {0};
	int err = target_start(&target, NULL);

	if (!err)
		err = echo_start(&echo);
	if (!err)
		printf("first sound, callers without pauses, eSpeak NG\n");
	for (size_t i = 0; !err && i < COUNT(steps); ++i) {
		err = steps_run(&steps[i], &target, &echo, (uint64_t)options->seconds * 1000000u);
		if (!err)
			steps_print(&steps[i]);
	}
	if (!err)
		printf("  p50 of 256 callers to that of 16: %.1f (target 10)\n",
		       stats_quantile(&steps[3].first_us, 0.5) /
			       stats_quantile(&steps[1].first_us, 0.5));
	for (size_t i = 0; i < COUNT(steps); ++i) {
		stats_reset(&steps[i].growth_us);
		stats_reset(&steps[i].first_us);
		stats_reset(&steps[i].echo_us);
	}
	echo_stop(&echo);
	target_stop(&target);
	return err;
}
