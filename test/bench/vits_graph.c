/*
 * vits_graph.c: a neural model's file, read once more (see vits_graph.h).
 */
#include "vits_graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vits_bench.h"

static int read_file(struct graph *graph, const char *path)
{
	FILE *file = fopen(path, "re");
	long len = -1;
	int err = 0;

	if (!file)
		return errno;
	if (fseek(file, 0, SEEK_END) != 0 || (len = ftell(file)) <= 0 ||
	    fseek(file, 0, SEEK_SET) != 0)
		err = EIO;
	if (!err) {
		graph->len = (size_t)len;
		graph->bytes = malloc(graph->len);
		if (!graph->bytes)
			err = ENOMEM;
		else if (fread(graph->bytes, 1, graph->len, file) != graph->len)
			err = EIO;
	}
	fclose(file);
	return err;
}

int graph_read(struct graph *graph, const char *path, char why[RUNTIME_WHY_SIZE])
{
	int err = read_file(graph, path);

	if (err) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s: %s", path, strerror(err));
		return err;
	}
	err = onnx_parse(&graph->onnx, graph->bytes, graph->len, why, RUNTIME_WHY_SIZE);
	return err ? err : cut_vits(&graph->cut, graph->onnx, why, RUNTIME_WHY_SIZE);
}

void graph_reset(struct graph *graph)
{
	mem_deref(graph->cut);
	mem_deref(graph->onnx);
	free(graph->bytes);
	*graph = (struct graph){0};
}

static void add(struct question *question, struct tensor tensor)
{
	question->inputs[question->count++] = tensor;
}

/* The same key as the engine's (vits.c): else the two would speak the text with
 * another rhythm, and not be comparable.  bare_vits.c compares the samples. */
static void make_key(struct noise_key *key, const struct model_speaker *speaker, const char *text)
{
	const float temperature = BENCH_TEMPERATURE;
	const size_t utterance = 0;

	noise_key_init(key);
	noise_key_add(key, text, strlen(text));
	noise_key_add(key, speaker->name, strlen(speaker->name));
	noise_key_add(key, &temperature, sizeof(temperature));
	noise_key_add(key, &utterance, sizeof(utterance));
}

static int make_inputs(struct question *question, const struct cut *cut)
{
	const struct script_utterance *utterance = &question->script->utterances[0];
	const int64_t n = (int64_t)utterance->count;

	question->length = n;
	question->count = 0;
	question->duration_noise = malloc(2 * utterance->count * sizeof(float));
	if (!question->duration_noise)
		return ENOMEM;
	noise_fill(&question->key, 0, 0, question->duration_noise, 2 * utterance->count);
	add(question, (struct tensor){.name = "input",
				      .type = TENSOR_I64,
				      .rank = 2,
				      .dims = {1, n},
				      .i64 = utterance->ids});
	add(question, (struct tensor){.name = "input_lengths",
				      .type = TENSOR_I64,
				      .rank = 1,
				      .dims = {1},
				      .i64 = &question->length});
	add(question, (struct tensor){.name = "scales",
				      .type = TENSOR_F32,
				      .rank = 1,
				      .dims = {3},
				      .f32 = question->scales});
	if (cut->has_speakers)
		add(question, (struct tensor){.name = "sid",
					      .type = TENSOR_I64,
					      .rank = 1,
					      .dims = {1},
					      .i64 = &question->speaker});
	if (cut->duration_noise)
		add(question, (struct tensor){.name = cut->duration_noise,
					      .type = TENSOR_F32,
					      .rank = 3,
					      .dims = {1, 2, n},
					      .f32 = question->duration_noise});
	return 0;
}

int question_write(struct question *question, const struct graph *graph,
		   const struct loaded_model *model, const struct model_speaker *speaker,
		   const char *text)
{
	const struct model_file *file = model->file;
	int err;

	*question = (struct question){
		.speaker = speaker->speaker,
		.scales = {file->noise_scale, file->length_scale, file->noise_w},
	};
	make_key(&question->key, speaker, text);
	err = script_write(&question->script, file, speaker, text, strlen(text));
	if (!err && question->script->utterance_count != 1)
		err = EINVAL; /* a benchmark's text is one sentence */
	if (!err)
		err = make_inputs(question, graph->cut);
	if (err)
		question_reset(question);
	return err;
}

void question_reset(struct question *question)
{
	question->script = mem_deref(question->script);
	free(question->duration_noise);
	question->duration_noise = NULL;
}
