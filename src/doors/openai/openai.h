/*
 * openai.h: what the files of OpenAI's API share.
 *
 *   openai_door.c    the routes
 *   openai_body.c    the body of POST /v1/audio/speech
 *   openai_events.c  its answer as a stream of events
 *   openai_errors.c  errors
 *   openai_models.c, audio_rest.c  lists of models and voices
 *   transcripts.h    what belongs to POST /v1/audio/transcriptions
 */
#ifndef DOORS_OPENAI_OPENAI_H
#define DOORS_OPENAI_OPENAI_H

#include "server/door.h"
#include "wire/json_write.h"
#include "wire/speech_body.h"
#include "wire/voice_json.h"

extern const struct door openai_door;

/* {"error":{"message":"…","type":"invalid_request_error","param":"speed","code":null}} */
extern const struct error_shape openai_errors;

/* Speech as a stream of events, for stream_format "sse".  The audio of all events together is the
 * requested file.  An error that occurs after the status was sent is an event as well, which
 * OpenAI's libraries raise as an API error.
 *
 *	data: {"type":"speech.audio.delta","audio":"…"}
 *	data: {"type":"speech.audio.done","usage":{"input_tokens":…,"output_tokens":…,
 *	       "total_tokens":…}}
 */
extern const struct speech_form openai_events;

/* Speech has no tokens here, but the usage must contain some.  Each character of the text counts as
 * one token, and so does each of these periods of audio, the last one even if it is incomplete:
 * about what OpenAI's own models use. */
#define OPENAI_EVENTS_TOKEN_MS 50

/* The body of POST /v1/audio/speech. */
#define OPENAI_BODY_TEXT_MAX 4096 /* code points */
extern const struct speech_keys openai_body_keys;
speech_body_h openai_body_read;

/* Finds the voices that resemble the one with this name at OpenAI: their ids, best first, ended
 * with 0.  NULL when OpenAI has no such voice.  Case does not matter. */
const int64_t *openai_body_voice(const char *name, size_t len);

/* The name of the i-th format that OpenAI's clients can request; NULL after the last. */
const char *openai_body_format_name(size_t i);

/* The name of OpenAI's i-th voice; NULL after the last. */
const char *openai_body_voice_name(size_t i);

/* The handler of GET /v1/audio/voices. */
route_h audio_rest_voices;

/* Writes the members of a voice in OpenAI's lists; the native list of voices contains them too. */
void audio_rest_write_members(struct json_write *json, const struct voice_json *voice);

/* The handlers of GET /v1/models/{id} and /v1/audio/models. */
route_h openai_models_get, openai_models_list_audio;
/* Writes the members of OpenAI's list of models; the native list of models contains them too. */
void openai_models_write_list(struct json_write *json, const struct route_call *call);

#endif
