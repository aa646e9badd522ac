/*
 * speech_form.h: how the audio of an HTTP answer is written, where it is not sent as it is.
 */
#ifndef WIRE_SPEECH_FORM_H
#define WIRE_SPEECH_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/dialect.h"

/* Functions append whole pieces of the body, or nothing; they return 0, ENOBUFS or ENOMEM.  `state`
 * is what alloc made. */
struct speech_form {
	const char *type; /* the answer's Content-Type */
	const struct dialect *dialect; /* of the messages that `take` gets */
	bool has_times; /* the times of words are needed */
	bool is_live; /* caches must not keep it */
	int (*alloc)(void **statep,
		     const struct audio_format *format); /* NULL: there is no state */
	int (*take)(void *state, struct buf *out, const char *message, size_t len,
		    uint32_t samples);
	int (*end)(void *state, struct buf *out, uint64_t characters, double audio_seconds);
	/* After the status was sent.  NULL: the answer is cut off. */
	int (*error)(struct buf *out, const struct wire_notice *notice);
};

#endif
