/*
 * openai_body.h: what a client may say to OpenAI's POST /v1/audio/speech.
 */
#ifndef WIRE_OPENAI_BODY_H
#define WIRE_OPENAI_BODY_H

#include "wire/speech_body.h"

#define OPENAI_BODY_TEXT_MAX 4096 /* code points */

extern const struct speech_keys openai_body_keys;
speech_body_h openai_body_read;

/* The ids of voices like the one that OpenAI calls by this name, the best first and a 0 behind
 * the last; NULL when OpenAI has no such voice.  Case does not matter. */
const int64_t *openai_body_voice(const char *name, size_t len);

/* The formats that OpenAI's clients can name; NULL after the last. */
const char *openai_body_format_name(size_t i);

/* OpenAI's names one after the other; NULL after the last. */
const char *openai_body_voice_name(size_t i);

#endif
