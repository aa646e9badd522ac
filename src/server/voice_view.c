/*
 * voice_view.c: a voice of the catalogue as REST shows it (see voice_view.h).
 */
#include "server/voice_view.h"

#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "wire/voice_message.h"

static const char *const sexes[] = {
	[VOICE_SEX_UNKNOWN] = NULL,
	[VOICE_FEMALE] = "female",
	[VOICE_MALE] = "male",
};

static const char *const qualities[] = {
	[VOICE_LOW] = "low",
	[VOICE_MID] = "mid",
	[VOICE_HIGH] = "high",
};

bool voice_view_is_category(const char *category)
{
	return voice_message_has_category(category);
}

void voice_view_fill(struct voice_view *view, const struct server *server,
		     const struct voice *voice)
{
	(void)server;
	view->json = (struct voice_json){
		.id = voice->id,
		.handle = voice->handle,
		.name = voice->name,
		.category = "premade",
		.sex = sexes[voice->sex],
		.quality = qualities[voice->quality],
		.languages = voice->language,
		.is_public = true,
	};
}

const struct voice *voice_view_named(const struct route_call *call)
{
	const char *name = call->id_texts[0];

	return voices_find_named(call->server->services.voices, call->key->project_id, name,
				 strcspn(name, "/"));
}
