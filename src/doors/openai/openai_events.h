/*
 * openai_events.h: speech as a stream of events, as OpenAI's clients read it with stream_format
 * "sse".
 *
 *	data: {"type":"speech.audio.delta","audio":"…"}
 *	data: {"type":"speech.audio.done","usage":{"input_tokens":…,"output_tokens":…,
 *	       "total_tokens":…}}
 *
 * The audio of all events together is the file that was asked for.  An error after the status is an
 * event as well, which their libraries raise as an error of the API.
 */
#ifndef DOORS_OPENAI_OPENAI_EVENTS_H
#define DOORS_OPENAI_OPENAI_EVENTS_H

#include "wire/speech_form.h"

/* Nothing here has tokens.  A character of the text counts as one, and so does this much audio,
 * begun or whole: about what OpenAI's own models use for it. */
#define OPENAI_EVENTS_TOKEN_MS 50

extern const struct speech_form openai_events;

#endif
