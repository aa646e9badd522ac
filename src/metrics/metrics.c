/*
 * metrics.c: counters, gauges and histograms (see metrics.h).
 */
#include "metrics/metrics.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/count.h"

#define PREFIX "syrinx_"

enum metrics_kind { COUNTER, GAUGE, HISTOGRAM };
enum metrics_unit { ONE, MICROSECONDS };

static const struct row {
	enum metrics_kind kind;
	enum metrics_unit unit;
	const char *name;
	const char *label;
	const char *values;
	const char *help;
} rows[] = {
#define X(id, kind, unit, name, label, values, help)                                               \
	[METRIC_##id] = {kind, unit, name, label, values, help},
	METRICS(X)
#undef X
};

#define VALUES_MAX 16

/* From a tenth of a millisecond, which is the overhead of the server, to half a minute, which is
 * the longest that a model may take. */
static const uint64_t bounds_us[] = {100,     250,     500,     1000,     2500,    5000,
				     10000,   25000,   50000,   100000,   250000,  500000,
				     1000000, 2500000, 5000000, 10000000, 30000000};

struct metrics_histogram {
	atomic_uint_fast64_t
		buckets[COUNT(bounds_us) +
			1]; /* each bucket by itself; the last one is for everything above */
	atomic_uint_fast64_t sum_us;
};

/* The values are global to the process, and all of them are declared here. */
static atomic_uint_fast64_t numbers[METRIC_COUNT][VALUES_MAX];
static struct metrics_histogram histograms[METRIC_COUNT];

void metrics_add_at(enum metric metric, size_t value, uint64_t amount)
{
	assert(value < VALUES_MAX);
	atomic_fetch_add_explicit(&numbers[metric][value], amount, memory_order_relaxed);
}

void metrics_add(enum metric metric, uint64_t amount)
{
	metrics_add_at(metric, 0, amount);
}

void metrics_set(enum metric metric, uint64_t value)
{
	assert(rows[metric].kind == GAUGE);
	atomic_store_explicit(&numbers[metric][0], value, memory_order_relaxed);
}

void metrics_take(enum metric metric, uint64_t amount)
{
	assert(rows[metric].kind == GAUGE);
	atomic_fetch_sub_explicit(&numbers[metric][0], amount, memory_order_relaxed);
}

/* Returns the next value of "a|b|c"; NULL at the end. */
static const char *metrics_next_value(const char *values, size_t *len)
{
	*len = strcspn(values, "|");
	return *len > 0 ? values : NULL;
}

static const char *metrics_step(const char *values, size_t len)
{
	return values + len + (values[len] == '|');
}

void metrics_add_named(enum metric metric, const char *value, uint64_t amount)
{
	const char *at = rows[metric].values;
	size_t len;

	for (size_t i = 0; metrics_next_value(at, &len); ++i, at = metrics_step(at, len)) {
		if (strlen(value) == len && memcmp(at, value, len) == 0) {
			metrics_add_at(metric, i, amount);
			return;
		}
	}
}

void metrics_observe(enum metric metric, uint64_t microseconds)
{
	struct metrics_histogram *histogram = &histograms[metric];
	size_t i = 0;

	assert(rows[metric].kind == HISTOGRAM);
	while (i < COUNT(bounds_us) && microseconds > bounds_us[i])
		++i;
	atomic_fetch_add_explicit(&histogram->buckets[i], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&histogram->sum_us, microseconds, memory_order_relaxed);
}

static uint64_t metrics_number_at(enum metric metric, size_t value)
{
	return atomic_load_explicit(&numbers[metric][value], memory_order_relaxed);
}

static uint64_t metrics_bucket_at(enum metric metric, size_t i)
{
	return atomic_load_explicit(&histograms[metric].buckets[i], memory_order_relaxed);
}

/* Microseconds are printed as seconds digit by digit, so that the number is exact. */
static int metrics_print_number(struct buf *out, enum metrics_unit unit, uint64_t value)
{
	if (unit == ONE)
		return buf_printf(out, "%" PRIu64 "\n", value);
	return buf_printf(out, "%" PRIu64 ".%06u\n", value / 1000000, (unsigned)(value % 1000000));
}

static void metrics_print_labelled(struct buf *out, enum metric metric)
{
	const struct row *row = &rows[metric];
	const char *at = row->values;
	size_t len;

	for (size_t i = 0; metrics_next_value(at, &len); ++i, at = metrics_step(at, len)) {
		(void)buf_printf(out, PREFIX "%s{%s=\"%.*s\"} ", row->name, row->label, (int)len,
				 at);
		(void)metrics_print_number(out, row->unit, metrics_number_at(metric, i));
	}
}

static void metrics_print_histogram(struct buf *out, enum metric metric)
{
	const char *name = rows[metric].name;
	uint64_t count = 0;

	for (size_t i = 0; i < COUNT(bounds_us); ++i) {
		count += metrics_bucket_at(metric, i);
		(void)buf_printf(out, PREFIX "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name,
				 (double)bounds_us[i] / 1e6, count);
	}
	count += metrics_bucket_at(metric, COUNT(bounds_us));
	(void)buf_printf(out, PREFIX "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, count);
	(void)buf_printf(out, PREFIX "%s_sum ", name);
	(void)metrics_print_number(
		out, MICROSECONDS,
		atomic_load_explicit(&histograms[metric].sum_us, memory_order_relaxed));
	(void)buf_printf(out, PREFIX "%s_count %" PRIu64 "\n", name, count);
}

/* The handler for label values that only the caller of metrics_print knows. */
struct metrics_lister {
	metrics_value_h *value_of;
	void *arg;
};

static void metrics_print_listed(struct buf *out, enum metric metric,
				 const struct metrics_lister *lister)
{
	const struct row *row = &rows[metric];
	const char *value;
	uint64_t number;

	for (size_t i = 0;
	     lister->value_of && lister->value_of(metric, i, &value, &number, lister->arg); ++i) {
		(void)buf_printf(out, PREFIX "%s{%s=\"%s\"} ", row->name, row->label, value);
		(void)metrics_print_number(out, row->unit, number);
	}
}

static int metrics_print_row(struct buf *out, enum metric metric,
			     const struct metrics_lister *lister)
{
	static const char *const kinds[] = {"counter", "gauge", "histogram"};
	const struct row *row = &rows[metric];
	int err = buf_printf(out, "# HELP " PREFIX "%s %s.\n# TYPE " PREFIX "%s %s\n", row->name,
			     row->help, row->name, kinds[row->kind]);

	if (row->kind == HISTOGRAM) {
		metrics_print_histogram(out, metric);
	} else if (row->label && row->values[0] == '\0') {
		metrics_print_listed(out, metric, lister);
	} else if (row->label) {
		metrics_print_labelled(out, metric);
	} else {
		(void)buf_printf(out, PREFIX "%s ", row->name);
		err = metrics_print_number(out, row->unit, metrics_number_at(metric, 0));
	}
	return err;
}

int metrics_print(struct buf *out, metrics_value_h *value_of, void *arg)
{
	const struct metrics_lister lister = {value_of, arg};
	int err = 0;

	for (size_t i = 0; i < METRIC_COUNT && !err; ++i)
		err = metrics_print_row(out, (enum metric)i, &lister);
	return err;
}
