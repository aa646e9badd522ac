/*
 * target.h: the server that is measured, started here and ended here.
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
	char url[64];
	char header[128]; /* Authorization */
	const char *tls_certificate; /* NULL: plain */
	double ready_ms; /* from exec to 200 on /ready */
};

struct target_options {
	bool with_tls;
	const char *voices_dir; /* NULL: no neural voices, whatever is installed */
	const char *order; /* speech.order; NULL: the default */
	const char *config; /* the text of a configuration; NULL: none */
};

/* Starts this program's own `serve` on a free port of loopback.  Without options
 * it is plain and has no neural voices: what is measured then must not depend on
 * what happens to be installed. */
int target_start(struct target *target, const struct target_options *options);
void target_stop(struct target *target);

int target_connect(struct ws_client **clientp, const struct target *target);

/* CPU seconds used by the server, and by its workers, so far. */
void target_cpu(const struct target *target, double *server_s, double *workers_s);

/* Resident memory of the server process alone, in bytes. */
size_t target_resident(const struct target *target);

#endif
