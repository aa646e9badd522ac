/*
 * vapi_body.h: what Vapi says to POST /vapi/synthesize, its custom voice.
 */
#ifndef DOORS_VAPI_VAPI_BODY_H
#define DOORS_VAPI_VAPI_BODY_H

#include "wire/speech_body.h"

#define VAPI_BODY_TEXT_MAX 10000 /* code points */

speech_body_h vapi_body_read;

#endif
