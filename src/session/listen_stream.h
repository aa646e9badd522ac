/*
 * listen_stream.h: the kind of session that listens: a client's messages are audio, the replies are what
 * was said.
 *
 *   audio --> audio_intake (to 16 kHz) --> held --> transcription --> partial text, segments
 *
 * Audio that the transcription cannot take yet is held, and the connection is not read meanwhile, so
 * that a client that sends faster than it is heard is slowed down.  A session has one transcription,
 * which begins with the first audio, and is one row of the ledger.
 */
#ifndef SESSION_LISTEN_STREAM_H
#define SESSION_LISTEN_STREAM_H

#include "session/session.h"

/* The longest audio in one message.  Clients send a fraction of a second at a time. */
#define LISTEN_STREAM_MESSAGE_S 30u

/* A message and what was read together with it. */
#define LISTEN_STREAM_HELD_S (2u * LISTEN_STREAM_MESSAGE_S)

/* The longest audio of one connection: a row of the ledger that is lost with the server costs nothing,
 * so it must be bounded, and no conversation is that long. */
#define LISTEN_STREAM_AUDIO_S (3u * 3600u)

/* How long a connection may be without a message.  It occupies a place among the account's turns and at
 * an engine.  Microphones that are muted send silence; a push-to-talk button may rest for minutes. */
#define LISTEN_STREAM_IDLE_S 300u

/* The most commits for audio that is held. */
#define LISTEN_STREAM_COMMITS_MAX 16u

extern const struct session_ops listen_stream_ops;

#endif
