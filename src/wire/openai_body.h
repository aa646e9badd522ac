/*
 * openai_body.h: what a client may say to OpenAI's POST /v1/audio/speech.
 */
#ifndef WIRE_OPENAI_BODY_H
#define WIRE_OPENAI_BODY_H

#include "wire/speech_body.h"

#define OPENAI_BODY_TEXT_MAX 4096 /* code points */

speech_body_h openai_body_read;

#endif
