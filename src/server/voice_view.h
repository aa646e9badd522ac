/*
 * voice_view.h: a voice of the catalogue as REST shows it.
 */
#ifndef SERVER_VOICE_VIEW_H
#define SERVER_VOICE_VIEW_H

#include "server/server_private.h"
#include "wire/voice_json.h"

/* Good until the loop runs on. */
struct voice_view {
	struct voice_json json;
	char sample_url[48];
};
void voice_view_fill(struct voice_view *view, const struct server *server,
		     const struct voice *voice);

/* The voice that the path names for the key's project, or NULL: by id or handle, and for reading
 * also by an id of ElevenLabs' that stands for it (see elevenlabs_voices.h).  Such an id is not
 * enough to change a voice: the operator may let it stand for another one at any time. */
const struct voice *voice_view_named(const struct route_call *call);
const struct voice *voice_view_to_change(const struct route_call *call);

/* Whether it is the project's own, which may be changed; else the request is
 * answered: 404 for NULL, 403 for others. */
bool voice_view_is_own(const struct route_call *call, const struct voice *voice);

/* All that is known of a voice, in the native shape. */
void voice_view_answer(const struct route_call *call, int status, const struct voice *voice);

bool voice_view_is_category(const char *category);

#endif
