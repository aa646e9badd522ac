/*
 * vits_batch.c: whether windows of several texts should go through the decoder
 * in one run.
 *
 * The tail is what costs most.  The same windows go through it one after the
 * other, in one run with a batch dimension, and one after the other on two
 * threads, which is what the engine does on two cores.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "vits_bench.h"
#include "vits_graph.h"

#define WINDOWS_MAX 4

/* Frames of a window with its context: the engine's first and its largest. */
static const size_t window_frames[] = {28, 132};

struct decoder {
	struct graph graph;
	struct network *tail;
	struct tensor hidden; /* of a whole sentence */
	size_t rate; /* columns of a frame */
};

static int run_piece(const struct vits_bench *bench, const struct cut_piece *piece,
		     const struct tensor *inputs, size_t count, struct tensor *outputs,
		     size_t output_count, char why[RUNTIME_WHY_SIZE])
{
	struct network *network;
	int err = network_open(&network, bench->dir->runtime, piece->bytes, piece->len, why);

	if (err)
		return err;
	err = network_run(network, inputs, count, outputs, output_count, why);
	mem_deref(network);
	return err;
}

/* One tensor and those that the text piece shares with this one. */
static size_t gather(struct tensor *inputs, const char *name, const struct tensor *first,
		     const struct cut_piece *piece, const struct tensor *shared,
		     size_t shared_count)
{
	size_t n = 1;

	inputs[0] = *first;
	inputs[0].name = name;
	for (size_t i = 0; i < piece->shared_count; ++i)
		for (size_t k = 0; k < shared_count; ++k)
			if (strcmp(piece->shared[i], shared[k].name) == 0)
				inputs[n++] = shared[k];
	return n;
}

/* text, flow and head over the whole sentence, without the latent's noise. */
static int make_hidden(struct decoder *decoder, const struct vits_bench *bench,
		       const struct question *question, char why[RUNTIME_WHY_SIZE])
{
	const struct cut *cut = decoder->graph.cut;
	struct tensor inputs[1 + CUT_SHARED_MAX];
	struct tensor given[1 + CUT_SHARED_MAX] = {{.name = cut->mean}};
	struct tensor features = {.name = cut->features};
	size_t shared = cut->text.shared_count;
	size_t n;
	int err;

	for (size_t i = 0; i < shared; ++i)
		given[1 + i].name = cut->text.shared[i];
	err = run_piece(bench, &cut->text, question->inputs, question->count, given, 1 + shared,
			why);
	if (err)
		return err;
	n = gather(inputs, cut->latent, &given[0], &cut->flow, given + 1, shared);
	err = run_piece(bench, &cut->flow, inputs, n, &features, 1, why);
	if (!err) {
		n = gather(inputs, cut->features, &features, &cut->head, given + 1, shared);
		decoder->hidden.name = cut->hidden;
		err = run_piece(bench, &cut->head, inputs, n, &decoder->hidden, 1, why);
		tensor_release(&features);
	}
	if (!err)
		decoder->rate = (size_t)(decoder->hidden.dims[2] / given[0].dims[2]);
	for (size_t i = 0; i < 1 + shared; ++i)
		tensor_release(&given[i]);
	return err;
}

static int open_decoder(struct decoder *decoder, const struct vits_bench *bench,
			char why[RUNTIME_WHY_SIZE])
{
	struct question question;
	const char *const *last = bench->texts;
	int err = graph_read(&decoder->graph, bench->model->file->path, why);

	while (last[1])
		++last;
	if (!err && decoder->graph.cut->tail.shared_count > 0) {
		snprintf(why, RUNTIME_WHY_SIZE, "this model's tail takes more than its window");
		err = ENOTSUP;
	}
	if (!err)
		err = question_write(&question, &decoder->graph, bench->model, bench->speaker,
				     *last);
	if (err)
		return err;
	err = make_hidden(decoder, bench, &question, why);
	question_reset(&question);
	if (!err)
		err = network_open(&decoder->tail, bench->dir->runtime,
				   decoder->graph.cut->tail.bytes, decoder->graph.cut->tail.len,
				   why);
	return err;
}

static void close_decoder(struct decoder *decoder)
{
	tensor_release(&decoder->hidden);
	mem_deref(decoder->tail);
	graph_reset(&decoder->graph);
}

/* Several windows, one after the other in memory: as one input they are a
 * batch. */
static int make_windows(struct tensor *windows, const struct decoder *decoder, size_t frames,
			size_t count)
{
	size_t rows = (size_t)decoder->hidden.dims[1];
	size_t all = (size_t)decoder->hidden.dims[2];
	size_t columns = frames * decoder->rate;
	float *values = malloc(count * rows * columns * sizeof(*values));
	size_t from;

	if (!values || all < columns + WINDOWS_MAX) {
		free(values);
		return values ? EINVAL : ENOMEM;
	}
	for (size_t i = 0; i < count; ++i) {
		from = i * (all - columns) / count; /* each with numbers of its own */
		for (size_t row = 0; row < rows; ++row)
			memcpy(values + (i * rows + row) * columns,
			       decoder->hidden.f32 + row * all + from, columns * sizeof(*values));
	}
	*windows = (struct tensor){
		.name = decoder->hidden.name,
		.type = TENSOR_F32,
		.rank = 3,
		.dims = {(int64_t)count, (int64_t)rows, (int64_t)columns},
		.f32 = values,
	};
	return 0;
}

/* Windows [from, to) of a batch in one run. */
static int decode(const struct decoder *decoder, const struct tensor *windows, size_t from,
		  size_t to, char why[RUNTIME_WHY_SIZE])
{
	struct tensor output = {.name = decoder->graph.cut->output};
	struct tensor input = *windows;
	int err;

	input.dims[0] = (int64_t)(to - from);
	input.f32 += from * (size_t)(input.dims[1] * input.dims[2]);
	err = network_run(decoder->tail, &input, 1, &output, 1, why);
	if (!err)
		tensor_release(&output);
	return err;
}

struct share {
	const struct decoder *decoder;
	const struct tensor *windows;
	size_t from, to;
	char why[RUNTIME_WHY_SIZE];
	int err;
};

static void *decode_apart(void *arg)
{
	struct share *share = arg;

	for (size_t i = share->from; i < share->to && !share->err; ++i)
		share->err = decode(share->decoder, share->windows, i, i + 1, share->why);
	return NULL;
}

static int decode_on_two(const struct share *all, double *wall_s)
{
	struct share halves[2] = {*all, *all};
	pthread_t other;
	int err;

	halves[0].to = halves[1].from = all->to / 2;
	*wall_s = vits_wall_s();
	err = pthread_create(&other, NULL, decode_apart, &halves[1]);
	if (err)
		return err;
	decode_apart(&halves[0]);
	pthread_join(other, NULL);
	*wall_s = vits_wall_s() - *wall_s;
	return halves[0].err ? halves[0].err : halves[1].err;
}

struct lap {
	double wall_s, cpu_s;
};

static void lap_begin(struct lap *lap)
{
	*lap = (struct lap){vits_wall_s(), vits_thread_cpu_s()};
}

static void lap_end(struct lap *lap)
{
	*lap = (struct lap){vits_wall_s() - lap->wall_s, vits_thread_cpu_s() - lap->cpu_s};
}

/* Who comes first changes from round to round, and a window before both takes
 * what it costs to come from other sizes. */
static int time_laps(struct share *all, size_t n, int round, struct lap *apart,
		     struct lap *together)
{
	int err = decode(all->decoder, all->windows, 0, 1, all->why);

	for (int i = 0; i < 2 && !err; ++i) {
		if ((i + round) % 2 == 0) {
			lap_begin(apart);
			decode_apart(all);
			lap_end(apart);
			err = all->err;
		} else {
			lap_begin(together);
			err = decode(all->decoder, all->windows, 0, n, all->why);
			lap_end(together);
		}
	}
	return err;
}

static int time_windows(const struct decoder *decoder, const struct tensor *windows, size_t frames,
			int round, char why[RUNTIME_WHY_SIZE])
{
	size_t n = (size_t)windows->dims[0];
	struct share all = {.decoder = decoder, .windows = windows, .to = n};
	struct lap apart, together;
	double threads_s;
	int err = time_laps(&all, n, round, &apart, &together);

	if (!err)
		err = decode_on_two(&all, &threads_s);
	if (err) {
		memcpy(why, all.why, sizeof(all.why));
		return err;
	}
	if (round == 0)
		return 0; /* it only warms up */
	printf("%zu %zu %.6f %.6f %.6f %.6f %.6f\n", frames, n, apart.wall_s, apart.cpu_s,
	       together.wall_s, together.cpu_s, threads_s);
	fflush(stdout);
	return 0;
}

static int time_round(const struct decoder *decoder, int round, char why[RUNTIME_WHY_SIZE])
{
	struct tensor windows;
	int err = 0;

	for (size_t i = 0; i < COUNT(window_frames); ++i) {
		for (size_t n = 2; n <= WINDOWS_MAX && !err; n *= 2) {
			err = make_windows(&windows, decoder, window_frames[i], n);
			if (err)
				break;
			err = time_windows(decoder, &windows, window_frames[i], round, why);
			free(windows.f32);
		}
	}
	return err;
}

int vits_batch(const struct vits_bench *bench, int rounds)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct decoder decoder = {0};
	int err = open_decoder(&decoder, bench, why);

	for (int round = 0; round <= rounds && !err; ++round)
		err = time_round(&decoder, round, why);
	if (err)
		fprintf(stderr, "bare-vits: %s\n", why[0] ? why : strerror(err));
	close_decoder(&decoder);
	return err;
}
