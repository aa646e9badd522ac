/*
 * elevenlabs.h: what the files of ElevenLabs' door share, but for messages and bodies.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_H
#define DOORS_ELEVENLABS_ELEVENLABS_H

#include "account/engine_token.h"
#include "server/door.h"
#include "session/socket_api.h"
#include "wire/address_settings.h"
#include "wire/speech_form.h"

/* The close code that errors carry. */
#define ELEVENLABS_CLOSE_ERROR 1008

extern const struct door elevenlabs_door;

/* Errors of HTTP answers: {"detail":{"status":"voice_not_found","message":"…","request_id":"…"}} */
extern const struct error_shape elevenlabs_errors;

/* The tokens with which speech engines connect. */
extern const struct engine_token_rules elevenlabs_engine_tokens;

/* Their WebSockets, stream-input and multi-stream-input, as sessions.  The contexts of the latter are
 * those that take text: those that are closing are not counted. */
#define ELEVENLABS_SOCKETS_CONTEXTS_MAX 5
extern const struct socket_api elevenlabs_sockets_stream;
extern const struct socket_api elevenlabs_sockets_multi;

/* What these WebSockets say.  Audio leaves at once; the times of a chunk's characters follow its
 * last audio in a message of their own, whose audio is empty.  They count from the chunk's start, or
 * from the context's with sync_alignment (docs/decisions/alignment.md).  With contexts, isFinal is
 * a context's end. */
extern const struct dialect elevenlabs_dialect;
extern const struct dialect elevenlabs_dialect_multi;

/* The settings in their addresses; the fields end with one without a name. */
#define ELEVENLABS_ADDRESS_IDLE_MS 20000 /* unless inactivity_timeout says otherwise */
#define ELEVENLABS_ADDRESS_IDLE_MIN_S 1
#define ELEVENLABS_ADDRESS_IDLE_MAX_S 180
void elevenlabs_address_init(struct address_settings *address);
extern const struct address_field elevenlabs_address_fields[];

/* HTTP answers with the times of characters: one object, or an object in each line. */
extern const struct speech_form timestamp_body_object;
extern const struct speech_form timestamp_body_lines;

#endif
