/*
 * listeners.h: people who talk with the server, turn after turn.
 *
 * Each has a connection, plays what comes in real time from the first sound on
 * and, when all was played, asks again after a pause.  His clock is the
 * playback's: one who is spoken to faster than that just has more to hear.
 */
#ifndef BENCH_LISTENERS_H
#define BENCH_LISTENERS_H

#include <stddef.h>

#include "bench/stats.h"
#include "bench/target.h"

/* What they are answered with. */
enum listener_kind {
	LISTENER_CHAT, /* a few sentences, as a language model writes them */
	LISTENER_SHORT, /* one short sentence */
	LISTENER_LONG, /* one sentence of some 400 characters */
	LISTENER_KINDS
};

struct listeners_load {
	size_t counts[LISTENER_KINDS];
	unsigned seconds;
};

struct listeners_result {
	size_t turns; /* that were begun */
	unsigned underruns; /* playback stood still inside a turn */
	unsigned refused; /* turns that failed */
	double waited_s; /* for audio, in all underruns */
	struct stats first_ms[LISTENER_KINDS]; /* from question to first sound */
	double audio_s; /* that came */
	double seconds; /* that it took */
	double clients_cpu_s, server_cpu_s, workers_cpu_s;
};

/* Opens the connections, lets them talk, closes them.  A server that cannot
 * keep up is a result and no error. */
int listeners_run(struct listeners_result *result, const struct target *target,
		  const struct listeners_load *load);
void listeners_reset(struct listeners_result *result);

/* The chunks that the server makes of all answers of a chat, each in quotes for
 * a shell: what an engine alone is given to speak the same. */
void listeners_print_chunks(char *out, size_t size);

#endif
