/*
 * openai_body.h: what a client may say to OpenAI's POST /v1/audio/speech.
 */
#ifndef WIRE_OPENAI_BODY_H
#define WIRE_OPENAI_BODY_H

#include "wire/speech_body.h"

#define OPENAI_BODY_TEXT_MAX 4096 /* code points */

speech_body_h openai_body_read;

/* The ids of voices like the one that OpenAI calls by this name, the best first and a 0 behind
 * the last; NULL when OpenAI has no such voice. */
const int64_t *openai_body_voice(const char *name, size_t len);

#endif
