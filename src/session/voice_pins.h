/*
 * voice_pins.h: the voices that a connection has used.
 *
 * While a connection lasts, a voice id keeps the same speaker (an engine and its voice).  If a
 * connection began with a substitute, it keeps the substitute when the better speaker has been
 * installed or has recovered.  Only a speaker that is not available any more is replaced.  Runs on
 * the loop's thread.
 */
#ifndef SESSION_VOICE_PINS_H
#define SESSION_VOICE_PINS_H

#include "speech/voice.h"

/* A list.  The first element is a member of the session, because most connections use one voice. */
struct voice_pin {
	struct voice_pin *next;
	const struct voice *voice; /* NULL: unused */
};

/* Finds the voice with an id for a project, with the speaker that the connection has used for it;
 * NULL: there is no such voice.  The result is valid until the next call. */
const struct voice *voice_pins_find(struct voice_pin *pins, const struct voices *voices,
				    int64_t project_id, int64_t id);
void voice_pins_reset(struct voice_pin *pins);

#endif
