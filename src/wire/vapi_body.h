/*
 * vapi_body.h: what Vapi says to POST /vapi/synthesize, its custom voice.
 */
#ifndef WIRE_VAPI_BODY_H
#define WIRE_VAPI_BODY_H

#include "wire/speech_body.h"

#define VAPI_BODY_TEXT_MAX 10000 /* code points */

extern const struct speech_keys vapi_body_keys;
speech_body_h vapi_body_read;

#endif
