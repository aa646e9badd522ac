/*
 * tts_once.h: a connection on which each message is a whole request: /ws/tts.
 *
 * Each request becomes one turn.  Requests may be sent
 * ahead; they are answered in the order in which they came, each with all of
 * its frames and one end: `final`, `interrupted` or an error.  Clients give a
 * frame to the oldest request that has no end yet, so that an error of a
 * message waits for the requests before it.
 */
#ifndef SESSION_TTS_ONCE_H
#define SESSION_TTS_ONCE_H

#include "session/session.h"

/* Requests that may wait for the one that is spoken, as turns on /ws/tts/stream. */
#define TTS_ONCE_WAITING_MAX 16

extern const struct session_ops tts_once_ops;

#endif
