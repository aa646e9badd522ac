/*
 * audio_rest.h: GET /v1/audio/voices.
 */
#ifndef DOORS_OPENAI_AUDIO_REST_H
#define DOORS_OPENAI_AUDIO_REST_H

#include "server/door.h"

route_h audio_rest_voices;

#endif
