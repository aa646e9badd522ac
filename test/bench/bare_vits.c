/*
 * bare_vits.c: the neural engine in this process, with nothing around it.
 *
 *   bare-vits compare ROUNDS VOICE TEXT...
 *   bare-vits batch ROUNDS VOICE TEXT...
 *   bare-vits pace SECONDS THREADS VOICE TEXT...
 *
 * Prints numbers for `syrinx bench`, which vits_bench.h describes.  Voices are
 * looked for in SYRINX_VOICES, as the engine does.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/engine.h"
#include "vits_bench.h"

#define THREADS_MAX 64

/* As workers have it (engine/engine_main.c): freed memory is kept for the next
 * sentence.  Here for both that are compared. */
#define MEMORY_KEPT (32 << 20)

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double vits_wall_s(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double vits_thread_cpu_s(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

struct speaker {
	struct sink sink; /* first: what the engine is given */
	const struct vits_bench *bench;
	pthread_t thread;
	double until_s;
	size_t text; /* the next one */
	uint64_t samples;
	int err;
};

static int count_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	(void)samples;
	((struct speaker *)(void *)sink)->samples += n;
	return 0;
}

static void *speak(void *arg)
{
	struct speaker *speaker = arg;
	const struct vits_bench *bench = speaker->bench;
	struct engine_text text = {
		.voice = bench->speaker->name,
		.language = "",
		.text_before = "",
		.speed = BENCH_SPEED,
		.temperature = BENCH_TEMPERATURE,
		.want_words = true,
	};

	while (!speaker->err && vits_wall_s() < speaker->until_s) {
		text.text = bench->texts[speaker->text++];
		text.text_len = strlen(text.text);
		if (!bench->texts[speaker->text])
			speaker->text = 0;
		speaker->err = engine_main->speak(bench->engine, &text, &speaker->sink);
	}
	return NULL;
}

static size_t count_texts(const struct vits_bench *bench)
{
	size_t n = 0;

	while (bench->texts[n])
		++n;
	return n;
}

int vits_pace(const struct vits_bench *bench, int seconds, int threads)
{
	static struct speaker speakers[THREADS_MAX];
	double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	double wall = vits_wall_s();
	uint64_t samples = 0;
	int started = 0;
	int err = 0;

	for (; started < threads && !err; ++started) {
		struct speaker *speaker = &speakers[started];

		*speaker = (struct speaker){.bench = bench, .until_s = wall + seconds};
		speaker->text = (size_t)started % count_texts(bench);
		sink_init_null(&speaker->sink);
		speaker->sink.audio = count_audio;
		err = pthread_create(&speaker->thread, NULL, speak, speaker);
	}
	for (int i = 0; i < started; ++i) {
		pthread_join(speakers[i].thread, NULL);
		samples += speakers[i].samples;
		err = err ? err : speakers[i].err;
	}
	if (!err)
		printf("%f %f %f\n", (double)samples / bench->model->file->sample_rate,
		       seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu, vits_wall_s() - wall);
	return err;
}

/* The engine's state is its directory of models, of which the whole model is needed too. */
static int open_bench(struct vits_bench *bench, const char *voice)
{
	const struct engine_options options = {.voices_dir = getenv("SYRINX_VOICES")};
	int err = engine_main->open(&bench->engine, &options);

	if (err)
		return err;
	bench->dir = bench->engine;
	for (size_t i = 0; i < bench->dir->note_count; ++i)
		fprintf(stderr, "bare-vits: %s: %s\n", bench->dir->notes[i].about,
			bench->dir->notes[i].text);
	err = model_dir_find(bench->dir, voice, &bench->model, &bench->speaker);
	if (err)
		fprintf(stderr, "bare-vits: there is no voice %s\n", voice);
	return err;
}

static int usage(void)
{
	fprintf(stderr, "usage: bare-vits compare|batch ROUNDS VOICE TEXT...\n"
			"       bare-vits pace SECONDS THREADS VOICE TEXT...\n");
	return 2;
}

int main(int argc, char **argv)
{
	bool paces = argc > 1 && strcmp(argv[1], "pace") == 0;
	int first = paces ? 5 : 4; /* text */
	int number = argc > 2 ? atoi(argv[2]) : 0;
	int threads = paces && argc > 3 ? atoi(argv[3]) : 1;
	struct vits_bench bench = {0};
	int err;

	if (argc <= first || number < 1 || threads < 1 || threads > THREADS_MAX)
		return usage();
	mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
	mallopt(M_MMAP_THRESHOLD, MEMORY_KEPT);
	mallopt(M_ARENA_MAX, threads > 2 ? threads : 2); /* batch has two threads */
	bench.texts = (const char *const *)argv + first;
	err = open_bench(&bench, argv[first - 1]);
	if (err)
		return 1;
	if (paces)
		err = vits_pace(&bench, number, threads);
	else if (strcmp(argv[1], "compare") == 0)
		err = vits_compare(&bench, number);
	else if (strcmp(argv[1], "batch") == 0)
		err = vits_batch(&bench, number);
	else
		return usage();
	engine_main->close(bench.engine);
	return err ? 1 : 0;
}
