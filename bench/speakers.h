/*
 * speakers.h: many simulated speakers in real time, on connections of their own or as contexts
 * of a few connections; some are interrupted.
 *
 * Each sends a request, receives the audio as fast as it arrives, and sends the next request
 * when a listener would have heard everything.
 */
#ifndef BENCH_SPEAKERS_H
#define BENCH_SPEAKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/echo.h"
#include "bench/stats.h"
#include "bench/target.h"

struct speaker {
	struct line *line;
	unsigned name; /* its number on its connection */
	bool is_busy; /* from its request to its last message */
	bool is_heard; /* the first audio has arrived */
	uint64_t asked_us;
	uint64_t due_us; /* when its next request is due */
	/* When it was interrupted, until the server acknowledges it; otherwise 0. */
	uint64_t interrupted_us;
};

/* A connection and the speakers on it. */
struct line {
	struct ws_client *client;
	struct speakers *owner;
	struct speaker *speakers;
};

struct speakers {
	struct line *lines;
	struct speaker *all;
	size_t line_count;
	size_t per_line; /* 1 for /ws/tts/stream, more for /ws/tts/multi */
	size_t next; /* the next one to be interrupted */
	int epoll_fd;
	bool has_failed;
	struct stats first_us; /* from a request to the first audio */
	struct stats acknowledged_us; /* from an interruption to its acknowledgement */
	struct stats echo_us; /* a raw echo, measured with each interruption */
	unsigned refused; /* the number of requests that were answered with an error */
	unsigned stale; /* the number of audio frames after an acknowledgement */
};

int speakers_open(struct speakers *speakers, const struct target *target, size_t line_count,
		  size_t per_line);
void speakers_close(struct speakers *speakers);

/* Drops all results so far. */
void speakers_reset_results(struct speakers *speakers);

/* Lets all speak for this long, interrupting one every 40 ms, and waits for the last turns to
 * end. */
int speakers_talk(struct speakers *speakers, struct echo *echo, uint64_t duration_us);

#endif
