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

/* The voice that the path names, by id or handle, for the key's project, or NULL. */
const struct voice *voice_view_named(const struct route_call *call);

bool voice_view_is_category(const char *category);

#endif
