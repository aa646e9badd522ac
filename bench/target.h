/*
 * target.h: starts and stops the server that is measured.
 */
#ifndef BENCH_TARGET_H
#define BENCH_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "net/ws_client.h"

struct target {
	pid_t pid;
	char data_dir[64];
	unsigned port;
	char url[64]; /* of the WebSocket that speaks */
	char header[128]; /* the Authorization header */
	const char *tls_certificate; /* NULL without TLS */
	double ready_ms; /* from exec to 200 on /ready */
};

struct target_options {
	bool with_tls;
	const char *voices_dir; /* NULL for no neural voices, whatever is installed */
	const char *models_dir; /* the same for models that recognize speech */
	const char *order; /* speech.order; NULL for the default */
	const char *config; /* the text of a configuration; NULL for none */
};

/* Starts the `syrinx serve` of this installation on a free loopback port. Without options it has
 * no TLS and no neural voices, so that results do not depend on what happens to be installed. */
int target_start(struct target *target, const struct target_options *options);
void target_stop(struct target *target);

int target_connect(struct ws_client **clientp, const struct target *target);

/* The same for another path, with its query; only without TLS. */
int target_connect_to(struct ws_client **clientp, const struct target *target, const char *path);

/* The CPU seconds used so far by the server and by its workers. */
void target_cpu(const struct target *target, double *server_s, double *workers_s);

struct target_worker {
	pid_t pid;
	double cpu_s; /* used so far */
};

/* Finds the workers of an engine, by the name of its program; returns their number. */
size_t target_find_workers(const struct target *target, const char *program,
			   struct target_worker *workers, size_t max);

/* The value of a metric, named as on the page /metrics with its label; 0 if there is none. */
double target_metric(const struct target *target, const char *name);

/* The same for several values of the same moment: the page, which is valid until the next call, and a
 * value on it. */
const char *target_metrics(const struct target *target);
double target_value(const char *metrics, const char *name);

/* Sends a JSON body and returns the body of the answer, which is cut off at size - 1 bytes; EPROTO if its
 * status is not 200. */
int target_post(const struct target *target, const char *path, const char *body, char *answer,
		size_t size);

/* The resident memory of the server process alone, in bytes. */
size_t target_resident(const struct target *target);

#endif
