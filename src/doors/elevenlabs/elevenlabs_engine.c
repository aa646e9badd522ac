/*
 * elevenlabs_engine.c: the rules for the tokens of ElevenLabs' speech engines (see elevenlabs.h).
 */
#include "doors/elevenlabs/elevenlabs.h"

const struct engine_token_rules elevenlabs_engine_tokens = {
	.header = "X-Elevenlabs-Speech-Engine-Authorization",
	.issuer = "https://api.elevenlabs.io/convai/speech-engine",
	.subject = "convai_speech_engine_upstream",
};
