/*
 * bench.h: the measurements that docs/benchmarks.md reports.
 *
 * Every figure is a ratio, or a difference, between things measured alternately in
 * the same run, so that the state of the machine affects both.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>

struct bench_options {
	int64_t rounds; /* how often; 0: the run's own default */
	int64_t connections; /* of the idle run */
	int64_t cancels;
	int64_t seconds; /* of each step of the streams run */
	int64_t listeners; /* of the streams run; 0: as many as can be */
	const char *engines_dir;
	const char *voices_dir; /* neural voices, if any are installed */
};

/* Each prints its result and gives non-zero when it could not be measured. */
int bench_latency(const struct bench_options *options);
int bench_burst(const struct bench_options *options);
int bench_throughput(const struct bench_options *options);
int bench_idle(const struct bench_options *options);
int bench_cancel(const struct bench_options *options);
int bench_start(const struct bench_options *options);
int bench_neural(const struct bench_options *options);
int bench_streams(const struct bench_options *options);
int bench_multi(const struct bench_options *options);
int bench_text(const struct bench_options *options);
int bench_encode(const struct bench_options *options);
int bench_calls(const struct bench_options *options);
int bench_ledger(const struct bench_options *options);
int bench_conversations(const struct bench_options *options);

#endif
