/*
 * once_witness.h: what must be true of every reply on /ws/tts.
 *
 * Frames count from 0 in each request, the figures of `final` are those of the
 * frames before it, its text is one that was asked for, and it has one row in
 * the ledger.
 */
#ifndef PROTO_ONCE_WITNESS_H
#define PROTO_ONCE_WITNESS_H

#include "witness.h"

/* NULL, or what is wrong with this reply. */
const char *once_witness_reply(struct witness *witness, const json_t *reply);

#endif
