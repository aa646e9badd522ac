/*
 * top_view.c: shows a server's metrics as a page for people (see top_view.h).
 */
#include "cli/top_view.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/count.h"
#include "metrics/metrics.h"

#define PREFIX "syrinx_"
#define NAME_SIZE 64
#define FIGURE_SIZE 24

/* All metrics named below are rows of this table, which the compiler checks. */
static const struct {
	const char *name;
	const char *values; /* the values of its label: "a|b|c" */
} rows[] = {
#define X(id, kind, unit, name, label, values, help) [METRIC_##id] = {PREFIX name, values},
	METRICS(X)
#undef X
};

/* Figures */

static double top_view_number_in(const struct exposition *exposition, const char *name,
				 const char *label)
{
	const struct exposition_sample *sample =
		exposition ? exposition_find(exposition, name, label) : NULL;

	return sample ? sample->number : NAN;
}

/* The increase between the samples. A server of another version may not have the metric. */
static double top_view_counted(const struct top_view *view, const char *name, const char *label)
{
	double now = top_view_number_in(view->now, name, label);
	double before = top_view_number_in(view->before, name, label);

	return before <= now ? now - before : now;
}

bool top_view_started(double *started, const struct exposition *exposition)
{
	*started = top_view_number_in(exposition, rows[METRIC_STARTED].name, NULL);
	return !isnan(*started);
}

double top_view_quantile(const struct top_view *view, const char *name, double share)
{
	char buckets[NAME_SIZE];
	double floor = 0, below = 0;
	double total;

	snprintf(buckets, sizeof(buckets), "%s_bucket", name);
	total = top_view_counted(view, buckets, "+Inf");
	if (!(total > 0))
		return NAN;
	for (size_t i = 0; i < view->now->count; ++i) {
		const struct exposition_sample *sample = &view->now->samples[i];
		double bound, count;

		if (strcmp(sample->name, buckets) != 0 || sample->label_count != 1)
			continue;
		bound = strtod(sample->label, NULL);
		count = top_view_counted(view, buckets, sample->label);
		if (count >= share * total && count > below)
			return isinf(bound) ? INFINITY
					    : floor + (bound - floor) * (share * total - below) /
							      (count - below);
		floor = bound;
		below = count;
	}
	return NAN;
}

/* Prints "-" for values that the server does not report. */
static void top_view_print_figure(char text[FIGURE_SIZE], double value, int decimals,
				  const char *unit)
{
	if (isnan(value))
		snprintf(text, FIGURE_SIZE, "-");
	else
		snprintf(text, FIGURE_SIZE, "%.*f%s", decimals, value, unit);
}

static void top_view_print_count(char text[FIGURE_SIZE], double value)
{
	top_view_print_figure(text, value, 0, "");
}

static void top_view_print_time(char text[FIGURE_SIZE], double seconds)
{
	if (isinf(seconds))
		snprintf(text, FIGURE_SIZE, "> 30 s"); /* the last bucket in metrics.c */
	else if (seconds >= 0.9995)
		top_view_print_figure(text, seconds, 2, " s");
	else
		top_view_print_figure(text, seconds * 1000, seconds < 0.00995 ? 2 : 0, " ms");
}

static void top_view_print_uptime(char text[FIGURE_SIZE], double seconds)
{
	unsigned s = seconds > 0 ? (unsigned)fmin(seconds, 1e9) : 0;

	if (s >= 86400)
		snprintf(text, FIGURE_SIZE, "%u d %02u:%02u", s / 86400, s / 3600 % 24,
			 s / 60 % 60);
	else
		snprintf(text, FIGURE_SIZE, "%02u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
}

/* Lines */

enum style { PLAIN, BOLD, DIM, BAD };

struct page {
	struct buf *out;
	const struct top_view *view;
	unsigned column;
	unsigned row;
	int err; /* the first error; nothing is added after it */
};

static void top_view_append(struct page *page, const char *text, size_t len)
{
	if (!page->err)
		page->err = buf_append(page->out, text, len);
}

static bool top_view_is_full(const struct page *page)
{
	return page->view->rows > 0 && page->row >= page->view->rows;
}

/* Appends to the current line as much as fits. Control characters in values from the server are
 * not sent to the terminal. */
__attribute__((format(printf, 3, 4))) static void top_view_put(struct page *page, enum style style,
							       const char *format, ...)
{
	static const char *const styles[] = {"", "\033[1m", "\033[2m", "\033[1;31m"};
	bool is_styled = page->view->has_colours && style != PLAIN;
	char text[512];
	va_list args;
	size_t len;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	len = strnlen(text, page->view->columns - page->column);
	for (size_t i = 0; i < len; ++i) {
		if (text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	}
	if (len == 0 || top_view_is_full(page))
		return;
	page->column += (unsigned)len;
	if (is_styled)
		top_view_append(page, styles[style], strlen(styles[style]));
	top_view_append(page, text, len);
	if (is_styled)
		top_view_append(page, "\033[0m", 4);
}

/* The last line of a screen has no newline, because that would scroll the screen. */
static void top_view_end_line(struct page *page)
{
	bool is_screen = page->view->is_screen;

	if (top_view_is_full(page))
		return;
	if (is_screen)
		top_view_append(page, "\033[K", 3);
	++page->row;
	page->column = 0;
	if (!is_screen || !top_view_is_full(page))
		top_view_append(page, "\n", 1);
}

/* Blocks */

static void top_view_put_head(struct page *page)
{
	const struct top_view *view = page->view;
	time_t now = (time_t)(view->wall_ms / 1000);
	struct tm tm = {0};
	char clock[16];
	char up[FIGURE_SIZE] = "-";
	double started;

	if (view->now && top_view_started(&started, view->now))
		top_view_print_uptime(up, (double)view->wall_ms / 1000 - started);
	localtime_r(&now, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	top_view_put(page, BOLD, "syrinx");
	top_view_put(page, PLAIN, " %-45.45s up %12s   %s", view->base, up, clock);
	top_view_end_line(page);
}

static void top_view_put_state(struct page *page)
{
	const struct top_view *view = page->view;

	if (view->trouble)
		top_view_put(page, BAD, "%s", view->trouble);
	else if (view->before)
		top_view_put(page, DIM, "rates and times over the last %.1f s", view->seconds);
	else
		top_view_put(page, DIM, "rates and times since the server started");
	top_view_end_line(page);
	top_view_end_line(page);
}

/* Current values are on the left, counters on the right. */
static const struct gauge {
	const char *title;
	enum metric metric;
	bool is_bytes;
	bool is_bad; /* highlighted if it is not 0 */
} gauges[] = {
	{"connections", METRIC_CONNECTIONS, false, false},
	{"contexts", METRIC_CONTEXTS, false, false},
	{"conversations", METRIC_CONVERSATIONS, false, false},
	{"calls", METRIC_CALLS, false, false},
	{"chunks queued", METRIC_JOBS_QUEUED, false, false},
	{"chunks running", METRIC_JOBS_RUNNING, false, false},
	{"workers", METRIC_WORKERS, false, false},
	{"ledger waiting", METRIC_LEDGER_WAITING, false, false},
	{"ledger spooled", METRIC_LEDGER_SPOOLED, false, true},
	{"memory", METRIC_MEMORY, true, false},
};

static const struct counter {
	const char *title;
	const char *label;
	enum metric metric;
	bool is_bad; /* highlighted if it was counted since the last update */
} counters[] = {
	{"turns finished", "finished", METRIC_TURNS, false},
	{"turns cancelled", "cancelled", METRIC_TURNS, false},
	{"turns failed", "failed", METRIC_TURNS, true},
	{"turns lost", "lost", METRIC_TURNS, true},
	{"seconds of audio", NULL, METRIC_AUDIO, false},
	{"cancels", NULL, METRIC_CANCELS, false},
	{"audio underruns", NULL, METRIC_DEADLINE_MISSES, true},
	{"worker deaths", NULL, METRIC_WORKER_DEATHS, true},
	{"calls refused", NULL, METRIC_CALLS_REFUSED, true},
	{"LLM errors", NULL, METRIC_LLM_ERRORS, true},
};

static void top_view_put_gauge(struct page *page, const struct gauge *gauge)
{
	double value = top_view_number_in(page->view->now, rows[gauge->metric].name, NULL);
	char text[FIGURE_SIZE];

	if (gauge->is_bytes)
		top_view_print_figure(text, value / (1024 * 1024), 1, " MiB");
	else
		top_view_print_count(text, value);
	top_view_put(page, PLAIN, "%-17s", gauge->title);
	top_view_put(page, gauge->is_bad && value > 0 ? BAD : PLAIN, "%12s", text);
}

/* Without a previous sample nothing is highlighted, because everything may have happened long
 * ago. */
static void top_view_put_counter(struct page *page, const struct counter *counter)
{
	const struct top_view *view = page->view;
	const char *name = rows[counter->metric].name;
	double rate = view->seconds > 0
			      ? top_view_counted(view, name, counter->label) / view->seconds
			      : NAN;
	bool is_bad = counter->is_bad && view->before && rate > 0;
	char rate_text[FIGURE_SIZE];
	char sum_text[FIGURE_SIZE];

	top_view_print_figure(rate_text, rate, rate < 9999.95 ? 1 : 0, "");
	top_view_print_count(sum_text, top_view_number_in(view->now, name, counter->label));
	top_view_put(page, PLAIN, "     %-17s", counter->title);
	top_view_put(page, is_bad ? BAD : PLAIN, "%12s%13s", rate_text, sum_text);
}

static void top_view_put_numbers(struct page *page)
{
	static_assert(COUNT(gauges) == COUNT(counters), "gauges and counters share rows");
	top_view_put(page, BOLD, "%-17s%12s     %-17s%12s%13s", "NOW", "", "COUNTED", "per second",
		     "total");
	top_view_end_line(page);
	for (size_t i = 0; i < COUNT(gauges); ++i) {
		top_view_put_gauge(page, &gauges[i]);
		top_view_put_counter(page, &counters[i]);
		top_view_end_line(page);
	}
}

static void top_view_put_times(struct page *page)
{
	static const struct {
		const char *title;
		enum metric metric;
	} times[] = {
		{"first audio", METRIC_FIRST_AUDIO},   {"added by Syrinx", METRIC_ADDED},
		{"cancel", METRIC_CANCEL_TIME},        {"ledger", METRIC_LEDGER_TIME},
		{"LLM first words", METRIC_LLM_FIRST},
	};
	static const double shares[] = {0.5, 0.95, 0.99};
	char text[FIGURE_SIZE];

	top_view_put(page, BOLD, "%-17s%12s%12s%12s%12s", "TIMES", "p50", "p95", "p99", "count");
	top_view_end_line(page);
	for (size_t i = 0; i < COUNT(times); ++i) {
		const char *name = rows[times[i].metric].name;
		char count[NAME_SIZE];

		top_view_put(page, PLAIN, "%-17s", times[i].title);
		for (size_t j = 0; j < COUNT(shares); ++j) {
			top_view_print_time(text, top_view_quantile(page->view, name, shares[j]));
			top_view_put(page, PLAIN, "%12s", text);
		}
		snprintf(count, sizeof(count), "%s_count", name);
		top_view_print_count(text, top_view_counted(page->view, count, NULL));
		top_view_put(page, PLAIN, "%12s", text);
		top_view_end_line(page);
	}
}

/* Shows one value of a label, if it was ever counted; those that changed since the last sample
 * are highlighted. */
static bool top_view_put_labelled(struct page *page, enum metric metric, const char *label)
{
	double sum = top_view_number_in(page->view->now, rows[metric].name, label);
	double fresh =
		page->view->before ? top_view_counted(page->view, rows[metric].name, label) : 0;
	char text[128];
	char more[FIGURE_SIZE + 4] = "";

	if (!(sum > 0))
		return false;
	if (fresh > 0)
		snprintf(more, sizeof(more), " (+%.0f)", fresh);
	snprintf(text, sizeof(text), "%s %.0f%s", label, sum, more);
	if (page->column + 2 + strlen(text) > page->view->columns) {
		top_view_end_line(page);
		top_view_put(page, PLAIN, "%7s", "");
	}
	top_view_put(page, fresh > 0 ? BAD : PLAIN, "  %s", text);
	return true;
}

static void top_view_put_list(struct page *page, const char *title, enum metric metric)
{
	const char *at = rows[metric].values;
	bool is_empty = true;

	top_view_put(page, BOLD, "%-7s", title);
	while (*at) {
		size_t len = strcspn(at, "|");
		char label[NAME_SIZE];

		snprintf(label, sizeof(label), "%.*s", (int)len, at);
		if (top_view_put_labelled(page, metric, label))
			is_empty = false;
		at += len + (at[len] == '|');
	}
	if (is_empty)
		top_view_put(page, DIM, "  none");
	top_view_end_line(page);
}

int top_view_print(struct buf *out, const struct top_view *view)
{
	struct page page = {.out = out, .view = view};

	top_view_put_head(&page);
	top_view_put_state(&page);
	if (view->now) {
		top_view_put_numbers(&page);
		top_view_end_line(&page);
		top_view_put_times(&page);
		top_view_end_line(&page);
		top_view_put_list(&page, "ERRORS", METRIC_ERRORS);
		top_view_put_list(&page, "REFUSED", METRIC_DENIALS);
	}
	return page.err;
}
