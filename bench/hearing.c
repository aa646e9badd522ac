/*
 * hearing.c: listening compared with the models that listen, with nothing around them.
 *
 * Callers speak to a server over its WebSocket /v1/speech-to-text/realtime, as any client does. The
 * program bare-hear has the same models and gets the same audio.
 */
#include "bench/hearing.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "hearing/segmenter.h"

/* As in HEARING_SEGMENTS: a threshold of 0.5 is 127 of 255 here. */
static struct segmenter_options hearing_segments(void)
{
	struct segmenter_options options = segmenter_defaults(30u * HEARING_RATE);

	options.start_level = 127;
	return options;
}

/* Follows the segmenter through an utterance.  EINVAL: it is not heard as a whole. */
static int hearing_make_plan(struct hearing_plan *plan, const uint8_t *probabilities)
{
	const struct segmenter_options options = hearing_segments();
	static struct segmenter segmenter;
	struct segmenter_event event;

	*plan = (struct hearing_plan){0};
	segmenter_init(&segmenter, &options, 0);
	for (size_t i = 0; i < HEARING_FRAMES && !plan->silence_sample; ++i) {
		uint64_t now = (i + 1) * HEARING_FRAME;

		if (!segmenter_take(&segmenter, probabilities[i], &event))
			continue;
		if (event.type == SEGMENTER_START) {
			plan->speech_sample = now;
			continue;
		}
		if (plan->piece_count == HEARING_PLAN_PIECES)
			return EINVAL;
		plan->pieces[plan->piece_count].from = event.from_sample;
		plan->pieces[plan->piece_count++].to = event.to_sample;
		if (event.type == SEGMENTER_END)
			plan->silence_sample = now;
	}
	return plan->speech_sample && plan->silence_sample > UTTERANCE_END ? 0 : EINVAL;
}

/* Leaves out utterances that the detector does not hear as one. */
static int hearing_plan_all(struct hearing_bench *bench)
{
	struct utterances *utterances = &bench->utterances;
	uint8_t probabilities[HEARING_FRAMES];
	struct bare_listener_words words;
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < utterances->count && !err; ++i) {
		struct hearing_plan *plan = &bench->plans[kept];
		struct utterance swap = utterances->all[i];

		err = bare_listener_score(bench->bare, swap.path, probabilities, HEARING_FRAMES,
					  &bench->frame_s);
		if (err || hearing_make_plan(plan, probabilities) != 0)
			continue;
		err = bare_listener_hear(bench->bare, swap.path, plan->pieces[0].from,
					 UTTERANCE_END, &words);
		snprintf(plan->committed, sizeof(plan->committed), "%s", words.text);
		utterances->all[i] = utterances->all[kept];
		utterances->all[kept++] = swap;
	}
	if (err)
		return err;
	for (size_t i = 0; i < kept; ++i)
		printf("  \"%s\": %s\n", utterances->all[i].name, bench->plans[i].committed);
	printf("  (%zu of %zu utterances, of three seconds each, and what the bare model "
	       "understands)\n",
	       kept, utterances->count);
	return kept > 0 ? 0 : ENOENT;
}

static bool hearing_is_installed(const struct bench_options *options)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/bare-hear", options->engines_dir);
	if (access(path, X_OK) != 0) {
		printf("hearing: skipped, because bare-hear was not built\n");
		return false;
	}
	snprintf(path, sizeof(path), "%s/moonshine-tiny", options->models_dir);
	if (access(path, R_OK) != 0) {
		printf("hearing: skipped, because there is no moonshine-tiny in %s (to install it: "
		       "make models)\n",
		       options->models_dir);
		return false;
	}
	setenv("SYRINX_MODELS", options->models_dir, 1);
	setenv("SYRINX_VOICES", options->voices_dir, 1); /* ONNX Runtime may be there */
	return true;
}

static unsigned hearing_count_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static int hearing_measure(struct hearing_bench *bench)
{
	int err = hearing_plan_all(bench);

	fflush(stdout);
	if (!err)
		err = hearing_latency(bench);
	fflush(stdout);
	if (!err)
		err = hearing_streams(bench);
	fflush(stdout);
	return err ? err : hearing_deaths(bench);
}

int bench_hearing(const struct bench_options *options)
{
	const struct target_options server = {.voices_dir = options->voices_dir,
					      .models_dir = options->models_dir,
					      .config = "[hearing]\nmodel = moonshine-tiny\n"};
	struct hearing_bench bench = {.options = options, .cores = hearing_count_cores()};
	int err;

	if (!hearing_is_installed(options))
		return 0;
	printf("listening over /v1/speech-to-text/realtime, compared with bare-hear, Moonshine "
	       "tiny, %u cores\n",
	       bench.cores);
	err = utterances_make(&bench.utterances, options->engines_dir);
	if (err == ENOENT)
		fprintf(stderr, "syrinx bench: there is nothing to say: flite was not built, and "
				"asterisk-core-sounds-en-wav is not installed\n");
	if (!err)
		err = bare_listener_alloc(&bench.bare, options->engines_dir);
	if (!err)
		err = target_start(&bench.target, &server);
	if (!err)
		err = hearing_measure(&bench);
	target_stop(&bench.target);
	mem_deref(bench.bare);
	utterances_reset(&bench.utterances);
	return err;
}
