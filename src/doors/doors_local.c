/*
 * doors_local.c: parts of the vendors' APIs for programs that do not serve them (see
 * doors_local.h).
 */
#include "doors/doors_local.h"

#include "doors/elevenlabs/elevenlabs.h"
#include "doors/kugelaudio/kugelaudio.h"
#include "doors/openai/openai.h"
#include "doors/openai/transcripts.h"

const struct socket_api *const doors_local_stream = &kugelaudio_sockets_stream;
const struct transcript_form *const doors_local_transcript = &transcript_json;
const struct transcript_form *const doors_local_transcript_timed = &transcript_json_verbose;
const unsigned doors_local_transcript_parts = TRANSCRIPTS_WORDS | TRANSCRIPTS_SEGMENTS;
const struct engine_token_rules *const doors_local_engine_tokens = &elevenlabs_engine_tokens;

const int64_t *doors_local_voice(const char *name, size_t len)
{
	return openai_body_voice(name, len);
}
