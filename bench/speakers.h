/*
 * speakers.h: many that speak in real time, on connections of their own or as
 * contexts of a few; some are interrupted.
 *
 * Each asks, hears what comes as fast as it comes, and asks again when a
 * listener would have heard it all.
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
	unsigned name; /* among those of its connection */
	bool is_busy; /* from its question to its last word */
	bool is_heard; /* the first sound was there */
	uint64_t asked_us;
	uint64_t due_us; /* when it asks again */
	uint64_t interrupted_us; /* when it was, until the server confirms it; 0: it was not */
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
	size_t per_line; /* 1: on /ws/tts/stream, more: on /ws/tts/multi */
	size_t next; /* of them to be interrupted */
	int epoll_fd;
	bool has_failed;
	struct stats first_us; /* question to first sound */
	struct stats told_us; /* interruption to its acknowledgement */
	struct stats echo_us; /* a raw echo, each time one was interrupted */
	unsigned refused; /* questions that were not answered */
	unsigned stale; /* frames after an acknowledgement */
};

int speakers_open(struct speakers *speakers, const struct target *target, size_t line_count,
		  size_t per_line);
void speakers_close(struct speakers *speakers);

/* Forgets what was measured so far. */
void speakers_forget(struct speakers *speakers);

/* Lets all speak for so long, interrupting one every few milliseconds, and then
 * to their end. */
int speakers_talk(struct speakers *speakers, struct echo *echo, uint64_t duration_us);

#endif
