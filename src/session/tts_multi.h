/*
 * tts_multi.h: what a client can do on /ws/tts/multi, and on ElevenLabs'
 * multi-stream-input.
 *
 * One object per connection: the settings of the session and up to twenty
 * contexts, which speak at the same time (context.h).
 */
#ifndef SESSION_TTS_MULTI_H
#define SESSION_TTS_MULTI_H

#include "session/session.h"

/* The protocol's own limit; clients read it in the error. */
#define TTS_MULTI_CONTEXTS_MAX 20

/* Text of all contexts that was not spoken yet: as much as one message may
 * hold, and as four contexts may. */
#define TTS_MULTI_UNSPOKEN_MAX (1024 * 1024)

/* Silence after which a context closes, unless inactivity_timeout says
 * otherwise. */
#define TTS_MULTI_IDLE_MS 20000

/* On multi-stream-input: those that take text; one that is closing is not
 * counted. */
#define TTS_MULTI_ELEVENLABS_CONTEXTS_MAX 5

session_alloc_h tts_multi_alloc, tts_multi_alloc_elevenlabs;

#endif
