/*
 * voice_change.h: changes of derived voices that arrive in another format than the native one.
 */
#ifndef SERVER_VOICE_CHANGE_H
#define SERVER_VOICE_CHANGE_H

#include "server/door.h"
#include "wire/rest_body.h"

/* Changes the project's own voice that the path names, by a body whose fields fill a struct
 * voice_form (voice_form.h).  Every engine must be able to carry out what the fields can say.
 * `answer` is the body of the answer: static JSON. */
void voice_change_as(const struct route_call *call, const struct rest_form *table,
		     const char *answer);

#endif
