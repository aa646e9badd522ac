/*
 * bench.h: the measurements that docs/benchmarks.md reports.
 *
 * Every figure is a ratio, or a difference, between things measured alternately in
 * the same run, so that the state of the machine affects both.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

struct bench_options {
	int64_t rounds; /* how many times to repeat it; 0 for the measurement's default */
	int64_t connections; /* for the idle measurement */
	int64_t cancels; /* the number of barge-ins of the cancel measurement */
	int64_t seconds; /* the length of each step of the streams, steps, hearing and calls measurements */
	int64_t listeners; /* for the streams and hearing measurements; 0 for the maximum */
	int64_t calls; /* for the calls measurement; 0 for the maximum */
	int64_t faults; /* calls in which something dies; 0: none */
	bool is_json; /* the calls measurement prints objects */
	const char *engines_dir;
	const char *voices_dir; /* the folder of neural voices, if any are installed */
	const char *models_dir; /* that of models which recognize speech */
};

/* Each prints its result and returns nonzero if it could not be measured. */
int bench_latency(const struct bench_options *options);
int bench_burst(const struct bench_options *options);
int bench_throughput(const struct bench_options *options);
int bench_idle(const struct bench_options *options);
int bench_cancel(const struct bench_options *options);
int bench_start(const struct bench_options *options);
int bench_neural(const struct bench_options *options);
int bench_steps(const struct bench_options *options);
int bench_streams(const struct bench_options *options);
int bench_multi(const struct bench_options *options);
int bench_text(const struct bench_options *options);
int bench_encode(const struct bench_options *options);
int bench_calls(const struct bench_options *options);
int bench_ledger(const struct bench_options *options);
int bench_conversations(const struct bench_options *options);
int bench_requests(const struct bench_options *options);
int bench_hearing(const struct bench_options *options);

#endif
