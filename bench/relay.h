/*
 * relay.h: a raw relay, the yardstick of what passes through a server.
 *
 * A child process that passes bytes on between the two sockets of a pair, in both
 * directions, with nothing in between: whatever it costs, the machine costs.
 */
#ifndef BENCH_RELAY_H
#define BENCH_RELAY_H

#include <stddef.h>
#include <sys/types.h>

struct relay {
	pid_t pid;
	int (*fds)[2]; /* the ends of each pair, both ours and non-blocking */
	size_t count;
};

int relay_start(struct relay *relay, size_t count);
void relay_stop(struct relay *relay);

#endif
