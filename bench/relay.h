/*
 * relay.h: a raw relay, the baseline for what passes through a server.
 *
 * Each pair is two TCP connections from this process to a child process, which forwards the bytes
 * of one to the other, in both directions: this is the cost of the machine itself.
 */
#ifndef BENCH_RELAY_H
#define BENCH_RELAY_H

#include <stddef.h>
#include <sys/types.h>

struct relay {
	pid_t pid;
	int (*fds)[2]; /* this process's sockets of each pair, both non-blocking */
	size_t count;
};

int relay_start(struct relay *relay, size_t count);
void relay_stop(struct relay *relay);

#endif
