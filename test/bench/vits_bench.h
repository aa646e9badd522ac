/*
 * vits_bench.h: the parts of bare-vits: one function for each measurement.
 */
#ifndef BENCH_VITS_BENCH_H
#define BENCH_VITS_BENCH_H

#include <stddef.h>

#include "engine/vits/model_dir.h"

/* As a client that asks for nothing else is spoken to. */
#define BENCH_SPEED 1.0f
#define BENCH_TEMPERATURE 0.4f

/* The engine, opened, and one of its voices. */
struct vits_bench {
	void *engine;
	const struct model_dir *dir;
	const struct loaded_model *model;
	const struct model_speaker *speaker;
	const char *const *texts; /* NULL ends them */
};

/* The whole model against the engine.  A line for each round and text:
 * "LETTERS AUDIO_S WHOLE_WALL_S WHOLE_CPU_S FIRST_S WALL_S CPU_S". */
int vits_compare(const struct vits_bench *bench, int rounds);

/* Windows of several texts in one run of the decoder.  A line for each round:
 * "FRAMES WINDOWS APART_WALL_S APART_CPU_S TOGETHER_WALL_S TOGETHER_CPU_S
 * THREADS_WALL_S". */
int vits_batch(const struct vits_bench *bench, int rounds);

/* The engine on so many threads for so many seconds; prints
 * "AUDIO_S CPU_S WALL_S". */
int vits_pace(const struct vits_bench *bench, int seconds, int threads);

double vits_wall_s(void);
double vits_thread_cpu_s(void);

#endif
