/*
 * top_view.h: shows a server's metrics as a page for people.
 *
 * A pure function: two samples of /metrics and the time between them in, lines out. The lines
 * fit 80x24; on a smaller screen they are cut.
 */
#ifndef CLI_TOP_VIEW_H
#define CLI_TOP_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "metrics/exposition.h"

#define TOP_VIEW_COLUMNS 80
#define TOP_VIEW_ROWS 24

struct top_view {
	const struct exposition *now; /* NULL if there is no sample yet */
	const struct exposition *before; /* NULL for the server's start */
	double seconds; /* between the two samples */
	const char *base; /* the server's address */
	const char *trouble; /* the current problem, or NULL */
	int64_t wall_ms;
	unsigned columns;
	unsigned rows; /* 0 for no limit */
	bool is_screen; /* lines overwrite those of the previous picture */
	bool has_colours;
};

/* ENOMEM, or ENOBUFS if the buffer is too small. */
int top_view_print(struct buf *out, const struct top_view *view);

/* Whether these are Syrinx metrics; *started is when the server started, in seconds since 1970. */
bool top_view_started(double *started, const struct exposition *exposition);

/* The value below which this share (0 to 1) of what a histogram counted between the samples lies,
 * with Prometheus' assumption of an even distribution within a bucket. NAN if it counted nothing,
 * INFINITY if the value lies above the last bound. The name includes its prefix. */
double top_view_quantile(const struct top_view *view, const char *name, double share);

#endif
