/*
 * neural.h: functions shared by the measurements of neural voices.
 */
#ifndef BENCH_NEURAL_H
#define BENCH_NEURAL_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/bench.h"

/* The id of the voice, and the engine's name for it. */
#define NEURAL_VOICE_ID "1071"
#define NEURAL_VOICE "libritts:sally"

/* Whether there are neural voices to measure; if not, prints so in a line that begins with the
 * name of the measurement. If there are, programs that are started from here find them. */
bool neural_is_installed(const struct bench_options *options, const char *run);

/* Runs bare-vits with shell arguments and calls `each` with every line that it prints; EIO if it
 * failed. */
typedef void(neural_line_h)(const char *line, void *arg);
int neural_run_bare(const struct bench_options *options, const char *arguments, neural_line_h *each,
		    void *arg);

#endif
