/*
 * vapi.h: what the files of Vapi's API share: vapi_door.c (the route) and vapi_body.c (its body).
 */
#ifndef DOORS_VAPI_VAPI_H
#define DOORS_VAPI_VAPI_H

#include "server/door.h"
#include "wire/speech_body.h"

extern const struct door vapi_door;

/* The body of POST /vapi/synthesize. */
#define VAPI_BODY_TEXT_MAX 10000 /* code points */
extern const struct speech_keys vapi_body_keys;
speech_body_h vapi_body_read;

#endif
