/*
 * throughput.c: seconds of speech per second of CPU, compared with the bare engine.
 *
 * The bare engine is a separate program, because the server links no engine: bare-espeak and
 * bare-flite, built next to it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "bench/load_clients.h"
#include "bench/stats.h"

#define CALLERS 8
#define SECONDS 3

/* The chunks that the server makes of the text; the bare engine is given the same. */
#define FIRST "The train to the coast leaves at noon from platform nine."
#define SECOND "It stops in five small towns, and the view from the left side is the better one."
#define THIRD                                                                                      \
	"If you miss it, the next one goes two hours later, but it takes the longer way through "  \
	"the hills."
#define TEXT FIRST " " SECOND " " THIRD

struct contender {
	const char *name;
	const char *bare_program;
	const char *bare_voice;
	const char *voice_id;
	double target;
};

static const struct contender contenders[] = {
	{"eSpeak NG", "bare-espeak", "en-us", "2003", 0.7},
	{"flite", "bare-flite", "slt", "1071", 0.96},
};

/* Runs the bare engine, which prints "AUDIO_SECONDS CPU_SECONDS". */
static int throughput_run_bare(const char *dir, const struct contender *c, double *audio_s,
			       double *cpu_s)
{
	char command[4400];
	FILE *pipe;
	int n;

	snprintf(command, sizeof(command), "%s/%s %d %s '" FIRST "' '" SECOND "' '" THIRD "'", dir,
		 c->bare_program, SECONDS, c->bare_voice);
	pipe = popen(command, "re");
	if (!pipe)
		return errno;
	n = fscanf(pipe, "%lf %lf", audio_s, cpu_s);
	return pclose(pipe) == 0 && n == 2 ? 0 : ENOENT;
}

struct served {
	double audio_s;
	double server_s;
	double workers_s;
};

static int throughput_run_served(struct load_clients *callers, const struct target *target,
				 const char *question, struct served *result)
{
	double server_before, workers_before;
	uint64_t end = clock_monotonic_us() + SECONDS * 1000000;
	int err = 0;

	callers->samples = 0;
	target_cpu(target, &server_before, &workers_before);
	while (!err && clock_monotonic_us() < end) {
		for (size_t i = 0; !err && i < callers->count; ++i) {
			if (!callers->all[i].busy)
				err = load_clients_ask(&callers->all[i], question);
		}
		load_clients_read(callers, 10);
	}
	if (!err)
		err = load_clients_finish(callers);
	target_cpu(target, &result->server_s, &result->workers_s);
	result->server_s -= server_before;
	result->workers_s -= workers_before;
	result->audio_s = (double)callers->samples / 24000;
	return err;
}

static void throughput_print(const struct contender *c, struct stats *ratio, struct stats *bare,
			     struct stats *served, struct stats *server_share)
{
	printf("%s: seconds of speech per CPU second\n", c->name);
	printf("  engine alone, in one process    %8.1f\n", stats_quantile(bare, 0.5));
	printf("  through the server              %8.1f   (CPU: workers %.0f %%, "
	       "server %.0f %%)\n",
	       stats_quantile(served, 0.5), 100 * (1 - stats_quantile(server_share, 0.5)),
	       100 * stats_quantile(server_share, 0.5));
	printf("  ratio                           %8.3f   [%.3f to %.3f]   (target %.2f)\n",
	       stats_quantile(ratio, 0.5), stats_quantile(ratio, 0), stats_quantile(ratio, 1),
	       c->target);
}

static int throughput_compare(const struct contender *c, const struct bench_options *options,
			      const struct target *target)
{
	struct stats ratio = {0}, bare = {0}, through = {0}, share = {0};
	struct load_clients callers;
	char question[1024];
	int64_t rounds = options->rounds ? options->rounds : 5;
	int err = load_clients_open(&callers, target, CALLERS);

	snprintf(question, sizeof(question), "{\"voice_id\":%s,\"text\":\"%s\",\"flush\":true}",
		 c->voice_id, TEXT);
	for (int64_t i = -1; !err && i < rounds; ++i) { /* the first round is a warm-up */
		struct served served = {0};
		double audio_s = 0, cpu_s = 0;

		err = throughput_run_bare(options->engines_dir, c, &audio_s, &cpu_s);
		if (err == ENOENT)
			printf("%s: %s is not in the directory of the engines\n", c->name,
			       c->bare_program);
		if (!err)
			err = throughput_run_served(&callers, target, question, &served);
		if (err || i < 0)
			continue;
		double speed = served.audio_s / (served.server_s + served.workers_s);
		stats_add(&bare, audio_s / cpu_s);
		stats_add(&through, speed);
		stats_add(&ratio, speed / (audio_s / cpu_s));
		stats_add(&share, served.server_s / (served.server_s + served.workers_s));
	}
	if (!err)
		throughput_print(c, &ratio, &bare, &through, &share);
	load_clients_close(&callers);
	stats_reset(&ratio);
	stats_reset(&bare);
	stats_reset(&through);
	stats_reset(&share);
	return err;
}

int bench_throughput(const struct bench_options *options)
{
	struct target target;
	int err = target_start(&target, NULL);

	for (size_t i = 0; !err && i < COUNT(contenders); ++i)
		err = throughput_compare(&contenders[i], options, &target);
	target_stop(&target);
	return err;
}
