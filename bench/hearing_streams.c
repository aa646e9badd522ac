/*
 * hearing_streams.c: how many callers can be listened to at once.
 *
 * Each says one utterance after another, with some silence in between, and gets partial words
 * every half second. The most that can be heard without falling behind is found by bisection, and
 * compared with the number of cores divided by the CPU time that the bare models need for the same:
 * every frame, every partial piece and every final one.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench/callers.h"
#include "bench/hearing.h"
#include "bench/stats.h"
#include "hearing/segmenter.h"

#define PACE_SECONDS 5u
#define STEPS 5
#define STREAMS_TARGET 0.85

/* A caller is behind if final words come later than that after the frame that ends their utterance, or
 * if more than this share of partial words were left out. */
#define WORDS_MAX_MS 1000.0
#define LEFT_OUT_MAX 0.05

/* Callers begin at different times within an utterance, and are not counted before all have. */
#define ARRIVALS_US (UINT64_C(1000000) * UTTERANCE_SAMPLES / UTTERANCE_RATE)
#define WARM_US (ARRIVALS_US + UINT64_C(2000000))

/* The end of a segment is after_ms after the last speech, and is noticed end_ms after it. */
#define NOTICED_AFTER                                                                              \
	((500u * 16u + HEARING_FRAME - 1) / HEARING_FRAME * HEARING_FRAME - 200u * 16u)

#define CALLERS_MAX 256

struct crowd_result {
	struct stats words_ms, decision_ms;
	size_t utterances; /* that were said */
	size_t partials; /* that were shown, while they were different */
	double given, left_out; /* partial pieces that were recognized, and those that were not */
	double late_ms; /* of the callers themselves */
	double server_cpu_s, workers_cpu_s, seconds;
	unsigned failures;
};

struct crowd {
	struct hearing_bench *bench;
	struct crowd_result *result;
	size_t next; /* utterance */
	uint64_t counts_us; /* what happens from then on */
	uint64_t noticed_us[CALLERS_MAX]; /* when the frame was sent that ended the utterance */
};

static void hearing_streams_on_message(struct caller *caller, const struct caller_message *message,
				       void *arg)
{
	struct crowd *crowd = arg;
	struct crowd_result *result = crowd->result;
	uint64_t *noticed_us = &crowd->noticed_us[caller->index];

	if (message->event == CALLER_SILENCE) {
		*noticed_us = caller_sent_us(caller, message->sample + NOTICED_AFTER);
		if (*noticed_us > crowd->counts_us)
			stats_add(&result->decision_ms,
				  (double)(message->at_us - *noticed_us) / 1000);
	} else if (message->event == CALLER_PARTIAL) {
		result->partials += message->at_us > crowd->counts_us;
	} else if (message->event == CALLER_WORDS) {
		if (*noticed_us > crowd->counts_us)
			stats_add(&result->words_ms, (double)(message->at_us - *noticed_us) / 1000);
		*noticed_us = 0;
	}
}

static void hearing_streams_on_finished(struct caller *caller, void *arg)
{
	struct crowd *crowd = arg;
	const struct utterances *utterances = &crowd->bench->utterances;

	++crowd->result->utterances;
	caller_say(caller, &utterances->all[crowd->next++ % utterances->count],
		   caller->due_us - UINT64_C(20000), false);
}

/* Words that should have come by now count as late. */
static void hearing_streams_count_missing(struct crowd *crowd, const struct callers *callers)
{
	uint64_t now_us = clock_monotonic_us();

	for (size_t i = 0; i < callers->count; ++i) {
		double waited_ms = (double)(now_us - crowd->noticed_us[i]) / 1000;

		if (crowd->noticed_us[i] && waited_ms > WORDS_MAX_MS)
			stats_add(&crowd->result->words_ms, waited_ms);
	}
}

static void hearing_streams_read_metrics(const struct target *target, double *given,
					 double *left_out)
{
	*given = target_metric(target, "syrinx_hearing_pieces_total{kind=\"partial\"}");
	*left_out = target_metric(target, "syrinx_hearing_pieces_total{kind=\"left_out\"}");
}

static int hearing_streams_run(struct hearing_bench *bench, size_t count,
			       struct crowd_result *result)
{
	static const struct callers_handlers handlers = {.message = hearing_streams_on_message,
							 .finished = hearing_streams_on_finished};
	static struct crowd crowd;
	const struct target *target = &bench->target;
	const bool never = false;
	struct callers callers;
	double given, left_out, server_s, workers_s;
	uint64_t start_us, end_us;
	int err;

	*result = (struct crowd_result){0};
	crowd = (struct crowd){.bench = bench, .result = result};
	err = callers_open(&callers, target, count, HEARING_AT_PAUSES, &handlers, &crowd);
	start_us = clock_monotonic_us();
	crowd.counts_us = start_us + WARM_US;
	end_us = crowd.counts_us + (uint64_t)bench->options->seconds * 1000000u;
	for (size_t i = 0; i < callers.count; ++i)
		caller_say(&callers.all[i],
			   &bench->utterances.all[crowd.next++ % bench->utterances.count],
			   start_us + i * ARRIVALS_US / count, false);
	if (!err) {
		callers_run(&callers, crowd.counts_us, &never);
		hearing_streams_read_metrics(target, &given, &left_out);
		target_cpu(target, &server_s, &workers_s);
		callers.late_us = 0;
		callers_run(&callers, end_us, &never);
		hearing_streams_read_metrics(target, &result->given, &result->left_out);
		result->given -= given;
		result->left_out -= left_out;
		target_cpu(target, &result->server_cpu_s, &result->workers_cpu_s);
		result->server_cpu_s -= server_s;
		result->workers_cpu_s -= workers_s;
		result->seconds = (double)bench->options->seconds;
		result->late_ms = (double)callers.late_us / 1000;
		result->failures = callers.failures;
		hearing_streams_count_missing(&crowd, &callers);
	}
	callers_close(&callers);
	return err;
}

static double hearing_streams_share_left_out(const struct crowd_result *result)
{
	double due = result->given + result->left_out;

	return due > 0 ? result->left_out / due : 0;
}

static bool hearing_streams_keeps_up(struct crowd_result *result)
{
	return result->failures == 0 && result->words_ms.count > 0 &&
	       stats_quantile(&result->words_ms, 1) <= WORDS_MAX_MS &&
	       hearing_streams_share_left_out(result) <= LEFT_OUT_MAX;
}

static void hearing_streams_print(const struct hearing_bench *bench, size_t count,
				  struct crowd_result *result)
{
	double all = result->seconds * bench->cores / 100;

	printf("  %3zu callers: words p50 %4.0f ms, p99 %5.0f ms, latest %5.0f ms (%zu); decision "
	       "p99 %5.1f ms; %.0f partial pieces, %.1f %% left out; CPU: engine %.0f %%, server "
	       "%.1f %%; callers late by %.0f ms at most: %s\n",
	       count, stats_quantile(&result->words_ms, 0.5),
	       stats_quantile(&result->words_ms, 0.99), stats_quantile(&result->words_ms, 1),
	       result->words_ms.count, stats_quantile(&result->decision_ms, 0.99), result->given,
	       100 * hearing_streams_share_left_out(result), result->workers_cpu_s / all,
	       result->server_cpu_s / all, result->late_ms,
	       hearing_streams_keeps_up(result) ? "heard" : "behind");
	fflush(stdout);
}

static int hearing_streams_try(struct hearing_bench *bench, size_t count, bool *keeps_up)
{
	const struct timespec pause = {.tv_nsec = 500000000};
	struct crowd_result result;
	int err = hearing_streams_run(bench, count, &result);

	if (!err) {
		hearing_streams_print(bench, count, &result);
		*keeps_up = hearing_streams_keeps_up(&result);
	}
	stats_reset(&result.words_ms);
	stats_reset(&result.decision_ms);
	nanosleep(&pause, NULL); /* until the server has ended what the last callers began */
	return err;
}

/* The CPU time of the bare models for a second of what callers say. */
static double hearing_streams_cost(const struct hearing_bench *bench, unsigned threads)
{
	static char arguments[32768];
	size_t len = 0;

	for (size_t i = 0; i < bench->utterances.count; ++i) {
		const struct hearing_plan *plan = &bench->plans[i];

		len += (size_t)snprintf(arguments + len, sizeof(arguments) - len, " '%s' ",
					bench->utterances.all[i].path);
		for (size_t k = 0; k < plan->piece_count; ++k)
			len += (size_t)snprintf(arguments + len, sizeof(arguments) - len,
						"%s%zu-%zu", k ? "," : "", plan->pieces[k].from,
						plan->pieces[k].to);
	}
	return bare_listener_pace(bench->options->engines_dir, PACE_SECONDS, threads, arguments);
}

/* Added to the statistics before and after the search. */
static void hearing_streams_measure_cost(const struct hearing_bench *bench, struct stats *one,
					 struct stats *all)
{
	stats_add(one, hearing_streams_cost(bench, 1));
	stats_add(all, hearing_streams_cost(bench, bench->cores));
}

static int hearing_streams_search(struct hearing_bench *bench, double capacity, size_t *most)
{
	size_t good = 0;
	size_t bad = (size_t)(1.2 * capacity) + 2;
	int err = 0;

	for (int step = 0; step < STEPS && !err && bad - good > 1; ++step) {
		/* The first guess is the target. */
		size_t count =
			step == 0 ? (size_t)(STREAMS_TARGET * capacity + 0.999) : (good + bad) / 2;
		bool keeps_up = false;

		if (count < 1)
			count = 1;
		err = hearing_streams_try(bench, count, &keeps_up);
		if (keeps_up)
			good = count;
		else
			bad = count;
	}
	*most = good;
	return err;
}

static int hearing_streams_hold_given(struct hearing_bench *bench, size_t *most)
{
	size_t count = (size_t)bench->options->listeners;
	bool keeps_up = false;
	int err = hearing_streams_try(bench, count, &keeps_up);

	*most = keeps_up ? count : 0;
	return err;
}

static double hearing_streams_mean_pieces(const struct hearing_bench *bench)
{
	size_t sum = 0;

	for (size_t i = 0; i < bench->utterances.count; ++i)
		sum += bench->plans[i].piece_count;
	return (double)sum / (double)bench->utterances.count;
}

int hearing_streams(struct hearing_bench *bench)
{
	struct stats one = {0}, all = {0};
	size_t most = 0;
	double cost;
	int err;

	printf("callers at once, %lld s per step, three of speech and %.1f of silence in turn; "
	       "%.2f pieces of each utterance are recognized\n",
	       (long long)bench->options->seconds,
	       (double)(UTTERANCE_LEAD + UTTERANCE_PAUSE) / UTTERANCE_RATE,
	       hearing_streams_mean_pieces(bench));
	fflush(stdout);
	hearing_streams_measure_cost(bench, &one, &all);
	if (bench->options->listeners)
		err = hearing_streams_hold_given(bench, &most);
	else
		err = hearing_streams_search(bench, bench->cores / stats_mean(&one), &most);
	hearing_streams_measure_cost(bench, &one, &all);
	cost = stats_mean(&one);
	if (!err)
		printf("  bare models: %.4f s of CPU per second of audio (%.4f on %u threads at "
		       "once): %.1f callers (%.1f)\n"
		       "  at most %zu heard without falling behind: %.2f of that (%.2f)   (target "
		       "%.2f)\n",
		       cost, stats_mean(&all), bench->cores, bench->cores / cost,
		       bench->cores / stats_mean(&all), most, (double)most * cost / bench->cores,
		       (double)most * stats_mean(&all) / bench->cores, STREAMS_TARGET);
	stats_reset(&one);
	stats_reset(&all);
	return err;
}
