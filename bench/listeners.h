/*
 * listeners.h: simulated listeners who talk to the server, turn after turn.
 *
 * Each has a connection, plays the audio in real time from the first samples on and, when
 * everything was played, sends the next request after a pause. Time is that of the playback:
 * audio that arrives faster is buffered.
 */
#ifndef BENCH_LISTENERS_H
#define BENCH_LISTENERS_H

#include <stddef.h>

#include "bench/stats.h"
#include "bench/target.h"

/* The kind of answer. */
enum listener_kind {
	LISTENER_CHAT, /* a few sentences, as a language model writes them */
	LISTENER_SHORT, /* one short sentence */
	LISTENER_LONG, /* one sentence of about 400 characters */
	LISTENER_KINDS
};

struct listeners_load {
	size_t counts[LISTENER_KINDS];
	unsigned seconds;
};

struct listeners_result {
	size_t turns; /* the number of turns that were started */
	unsigned underruns; /* how often playback stalled within a turn */
	unsigned refused; /* the number of turns that failed */
	double waited_s; /* the time without audio in all underruns */
	struct stats first_ms[LISTENER_KINDS]; /* from the request to the first audio */
	double audio_s; /* the seconds of audio received */
	double seconds; /* the duration of the run */
	double clients_cpu_s, server_cpu_s, workers_cpu_s;
};

/* Opens the connections, runs the listeners, closes the connections. A server that cannot keep up
 * is a result, not an error. */
int listeners_run(struct listeners_result *result, const struct target *target,
		  const struct listeners_load *load);
void listeners_reset(struct listeners_result *result);

/* Writes the chunks that the server makes of all answers of a chat, each quoted for a shell, so
 * that the engine alone can be given the same. */
void listeners_print_chunks(char *out, size_t size);

#endif
