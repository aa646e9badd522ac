/*
 * stats.c: collects the samples of a measurement (see stats.h).
 */
#include "bench/stats.h"

#include <stdlib.h>

void stats_add(struct stats *stats, double value)
{
	if (stats->count == stats->size) {
		size_t size = stats->size ? 2 * stats->size : 256;
		double *values = realloc(stats->values, size * sizeof(*values));

		if (!values)
			abort(); /* without memory there is no measurement */
		stats->values = values;
		stats->size = size;
	}
	stats->values[stats->count++] = value;
}

void stats_reset(struct stats *stats)
{
	free(stats->values);
	*stats = (struct stats){0};
}

static int stats_compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_quantile(struct stats *stats, double share)
{
	size_t i;

	if (stats->count == 0)
		return 0;
	qsort(stats->values, stats->count, sizeof(*stats->values), stats_compare);
	i = (size_t)(share * (double)(stats->count - 1) + 0.5);
	return stats->values[i];
}

double stats_mean(const struct stats *stats)
{
	double sum = 0;

	for (size_t i = 0; i < stats->count; ++i)
		sum += stats->values[i];
	return stats->count ? sum / (double)stats->count : 0;
}
