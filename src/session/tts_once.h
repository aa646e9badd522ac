/*
 * tts_once.h: the kind of session in which each message is a whole request, as on /ws/tts.
 *
 * Each request becomes one turn.  A client may send further requests before the first is answered;
 * they are answered in order, each with all of its frames and one end: `final`, `interrupted` or an
 * error.  Clients assign a frame to the oldest request that has no end yet, so the error of a
 * message is sent after the answers to earlier requests.
 */
#ifndef SESSION_TTS_ONCE_H
#define SESSION_TTS_ONCE_H

#include "session/session.h"

/* How many requests may wait for the one that is being spoken, as on /ws/tts/stream. */
#define TTS_ONCE_WAITING_MAX 16

extern const struct session_ops tts_once_ops;

#endif
