/*
 * echo.h: a raw socket echo, the yardstick of every latency.
 *
 * A child process that sends back what it gets over a TCP connection on
 * loopback, with nothing in between: whatever it costs, the machine costs.
 */
#ifndef BENCH_ECHO_H
#define BENCH_ECHO_H

#include <sys/types.h>

struct echo {
	pid_t pid;
	int fd;
};

int echo_start(struct echo *echo);

/* One message there and back, in microseconds. */
double echo_round_trip_us(struct echo *echo);
void echo_stop(struct echo *echo);

#endif
