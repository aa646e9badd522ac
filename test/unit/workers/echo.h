/*
 * echo.h: work that is not speech, for the tests of fleets and seats.
 *
 * A piece of work is a string; the worker sends it back in pieces, in message
 * types of its own, and a byte of it costs one unit of credit.  The worker is a
 * child process (echo_worker.c), or a peer in this process at the other end of a
 * TCP connection over the loopback address.
 */
#ifndef TEST_WORKERS_ECHO_H
#define TEST_WORKERS_ECHO_H

#include "workers/fleet.h"
#include "workers/seat.h"

enum {
	ECHO_START = 1000, /* credit (4), then the string */
	ECHO_PIECE = 1001, /* bytes */
};

/* A piece of work. */
struct echo {
	struct echo_bed *bed;
	struct seat *seat;
	char text[64];
	size_t len; /* bytes of the text that the worker has sent back */
	unsigned pieces;
	bool is_done;
	uint64_t lost_with; /* the serial of the worker; 0: it was not lost */
};

struct echo_bed {
	struct loop *loop;
	struct fleet *fleet;
	struct timer limit;
	struct fleet_demand demand;
	unsigned readies; /* workers that have been ready */
	unsigned news; /* those of them whose messages replaced earlier ones (fleet.h, `said`) */
	char motto[64]; /* what the last one of these said about itself */
	unsigned lost, done, given_up, restarts;
};

/* The other end of a connection: an echo engine in this process. */
struct echo_peer {
	struct echo_bed *bed;
	struct endpoint *endpoint; /* NULL: it has ended */
	uint16_t seats, batch; /* for READY */
	bool is_silent; /* does not answer */
	bool is_greedy; /* sends more than its credit */
	bool says_done_twice;
	uint32_t last_job; /* the job that was started last */
	unsigned started, cancelled;
};

void echo_open(struct echo_bed *bed, const char *program, struct fleet_options options);
void echo_close(struct echo_bed *bed);

/* Runs until a counter of the bed, such as `readies`, has reached this value.  Fails after a minute. */
void echo_run_until(struct echo_bed *bed, const unsigned *counter, unsigned count);

/* Runs for this long. */
void echo_pass(struct echo_bed *bed, unsigned ms);

/* Connects the peer to the fleet over TCP. */
void echo_connect(struct echo_bed *bed, struct echo_peer *peer);
void echo_disconnect(struct echo_peer *peer);

/* Gives the work to a worker, with this credit.  The worker must have a free seat. */
void echo_start(struct echo_bed *bed, struct echo *echo, const char *text, uint32_t credit);

#endif
