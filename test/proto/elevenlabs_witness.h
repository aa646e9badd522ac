/*
 * elevenlabs_witness.h: checks every reply on ElevenLabs' WebSockets.
 *
 * Audio must decode.  An alignment must have as many times as characters, in order and within the
 * audio of its chunk, and there must be one for each chunk.  After isFinal, the next reply of the
 * same context must be that of a new one.
 */
#ifndef PROTO_ELEVENLABS_WITNESS_H
#define PROTO_ELEVENLABS_WITNESS_H

#include "witness.h"

/* Checks a reply of a stream or a context; NULL, or what is wrong with it. */
const char *elevenlabs_witness_reply(struct witness *witness, const json_t *reply);

#endif
