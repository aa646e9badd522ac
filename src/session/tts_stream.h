/*
 * tts_stream.h: the kind of session with one stream of text, in turns, as on /ws/tts/stream.
 *
 * There is one object per connection: its settings, which apply until they are changed, and its
 * turns.  The first turn of the queue speaks; the others take text and wait.  In other vendors'
 * APIs a connection may have only one turn, which ends with empty text, and an error closes the
 * connection.
 */
#ifndef SESSION_TTS_STREAM_H
#define SESSION_TTS_STREAM_H

#include "session/session.h"

/* How many turns may wait for the one that is speaking: enough for a client that sends its whole
 * script at once, and a bound for one that never reads. */
#define TTS_STREAM_TURNS_MAX 16

/* The most bytes of text of all turns that have not been spoken yet. */
#define TTS_STREAM_UNSPOKEN_MAX (256 * 1024)

extern const struct session_ops tts_stream_ops;

#endif
