/*
 * neural.h: what the measurements of neural voices share.
 */
#ifndef BENCH_NEURAL_H
#define BENCH_NEURAL_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/bench.h"

/* The catalogue's voice, and the engine's name for it. */
#define NEURAL_VOICE_ID "1071"
#define NEURAL_VOICE "libritts:sally"

/* Whether there are neural voices to measure; when there are none says so, in a
 * line that begins with the run's name.  When there are, programs that are
 * started from here find them. */
bool neural_is_installed(const struct bench_options *options, const char *run);

/* Runs bare-vits with arguments as a shell reads them and calls `each` with
 * every line that it prints; EIO when it failed. */
typedef void(neural_line_h)(const char *line, void *arg);
int neural_run_bare(const struct bench_options *options, const char *arguments, neural_line_h *each,
		    void *arg);

#endif
