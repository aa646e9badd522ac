/*
 * tts_multi.h: the kind of session with contexts that speak at the same time, as on /ws/tts/multi.
 *
 * There is one object per connection: the settings of the session and up to twenty contexts
 * (context.h).
 */
#ifndef SESSION_TTS_MULTI_H
#define SESSION_TTS_MULTI_H

#include "session/session.h"

/* The limit of the native protocol, which is in the text of the error. */
#define TTS_MULTI_CONTEXTS_MAX 20

/* The most text of all contexts that has not been spoken yet: as much as one message may contain,
 * or four contexts. */
#define TTS_MULTI_UNSPOKEN_MAX (1024 * 1024)

/* A context closes after this time without activity, unless inactivity_timeout is set. */
#define TTS_MULTI_IDLE_MS 20000

extern const struct session_ops tts_multi_ops;

#endif
