/*
 * witness.h: checks that apply to every reply, whatever a script expects.
 *
 * The order of replies in a turn, counters, sums, audio that decodes, words at the positions that
 * they report, and one row in the ledger for each session_closed.
 */
#ifndef PROTO_WITNESS_H
#define PROTO_WITNESS_H

#include <jansson.h>

#include "fake_ledger.h"

struct witness {
	const struct fake_ledger *ledger;
	json_int_t idx; /* the number of the next frame */
	json_int_t chunk_id; /* the number of the open chunk, or of the next one */
	bool is_chunk_open;
	char *chunk_text;
	uint64_t chunk_samples;
	uint64_t turn_samples;
	double complete_seconds; /* the sum of the audio in chunk_complete */
	double heard_seconds; /* the sum of the audio of all frames */
	json_int_t rate;
	char encoding[16];
	bool may_change_format; /* in a context, because the next frame begins a turn */
	bool has_final;
	uint64_t ended_samples; /* the audio of the turn that ended last */
};

void witness_init(struct witness *witness, const struct fake_ledger *ledger);
void witness_reset(struct witness *witness);

/* Checks a reply; NULL, or what is wrong with it. */
const char *witness_reply(struct witness *witness, const json_t *reply);

/* For the witnesses of other endpoints: check a usage, and begin a new turn. */
const char *witness_usage(const struct witness *witness, const json_t *usage);
void witness_start_anew(struct witness *witness);

/* Check the replies about speech, which several endpoints have in common. */
const char *witness_started(struct witness *witness, const json_t *reply);
const char *witness_audio(struct witness *witness, const json_t *reply);
const char *witness_words(struct witness *witness, const json_t *reply);
const char *witness_complete(struct witness *witness, const json_t *reply);

#endif
