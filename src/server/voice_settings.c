/*
 * voice_settings.c: GET /v1/voices/settings/default and /v1/voices/{id}/settings.
 *
 * Of ElevenLabs' settings only the speed exists here: that of a derived voice is its rate, and
 * can be changed (voice_change.c).  The others are ElevenLabs' defaults, which have no effect.
 */
#include "server/server_private.h"
#include "server/voice_view.h"

static void voice_settings_answer(const struct route_call *call, double speed)
{
	struct buf *out = &call->server->scratch;
	struct json_write json;

	out->len = 0;
	json_write_open(&json, out);
	voice_json_write_settings(&json, speed);
	if (json_write_close(&json) == 0)
		answer_json(call, 200, out->bytes, out->len);
	else
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
}

void voice_settings_default(const struct route_call *call)
{
	voice_settings_answer(call, 1);
}

void voice_settings_get(const struct route_call *call)
{
	const struct voice *voice = voice_view_named(call);

	if (voice)
		voice_settings_answer(call, voice_rate(voice));
	else
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
}
