/*
 * voice_view.h: a voice of the catalogue as REST shows it.
 */
#ifndef SERVER_VOICE_VIEW_H
#define SERVER_VOICE_VIEW_H

#include "server/server_private.h"
#include "wire/voice_json.h"

/* Valid until control returns to the loop. */
struct voice_view {
	struct voice_json json;
	char sample_url[48];
};
void voice_view_fill(struct voice_view *view, const struct server *server,
		     const struct voice *voice);

/* Iterates over the voices, starting with *at = 0; NULL after the last.  The voices for tests are
 * last, because clients take the first voice. */
const struct voice *voice_view_next(const struct server *server, size_t *at);

/* Find the voice that the path names for the key's project, or return NULL: by id or handle and,
 * for reading, also by a name that a door's clients use for it (find_voice in door.h).  Such a name
 * is not sufficient to change a voice, because the operator may give it to another one at any
 * time. */
const struct voice *voice_view_find(const struct route_call *call);
const struct voice *voice_view_find_to_change(const struct route_call *call);

/* Whether the voice is the project's own, which may be changed.  Otherwise the request is answered:
 * 404 for NULL, 403 for other voices. */
bool voice_view_is_own(const struct route_call *call, const struct voice *voice);

/* Answers with everything that is known about a voice, in the native format. */
void voice_view_answer(const struct route_call *call, int status, const struct voice *voice);

#endif
