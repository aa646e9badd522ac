/*
 * stats.h: collects the samples of a measurement and computes quantiles.
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

struct stats {
	double *values;
	size_t count, size;
};

void stats_add(struct stats *stats, double value);
void stats_reset(struct stats *stats);

/* The value below which this share (0 to 1) of the samples lies; 0 if there are none. Sorts the
 * samples. */
double stats_quantile(struct stats *stats, double share);
double stats_mean(const struct stats *stats);

#endif
