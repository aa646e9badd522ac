/*
 * elevenlabs_dialect.h: how ElevenLabs' WebSockets say what happens.
 *
 * Audio leaves at once; the times of a chunk's characters follow its last audio
 * in a message of their own, whose audio is empty.  They count from the chunk's
 * start, or from the context's with sync_alignment (docs/decisions/alignment.md).
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_DIALECT_H
#define DOORS_ELEVENLABS_ELEVENLABS_DIALECT_H

#include "wire/dialect.h"

/* The close code that errors carry. */
#define ELEVENLABS_CLOSE_ERROR 1008

extern const struct dialect dialect_elevenlabs; /* stream-input */
extern const struct dialect dialect_elevenlabs_multi; /* its isFinal is a context's end */

#endif
