/*
 * hearing_latency.c: how soon one caller's words are there, and how soon it is noticed that they speak.
 *
 * Rounds in which the caller commits when they have said everything alternate with rounds in which the
 * server notices that they have. After each, the bare model recognizes the same samples.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bench/callers.h"
#include "bench/hearing.h"
#include "bench/stats.h"

#define ROUNDS 24
#define WORDS_MAX_US 5000000u
#define UTTERANCE_US (UINT64_C(1000000) * UTTERANCE_SAMPLES / UTTERANCE_RATE)
#define WORDS_TARGET 1.15
#define DECISION_TARGET_MS 2.0

/* Time for what the server does after a stream has ended. */
#define SETTLE_US 200000u

struct latency_kind {
	const char *name;
	bool commits;
	struct stats words_ms, bare_ms, ratio, decision_ms;
	unsigned differing; /* words that are not those of the bare model */
};

struct latency_round {
	const struct hearing_plan *plan;
	struct latency_kind *kind;
	uint64_t words_us;
	char text[BARE_LISTENER_TEXT_SIZE];
	bool is_over;
};

static void hearing_latency_note(struct latency_kind *kind, const struct caller *caller,
				 const struct caller_message *message, uint64_t sample)
{
	uint64_t sent_us = caller_sent_us(caller, sample);

	if (sent_us)
		stats_add(&kind->decision_ms, ((double)message->at_us - (double)sent_us) / 1000);
}

static void hearing_latency_on_message(struct caller *caller, const struct caller_message *message,
				       void *arg)
{
	struct latency_round *round = arg;

	switch (message->event) {
	case CALLER_SPEECH:
		hearing_latency_note(round->kind, caller, message, round->plan->speech_sample);
		break;
	case CALLER_SILENCE: /* after a commit it is not the detector's decision */
		if (!round->kind->commits)
			hearing_latency_note(round->kind, caller, message,
					     round->plan->silence_sample);
		break;
	case CALLER_PARTIAL:
		break;
	case CALLER_WORDS:
		round->words_us = message->at_us;
		snprintf(round->text, sizeof(round->text), "%.511s", message->text);
		round->is_over = true;
		break;
	}
}

static int hearing_latency_speak(struct hearing_bench *bench, struct latency_round *round,
				 const struct utterance *utterance, double *words_ms)
{
	static const struct callers_handlers handlers = {.message = hearing_latency_on_message};
	bool commits = round->kind->commits;
	struct callers callers;
	uint64_t start_us;
	uint64_t end_us = 0;
	int err = callers_open(&callers, &bench->target, 1,
			       commits ? HEARING_MANUAL : HEARING_AT_PAUSES, &handlers, round);

	if (!err) {
		start_us = clock_monotonic_us() + SETTLE_US;
		caller_say(&callers.all[0], utterance, start_us, commits);
		callers_run(&callers, start_us + UTTERANCE_US + WORDS_MAX_US, &round->is_over);
		end_us = caller_sent_us(&callers.all[0],
					commits ? UTTERANCE_END : round->plan->silence_sample);
		err = callers.failures > 0 ? EIO : round->words_us ? 0 : ETIMEDOUT;
	}
	callers_close(&callers);
	if (!err)
		*words_ms = (double)(round->words_us - end_us) / 1000;
	return err;
}

static int hearing_latency_round(struct hearing_bench *bench, struct latency_kind *kind,
				 size_t which)
{
	const struct hearing_plan *plan = &bench->plans[which];
	const struct utterance *utterance = &bench->utterances.all[which];
	struct latency_round round = {.plan = plan, .kind = kind};
	size_t to = kind->commits ? UTTERANCE_END : plan->pieces[plan->piece_count - 1].to;
	struct bare_listener_words bare;
	double words_ms;
	int err = hearing_latency_speak(bench, &round, utterance, &words_ms);

	if (!err)
		err = bare_listener_hear(bench->bare, utterance->path, plan->pieces[0].from, to,
					 &bare);
	if (err)
		return err;
	stats_add(&kind->words_ms, words_ms);
	stats_add(&kind->bare_ms, bare.wall_s * 1000);
	stats_add(&kind->ratio, words_ms / (bare.wall_s * 1000));
	kind->differing += strcmp(round.text, bare.text) != 0;
	return 0;
}

static void hearing_latency_print(struct latency_kind *kind)
{
	printf("  %s (%zu times)\n", kind->name, kind->words_ms.count);
	printf("    final words   p50 %6.1f ms   p99 %6.1f ms   bare model p50 %6.1f ms   ratio "
	       "%.3f [%.3f to %.3f]   (target %.2f)\n",
	       stats_quantile(&kind->words_ms, 0.5), stats_quantile(&kind->words_ms, 0.99),
	       stats_quantile(&kind->bare_ms, 0.5), stats_quantile(&kind->ratio, 0.5),
	       stats_quantile(&kind->ratio, 0.25), stats_quantile(&kind->ratio, 0.75),
	       WORDS_TARGET);
	printf("    decision      p50 %6.2f ms   p99 %6.2f ms after the frame   (target %.0f)\n",
	       stats_quantile(&kind->decision_ms, 0.5), stats_quantile(&kind->decision_ms, 0.99),
	       DECISION_TARGET_MS);
	printf("    words other than the bare model's: %u times\n", kind->differing);
	stats_reset(&kind->words_ms);
	stats_reset(&kind->bare_ms);
	stats_reset(&kind->ratio);
	stats_reset(&kind->decision_ms);
}

int hearing_latency(struct hearing_bench *bench)
{
	struct latency_kind kinds[] = {
		{.name = "the caller commits; the decision is that somebody speaks",
		 .commits = true},
		{.name = "a pause of 0.5 s ends it, from its end; the decisions are both"},
	};
	long long rounds = bench->options->rounds ? bench->options->rounds : ROUNDS;
	int err = 0;

	/* The first round is not counted. */
	for (long long i = -1; i < rounds && !err; ++i) {
		struct latency_kind warm = {.commits = true};

		if (i < 0)
			err = hearing_latency_round(bench, &warm, 0);
		for (size_t k = 0; k < 2 && i >= 0 && !err; ++k)
			err = hearing_latency_round(bench, &kinds[k],
						    (size_t)i % bench->utterances.count);
	}
	if (err)
		return err;
	printf("one caller; the detector alone takes %.2f ms for a frame of 32 ms\n",
	       bench->frame_s * 1000);
	hearing_latency_print(&kinds[0]);
	hearing_latency_print(&kinds[1]);
	return 0;
}
