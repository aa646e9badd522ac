/*
 * elevenlabs_engine.h: the tokens with which ElevenLabs' speech engines connect.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_ENGINE_H
#define DOORS_ELEVENLABS_ELEVENLABS_ENGINE_H

#include "account/engine_token.h"

#define ELEVENLABS_ENGINE_HEADER "X-Elevenlabs-Speech-Engine-Authorization"

extern const struct engine_token_rules elevenlabs_engine_tokens;

#endif
