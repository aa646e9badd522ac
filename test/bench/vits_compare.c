/*
 * vits_compare.c: the model as it is in its file, run whole, against the engine
 * that makes the same samples in windows.
 *
 * Both begin with the text and make 16-bit samples, on this thread.  The whole
 * model is the file's graph with its random nodes as inputs, which are given
 * the engine's noise: so both make the same frames.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine.h"
#include "vits_bench.h"
#include "vits_graph.h"

/* Samples of one way to speak a text. */
/* Samples at either end of what the engine gives that may be its own silence:
 * more than it ever adds. */
#define EDGE 3000

struct take_down {
	struct sink sink; /* first: what the engine is given */
	int16_t *samples;
	size_t count, size;
	double first_s; /* when the first came; 0: not yet */
};

struct whole {
	struct graph graph;
	struct network *text; /* tells how many frames there will be */
	struct network *network;
	char *noise_name;
};

static int16_t *room(struct take_down *down, size_t n)
{
	if (down->count + n > down->size) {
		size_t size = 2 * (down->count + n);
		int16_t *samples = realloc(down->samples, size * sizeof(*samples));

		if (!samples)
			return NULL;
		down->samples = samples;
		down->size = size;
	}
	return down->samples + down->count;
}

static int take_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	struct take_down *down = (struct take_down *)(void *)sink;
	int16_t *to;

	if (down->first_s <= 0)
		down->first_s = vits_wall_s();
	to = room(down, n);
	if (!to)
		return 1;
	memcpy(to, samples, n * sizeof(*to));
	down->count += n;
	return 0;
}

static int open_whole(struct whole *whole, const struct vits_bench *bench,
		      char why[RUNTIME_WHY_SIZE])
{
	struct runtime *runtime = bench->dir->runtime;
	const struct graph *graph = &whole->graph;
	char *bytes;
	size_t len;
	int err = graph_read(&whole->graph, bench->model->file->path, why);

	if (!err)
		err = cut_none(graph->onnx, graph->cut, &bytes, &len, &whole->noise_name);
	if (err)
		return err;
	err = network_open(&whole->network, runtime, bytes, len, why);
	free(bytes);
	if (!err)
		err = network_open(&whole->text, runtime, graph->cut->text.bytes,
				   graph->cut->text.len, why);
	return err;
}

static void close_whole(struct whole *whole)
{
	mem_deref(whole->network);
	mem_deref(whole->text);
	free(whole->noise_name);
	graph_reset(&whole->graph);
}

/* Rows and frames of the noise that the whole model has to be given. */
struct shape {
	size_t rows, frames;
};

/* The graph's own random node would know when it gets there: not part of the
 * measurement. */
static int find_shape(struct shape *shape, const struct whole *whole,
		      const struct vits_bench *bench, const char *text, char why[RUNTIME_WHY_SIZE])
{
	struct tensor mean = {.name = whole->graph.cut->mean};
	struct question question;
	int err = question_write(&question, &whole->graph, bench->model, bench->speaker, text);

	if (err)
		return err;
	err = network_run(whole->text, question.inputs, question.count, &mean, 1, why);
	question_reset(&question);
	if (err)
		return err;
	*shape = (struct shape){(size_t)mean.dims[1], (size_t)mean.dims[2]};
	tensor_release(&mean);
	return 0;
}

/* In the graph's order; the generator counts frame by frame. */
static float *make_noise(const struct noise_key *key, const struct shape *shape)
{
	size_t n = shape->rows * shape->frames;
	float *by_frame = malloc(n * sizeof(*by_frame));
	float *noise = malloc(n * sizeof(*noise));

	if (by_frame && noise) {
		noise_fill(key, 1, 0, by_frame, n);
		for (size_t row = 0; row < shape->rows; ++row)
			for (size_t i = 0; i < shape->frames; ++i)
				noise[row * shape->frames + i] = by_frame[i * shape->rows + row];
	} else {
		free(noise);
		noise = NULL;
	}
	free(by_frame);
	return noise;
}

static int convert(struct take_down *down, const struct tensor *output, float gain_db)
{
	float gain = powf(10, gain_db / 20) * INT16_MAX;
	size_t n = tensor_count(output);
	int16_t *to = room(down, n);

	if (!to)
		return ENOMEM;
	for (size_t i = 0; i < n; ++i) {
		float value = fminf(fmaxf(output->f32[i] * gain, INT16_MIN), INT16_MAX);

		to[i] = (int16_t)lrintf(value);
	}
	down->count += n;
	return 0;
}

static int speak_whole(struct take_down *down, const struct whole *whole,
		       const struct vits_bench *bench, const struct shape *shape, const char *text,
		       char why[RUNTIME_WHY_SIZE])
{
	struct tensor output = {.name = whole->graph.cut->output};
	struct question question;
	float *noise = NULL;
	int err = question_write(&question, &whole->graph, bench->model, bench->speaker, text);

	if (err)
		return err;
	noise = make_noise(&question.key, shape);
	if (noise) {
		question.inputs[question.count++] = (struct tensor){
			.name = whole->noise_name,
			.type = TENSOR_F32,
			.rank = 3,
			.dims = {1, (int64_t)shape->rows, (int64_t)shape->frames},
			.f32 = noise,
		};
		err = network_run(whole->network, question.inputs, question.count, &output, 1, why);
	} else {
		err = ENOMEM;
	}
	if (!err) {
		err = convert(down, &output, bench->speaker->gain_db);
		tensor_release(&output);
	}
	free(noise);
	question_reset(&question);
	return err;
}

static int speak_engine(struct take_down *down, const struct vits_bench *bench, const char *text)
{
	const struct engine_text spoken = {
		.voice = bench->speaker->name,
		.language = "",
		.text = text,
		.text_len = strlen(text),
		.text_before = "",
		.speed = BENCH_SPEED,
		.temperature = BENCH_TEMPERATURE,
		.want_words = true,
	};

	return engine_main->speak(bench->engine, &spoken, &down->sink);
}

static bool is_part(const int16_t *part, const int16_t *whole, size_t n)
{
	for (size_t i = 0; i < n; ++i) {
		if (abs(part[i] - whole[i]) > 1)
			return false;
	}
	return true;
}

/* The engine makes silence of its own at both ends; the rest must be the same,
 * or the times of two different things would be compared. */
static bool is_same_sound(const struct take_down *engine, const struct take_down *whole)
{
	const int16_t *middle = engine->samples + EDGE;
	size_t n = engine->count > 2 * EDGE ? engine->count - 2 * EDGE : 0;

	for (size_t from = 0; from + n <= whole->count; ++from) {
		if (is_part(middle, whole->samples + from, n))
			return n > 0;
	}
	return false;
}

struct times {
	double whole_wall_s, whole_cpu_s;
	double first_s, wall_s, cpu_s;
};

static int time_both(struct times *times, struct take_down *down, const struct whole *whole,
		     const struct vits_bench *bench, const struct shape *shape, const char *text,
		     char why[RUNTIME_WHY_SIZE])
{
	double wall = vits_wall_s();
	double cpu = vits_thread_cpu_s();
	int err;

	down[0].count = 0;
	err = speak_whole(&down[0], whole, bench, shape, text, why);
	times->whole_cpu_s = vits_thread_cpu_s() - cpu;
	times->whole_wall_s = vits_wall_s() - wall;
	if (err)
		return err;
	down[1].count = 0;
	down[1].first_s = 0;
	wall = vits_wall_s();
	cpu = vits_thread_cpu_s();
	err = speak_engine(&down[1], bench, text);
	times->cpu_s = vits_thread_cpu_s() - cpu;
	times->wall_s = vits_wall_s() - wall;
	times->first_s = down[1].first_s - wall;
	return err;
}

/* The first round warms up, and shows that both make the same. */
static int compare_text(struct take_down *down, const struct whole *whole,
			const struct vits_bench *bench, const char *text, bool warms_up,
			char why[RUNTIME_WHY_SIZE])
{
	struct shape shape;
	struct times times;
	int err = find_shape(&shape, whole, bench, text, why);

	if (!err)
		err = time_both(&times, down, whole, bench, &shape, text, why);
	if (err)
		return err;
	if (warms_up) {
		snprintf(why, RUNTIME_WHY_SIZE, "the engine gives other samples than the model");
		return is_same_sound(&down[1], &down[0]) ? 0 : EINVAL;
	}
	printf("%zu %.4f %.6f %.6f %.6f %.6f %.6f\n", strlen(text),
	       (double)down[0].count / bench->model->file->sample_rate, times.whole_wall_s,
	       times.whole_cpu_s, times.first_s, times.wall_s, times.cpu_s);
	fflush(stdout);
	return 0;
}

int vits_compare(const struct vits_bench *bench, int rounds)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct take_down down[2] = {0}; /* of the whole model, of the engine */
	struct whole whole = {0};
	int err = open_whole(&whole, bench, why);

	sink_init_null(&down[1].sink);
	down[1].sink.audio = take_audio;
	for (int i = -1; i < rounds && !err; ++i)
		for (const char *const *text = bench->texts; *text && !err; ++text)
			err = compare_text(down, &whole, bench, *text, i < 0, why);
	if (err)
		fprintf(stderr, "bare-vits: %s\n", why[0] ? why : strerror(err));
	close_whole(&whole);
	free(down[0].samples);
	free(down[1].samples);
	return err;
}
