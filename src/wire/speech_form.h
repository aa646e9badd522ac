/*
 * speech_form.h: formats of HTTP answers whose body is not just the audio, for example events in
 * JSON, or an object that contains the audio and the times of its characters.
 */
#ifndef WIRE_SPEECH_FORM_H
#define WIRE_SPEECH_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/dialect.h"

/* The functions append complete parts of the body, or nothing; they return 0, ENOBUFS or ENOMEM.
 * `state` is the object that `alloc` created; mem_deref frees it. */
struct speech_form {
	const char *type; /* the answer's Content-Type */
	const struct dialect *dialect; /* the dialect of the messages that are passed to `take` */
	bool has_times; /* it needs the times of words */
	bool is_live; /* HTTP caches must not store it */
	int (*alloc)(void **statep,
		     const struct audio_format *format); /* NULL: there is no state */
	/* Receives a message of the dialect, and how many samples of audio it contains. */
	int (*take)(void *state, struct buf *out, const char *message, size_t len,
		    uint32_t samples);
	int (*end)(void *state, struct buf *out, uint64_t characters, double audio_seconds);
	/* Reports an error after the status was sent.  NULL: the answer is cut off. */
	int (*error)(struct buf *out, const struct wire_notice *notice);
};

#endif
