/*
 * elevenlabs_engine.c: the tokens of ElevenLabs' speech engines (see elevenlabs_engine.h).
 */
#include "doors/elevenlabs/elevenlabs_engine.h"

const struct engine_token_rules elevenlabs_engine_tokens = {
	.header = ELEVENLABS_ENGINE_HEADER,
	.issuer = "https://api.elevenlabs.io/convai/speech-engine",
	.subject = "convai_speech_engine_upstream",
};
