/*
 * multi_witness.h: checks every reply on /ws/tts/multi.
 *
 * For each context, the checks of witness.h apply, and in addition: there are no replies before
 * context_created or after context_closed, and one of each; an error that ends the context is
 * followed by context_closed; the usage agrees with the ledger.
 */
#ifndef PROTO_MULTI_WITNESS_H
#define PROTO_MULTI_WITNESS_H

#include "witness.h"

#define MULTI_WITNESS_ID_MAX 320
#define MULTI_WITNESS_CONTEXTS_MAX 64 /* how many ids one test may use */

struct context_witness {
	char id[MULTI_WITNESS_ID_MAX];
	struct witness witness;
	bool is_open;
	bool must_close; /* only context_closed may follow */
};

struct multi_witness {
	const struct fake_ledger *ledger;
	struct context_witness contexts[MULTI_WITNESS_CONTEXTS_MAX];
	size_t count;
	double closed_seconds; /* the sum of the usage of all closed contexts */
	bool is_over; /* session_closed was received */
};

void multi_witness_init(struct multi_witness *multi, const struct fake_ledger *ledger);
void multi_witness_reset(struct multi_witness *multi);

/* Checks a reply; NULL, or what is wrong with it. */
const char *multi_witness_reply(struct multi_witness *multi, const json_t *reply);

/* The witness of a context, which is made if the id is new. */
struct witness *multi_witness_find(struct multi_witness *multi, const char *id);

size_t multi_witness_open(const struct multi_witness *multi); /* how many contexts are open */

#endif
