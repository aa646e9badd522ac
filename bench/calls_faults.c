/*
 * calls_faults.c: calls in which something dies: the recognizer, whoever answers, or the caller.
 *
 * The words of a caller whose recognizer is killed must be those of an undisturbed call.  A question that
 * a developer's server dies of must be asked again within the cascade timeout.  When the caller is gone,
 * everything must be closed and booked within a second.  After all that, nothing may be left.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "bench/calls.h"
#include "bench/stats.h"

#define RECOGNIZER "syrinx-hear"
#define WORKERS_MAX 16
#define SPEECHES 4
#define SLICE_US 5000u
#define ANSWER_MAX_US 30000000u
#define RESTART_US 300000u
#define CASCADE_MS 4000.0 /* the default of a speech engine */
#define SPEAK_US 1000000u /* of an answer, before the caller is gone */
#define GONE_MS 1000.0
#define GONE_MAX_US 5000000u
#define SETTLE_MAX_US 10000000u
#define MEMORY_PER_CALL (64u * 1024u) /* more growth than that is a leak */

enum calls_faults_kind { RECOGNIZER_DIES, ANSWERING_DIES, CALLER_IS_GONE, KINDS };
static const char *const calls_faults_names[KINDS] = {
	[RECOGNIZER_DIES] = "the recognizer is killed",
	[ANSWERING_DIES] = "whoever answers is killed",
	[CALLER_IS_GONE] = "the caller is gone",
};

struct calls_faults {
	struct calls_bench *bench;
	struct phones phones;
	struct speech speeches[SPEECHES];
	char words[SPEECHES][PHONE_TEXT_SIZE]; /* of an undisturbed call */
	struct stats ms[KINDS]; /* to the words, to the next question, to the last row */
	unsigned failed[KINDS];
	double objects;
	size_t memory;
};

/* Waiting */

struct calls_faults_wait {
	struct calls_faults *faults;
	unsigned answers, transcripts;
	size_t asked, deaths;
};

static struct calls_faults_wait calls_faults_now(struct calls_faults *faults)
{
	const struct phone_heard *heard = &faults->phones.all[0].heard;
	const struct answering_figures *figures = answering_figures(faults->bench->answering);

	return (struct calls_faults_wait){faults, heard->answers, heard->transcripts,
					  figures->asked, figures->deaths};
}

static bool calls_faults_is_half_said(void *arg)
{
	const struct calls_faults_wait *wait = arg;
	const struct phone *phone = &wait->faults->phones.all[0];

	return phone->has_failed || !phone->speech || phone->chunk >= phone->speech->chunks / 2;
}

static bool calls_faults_is_dead(void *arg)
{
	const struct calls_faults_wait *wait = arg;

	return wait->faults->phones.all[0].has_failed ||
	       answering_figures(wait->faults->bench->answering)->deaths > wait->deaths;
}

static bool calls_faults_is_asked(void *arg)
{
	const struct calls_faults_wait *wait = arg;

	return wait->faults->phones.all[0].has_failed ||
	       answering_figures(wait->faults->bench->answering)->asked > wait->asked;
}

static bool calls_faults_is_answered(void *arg)
{
	const struct calls_faults_wait *wait = arg;
	const struct phone *phone = &wait->faults->phones.all[0];

	return phone->has_failed || phone->heard.answers > wait->answers;
}

static void calls_faults_run(struct calls_faults *faults, phones_over_h *is_over,
			     struct calls_faults_wait *wait)
{
	phones_run(&faults->phones, clock_monotonic_us() + ANSWER_MAX_US, is_over, wait);
}

/* What the server says about its calls. */
struct calls_faults_state {
	double calls, waiting, turns, transcriptions; /* the last two are rows that were booked */
};

static double calls_faults_rows(const char *page, const char *what)
{
	static const char *const ends[] = {"finished", "cancelled", "failed", "lost"};
	double sum = 0;

	for (size_t i = 0; i < COUNT(ends); ++i) {
		char name[80];

		snprintf(name, sizeof(name), "syrinx_%s_total{status=\"%s\"}", what, ends[i]);
		sum += target_value(page, name);
	}
	return sum;
}

static struct calls_faults_state calls_faults_state(const struct calls_faults *faults)
{
	const char *page = target_metrics(&faults->bench->target);

	return (struct calls_faults_state){
		.calls = target_value(page, "syrinx_calls "),
		.waiting = target_value(page, "syrinx_ledger_waiting "),
		.turns = calls_faults_rows(page, "turns"),
		.transcriptions = calls_faults_rows(page, "transcriptions"),
	};
}

/* Faults: each returns whether everything was as it must be, and the time. */

/* Kills the worker that is listening: the one that has worked most since `before`. */
static void calls_faults_kill_recognizer(const struct calls_faults *faults,
					 const struct target_worker *before, size_t count)
{
	struct target_worker workers[WORKERS_MAX];
	size_t now = target_find_workers(&faults->bench->target, RECOGNIZER, workers, WORKERS_MAX);
	double most_s = -1;
	pid_t busiest = 0;

	for (size_t i = 0; i < now; ++i) {
		for (size_t k = 0; k < count; ++k) {
			if (before[k].pid == workers[i].pid)
				workers[i].cpu_s -= before[k].cpu_s;
		}
		if (workers[i].cpu_s > most_s) {
			most_s = workers[i].cpu_s;
			busiest = workers[i].pid;
		}
	}
	if (busiest > 0) /* others have a meaning of their own to kill */
		kill(busiest, SIGKILL);
}

/* Says something and returns whether it was understood and answered. */
static bool calls_faults_speak(struct calls_faults *faults, size_t which, bool kills, double *ms)
{
	struct calls_faults_wait wait = calls_faults_now(faults);
	struct phone *phone = &faults->phones.all[0];
	struct target_worker workers[WORKERS_MAX];
	size_t count;

	count = target_find_workers(&faults->bench->target, RECOGNIZER, workers, WORKERS_MAX);
	phone_say(phone, &faults->speeches[which]);
	if (kills) {
		calls_faults_run(faults, calls_faults_is_half_said, &wait);
		calls_faults_kill_recognizer(faults, workers, count);
	}
	calls_faults_run(faults, calls_faults_is_answered, &wait);
	*ms = ((double)phone->heard.words_us - (double)phone->end_us) / 1000;
	return phone->heard.transcripts > wait.transcripts && phone->heard.answers > wait.answers;
}

static bool calls_faults_lose_recognizer(struct calls_faults *faults, size_t which, double *ms)
{
	bool is_good = calls_faults_speak(faults, which, true, ms);

	if (is_good && strcmp(faults->phones.all[0].heard.words, faults->words[which]) != 0) {
		fprintf(stderr, "syrinx bench: \"%s\" instead of \"%s\"\n",
			faults->phones.all[0].heard.words, faults->words[which]);
		return false;
	}
	return is_good;
}

static bool calls_faults_lose_answering(struct calls_faults *faults, size_t which, double *ms)
{
	struct answering *answering = faults->bench->answering;
	struct calls_faults_wait wait = calls_faults_now(faults);
	struct phone *phone = &faults->phones.all[0];
	uint64_t dead_us;

	answering_say(answering, NULL);
	phone_say(phone, &faults->speeches[which]);
	calls_faults_run(faults, calls_faults_is_dead, &wait);
	dead_us = clock_monotonic_us();
	wait.asked = answering_figures(answering)->asked;
	phones_run(&faults->phones, dead_us + RESTART_US, NULL, NULL);
	answering_say(answering, CALLS_SHORT);
	if (answering_restart(answering) != 0)
		return false;
	calls_faults_run(faults, calls_faults_is_asked, &wait);
	*ms = ((double)answering_figures(answering)->asked_us - (double)dead_us) / 1000;
	calls_faults_run(faults, calls_faults_is_answered, &wait);
	return answering_figures(answering)->asked > wait.asked && *ms < CASCADE_MS &&
	       phone->heard.answers > wait.answers;
}

/* The caller is gone in the middle of an answer: a turn and what was heard are booked. */
static bool calls_faults_lose_caller(struct calls_faults *faults, size_t which, double *ms)
{
	struct answering *answering = faults->bench->answering;
	struct calls_faults_wait wait = calls_faults_now(faults);
	struct calls_faults_state before = calls_faults_state(faults), after = before;
	uint64_t gone_us;
	bool is_over = false;

	(void)which;
	answering_say(answering, CALLS_LONG);
	if (phone_type(&faults->phones.all[0], "Tell me all about it.") != 0)
		return false;
	calls_faults_run(faults, calls_faults_is_answered, &wait);
	answering_say(answering, CALLS_SHORT);
	phones_run(&faults->phones, clock_monotonic_us() + SPEAK_US, NULL, NULL);
	phones_drop(&faults->phones, 0);
	gone_us = clock_monotonic_us();
	while (!is_over && clock_monotonic_us() - gone_us < GONE_MAX_US) {
		phones_run(&faults->phones, clock_monotonic_us() + SLICE_US, NULL, NULL);
		after = calls_faults_state(faults);
		is_over = answering_figures(answering)->connections == 0 && after.calls < 1 &&
			  after.waiting < 1 && after.turns > before.turns &&
			  after.transcriptions > before.transcriptions;
	}
	*ms = (double)(clock_monotonic_us() - gone_us) / 1000;
	if (!is_over)
		fprintf(stderr,
			"syrinx bench: a caller is gone: %zu connections, %.0f calls, %.0f turns "
			"and %.0f transcriptions booked, %.0f waiting\n",
			answering_figures(answering)->connections, after.calls,
			after.turns - before.turns, after.transcriptions - before.transcriptions,
			after.waiting);
	return is_over && *ms < GONE_MS;
}

/* Calls */

static int calls_faults_dial(struct calls_faults *faults)
{
	return phones_dial(&faults->phones, 0, &faults->bench->target,
			   faults->bench->agents[CALLS_NORMAL]);
}

static int calls_faults_learn(struct calls_faults *faults)
{
	struct calls_bench *bench = faults->bench;
	int err = phones_open(&faults->phones, 1, bench->answering);

	for (size_t i = 0; i < SPEECHES && !err; ++i)
		err = speech_join(&faults->speeches[i], &bench->prompts, 5 * i, 1, 0);
	for (size_t i = 0; i < SPEECHES && !err; ++i) {
		double ms;

		err = calls_faults_dial(faults);
		if (!err && !calls_faults_speak(faults, i, false, &ms))
			err = EIO;
		snprintf(faults->words[i], sizeof(faults->words[i]), "%s",
			 faults->phones.all[0].heard.words);
		phones_drop(&faults->phones, 0);
	}
	return err;
}

static int calls_faults_call(struct calls_faults *faults, enum calls_faults_kind kind, size_t which)
{
	bool (*const lose[KINDS])(struct calls_faults *, size_t, double *) = {
		[RECOGNIZER_DIES] = calls_faults_lose_recognizer,
		[ANSWERING_DIES] = calls_faults_lose_answering,
		[CALLER_IS_GONE] = calls_faults_lose_caller,
	};
	double ms = 0;
	int err = calls_faults_dial(faults);

	if (err)
		return err;
	if (lose[kind](faults, which, &ms))
		stats_add(&faults->ms[kind], ms);
	else
		++faults->failed[kind];
	phones_drop(&faults->phones, 0);
	return 0;
}

/* Waits until the server has as few objects as this, or a while; returns how many it has. */
static double calls_faults_settle(struct calls_faults *faults, double objects)
{
	uint64_t end_us = clock_monotonic_us() + SETTLE_MAX_US;
	double now = 0;

	do {
		phones_run(&faults->phones, clock_monotonic_us() + 500000, NULL, NULL);
		now = target_metric(&faults->bench->target, "syrinx_objects ");
	} while (now > objects && clock_monotonic_us() < end_us);
	return now;
}

static int calls_faults_print(struct calls_faults *faults, size_t count)
{
	double objects = calls_faults_settle(faults, faults->objects);
	size_t memory = target_resident(&faults->bench->target);
	double growth = (double)memory - (double)faults->memory;
	unsigned failed = 0;

	for (size_t i = 0; i < KINDS; ++i) {
		const struct calls_figure figures[] = {
			{"good", (double)faults->ms[i].count},
			{"failed", faults->failed[i]},
			{"p50_ms", stats_quantile(&faults->ms[i], 0.5)},
			{"max_ms", stats_quantile(&faults->ms[i], 1)},
		};

		calls_print(faults->bench, "fault", calls_faults_names[i], figures, COUNT(figures));
		failed += faults->failed[i];
	}
	{
		const struct calls_figure figures[] = {
			{"objects_before", faults->objects},
			{"objects_after", objects},
			{"growth_kib", growth / 1024},
			{"hearing_retries",
			 target_metric(&faults->bench->target, "syrinx_hearing_retries_total ")},
		};

		calls_print(faults->bench, "fault", "what is left", figures, COUNT(figures));
	}
	return failed || objects > faults->objects ||
			       growth > (double)(count * MEMORY_PER_CALL) + (1 << 20)
		       ? EIO
		       : 0;
}

int calls_faults(struct calls_bench *bench)
{
	size_t count = (size_t)bench->options->faults;
	struct calls_faults faults = {.bench = bench};
	int err = calls_faults_learn(&faults);

	/* Each fault once before, because what is kept for later calls is made then. */
	for (size_t i = 0; i < KINDS + count && !err; ++i) {
		if (i == KINDS) {
			faults.objects = calls_faults_settle(&faults, 0);
			faults.memory = target_resident(&bench->target);
			for (size_t k = 0; k < KINDS; ++k)
				stats_reset(&faults.ms[k]);
			memset(faults.failed, 0, sizeof(faults.failed));
		}
		err = calls_faults_call(&faults, (enum calls_faults_kind)(i % KINDS), i % SPEECHES);
	}
	if (!err)
		err = calls_faults_print(&faults, count);
	phones_close(&faults.phones);
	for (size_t i = 0; i < SPEECHES; ++i)
		speech_reset(&faults.speeches[i]);
	for (size_t i = 0; i < KINDS; ++i)
		stats_reset(&faults.ms[i]);
	return err;
}
