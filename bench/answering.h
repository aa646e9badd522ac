/*
 * answering.h: a developer's server that answers every question at once, with the same words.
 *
 * It speaks the upstream protocol of speech engines and runs in the thread of the measurement, so that its
 * own time is next to nothing.  It can be killed and started again on the same port: its sockets close
 * without a farewell, as the kernel closes those of a process that dies.
 */
#ifndef BENCH_ANSWERING_H
#define BENCH_ANSWERING_H

#include <stddef.h>
#include <stdint.h>

#define ANSWERING_TEXT_SIZE 1024

struct answering;

int answering_alloc(struct answering **answeringp);
uint16_t answering_port(const struct answering *answering);

/* The descriptor that becomes readable when there is something to do. */
int answering_fd(const struct answering *answering);
void answering_run(struct answering *answering);

/* What it answers from now on, as JSON without quotes; NULL: it dies when it is asked. */
void answering_say(struct answering *answering, const char *text);

void answering_kill(struct answering *answering);
/* Does nothing if it is alive. */
int answering_restart(struct answering *answering);

/* Connections that are open, and what has happened so far. */
struct answering_figures {
	size_t connections;
	size_t asked;
	size_t deaths;
	uint64_t asked_us; /* the last time */
	uint64_t closed_us; /* when a connection was last closed by its peer */
	char words[ANSWERING_TEXT_SIZE]; /* what the user has said last */
};
const struct answering_figures *answering_figures(const struct answering *answering);

#endif
