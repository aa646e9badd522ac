/*
 * multi_witness.h: what must be true of every reply on /ws/tts/multi.
 *
 * Of each context what witness.h says of a turn, and: nothing of it before
 * context_created or after context_closed, no second of either, an error that
 * ends it is followed by its close, and what its usage says stands in the
 * ledger.
 */
#ifndef PROTO_MULTI_WITNESS_H
#define PROTO_MULTI_WITNESS_H

#include "witness.h"

#define MULTI_WITNESS_ID_MAX 320
#define MULTI_WITNESS_CONTEXTS_MAX 64 /* ids that one test may use */

struct context_witness {
	char id[MULTI_WITNESS_ID_MAX];
	struct witness witness;
	bool is_open;
	bool must_close; /* nothing else may follow */
};

struct multi_witness {
	const struct fake_ledger *ledger;
	struct context_witness contexts[MULTI_WITNESS_CONTEXTS_MAX];
	size_t count;
	double closed_seconds; /* usage of all closed contexts, summed */
	bool is_over; /* session_closed was said */
};

void multi_witness_init(struct multi_witness *multi, const struct fake_ledger *ledger);
void multi_witness_reset(struct multi_witness *multi);

/* NULL, or what is wrong with this reply. */
const char *multi_witness_reply(struct multi_witness *multi, const json_t *reply);

/* The one of a context; it is made when it is new. */
struct witness *multi_witness_find(struct multi_witness *multi, const char *id);

size_t multi_witness_open(const struct multi_witness *multi); /* contexts */

#endif
