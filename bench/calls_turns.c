/*
 * calls_turns.c: how soon an agent is heard after its caller has finished, and how soon it is silent when
 * it is interrupted.
 *
 * Calls with agents of different patience are open at the same time, and their callers speak in turn, so
 * that the state of the machine affects all.  What the stages of a turn took is the difference of the
 * server's metrics before and after it, since nobody else speaks meanwhile.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "bench/calls.h"
#include "bench/stats.h"

#define ROUNDS 12
#define ECHOES 20 /* before each turn */
#define BARGE_IN_AFTER_US 1500000u /* of the answer */
#define BARGE_IN_MAX_US 6000000u

/* Inside of what is said; 0: a single prompt. */
static const unsigned calls_turns_pauses_ms[] = {0, 300, 600, 900};
#define PAUSES COUNT(calls_turns_pauses_ms)

/* Stages in the server's metrics. */
enum calls_turns_stage { WORDS, ASKED, DECIDED, ANSWER, READY, SOUND, ADDED, STAGES };
static const char *const calls_turns_metrics[STAGES] = {
	[WORDS] = "words", [ASKED] = "asked", [DECIDED] = "decided", [ANSWER] = "answer",
	[READY] = "ready", [SOUND] = "sound", [ADDED] = "added",
};

struct calls_turns_sums {
	double seconds[STAGES];
	unsigned counts[STAGES];
};

struct calls_turns_kind {
	struct stats heard_ms; /* from the end of speech to the first sound, at the phone */
	struct stats stage_ms[STAGES];
	struct stats agent_ms; /* from the question to the first words of the answer */
	struct stats voice_ms; /* from these to the first sound */
	struct stats rest_ms; /* what the phone measures in addition to the server */
	unsigned turns[PAUSES], cut_ins[PAUSES];
};

static void calls_turns_read(const struct calls_bench *bench, struct calls_turns_sums *sums)
{
	const char *page = target_metrics(&bench->target);

	for (size_t i = 0; i < STAGES; ++i) {
		char name[80];

		snprintf(name, sizeof(name), "syrinx_call_%s_seconds_sum", calls_turns_metrics[i]);
		sums->seconds[i] = target_value(page, name);
		snprintf(name, sizeof(name), "syrinx_call_%s_seconds_count",
			 calls_turns_metrics[i]);
		sums->counts[i] = (unsigned)target_value(page, name);
	}
}

/* Adds the stages of one turn, those that are known. */
static void calls_turns_note(struct calls_turns_kind *kind, const struct calls_turns_sums *before,
			     const struct calls_turns_sums *after, double heard_ms)
{
	double ms[STAGES];
	bool is_known[STAGES];

	for (size_t i = 0; i < STAGES; ++i) {
		ms[i] = (after->seconds[i] - before->seconds[i]) * 1000;
		is_known[i] = after->counts[i] - before->counts[i] == 1;
		if (is_known[i])
			stats_add(&kind->stage_ms[i], ms[i]);
	}
	stats_add(&kind->heard_ms, heard_ms);
	if (is_known[ASKED] && is_known[ANSWER])
		stats_add(&kind->agent_ms, ms[ANSWER] - ms[ASKED]);
	if (is_known[ANSWER] && is_known[READY])
		stats_add(&kind->voice_ms, ms[READY] - ms[ANSWER]);
	if (is_known[SOUND])
		stats_add(&kind->rest_ms, heard_ms - ms[SOUND]);
}

struct calls_turns_watch {
	const struct phone *phone;
	unsigned answers; /* before the turn */
};

static bool calls_turns_is_cut_in(void *arg)
{
	const struct calls_turns_watch *watch = arg;

	return !watch->phone->speech || watch->phone->has_failed ||
	       watch->phone->heard.answers > watch->answers;
}

/* One turn.  An agent that speaks before its caller has finished cuts in; then nothing else is noted. */
static int calls_turns_take(struct calls_bench *bench, struct phones *phones, size_t which,
			    struct calls_turns_kind *kind, size_t round)
{
	size_t pause = round % PAUSES;
	struct phone *phone = &phones->all[which];
	struct calls_turns_watch watch = {phone, phone->heard.answers};
	struct calls_turns_sums before, after;
	struct speech speech;
	bool cuts_in;
	int err = speech_join(&speech, &bench->prompts, 2 * round, pause ? 2 : 1,
			      calls_turns_pauses_ms[pause]);

	if (err)
		return err;
	calls_turns_read(bench, &before);
	phone_say(phone, &speech);
	phones_run(phones, UINT64_MAX, calls_turns_is_cut_in, &watch);
	cuts_in = phone->heard.answers > watch.answers;
	err = calls_hear_out(phones, phone, watch.answers + cuts_in);
	calls_turns_read(bench, &after);
	++kind->turns[pause];
	kind->cut_ins[pause] += cuts_in;
	if (err == ETIMEDOUT && cuts_in)
		err = 0; /* the agent has ignored the rest of what was said */
	else if (!err && !cuts_in)
		calls_turns_note(kind, &before, &after,
				 ((double)phone->heard.answer_us - (double)phone->end_us) / 1000);
	speech_reset(&speech);
	return err;
}

static void calls_turns_print(const struct calls_bench *bench, const char *name,
			      struct calls_turns_kind *kind)
{
	const struct calls_figure heard[] = {
		{"p50_ms", stats_quantile(&kind->heard_ms, 0.5)},
		{"p95_ms", stats_quantile(&kind->heard_ms, 0.95)},
		{"turns", (double)kind->heard_ms.count},
	};
	const struct calls_figure stages[] = {
		{"words_ms", stats_quantile(&kind->stage_ms[WORDS], 0.5)},
		{"asked_ms", stats_quantile(&kind->stage_ms[ASKED], 0.5)},
		{"decided_ms", stats_quantile(&kind->stage_ms[DECIDED], 0.5)},
		{"answer_ms", stats_quantile(&kind->stage_ms[ANSWER], 0.5)},
		{"ready_ms", stats_quantile(&kind->stage_ms[READY], 0.5)},
		{"sound_ms", stats_quantile(&kind->stage_ms[SOUND], 0.5)},
	};
	const struct calls_figure own[] = {
		{"added_p50_us", 1000 * stats_quantile(&kind->stage_ms[ADDED], 0.5)},
		{"added_p95_us", 1000 * stats_quantile(&kind->stage_ms[ADDED], 0.95)},
		{"agent_p50_us", 1000 * stats_quantile(&kind->agent_ms, 0.5)},
		{"agent_p95_us", 1000 * stats_quantile(&kind->agent_ms, 0.95)},
		{"voice_p50_ms", stats_quantile(&kind->voice_ms, 0.5)},
		{"rest_p50_ms", stats_quantile(&kind->rest_ms, 0.5)},
	};

	calls_print(bench, "heard after", name, heard, COUNT(heard));
	calls_print(bench, "stages", name, stages, COUNT(stages));
	calls_print(bench, "own share", name, own, COUNT(own));
	for (size_t i = 1; i < PAUSES; ++i) {
		const struct calls_figure cut_ins[] = {
			{"pause_ms", calls_turns_pauses_ms[i]},
			{"cut_ins", kind->cut_ins[i]},
			{"turns", kind->turns[i]},
		};

		calls_print(bench, "cut-ins", name, cut_ins, COUNT(cut_ins));
	}
}

static void calls_turns_reset(struct calls_turns_kind *kind)
{
	stats_reset(&kind->heard_ms);
	stats_reset(&kind->agent_ms);
	stats_reset(&kind->voice_ms);
	stats_reset(&kind->rest_ms);
	for (size_t i = 0; i < STAGES; ++i)
		stats_reset(&kind->stage_ms[i]);
}

static void calls_turns_print_echo(const struct calls_bench *bench, struct stats *echo_us)
{
	const struct calls_figure echo[] = {
		{"p50_us", stats_quantile(echo_us, 0.5)},
		{"p95_us", stats_quantile(echo_us, 0.95)},
	};

	calls_print(bench, "echo", "raw socket", echo, COUNT(echo));
}

int calls_turns(struct calls_bench *bench)
{
	size_t rounds = bench->options->rounds ? (size_t)bench->options->rounds : ROUNDS;
	struct calls_turns_kind kinds[CALLS_AGENTS] = {0}, warm = {0};
	struct stats echo_us = {0};
	struct phones phones;
	int err = phones_open(&phones, CALLS_AGENTS, bench->answering);

	for (size_t i = 0; i < CALLS_AGENTS && !err; ++i) {
		err = phones_dial(&phones, i, &bench->target, bench->agents[i]);
		if (!err) /* workers start, and pages are first touched */
			err = calls_turns_take(bench, &phones, i, &warm, 0);
	}
	for (size_t round = 0; round < rounds && !err; ++round) {
		for (size_t i = 0; i < CALLS_AGENTS && !err; ++i) {
			for (int k = 0; k < ECHOES; ++k)
				stats_add(&echo_us, echo_round_trip_us(&bench->echo));
			err = calls_turns_take(bench, &phones, i, &kinds[i], round);
		}
	}
	for (size_t i = 0; i < CALLS_AGENTS; ++i) {
		if (!err)
			calls_turns_print(bench, calls_agent_names[i], &kinds[i]);
		calls_turns_reset(&kinds[i]);
	}
	if (!err)
		calls_turns_print_echo(bench, &echo_us);
	calls_turns_reset(&warm);
	stats_reset(&echo_us);
	phones_close(&phones);
	return err;
}

/* Interruptions */

struct calls_turns_barge_in {
	const struct phone *phone;
	unsigned answers, cuts; /* before */
};

static bool calls_turns_is_answered(void *arg)
{
	const struct calls_turns_barge_in *barge_in = arg;

	return barge_in->phone->has_failed || barge_in->phone->heard.answers > barge_in->answers;
}

static bool calls_turns_is_cut(void *arg)
{
	const struct calls_turns_barge_in *barge_in = arg;

	return barge_in->phone->has_failed || barge_in->phone->heard.cuts > barge_in->cuts;
}

/* The agent gives a long answer to something that was typed, and the caller speaks over it. */
static int calls_turns_interrupt(struct calls_bench *bench, struct phones *phones,
				 const struct speech *speech, struct stats *cut_ms,
				 unsigned *missed)
{
	struct phone *phone = &phones->all[0];
	struct calls_turns_barge_in barge_in = {phone, phone->heard.answers, phone->heard.cuts};
	int err;

	answering_say(bench->answering, CALLS_LONG);
	err = phone_type(phone, "Tell me all about it.");
	if (err)
		return err;
	phones_run(phones, clock_monotonic_us() + BARGE_IN_MAX_US, calls_turns_is_answered,
		   &barge_in);
	phones_run(phones, clock_monotonic_us() + BARGE_IN_AFTER_US, NULL, NULL);
	answering_say(bench->answering, CALLS_SHORT);
	phone_say(phone, speech);
	phones_run(phones, clock_monotonic_us() + BARGE_IN_MAX_US, calls_turns_is_cut, &barge_in);
	if (phone->heard.cuts > barge_in.cuts)
		stats_add(cut_ms, ((double)phone->heard.cut_us - (double)phone->onset_us) / 1000);
	else
		++*missed;
	/* Whoever has interrupted is answered; otherwise the long answer is heard out. */
	return calls_hear_out(phones, phone,
			      barge_in.answers + (phone->heard.cuts > barge_in.cuts));
}

int calls_barge_ins(struct calls_bench *bench)
{
	size_t rounds = bench->options->rounds ? (size_t)bench->options->rounds : ROUNDS;
	struct stats cut_ms = {0};
	struct phones phones;
	unsigned missed = 0;
	int err = phones_open(&phones, 1, bench->answering);

	if (!err)
		err = phones_dial(&phones, 0, &bench->target, bench->agents[CALLS_NORMAL]);
	for (size_t round = 0; round < rounds && !err; ++round) {
		struct speech speech;

		err = speech_join(&speech, &bench->prompts, round, 1, 0);
		if (!err)
			err = calls_turns_interrupt(bench, &phones, &speech, &cut_ms, &missed);
		phones.all[0].speech = NULL;
		speech_reset(&speech);
	}
	if (!err) {
		const struct calls_figure figures[] = {
			{"p50_ms", stats_quantile(&cut_ms, 0.5)},
			{"p95_ms", stats_quantile(&cut_ms, 0.95)},
			{"barge_ins", (double)cut_ms.count},
			{"missed", missed},
			{"stale_frames", phones.all[0].heard.stale},
		};

		calls_print(bench, "barge-in", "speech to interruption", figures, COUNT(figures));
	}
	stats_reset(&cut_ms);
	phones_close(&phones);
	return err;
}
