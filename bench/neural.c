/*
 * neural.c: a neural voice in windows compared with the whole model.
 *
 * The engine is linked with eSpeak NG, and the server links no engine, so all synthesis is in
 * other programs: bare-vits measures inside one process, and syrinx-vits is driven as by the
 * server to measure its memory.
 */
#include "bench/neural.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "bench/bare.h"
#include "bench/stats.h"

#define ROUNDS 15

#define SHORT_TEXT "The meeting starts in an hour."
#define LONG_TEXT                                                                                  \
	"I looked through the notes from last week, and it seems that the second option is "       \
	"cheaper, easier to maintain, and ready two months earlier than we had planned."

static bool neural_is_there(const char *dir, const char *name, int mode)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, mode) == 0;
}

bool neural_is_installed(const struct bench_options *options, const char *run)
{
	if (!neural_is_there(options->engines_dir, "bare-vits", X_OK) ||
	    !neural_is_there(options->engines_dir, "syrinx-vits", X_OK)) {
		printf("%s: skipped, because the neural engine was not built\n", run);
		return false;
	}
	if (!neural_is_there(options->voices_dir, "libonnxruntime.so", R_OK) ||
	    !neural_is_there(options->voices_dir, "libritts.onnx", R_OK)) {
		printf("%s: skipped, because there are no neural voices in %s (to install "
		       "them: make voices)\n",
		       run, options->voices_dir);
		return false;
	}
	setenv("SYRINX_VOICES", options->voices_dir, 1);
	return true;
}

int neural_run_bare(const struct bench_options *options, const char *arguments, neural_line_h *each,
		    void *arg)
{
	char command[8192];
	char line[256];
	FILE *pipe;

	snprintf(command, sizeof(command), "'%s/bare-vits' %s", options->engines_dir, arguments);
	pipe = popen(command, "re");
	if (!pipe)
		return errno;
	while (fgets(line, sizeof(line), pipe))
		each(line, arg);
	return pclose(pipe) == 0 ? 0 : EIO;
}

/* The results of all rounds for one of the two sentences. */
struct comparison {
	unsigned letters;
	double first_target, cpu_target;
	double audio_s;
	struct stats whole_ms, whole_cpu_ms, first_ms, cpu_ms; /* absolute values */
	struct stats first, cpu; /* relative to the whole model in the same round */
};

static void neural_take_comparison(const char *line, void *arg)
{
	struct comparison *c = arg;
	unsigned letters;
	double audio, whole, whole_cpu, first, wall, cpu;

	if (sscanf(line, "%u %lf %lf %lf %lf %lf %lf", &letters, &audio, &whole, &whole_cpu, &first,
		   &wall, &cpu) != 7)
		return;
	if (c->letters != letters)
		++c; /* there are two sentences */
	if (c->letters != letters)
		return;
	c->audio_s = audio;
	stats_add(&c->whole_ms, 1000 * whole);
	stats_add(&c->whole_cpu_ms, 1000 * whole_cpu);
	stats_add(&c->first_ms, 1000 * first);
	stats_add(&c->cpu_ms, 1000 * cpu);
	stats_add(&c->first, first / whole);
	stats_add(&c->cpu, cpu / whole_cpu);
}

static void neural_print_ratio(const char *name, struct stats *ms, struct stats *ratio,
			       double target)
{
	printf("    %-24s %8.1f ms   ratio %.3f [%.3f to %.3f]   (target %.2f)\n", name,
	       stats_quantile(ms, 0.5), stats_quantile(ratio, 0.5), stats_quantile(ratio, 0.25),
	       stats_quantile(ratio, 0.75), target);
}

static void neural_print_comparison(struct comparison *c)
{
	printf("  %u characters, %.2f s of audio\n", c->letters, c->audio_s);
	printf("    %-24s %8.1f ms   CPU %.1f ms\n", "whole model",
	       stats_quantile(&c->whole_ms, 0.5), stats_quantile(&c->whole_cpu_ms, 0.5));
	neural_print_ratio("first audio in windows", &c->first_ms, &c->first, c->first_target);
	neural_print_ratio("CPU in windows", &c->cpu_ms, &c->cpu, c->cpu_target);
	printf("    %-24s %8.4f s\n", "CPU per second of audio",
	       stats_quantile(&c->cpu_ms, 0.5) / 1000 / c->audio_s);
	stats_reset(&c->whole_ms);
	stats_reset(&c->whole_cpu_ms);
	stats_reset(&c->first_ms);
	stats_reset(&c->cpu_ms);
	stats_reset(&c->first);
	stats_reset(&c->cpu);
}

static int neural_compare(const struct bench_options *options, long long rounds)
{
	struct comparison comparisons[] = {
		{.letters = strlen(SHORT_TEXT), .first_target = 0.55, .cpu_target = 1.25},
		{.letters = strlen(LONG_TEXT), .first_target = 0.35, .cpu_target = 1.15},
	};
	char arguments[1024];
	int err;

	snprintf(arguments, sizeof(arguments),
		 "compare %lld " NEURAL_VOICE " '" SHORT_TEXT "' '" LONG_TEXT "'", rounds);
	err = neural_run_bare(options, arguments, neural_take_comparison, comparisons);
	if (err)
		return err;
	printf("a neural voice in windows compared with its whole model, "
	       "alternating, on one thread\n"
	       "(%lld rounds: median [quartiles]; both include the conversion to "
	       "phonemes)\n",
	       rounds);
	for (size_t i = 0; i < COUNT(comparisons); ++i)
		neural_print_comparison(&comparisons[i]);
	return 0;
}

/* The results for windows of this many frames, and this many windows in one run. */
struct batch {
	unsigned frames, windows;
	struct stats apart_ms, together, threads;
};

#define BATCHES_MAX 8

static void neural_take_batch(const char *line, void *arg)
{
	struct batch *batch = arg;
	struct batch *end = batch + BATCHES_MAX;
	unsigned frames, windows;
	double apart, apart_cpu, together, together_cpu, threads;

	if (sscanf(line, "%u %u %lf %lf %lf %lf %lf", &frames, &windows, &apart, &apart_cpu,
		   &together, &together_cpu, &threads) != 7)
		return;
	while (batch < end && batch->frames &&
	       (batch->frames != frames || batch->windows != windows))
		++batch;
	if (batch == end)
		return;
	batch->frames = frames;
	batch->windows = windows;
	stats_add(&batch->apart_ms, 1000 * apart_cpu / windows);
	stats_add(&batch->together, together_cpu / apart_cpu);
	stats_add(&batch->threads, threads / apart);
}

static void neural_print_batch(struct batch *batch)
{
	printf("  %3u frames, %u windows: %6.1f ms of CPU each when run separately; "
	       "in one run %.2f [%.2f to %.2f] of that CPU; on two threads %.2f "
	       "[%.2f to %.2f] of the time\n",
	       batch->frames, batch->windows, stats_quantile(&batch->apart_ms, 0.5),
	       stats_quantile(&batch->together, 0.5), stats_quantile(&batch->together, 0.25),
	       stats_quantile(&batch->together, 0.75), stats_quantile(&batch->threads, 0.5),
	       stats_quantile(&batch->threads, 0.25), stats_quantile(&batch->threads, 0.75));
	stats_reset(&batch->apart_ms);
	stats_reset(&batch->together);
	stats_reset(&batch->threads);
}

static int neural_compare_batches(const struct bench_options *options, long long rounds)
{
	struct batch batches[BATCHES_MAX] = {0};
	char arguments[1024];
	int err;

	snprintf(arguments, sizeof(arguments), "batch %lld " NEURAL_VOICE " '" LONG_TEXT "'",
		 rounds);
	err = neural_run_bare(options, arguments, neural_take_batch, batches);
	if (err)
		return err;
	printf("windows of several texts in one run of the decoder\n");
	for (size_t i = 0; i < BATCHES_MAX && batches[i].frames; ++i)
		neural_print_batch(&batches[i]);
	return 0;
}

static int neural_measure_memory(const struct bench_options *options)
{
	static const size_t at_once[] = {1, 2, 8};
	char program[4200];
	struct bare *bare = NULL;
	int err;

	snprintf(program, sizeof(program), "%s/syrinx-vits", options->engines_dir);
	err = bare_alloc(&bare, program, NEURAL_VOICE, 1);
	if (err)
		return err;
	printf("resident memory of the engine process: %.0f MiB when ready",
	       (double)bare_resident(bare) / (1 << 20));
	for (size_t i = 0; !err && i < COUNT(at_once); ++i) {
		for (int k = 0; !err && k < 3; ++k)
			err = bare_at_once(bare, LONG_TEXT, at_once[i]);
		printf(", %.0f after %zu concurrent texts", (double)bare_resident(bare) / (1 << 20),
		       at_once[i]);
	}
	printf("\n");
	mem_deref(bare);
	return err;
}

int bench_neural(const struct bench_options *options)
{
	long long rounds = options->rounds ? options->rounds : ROUNDS;
	int err;

	if (!neural_is_installed(options, "neural"))
		return 0;
	err = neural_compare(options, rounds);
	fflush(stdout);
	if (!err)
		err = neural_compare_batches(options, rounds);
	return err ? err : neural_measure_memory(options);
}
