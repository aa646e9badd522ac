/*
 * vits_graph.h: a neural model's file, read and cut once more, to compare the
 * engine with what it was made from.
 *
 * One thread.  The engine keeps nothing of the file, so this reads it again.
 */
#ifndef BENCH_VITS_GRAPH_H
#define BENCH_VITS_GRAPH_H

#include "engine/vits/cut.h"
#include "engine/vits/model_dir.h"
#include "engine/vits/script.h"

struct graph {
	char *bytes;
	size_t len;
	struct onnx *onnx;
	struct cut *cut;
};

/* `why` says what went wrong. */
int graph_read(struct graph *graph, const char *path, char why[RUNTIME_WHY_SIZE]);
void graph_reset(struct graph *graph);

/* What the first node of the text piece, and of the whole model, is given. */
struct question {
	struct script *script;
	int64_t length, speaker;
	float scales[3];
	float *duration_noise;
	struct noise_key key; /* of the first utterance, as the engine has it */
	struct tensor inputs[6];
	size_t count;
};

/* Phonemes and noise for the text's first utterance, at the voice's usual speed
 * and temperature. */
int question_write(struct question *question, const struct graph *graph,
		   const struct loaded_model *model, const struct model_speaker *speaker,
		   const char *text);
void question_reset(struct question *question);

#endif
