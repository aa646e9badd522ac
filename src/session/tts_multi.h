/*
 * tts_multi.h: a connection with contexts that speak at the same time: /ws/tts/multi and its like.
 *
 * One object per connection: the settings of the session and up to twenty contexts (context.h).
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

extern const struct session_ops tts_multi_ops;

#endif
