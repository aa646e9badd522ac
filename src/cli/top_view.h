/*
 * top_view.h: a server's metrics as a page for people.
 *
 * Pure: two looks at /metrics and the time between them in, lines out.  They fit
 * 80x24; of what is narrower or lower there is as much as fits.
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
	const struct exposition *now; /* NULL: there was none yet */
	const struct exposition *before; /* NULL: the server's start */
	double seconds; /* between the two looks */
	const char *base; /* the server's address */
	const char *trouble; /* what is wrong at the moment, or NULL */
	int64_t wall_ms;
	unsigned columns;
	unsigned rows; /* 0: as many as there are */
	bool is_screen; /* lines overwrite those of the picture before */
	bool has_colours;
};

/* ENOMEM, or ENOBUFS when the buffer is too small. */
int top_view_print(struct buf *out, const struct top_view *view);

/* Whether it is a page of Syrinx; when the server started, in seconds since 1970. */
bool top_view_started(double *started, const struct exposition *exposition);

/* The value below which this share (0 to 1) of what a histogram counted between the looks
 * lies, as Prometheus guesses it: evenly within a bucket.  NAN when it counted nothing,
 * INFINITY when it lies above the last bound.  The name has its prefix. */
double top_view_quantile(const struct top_view *view, const char *name, double share);

#endif
