/*
 * voice_settings.c: /v1/voices/settings/default and /v1/voices/{id}/settings.
 *
 * Of ElevenLabs' settings only the speed exists here: it is the rate of a derived voice, and can be
 * changed.  The others are ElevenLabs' defaults, and have no effect.  Runs on the loop.
 */
#include "doors/elevenlabs/elevenlabs.h"

#include "doors/elevenlabs/elevenlabs_body.h"
#include "server/resource.h"
#include "server/voice_change.h"
#include "server/voice_form.h"
#include "server/voice_view.h"

static const struct rest_field fields[] = {
	{.name = "speed",
	 .kind = REST_FIELD_NUMBER,
	 .bit = STORE_VOICE_RATE,
	 .offset = offsetof(struct voice_form, row.rate),
	 .low = ELEVENLABS_BODY_SPEED_MIN,
	 .high = ELEVENLABS_BODY_SPEED_MAX},
};
const struct rest_form voice_settings_table = {REST_FORM(fields), .ignores_others = true};

static void voice_settings_write(struct json_write *json, const struct route_call *call,
				 const void *speed)
{
	(void)call;
	elevenlabs_voice_write_settings(json, *(const double *)speed);
}

void voice_settings_default(const struct route_call *call)
{
	resource_answer(call, 200, voice_settings_write, &(double){1});
}

void voice_settings_get(const struct route_call *call)
{
	const struct voice *voice = voice_view_find(call);

	if (voice)
		resource_answer(call, 200, voice_settings_write, &(double){voice_rate(voice)});
	else
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
}

void voice_settings_change(const struct route_call *call)
{
	voice_change_as(call, &voice_settings_table, "{\"status\":\"ok\"}");
}
