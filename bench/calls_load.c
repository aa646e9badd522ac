/*
 * calls_load.c: how many calls at once have no late frame, and what each of them costs.
 *
 * Callers talk for four seconds and listen for six, over and over, all at different times.  The agent's
 * answer takes most of these six seconds.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/count.h"
#include "bench/calls.h"

#define TALK_MS 4000u
#define CYCLE_US 10000000u
#define STEPS_MAX 10
#define VARIANTS 8 /* of what is said */
#define ANSWER "Yes, that is done. It will arrive on Thursday morning. Is there anything else?"

struct calls_load_result {
	unsigned late, stale, errors, cuts;
	double gap_ms;
	size_t cycles, answers, failed;
	double seconds, server_s, workers_s;
	double talk_share; /* of the time */
	double phones_late_ms; /* a chunk that this program has sent at worst */
};

struct calls_load_crowd {
	struct phones phones;
	struct speech speeches[VARIANTS];
	uint64_t *next_us; /* when each caller talks again */
	size_t cycles;
};

/* Whoever's time has come begins to talk; never ends by itself. */
static bool calls_load_talk(void *arg)
{
	struct calls_load_crowd *crowd = arg;
	uint64_t now_us = clock_monotonic_us();

	for (size_t i = 0; i < crowd->phones.count; ++i) {
		struct phone *phone = &crowd->phones.all[i];
		const struct speech *speech = &crowd->speeches[(i + crowd->cycles) % VARIANTS];

		if (now_us < crowd->next_us[i] || phone->has_failed)
			continue;
		crowd->next_us[i] += CYCLE_US;
		++crowd->cycles;
		phone_say(phone, speech);
	}
	return false;
}

static int calls_load_open(struct calls_bench *bench, struct calls_load_crowd *crowd, size_t count)
{
	uint64_t start_us;
	int err = phones_open(&crowd->phones, count, bench->answering);

	for (size_t i = 0; i < VARIANTS && !err; ++i)
		err = speech_fill(&crowd->speeches[i], &bench->prompts, 3 * i, TALK_MS);
	crowd->next_us = calloc(count, sizeof(*crowd->next_us));
	if (!crowd->next_us)
		err = ENOMEM;
	for (size_t i = 0; i < count && !err; ++i)
		err = phones_dial(&crowd->phones, i, &bench->target, bench->agents[CALLS_NORMAL]);
	start_us = clock_monotonic_us();
	for (size_t i = 0; i < count && !err; ++i)
		crowd->next_us[i] = start_us + i * (CYCLE_US / count);
	return err;
}

static void calls_load_close(struct calls_load_crowd *crowd)
{
	phones_close(&crowd->phones);
	for (size_t i = 0; i < VARIANTS; ++i)
		speech_reset(&crowd->speeches[i]);
	free(crowd->next_us);
}

/* Sums up what all phones have heard; `sign` is -1 for what was heard before the measurement. */
static void calls_load_add(struct calls_load_result *result, const struct calls_load_crowd *crowd,
			   bool is_after)
{
	unsigned sign = is_after ? 1u : ~0u; /* unsigned sums wrap around */

	for (size_t i = 0; i < crowd->phones.count; ++i) {
		const struct phone *phone = &crowd->phones.all[i];

		result->late += sign * phone->heard.late;
		result->stale += sign * phone->heard.stale;
		result->errors += sign * phone->heard.errors;
		result->cuts += sign * phone->heard.cuts;
		if (is_after)
			result->answers += phone->heard.answers;
		else
			result->answers -= phone->heard.answers;
		if (is_after && (double)phone->heard.gap_us / 1000 > result->gap_ms)
			result->gap_ms = (double)phone->heard.gap_us / 1000;
		if (is_after)
			result->failed += phone->has_failed;
	}
}

/* Whole cycles, since a part of one has another share of talk. */
static uint64_t calls_load_length_us(const struct calls_bench *bench)
{
	uint64_t us = (uint64_t)bench->options->seconds * UINT64_C(1000000);

	return (us + CYCLE_US - 1) / CYCLE_US * CYCLE_US;
}

/* The first cycle, in which workers start, is not counted. */
static int calls_load_run(struct calls_bench *bench, size_t count, struct calls_load_result *result)
{
	struct calls_load_crowd crowd = {0};
	double server_s, workers_s;
	uint64_t start_us;
	int err = calls_load_open(bench, &crowd, count);

	*result = (struct calls_load_result){0};
	if (!err) {
		phones_run(&crowd.phones, clock_monotonic_us() + CYCLE_US, calls_load_talk, &crowd);
		calls_load_add(result, &crowd, false);
		for (size_t i = 0; i < count; ++i)
			crowd.phones.all[i].heard.gap_us = 0;
		crowd.cycles = 0;
		crowd.phones.spoken = 0;
		crowd.phones.late_us = 0;
		target_cpu(&bench->target, &server_s, &workers_s);
		start_us = clock_monotonic_us();
		phones_run(&crowd.phones, start_us + calls_load_length_us(bench), calls_load_talk,
			   &crowd);
		target_cpu(&bench->target, &result->server_s, &result->workers_s);
		result->server_s -= server_s;
		result->workers_s -= workers_s;
		result->seconds = (double)(clock_monotonic_us() - start_us) / 1e6;
		result->cycles = crowd.cycles;
		result->talk_share =
			(double)crowd.phones.spoken / SPEECH_RATE / result->seconds / (double)count;
		result->phones_late_ms = (double)crowd.phones.late_us / 1000;
		calls_load_add(result, &crowd, true);
	}
	calls_load_close(&crowd);
	return err;
}

static int calls_load_try(struct calls_bench *bench, size_t count, struct calls_load_result *result)
{
	char name[32];
	int err = calls_load_run(bench, count, result);

	if (!err) {
		double calls_s = result->seconds * (double)count;
		double cost = (result->server_s + result->workers_s) / calls_s;
		const struct calls_figure figures[] = {
			{"late_frames", result->late},
			{"gap_max_ms", result->gap_ms},
			{"answers", (double)result->answers},
			{"asked", (double)result->cycles},
			{"interrupted", result->cuts},
			{"stale_frames", result->stale},
			{"errors", result->errors + (double)result->failed},
			{"talk_percent", 100 * result->talk_share},
			{"server_cpu_ms_per_s", 1000 * result->server_s / calls_s},
			{"workers_cpu_ms_per_s", 1000 * result->workers_s / calls_s},
			{"calls_per_core", cost > 0 ? 1 / cost : 0},
			{"bench_late_ms", result->phones_late_ms},
		};

		snprintf(name, sizeof(name), "%zu calls", count);
		calls_print(bench, "load", name, figures, COUNT(figures));
	}
	return err;
}

static bool calls_load_is_good(const struct calls_load_result *result)
{
	return result->late == 0 && result->errors == 0 && result->failed == 0;
}

/* Doubles the number until a frame is late, then halves the difference. */
static int calls_load_search(struct calls_bench *bench, size_t *most)
{
	struct calls_load_result result;
	size_t good = 0, bad = 0;
	int err = 0;

	for (int step = 0; step < STEPS_MAX && !err && (!bad || bad - good > 1); ++step) {
		size_t count = !bad ? (good ? 2 * good : 1) : (good + bad) / 2;

		err = calls_load_try(bench, count, &result);
		if (calls_load_is_good(&result))
			good = count;
		else
			bad = count;
	}
	*most = good;
	return err;
}

int calls_load(struct calls_bench *bench)
{
	struct calls_load_result result;
	size_t most = 0;
	int err;

	answering_say(bench->answering, ANSWER);
	if (bench->options->calls)
		return calls_load_try(bench, (size_t)bench->options->calls, &result);
	err = calls_load_search(bench, &most);
	if (!err) {
		const struct calls_figure figures[] = {
			{"calls", (double)most},
			{"cores", bench->cores},
		};

		calls_print(bench, "load", "most without a late frame", figures, COUNT(figures));
	}
	return err;
}
