/*
 * generate_body.h: what a client may say to POST /v1/tts/generate.
 *
 * The settings of the sockets but for those that only streams have, and any
 * token of audio/format.h as output_format.  Unknown keys are refused.
 */
#ifndef WIRE_GENERATE_BODY_H
#define WIRE_GENERATE_BODY_H

#include "wire/speech_body.h"

#define GENERATE_BODY_TEXT_MAX 10000 /* code points */

extern const struct speech_keys generate_body_keys;
speech_body_h generate_body_read;

#endif
