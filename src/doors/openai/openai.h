/*
 * openai.h: what the files of OpenAI's door share.
 */
#ifndef DOORS_OPENAI_OPENAI_H
#define DOORS_OPENAI_OPENAI_H

#include "server/door.h"
#include "wire/speech_body.h"

extern const struct door openai_door;

/* {"error":{"message":"…","type":"invalid_request_error","param":"speed","code":null}} */
extern const struct error_shape openai_errors;

/* Speech as a stream of events, for stream_format "sse".  The audio of all events together is the
 * file that was asked for.  An error after the status is an event as well, which their libraries
 * raise as an error of the API.
 *
 *	data: {"type":"speech.audio.delta","audio":"…"}
 *	data: {"type":"speech.audio.done","usage":{"input_tokens":…,"output_tokens":…,
 *	       "total_tokens":…}}
 */
extern const struct speech_form openai_events;

/* Nothing here has tokens.  A character of the text counts as one, and so does this much audio,
 * begun or whole: about what OpenAI's own models use for it. */
#define OPENAI_EVENTS_TOKEN_MS 50

/* The body of POST /v1/audio/speech. */
#define OPENAI_BODY_TEXT_MAX 4096 /* code points */
extern const struct speech_keys openai_body_keys;
speech_body_h openai_body_read;

/* The ids of voices like the one that OpenAI calls by this name, the best first and up to a 0; NULL
 * when OpenAI has no such voice.  Case does not matter. */
const int64_t *openai_body_voice(const char *name, size_t len);

/* The formats that OpenAI's clients can name; NULL after the last. */
const char *openai_body_format_name(size_t i);

/* OpenAI's names one after the other; NULL after the last. */
const char *openai_body_voice_name(size_t i);

/* GET /v1/audio/voices */
route_h audio_rest_voices;

#endif
