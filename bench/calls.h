/*
 * calls.h: what the measurements of calls share.
 */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/answering.h"
#include "bench/bench.h"
#include "bench/echo.h"
#include "bench/phones.h"
#include "bench/speeches.h"
#include "bench/target.h"

/* The agents differ in how soon they take a pause for the end of a turn. */
enum calls_agent { CALLS_EAGER, CALLS_NORMAL, CALLS_PATIENT, CALLS_CAREFUL, CALLS_AGENTS };

#define CALLS_ID_SIZE 64
#define CALLS_SHORT "Yes, that is done. Is there anything else?"
#define CALLS_LONG                                                                                 \
	"Certainly, I can tell you about that. The first train leaves early in the morning. "      \
	"The second one leaves at noon, and it stops in every village on the way to the coast. "   \
	"The third one is faster, but it does not run on Sundays or in the winter. "               \
	"There is also a bus, which takes twice as long and costs about half as much."

struct calls_bench {
	const struct bench_options *options;
	unsigned cores;
	const char *voice; /* what speaks */
	struct target target;
	struct answering *answering;
	struct prompts prompts;
	struct echo echo;
	char agents[CALLS_AGENTS][CALLS_ID_SIZE];
};

extern const char *const calls_agent_names[CALLS_AGENTS];

/* One figure of a result, with its unit in its name. */
struct calls_figure {
	const char *name;
	double value;
};

/* Prints a result as a line: for a reader, or with --json as an object. */
void calls_print(const struct calls_bench *bench, const char *part, const char *name,
		 const struct calls_figure *figures, size_t count);

/* Waits until the phone has heard the end of one more answer than `answers`, and its caller has been
 * silent for a moment; ETIMEDOUT, or ENOTCONN if the call has ended. */
int calls_hear_out(struct phones *phones, struct phone *phone, unsigned answers);

/* Each prints its results. */
int calls_turns(struct calls_bench *bench);
int calls_barge_ins(struct calls_bench *bench);
int calls_load(struct calls_bench *bench);
int calls_faults(struct calls_bench *bench);

#endif
