/*
 * callers.h: clients of the server under measurement, all in one thread.
 */
#ifndef BENCH_CALLERS_H
#define BENCH_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/target.h"

struct caller {
	struct ws_client *client;
	uint64_t asked_us; /* when its turn was made due */
	uint64_t first_audio_us; /* 0: not yet */
	uint64_t interrupted_us; /* 0: not yet */
	uint64_t samples; /* of this turn */
	unsigned sample_rate;
	/* A listener that plays from the first sound on: when he has heard all that
	 * came, how often that was before more came, and how long he then waited. */
	uint64_t dry_us;
	unsigned underruns;
	uint64_t waited_us;
	unsigned errors;
	bool busy; /* from the question to session_closed or interrupted */
	bool expects_start; /* no audio may come before the next generation_started */
	unsigned stale; /* audio that came all the same */
};

#define CALLERS_MAX 8192

struct callers {
	struct caller *all;
	size_t count;
	uint64_t samples; /* of all turns */
	bool allows_errors; /* they are counted, and do not fail the run */
	bool failed;
};

int callers_open(struct callers *callers, const struct target *target, size_t count);
void callers_close(struct callers *callers);

/* Sends one message; callers_ask notes the time and that a turn is under way. */
int callers_send(struct caller *caller, const char *json);
int callers_ask(struct caller *caller, const char *json);

/* Reads what has come, for at most this long; returns early when something did. */
void callers_read(struct callers *callers, unsigned timeout_ms);

/* Reads until no turn is under way; ETIMEDOUT after ten silent seconds. */
int callers_finish(struct callers *callers);

#endif
