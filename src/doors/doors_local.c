/*
 * doors_local.c: what programs use of vendors' APIs without serving them (see doors_local.h).
 */
#include "doors/doors_local.h"

#include "doors/elevenlabs/elevenlabs.h"
#include "doors/kugelaudio/kugelaudio.h"
#include "doors/openai/openai.h"

const struct socket_api *const doors_local_stream = &kugelaudio_sockets_stream;
const struct engine_token_rules *const doors_local_engine_tokens = &elevenlabs_engine_tokens;

const int64_t *doors_local_voice(const char *name, size_t len)
{
	return openai_body_voice(name, len);
}
