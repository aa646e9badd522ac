/*
 * witness.h: what must be true of every reply, whatever a script asks for.
 *
 * Order inside a turn, counters, figures that add up, audio that decodes,
 * words that stand where they are said to stand, and one row in the ledger for
 * each session_closed.
 */
#ifndef PROTO_WITNESS_H
#define PROTO_WITNESS_H

#include <jansson.h>

#include "fake_ledger.h"

struct witness {
	const struct fake_ledger *ledger;
	json_int_t idx; /* of the next frame */
	json_int_t chunk_id; /* of the next chunk, or of the open one */
	bool is_chunk_open;
	char *chunk_text;
	uint64_t chunk_samples;
	uint64_t turn_samples;
	double complete_seconds; /* what chunk_complete said, summed */
	double heard_seconds; /* of all frames, each at its rate */
	json_int_t rate;
	char encoding[16];
	bool may_change_format; /* in a context: the next frame begins a turn */
	bool has_final;
	uint64_t ended_samples; /* of the turn that ended last */
};

void witness_init(struct witness *witness, const struct fake_ledger *ledger);
void witness_reset(struct witness *witness);

/* NULL, or what is wrong with this reply. */
const char *witness_reply(struct witness *witness, const json_t *reply);

/* For other sockets: of a usage that is told, and after the end of a turn. */
const char *witness_usage(const struct witness *witness, const json_t *usage);
void witness_start_anew(struct witness *witness);

/* The same for those that speak, on whatever socket. */
const char *witness_started(struct witness *witness, const json_t *reply);
const char *witness_audio(struct witness *witness, const json_t *reply);
const char *witness_words(struct witness *witness, const json_t *reply);
const char *witness_complete(struct witness *witness, const json_t *reply);

#endif
