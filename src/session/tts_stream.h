/*
 * tts_stream.h: a connection with one stream of text, in turns: /ws/tts/stream and its like.
 *
 * One object per connection: its sticky settings and its turns.  The first turn of the queue speaks;
 * the others take text and wait.  Other vendors' endpoints may have one turn only, from the first
 * text to the empty one, with an error as its end.
 */
#ifndef SESSION_TTS_STREAM_H
#define SESSION_TTS_STREAM_H

#include "session/session.h"

/* Turns that may wait for the one that speaks: a client that pipelines its
 * whole script is fine, one that never reads is not. */
#define TTS_STREAM_TURNS_MAX 16

/* Bytes of text that was not spoken yet, of all turns. */
#define TTS_STREAM_UNSPOKEN_MAX (256 * 1024)

extern const struct session_ops tts_stream_ops;

#endif
