/*
 * once_witness.h: checks every reply on /ws/tts.
 *
 * Frames are numbered from 0 in each request; the figures of `final` must be those of the frames
 * before it, its text must be that of a request, and it must have one row in the ledger.
 */
#ifndef PROTO_ONCE_WITNESS_H
#define PROTO_ONCE_WITNESS_H

#include "witness.h"

/* Checks a reply; NULL, or what is wrong with it. */
const char *once_witness_reply(struct witness *witness, const json_t *reply);

#endif
