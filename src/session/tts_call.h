/*
 * tts_call.h: speaks one complete text, for HTTP requests.
 *
 * The text is complete, so every sentence of it is a chunk, and the first is spoken at once.  Text
 * with nothing audible in it is answered with a short silence, if the request has one.  Audio is
 * sent to the peer in the API's dialect; the ops report how the call ended, so that the owner can
 * still answer with a status if nothing was sent.  Release it with mem_deref when the client has
 * disconnected: its turn is cancelled, and booked.  Runs on the loop's thread.
 */
#ifndef SESSION_TTS_CALL_H
#define SESSION_TTS_CALL_H

#include "session/session.h"

struct tts_call;

struct tts_call_request {
	const struct session_services *services;
	const struct peer *peer; /* not copied; its close is never called */
	const struct dialect *dialect; /* its `error` is not used */
	const char *request_id; /* copied */
	struct caller *caller; /* a reference is taken */
	const struct settings *settings; /* copied */
	const char *text; /* copied */
	size_t text_len;
	/* The length of the silence for text with nothing to speak, at most 200; 0: such text is an
	 * error. */
	unsigned silence_ms;
};

/* One of these is called, once, never from inside tts_call_alloc. */
struct tts_call_ops {
	/* `has_begun`: audio was given to the peer before.  Also called when the turn was
	 * curtailed; then the audio is booked. */
	void (*failed)(void *arg, const struct stream_fault *fault, bool has_begun);
	/* All audio was handed to the kernel, and the turn is booked.  A silence instead of words
	 * costs nothing and is not part of the usage. */
	void (*done)(void *arg, const struct reply_usage *usage);
};

/* Makes a call; it begins with tts_call_begin. */
int tts_call_alloc(struct tts_call **callp, const struct tts_call_request *request,
		   const struct tts_call_ops *ops, void *arg);
void tts_call_begin(struct tts_call *call);

/* From the peer. */
void tts_call_filled(struct tts_call *call);
void tts_call_drained(struct tts_call *call);
void tts_call_sent(struct tts_call *call, uint64_t tag);

#endif
