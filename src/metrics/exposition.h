/*
 * exposition.h: reads the text format of Prometheus (version 0.0.4).
 *
 * Pure.  The text is split in place: samples point into it and are valid as long as it is.  Of the
 * labels of a sample only the first one is kept, because metrics.c writes no more than one.
 */
#ifndef METRICS_EXPOSITION_H
#define METRICS_EXPOSITION_H

#include <stddef.h>

/* We write about 200 samples; other programs often write more than this limit. */
#define EXPOSITION_SAMPLES_MAX 1024

struct exposition_sample {
	const char *name;
	const char *label; /* the value of the first label; NULL if there is none */
	size_t label_count;
	double number;
};

struct exposition {
	struct exposition_sample samples[EXPOSITION_SAMPLES_MAX];
	size_t count;
};

/* text[len] must be NUL, and the text is changed.  EBADMSG if it is not in this format, and then
 * *line is the number of the invalid line; ENOBUFS if there are too many samples. */
int exposition_parse(struct exposition *exposition, char *text, size_t len, size_t *line);

/* Returns the sample with this name and this value of its first label (NULL: without labels), or
 * NULL if there is none. */
const struct exposition_sample *exposition_find(const struct exposition *exposition,
						const char *name, const char *label);

#endif
