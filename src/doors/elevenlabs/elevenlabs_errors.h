/*
 * elevenlabs_errors.h: errors of HTTP answers as ElevenLabs' clients read them.
 *
 *	{"detail":{"status":"voice_not_found","message":"…","request_id":"…"}}
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_ERRORS_H
#define DOORS_ELEVENLABS_ELEVENLABS_ERRORS_H

#include "wire/error_shape.h"

extern const struct error_shape elevenlabs_errors;

#endif
