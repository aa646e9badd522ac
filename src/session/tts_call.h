/*
 * tts_call.h: one text, spoken once: what HTTP's doors ask for.
 *
 * The text is whole, so every sentence of it is a chunk and the first is spoken
 * at once.  A text with nothing audible in it is answered with a short silence, if the
 * caller wants one.  What is said goes to the peer in the API's dialect; how it ended is
 * told to the owner, who answers with a status while nothing was sent yet.
 * mem_deref when the client is gone: what still runs is cancelled, and booked.
 */
#ifndef SESSION_TTS_CALL_H
#define SESSION_TTS_CALL_H

#include "session/session.h"

struct tts_call;

struct tts_call_request {
	const struct session_services *services;
	const struct peer *peer; /* not copied; its close is never called */
	const struct dialect *dialect; /* its error is not used */
	const char *request_id;
	struct member *member;
	const struct settings *settings; /* copied */
	const char *text;
	size_t text_len;
	unsigned silence_ms; /* for a text with nothing to say, at most 200; 0: that is a fault */
};

/* One of these is called, once, never from inside tts_call_alloc. */
struct tts_call_ops {
	/* has_begun: audio was given to the peer before.  Also when it was curtailed:
	 * then what was given is booked. */
	void (*failed)(void *arg, const struct stream_fault *fault, bool has_begun);
	/* Handed over, and booked.  A silence in place of words costs nothing, and is not
	 * part of the usage. */
	void (*done)(void *arg, const struct reply_usage *usage);
};

/* The call begins when tts_call_begin is called. */
int tts_call_alloc(struct tts_call **callp, const struct tts_call_request *request,
		   const struct tts_call_ops *ops, void *arg);
void tts_call_begin(struct tts_call *call);

/* From the peer. */
void tts_call_filled(struct tts_call *call);
void tts_call_drained(struct tts_call *call);
void tts_call_sent(struct tts_call *call, uint64_t tag);

#endif
