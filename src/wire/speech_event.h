/*
 * speech_event.h: speech as a stream of events, as OpenAI's clients read it with
 * stream_format "sse".
 *
 *	data: {"type":"speech.audio.delta","audio":"…"}
 *	data: {"type":"speech.audio.done","usage":{"input_tokens":…,"output_tokens":…,
 *	       "total_tokens":…}}
 *
 * The audio of all events together is the file that was asked for.  Each function appends one
 * whole event, or nothing (ENOBUFS, ENOMEM).
 */
#ifndef WIRE_SPEECH_EVENT_H
#define WIRE_SPEECH_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/error.h"

/* Nothing here has tokens.  A character of the text counts as one, and so does this much audio,
 * begun or whole: about what OpenAI's own models use for it. */
#define SPEECH_EVENT_TOKEN_MS 50

int speech_event_audio(struct buf *out, const void *bytes, size_t len);
int speech_event_done(struct buf *out, uint64_t characters, double audio_seconds);

/* After the status was sent; their libraries raise it as an error of the API. */
int speech_event_error(struct buf *out, const struct wire_notice *notice);

#endif
