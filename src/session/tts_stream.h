/*
 * tts_stream.h: what a client can do on /ws/tts/stream.
 *
 * One object per connection: its sticky settings and its turns.  The first
 * turn of the queue speaks; the others take text and wait.  It sees no socket:
 * messages come in through tts_stream_message, replies go to its peer.
 */
#ifndef SESSION_TTS_STREAM_H
#define SESSION_TTS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/services.h"

/* Turns that may wait behind one that speaks: a client that pipelines its
 * whole script is fine, one that never reads is not. */
#define TTS_STREAM_TURNS_MAX 16

/* Text of all turns that was not spoken yet. */
#define TTS_STREAM_UNSPOKEN_MAX (256 * 1024)

struct tts_stream;

/* `services` and `peer` are not copied; request_id (23 characters at most) is.  mem_deref when the
 * client is gone: what still runs is cancelled, and booked. */
int tts_stream_alloc(struct tts_stream **streamp, const struct session_services *services,
		     const struct peer *peer, const char *request_id, int64_t key_id);

/* A message, in a buffer that it may write to. */
void tts_stream_message(struct tts_stream *stream, char *json, size_t len);
void tts_stream_binary(struct tts_stream *stream); /* which are refused */

/* From the peer. */
void tts_stream_drained(struct tts_stream *stream);
void tts_stream_sent(struct tts_stream *stream, uint64_t tag);

/* The server is going away: the turn that speaks is finished, those behind it
 * are not begun, then the connection closes (1012). */
void tts_stream_go_away(struct tts_stream *stream);

bool tts_stream_is_idle(const struct tts_stream *stream);

#endif
