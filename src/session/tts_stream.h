/*
 * tts_stream.h: what a client can do on /ws/tts/stream, and on ElevenLabs'
 * stream-input.
 *
 * One object per connection: its sticky settings and its turns.  The first
 * turn of the queue speaks; the others take text and wait.  stream-input has one
 * turn, from the first text to the empty one, and an error is its end.
 */
#ifndef SESSION_TTS_STREAM_H
#define SESSION_TTS_STREAM_H

#include "session/session.h"

/* Turns that may wait behind one that speaks: a client that pipelines its
 * whole script is fine, one that never reads is not. */
#define TTS_STREAM_TURNS_MAX 16

/* Text of all turns that was not spoken yet. */
#define TTS_STREAM_UNSPOKEN_MAX (256 * 1024)

session_alloc_h tts_stream_alloc, tts_stream_alloc_elevenlabs;

#endif
