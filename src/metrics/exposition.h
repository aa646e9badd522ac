/*
 * exposition.h: the text format of Prometheus (version 0.0.4), read.
 *
 * Pure.  The text is taken apart where it stands: samples point into it and last
 * as long as it does.  Of a sample with labels the first one is kept, which is
 * the only one that metrics.c writes.
 */
#ifndef METRICS_EXPOSITION_H
#define METRICS_EXPOSITION_H

#include <stddef.h>

/* We write about 200; the page of a stranger has often more than this. */
#define EXPOSITION_SAMPLES_MAX 1024

struct exposition_sample {
	const char *name;
	const char *label; /* the value of the first label; NULL: there is none */
	size_t label_count;
	double number;
};

struct exposition {
	struct exposition_sample samples[EXPOSITION_SAMPLES_MAX];
	size_t count;
};

/* text[len] must be NUL, and is changed.  EBADMSG: it is not of this format, and
 * *line is where; ENOBUFS: there are too many samples. */
int exposition_parse(struct exposition *exposition, char *text, size_t len, size_t *line);

/* The sample of this name that has one label of this value, or no label when it is NULL;
 * NULL when there is none. */
const struct exposition_sample *exposition_find(const struct exposition *exposition,
						const char *name, const char *label);

#endif
