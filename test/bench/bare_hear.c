/*
 * bare_hear.c: the detector of voice activity and the recognizer in this process, with nothing around
 * them.
 *
 *   bare-hear answer                              commands from the standard input
 *   bare-hear pace SECONDS THREADS FILE PIECES...
 *
 * Files hold 16-bit samples at 16 kHz.  `answer` reads one command a line and prints one line for it:
 *
 *   score FILE          SECONDS HEX     the middle time of a frame; the probability of each, times 255
 *   hear FILE FROM TO   WALL CPU TEXT   of these samples; the middle one of three times
 *
 * `pace` listens to the files over and over on so many threads: it scores every frame and recognizes
 * the pieces, which are written "FROM-TO,FROM-TO".  It prints "AUDIO_S CPU_S WALL_S".  The models are
 * looked for in SYRINX_MODELS, as the engine does, and the default one is used.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "engine/hear/hear_models.h"

#define THREADS_MAX 64
#define REPEATS 3
#define FRAMES_MAX 4096
#define LINE_MAX 8192

/* As workers have it (engine/program.c): freed memory is kept for the next piece. */
#define MEMORY_KEPT (32 << 20)

struct audio {
	int16_t *samples;
	size_t count;
};

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double middle(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return count ? values[count / 2] : 0;
}

static int read_audio(struct audio *audio, const char *path)
{
	FILE *file = fopen(path, "rbe");
	long bytes = -1;
	int err = 0;

	if (!file)
		return errno;
	if (fseek(file, 0, SEEK_END) == 0)
		bytes = ftell(file);
	rewind(file);
	audio->count = bytes > 0 ? (size_t)bytes / sizeof(*audio->samples) : 0;
	audio->samples = calloc(audio->count + 1, sizeof(*audio->samples));
	if (!audio->samples)
		err = ENOMEM;
	else if (fread(audio->samples, sizeof(*audio->samples), audio->count, file) != audio->count)
		err = EIO;
	fclose(file);
	return err;
}

static int recognize(const struct hear_models *models, const struct audio *audio, size_t from,
		     size_t to, struct recognizer_result *result)
{
	struct recognizer_piece piece = {.count = to - from, .language = "", .prompt = ""};
	char why[RUNTIME_WHY_SIZE] = "";
	float *samples;
	int err;

	if (from >= to || to > audio->count)
		return EINVAL;
	samples = calloc(piece.count, sizeof(*samples));
	if (!samples)
		return ENOMEM;
	for (size_t i = 0; i < piece.count; ++i)
		samples[i] = (float)audio->samples[from + i] / 32768.0F;
	piece.samples = samples;
	err = recognizer_run(models->models[0].recognizer, result, &piece, why);
	free(samples);
	if (err)
		fprintf(stderr, "bare-hear: %s\n", why[0] ? why : strerror(err));
	return err;
}

static int score(const struct hear_models *models, struct vad_memory *memory,
		 const int16_t *samples, float *probability)
{
	struct vad_frame frame = {.memory = memory, .samples = samples};
	char why[RUNTIME_WHY_SIZE] = "";
	int err = vad_score(models->vad, &frame, 1, why);

	if (err)
		fprintf(stderr, "bare-hear: %s\n", why);
	*probability = frame.probability;
	return err;
}

static int answer_score(const struct hear_models *models, const struct audio *audio)
{
	static double times[FRAMES_MAX];
	static char hex[2 * FRAMES_MAX + 1];
	struct vad_memory memory = {.state = {0}};
	size_t count = audio->count / VAD_FRAME;
	int err = 0;

	if (count > FRAMES_MAX)
		return EFBIG;
	for (size_t i = 0; i < count && !err; ++i) {
		double begin = seconds_of(CLOCK_MONOTONIC);
		float probability;

		err = score(models, &memory, audio->samples + i * VAD_FRAME, &probability);
		times[i] = seconds_of(CLOCK_MONOTONIC) - begin;
		snprintf(hex + 2 * i, 3, "%02x", (unsigned)(probability * 255 + 0.5F) & 255u);
	}
	if (!err)
		printf("%.7f %s\n", middle(times, count), hex);
	return err;
}

static int answer_hear(const struct hear_models *models, const struct audio *audio, size_t from,
		       size_t to)
{
	double wall[REPEATS], cpu[REPEATS];
	struct recognizer_result result;
	int err = 0;

	for (size_t i = 0; i < REPEATS && !err; ++i) {
		double wall_begin = seconds_of(CLOCK_MONOTONIC);
		double cpu_begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);

		recognizer_result_init(&result);
		err = recognize(models, audio, from, to, &result);
		wall[i] = seconds_of(CLOCK_MONOTONIC) - wall_begin;
		cpu[i] = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu_begin;
		if (!err && i + 1 == REPEATS)
			printf("%.7f %.7f %.*s\n", middle(wall, REPEATS), middle(cpu, REPEATS),
			       (int)result.text.len, result.text.len ? result.text.bytes : "");
		recognizer_result_reset(&result);
	}
	return err;
}

static int answer(const struct hear_models *models)
{
	char line[LINE_MAX];
	char path[4096];
	int err = 0;

	while (!err && fgets(line, sizeof(line), stdin)) {
		struct audio audio = {0};
		size_t from, to;

		if (sscanf(line, "score %4095s", path) == 1) {
			err = read_audio(&audio, path);
			if (!err)
				err = answer_score(models, &audio);
		} else if (sscanf(line, "hear %4095s %zu %zu", path, &from, &to) == 3) {
			err = read_audio(&audio, path);
			if (!err)
				err = answer_hear(models, &audio, from, to);
		} else {
			err = EINVAL;
		}
		free(audio.samples);
		fflush(stdout);
	}
	return err;
}

struct listener_thread {
	const struct hear_models *models;
	char **arguments; /* files and their pieces, ended by NULL */
	size_t first; /* the file to begin with */
	double until_s;
	pthread_t thread;
	uint64_t samples;
	int err;
};

/* One pass over a file. */
static int listen_once(struct listener_thread *thread, const char *path, const char *pieces)
{
	struct vad_memory memory = {.state = {0}};
	struct audio audio = {0};
	float probability;
	int err = read_audio(&audio, path);

	for (size_t i = 0; i < audio.count / VAD_FRAME && !err; ++i)
		err = score(thread->models, &memory, audio.samples + i * VAD_FRAME, &probability);
	while (!err && *pieces) {
		struct recognizer_result result;
		char *end;
		size_t from = strtoul(pieces, &end, 10);
		size_t to = *end == '-' ? strtoul(end + 1, &end, 10) : 0;

		recognizer_result_init(&result);
		err = recognize(thread->models, &audio, from, to, &result);
		recognizer_result_reset(&result);
		pieces = *end == ',' ? end + 1 : "";
	}
	thread->samples += audio.count;
	free(audio.samples);
	return err;
}

static void *listen(void *arg)
{
	struct listener_thread *thread = arg;
	size_t at = 2 * thread->first;

	while (!thread->err && seconds_of(CLOCK_MONOTONIC) < thread->until_s) {
		thread->err = listen_once(thread, thread->arguments[at], thread->arguments[at + 1]);
		at = thread->arguments[at + 2] ? at + 2 : 0;
	}
	return NULL;
}

static int pace(const struct hear_models *models, int seconds, int threads, char **arguments,
		size_t files)
{
	static struct listener_thread listeners[THREADS_MAX];
	double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	double wall = seconds_of(CLOCK_MONOTONIC);
	uint64_t samples = 0;
	int started = 0;
	int err = 0;

	for (; started < threads && !err; ++started) {
		listeners[started] = (struct listener_thread){.models = models,
							      .arguments = arguments,
							      .first = (size_t)started % files,
							      .until_s = wall + seconds};
		err = pthread_create(&listeners[started].thread, NULL, listen, &listeners[started]);
	}
	for (int i = 0; i < started; ++i) {
		pthread_join(listeners[i].thread, NULL);
		samples += listeners[i].samples;
		err = err ? err : listeners[i].err;
	}
	if (!err)
		printf("%f %f %f\n", (double)samples / RECOGNIZER_RATE,
		       seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu,
		       seconds_of(CLOCK_MONOTONIC) - wall);
	return err;
}

static int open_models(struct hear_models **modelsp)
{
	const struct engine_options options = {.models_dir = getenv("SYRINX_MODELS"),
					       .voices_dir = getenv("SYRINX_VOICES")};
	int err = hear_models_read(modelsp, &options);

	if (!err && (*modelsp)->model_count == 0) {
		for (size_t i = 0; i < (*modelsp)->note_count; ++i)
			fprintf(stderr, "bare-hear: %s: %s\n", (*modelsp)->notes[i].about,
				(*modelsp)->notes[i].text);
		mem_deref(*modelsp);
		err = ENOENT;
	}
	if (err)
		fprintf(stderr, "bare-hear: there are no models\n");
	return err;
}

int main(int argc, char **argv)
{
	bool answers = argc == 2 && strcmp(argv[1], "answer") == 0;
	bool paces = argc > 5 && argc % 2 == 0 && strcmp(argv[1], "pace") == 0;
	int threads = paces ? atoi(argv[3]) : 1;
	struct hear_models *models;
	int err;

	if ((!answers && !paces) || threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: bare-hear answer\n"
				"       bare-hear pace SECONDS THREADS FILE PIECES...\n");
		return 2;
	}
	mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
	mallopt(M_MMAP_THRESHOLD, MEMORY_KEPT);
	mallopt(M_ARENA_MAX, threads > 2 ? threads : 2);
	if (open_models(&models) != 0)
		return 1;
	err = answers ? answer(models)
		      : pace(models, atoi(argv[2]), threads, argv + 4, (size_t)(argc - 4) / 2);
	mem_deref(models);
	if (err)
		fprintf(stderr, "bare-hear: %s\n", strerror(err));
	return err ? 1 : 0;
}
