/*
 * elevenlabs_witness.h: what must be true of every reply on ElevenLabs'
 * WebSockets.
 *
 * Audio decodes, an alignment has as many times as characters, in order and
 * within the audio of its chunk, and comes once for each; after isFinal nothing
 * of the same context comes but what a new one says.
 */
#ifndef PROTO_ELEVENLABS_WITNESS_H
#define PROTO_ELEVENLABS_WITNESS_H

#include "witness.h"

/* NULL, or what is wrong with this reply of a stream or a context. */
const char *elevenlabs_witness_reply(struct witness *witness, const json_t *reply);

#endif
