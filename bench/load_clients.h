/*
 * load_clients.h: clients of the server under measurement, all in one thread.
 *
 * Only one set of clients can be open at a time.
 */
#ifndef BENCH_LOAD_CLIENTS_H
#define BENCH_LOAD_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/target.h"

struct load_client {
	struct ws_client *client;
	uint64_t asked_us; /* when its turn was requested */
	uint64_t first_audio_us; /* 0 if not yet */
	uint64_t interrupted_us; /* 0 if not yet */
	uint64_t samples; /* the samples received in this turn */
	unsigned sample_rate;
	/* For a listener that plays from the first samples on: when it has played everything that
	 * was received, how often that happened before more arrived, and how long it then waited. */
	uint64_t dry_us;
	unsigned underruns;
	uint64_t waited_us;
	unsigned errors;
	bool busy; /* from the request to session_closed or interrupted */
	bool expects_start; /* no audio may arrive before the next generation_started */
	unsigned stale; /* the number of audio messages that arrived nevertheless */
};

#define LOAD_CLIENTS_MAX 8192

struct load_clients {
	struct load_client *all;
	size_t count;
	uint64_t samples; /* the samples received in all turns */
	bool allows_errors; /* errors are counted and do not fail the run */
	bool failed;
};

int load_clients_open(struct load_clients *callers, const struct target *target, size_t count);
void load_clients_close(struct load_clients *callers);

/* Sends one message; load_clients_ask also records the time and that a turn is in progress. */
int load_clients_send(struct load_client *caller, const char *json);
int load_clients_ask(struct load_client *caller, const char *json);

/* Reads messages for at most this long; returns early if some arrived. */
void load_clients_read(struct load_clients *callers, unsigned timeout_ms);

/* Reads until no turn is in progress; ETIMEDOUT after ten seconds without audio, EIO if the run has
 * failed. */
int load_clients_finish(struct load_clients *callers);

#endif
