/*
 * echo.h: a raw socket echo, the baseline for all latencies.
 *
 * A child process sends back what it receives over a TCP connection on loopback, without
 * anything in between: this is the cost of the machine itself.
 */
#ifndef BENCH_ECHO_H
#define BENCH_ECHO_H

#include <sys/types.h>

struct echo {
	pid_t pid;
	int fd;
};

int echo_start(struct echo *echo);

/* Sends one message and waits for its echo; returns the time in microseconds. */
double echo_round_trip_us(struct echo *echo);
void echo_stop(struct echo *echo);

#endif
